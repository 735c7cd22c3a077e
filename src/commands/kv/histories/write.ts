import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { mergePatch } from '../../../core/endpoint.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, keysOf, lookUp, objectFrom } from '../../../core/json.ts'
import { isSameSetting } from '../data/settings.ts'
import { mapOf, patched, same } from '../data/values.ts'
import { seeVersions } from '../data/versions.ts'
import { changeVersions, readUntil, writeData } from '../secret/index.ts'
import { otherDifferences, settingNames } from './compare.ts'
import { markKey, placeholderOf } from './mark.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { byNumber, readOutline, stateBy } from './record.ts'
import type { HistorySteps } from './steps.ts'

/** Settings and custom metadata of a secret, as a write changes them. */
interface Settings {
  readonly max_versions?: number
  readonly cas_required?: boolean
  readonly delete_version_after?: string
  readonly metadata_cas_required?: boolean
  /** Null removes a key. */
  readonly custom?: JsonObject
}

/** Where a history is written. */
export interface Writing {
  readonly target: { readonly patches: { isAllowed: boolean } }
  readonly context: Context
  readonly path: string
  readonly expected: SecretRecord
  /** The path as it was read. */
  readonly actual: SecretRecord | undefined
  readonly steps: HistorySteps
  readonly mark: string
  /** False if the token may not patch metadata. */
  readonly mayPatch: boolean
  /** Called after each write with the current version. */
  readonly onWrite: (current: number) => void
}

/** Reads the path until it is as the run has left it. Throws a conflict if it isn't. Undefined after a single guarded write. */
export type Confirm = (() => Promise<void>) | undefined

/**
 * Writes a history. The first write is guarded; from the second version on, custom metadata has the mark, and the settings of the history
 * replace it in the last write. What somebody else changes meanwhile is a conflict.
 */
export async function writeHistory(writing: Writing): Promise<Confirm> {
  const { target, context, path, expected, actual, steps, mark, onWrite } = writing
  const { first, limit, placeholders, deletes } = steps
  let patches = writing.mayPatch && target.patches.isAllowed
  const wanted = byNumber(expected)
  const now = context.now()
  /** The path as this run has left it. */
  let left: Omit<SecretRecord, 'versions'> = actual ?? newSecret
  let exists = actual !== undefined
  const versions = new Map((actual?.versions ?? []).map((one) => [one.version, one]))
  const pending = new Set(placeholders)

  const sendSettings = async (changes: Settings, how: 'patch' | 'post') => {
    const { custom, ...settings } = changes
    const { current_metadata_version: number } = left
    const whole = custom && patched(left.custom_metadata ?? objectFrom([]), custom)
    const sent = how === 'patch' ? custom : whole
    const body = objectFrom([
      ...(Object.entries(settings) as [string, Json][]),
      ...(sent === undefined ? [] : [['custom_metadata', sent] as [string, Json]]),
      // OpenBao compares it; other servers don't show it.
      ...(context.settings.dialect === 'neutral' || number === undefined
        ? []
        : [['metadata_cas', number] as [string, Json]]),
    ])
    // Warnings about temporary settings are not printed.
    await context.http.send(
      how === 'patch' ? api.patchMetadata({ path }, mergePatch(body)) : api.writeMetadata({ path }, { body }),
    )
    onWrite(left.current_version)
    exists = true
    left = {
      ...left,
      ...settings,
      ...(whole === undefined ? {} : { custom_metadata: Object.keys(whole).length === 0 ? null : whole }),
      current_metadata_version: number === undefined ? undefined : number + 1,
    }
  }

  const settle = async (changes: Settings) => {
    if (!exists || !patches) return sendSettings(changes, 'post')
    const { delete_version_after: expiry, ...others } = changes
    // A patch cannot reset it.
    if (expiry === '0s') await sendSettings({ delete_version_after: expiry }, 'post')
    const rest = expiry === '0s' ? others : changes
    if (Object.keys(rest).length === 0) return undefined
    try {
      return await sendSettings(rest, 'patch')
    } catch (error) {
      if (!(error instanceof TugError) || ![403, 404, 405].includes(error.facts.status ?? 0)) throw error
      // The path itself may be gone.
      await confirm()
      patches = false
      if (error.facts.status !== 403) target.patches.isAllowed = false
      return sendSettings(rest, 'post')
    }
  }

  const confirm = async () => {
    // A standby may not have it yet.
    const changeIn = (found: SecretRecord | undefined) => changeOf(found, left, versions, pending)
    const found = await readUntil(
      context,
      () => readOutline(context, path),
      (one) => changeIn(one) === undefined,
    )
    const change = changeIn(found)
    if (found === undefined || change !== undefined) throw changedMeanwhile(context, path, change ?? '')
    const present = byNumber(found)
    for (const number of versions.keys()) if (!present.has(number)) versions.delete(number)
    left = { ...left, current_metadata_version: found.current_metadata_version }
  }

  const change = async (state: 'destroyed' | 'deleted', numbers: Iterable<number>) => {
    const present = [...numbers].filter((number) => versions.has(number))
    if (present.length === 0) return
    await changeVersions(context, path, state, present)
    onWrite(left.current_version)
    for (const number of present) versions.set(number, { ...(versions.get(number) as VersionRecord), state })
    await confirm()
  }

  /**
   * Reads whether custom metadata is stored, and expects none from then on if not: servers without PATCH may be so old that they drop it
   * without a word.
   */
  const dropsCustom = async () => {
    if (target.patches.isAllowed) return false
    const { custom_metadata: stored = null } = (await readOutline(context, path)) ?? {}
    if (stored === null) left = { ...left, custom_metadata: null }
    return stored === null
  }

  let isPrepared = false
  for (let version = first; version <= expected.current_version; version += 1) {
    const record = wanted.get(version)
    const isLive = record !== undefined && stateBy(now, record) === 'live' && record.data !== undefined
    const expiry = isLive ? remaining(record, now) : '0s'
    const isNew = version === 1 && !exists && expiry === '0s'
    const lasts = isSameSetting('', expiry, left.delete_version_after) ? {} : { delete_version_after: expiry }
    if (!isNew && !isPrepared) {
      await settle({ max_versions: limit, ...lasts, custom: objectFrom([[markKey, mark]]) })
      isPrepared = true
      await dropsCustom()
    } else if (!isNew && 'delete_version_after' in lasts) await settle(lasts)
    if (!isLive) pending.add(version)
    const data = isLive ? (record.data ?? null) : placeholderOf(mark)
    const { facts = {} } = await writeData(context, path, data, { cas: version - 1 })
    onWrite(version)
    exists = true
    left = { ...left, current_version: version }
    const [created_time, deletion_time] = [facts['created_time'], facts['deletion_time']].map((time) =>
      String(time ?? ''),
    )
    versions.set(version, {
      version,
      state: 'live',
      created_time: created_time ?? '',
      deletion_time: deletion_time ?? '',
    })
    if (facts['custom_metadata'] !== undefined && !same(mapOf(facts['custom_metadata']), mapOf(left.custom_metadata)))
      throw changedMeanwhile(context, path, 'its custom metadata was changed')
  }
  const final = finalSettings(expected, exists ? left : undefined)
  if (final === undefined && pending.size === 0 && deletes.length === 0) return undefined
  if (exists) await confirm()
  await change('destroyed', [...pending])
  await change('deleted', deletes)
  if (final !== undefined) await settle(final)
  if (expected.custom_metadata !== null && (await dropsCustom())) {
    const { explainAge } = await import('../mount/server.ts')
    const error = new TugError('failed', `${path}: the server did not store custom_metadata`, { service: 'secrets' })
    throw await explainAge(context, error, 'custom metadata', '1.9')
  }
  return confirm
}

/** A secret that doesn't exist. */
const newSecret: Omit<SecretRecord, 'versions'> = {
  path: '',
  current_version: 0,
  oldest_version: 0,
  created_time: '',
  updated_time: '',
  max_versions: 0,
  cas_required: false,
  delete_version_after: '0s',
  custom_metadata: null,
  current_metadata_version: 0,
}

/** True if the first version has to expire: its settings are then written before it. */
export function startsWithSettings(expected: SecretRecord, now: Date): boolean {
  const first = byNumber(expected).get(1)
  return first !== undefined && stateBy(now, first) === 'live' && remaining(first, now) !== '0s'
}

/** True if versions are written under a mark: all but a first one that nothing precedes. */
export function needsMark(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  { first }: HistorySteps,
  now: Date,
): boolean {
  const { current_version: last } = expected
  return first <= last && (last > 1 || actual !== undefined || startsWithSettings(expected, now))
}

/** The settings and custom metadata that a path lacks; undefined if there are none. */
export function finalSettings(
  expected: SecretRecord,
  path: Omit<SecretRecord, 'versions'> | undefined,
): Settings | undefined {
  const left = path ?? newSecret
  const exists = path !== undefined
  const { custom_metadata: wanted } = expected
  const differing = settingNames.filter((name) => !isSameSetting(name, left[name], expected[name]))
  const names = new Set([...(exists || expected.current_version > 0 ? [] : (['max_versions'] as const)), ...differing])
  const isChecked = expected.metadata_cas_required === true
  const gone = keysOf(left.custom_metadata ?? empty).filter((key) => !Object.hasOwn(wanted ?? empty, key))
  const custom = [
    ...entriesOf(wanted ?? empty).filter(([key, value]) => !same(lookUp(left.custom_metadata ?? empty, key), value)),
    ...gone.map((key): [string, Json] => [key, null]),
  ]
  const changes: Settings = {
    ...Object.fromEntries([...names].map((name) => [name, expected[name]])),
    ...(isChecked === (left.metadata_cas_required === true) ? {} : { metadata_cas_required: isChecked }),
    ...(custom.length === 0 ? {} : { custom: objectFrom(custom) }),
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

const empty = objectFrom([])

/** The deletion time to give a version that is still live: what is left of it, in whole seconds. */
function remaining({ deletion_time }: VersionRecord, now: Date): string {
  const due = deletion_time === '' ? Number.NaN : Date.parse(deletion_time)
  if (!(due > now.getTime())) return '0s'
  const seconds = Math.max(1, Math.round((due - now.getTime()) / 1000))
  return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m${seconds % 60}s`
}

/** What somebody else has changed at a path since this run has left it; undefined if nothing. */
function changeOf(
  found: SecretRecord | undefined,
  left: Omit<SecretRecord, 'versions'>,
  versions: ReadonlyMap<number, VersionRecord>,
  placeholders: ReadonlySet<number>,
): string | undefined {
  if (found === undefined) return 'the server does not show it'
  if (found.current_version !== left.current_version)
    return `its current version is ${found.current_version}, not ${left.current_version}`
  const present = byNumber(found)
  for (const here of present.values()) {
    const known = versions.get(here.version)
    const isSame =
      known !== undefined &&
      (known.created_time === '' || known.created_time === here.created_time) &&
      (known.state === here.state ||
        // It has expired.
        (known.state === 'live' && here.state === 'deleted' && known.deletion_time === here.deletion_time))
    if (!isSame) return `version ${here.version} is ${here.state} here, and not as this run has left it`
  }
  const gone = [...versions.values()].find(
    ({ version, state }) => state === 'live' && !present.has(version) && !placeholders.has(version),
  )
  if (gone !== undefined) return `version ${gone.version} is gone`
  return otherDifferences(left, found)[0]
}

function changedMeanwhile(context: Context, path: string, how: string): TugError {
  return new TugError('conflict', `${path} is not as this run has written it: ${how}`, {
    service: 'secrets',
    hints: [seeVersions(context, path)],
  })
}
