import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, isForbidden, unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import type { RequestPolicy } from '../../../core/request.ts'
import { plural } from '../../../core/words.ts'
import type { Action } from '../../../write/actions.ts'
import type { Applied, Decision, ItemRun, Shown, Stage } from '../../../write/work.ts'
import { stage, unseen } from '../../../write/work.ts'
import type { Version, VersionState } from '../data/versions.ts'
import { seeVersions, versionWords } from '../data/versions.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { secretsAsked, secretsToWrite } from '../mount/targets.ts'
import { explainMissing } from './explain.ts'
import { goneVersion } from './missing.ts'
import type { Metadata } from './read.ts'
import { findMetadata, readUntil } from './read.ts'
import { sendWrite } from './write.ts'

/** A change of versions. Servers also accept one that has no effect, so the metadata is read. */
interface VersionChange {
  readonly path: string
  readonly wanted: VersionState
  /** Undefined: the latest, or those that `select` chooses. */
  readonly versions?: readonly number[] | undefined
  /** Chooses versions once the metadata is read; none is `unchanged`. */
  readonly select?: (versions: readonly Version[], current: number, moment: Date) => readonly number[]
  /** For a path that was typed: the hint if it is a folder. */
  readonly folderHint?: string
  /** Reads the metadata again to see what the change has done; by default for a path that was typed, and for each undelete. */
  readonly confirms?: boolean
  /** Sends the request alone. */
  readonly noVerify?: boolean | undefined
  /** The metadata, if it was read already. */
  readonly seen?: Metadata
  /** Why a version is left alone; undefined to change it. */
  readonly except?: (version: { readonly deletion_time: string }, moment: Date) => string | undefined
}

/** Sends a change of versions; without numbers, the latest is deleted, whatever that is when the request arrives. */
export async function changeVersions(
  context: Context,
  path: string,
  wanted: VersionState,
  versions: readonly number[] | undefined,
  policy: RequestPolicy = {},
): Promise<void> {
  const parts = { body: { versions: [...(versions ?? [])] }, policy }
  const request = {
    deleted: versions === undefined ? api.deleteLatest({ path }) : api.deleteVersions({ path }, parts),
    live: api.undeleteVersions({ path }, parts),
    destroyed: api.destroyVersions({ path }, parts),
  }[wanted]
  await sendWrite(context, path, request)
}

/** The versions of a secret at a moment. */
interface Snapshot {
  readonly current: number
  /** When the secret was created, because another one may take its path. */
  readonly created: string
  readonly states: ReadonlyMap<number, VersionState>
}

/** What a change of versions would do. A secret that doesn't exist is an error if its path was typed, otherwise undefined. */
export async function decideVersions(context: Context, change: VersionChange): Promise<Decision | undefined> {
  const { path, wanted, versions, folderHint, noVerify = false } = change
  const isTyped = folderHint !== undefined
  const { confirms = isTyped || wanted === 'live' } = change
  const { action, done } = words[wanted]
  const read = noVerify ? undefined : (change.seen ?? (await findMetadata(context, path).catch(unlessForbidden)))
  if (read === undefined) {
    await refuseVersion1(context, `${versions === undefined && wanted === 'deleted' ? 'data' : action}/${path}`)
    return { ...unseen, ...(noVerify ? { action } : {}), apply: sendUnseen(change) }
  }
  if (read.state === 'missing') {
    if (!isTyped) return undefined
    const error = read.error.with({ message: `${read.error.message}; nothing was ${done}` })
    throw await explainMissing(context, path, error, () => [folderHint])
  }
  const before = snapshotOf(read)
  const { current, states } = before
  const latest = current === 0 ? [] : [current]
  const asked = versions ?? change.select?.(read.versions, current, read.moment) ?? latest
  const missing = asked.filter((version) => !states.has(version))
  if (missing.length > 0 || (asked.length === 0 && isTyped && change.select === undefined))
    throw noVersions(context, path, versions === undefined ? 'versions' : versionWords(missing), before)
  const destroyed = asked.find((version) => states.get(version) === 'destroyed')
  if (wanted === 'live' && isTyped && destroyed !== undefined)
    throw goneVersion(context, path, { version: destroyed, state: 'destroyed' })
  if (asked.length === 0) {
    const reason = current === 0 ? 'has no version' : `no version to ${action}`
    return { action: 'unchanged', words: reason, guard: current }
  }
  const due = asked.filter((version) => !isIn(wanted, states.get(version)))
  const guard = guardOf(before, due)
  const rows = asked.map((version) => {
    const state = states.get(version)
    return versionRow(version, state, due.includes(version) ? wanted : state)
  })
  const facts = { versions: rows }
  const exceptions = read.versions.filter(({ version }) => asked.includes(version))
  const exception = exceptions.map((one) => change.except?.(one, read.moment)).find((reason) => reason !== undefined)
  if (exception !== undefined) return { action: 'unchanged', words: exception, facts, guard }
  if (due.length === 0) return { action: 'unchanged', words: alreadyIn(before, asked), facts, guard }
  return {
    action,
    words: `${action} ${versionWords(due)}`,
    facts,
    guard,
    apply: async (item) => {
      const isExact = await sendFor(item.context, change, due)
      if (confirms || !isExact) return confirmed(item.context, change, { before, due })
      return { words: `${words[wanted].done} ${versionWords(due)} of ${path}`, guard: due.join(',') }
    },
  }
}

/** A version with its states before and after; null if they were not read. */
function versionRow(version: number, before: VersionState | null = null, after: VersionState | null = null): Json {
  return objectFrom([
    ['version', version],
    ['before', before],
    ['after', after],
  ])
}

/**
 * The latest version of one secret is deleted without its number. Of many, the version that was seen is, unless the token may not name
 * versions. False if the request named no version, so that it may have met a newer one.
 */
async function sendFor(context: Context, change: VersionChange, due: readonly number[]): Promise<boolean> {
  const { path, versions, wanted, folderHint } = change
  const isNamed = versions !== undefined || wanted !== 'deleted'
  try {
    if (isNamed || folderHint === undefined) {
      await changeVersions(context, path, wanted, due)
      return true
    }
  } catch (error) {
    if (isNamed || !isForbidden(error)) throw error
  }
  await changeVersions(context, path, wanted, undefined)
  return false
}

function sendUnseen(change: VersionChange): NonNullable<Decision['apply']> {
  return async ({ context }: ItemRun): Promise<Applied> => {
    const { path, wanted, versions } = change
    await changeVersions(context, path, wanted, versions)
    return {
      words: requestedWords(context, change),
      facts: { versions: (versions ?? []).map((version) => versionRow(version)), confirmed: false },
    }
  }
}

/**
 * Reads until the metadata shows the change: servers answer 204 to a request without effect too. The latest may have become another version
 * before the request arrived. Throws a conflict if a version that was to be live can no longer be.
 */
async function confirmed(
  context: Context,
  change: VersionChange,
  { before, due }: { readonly before: Snapshot; readonly due: readonly number[] },
): Promise<Applied> {
  const { path, wanted } = change
  let last: Snapshot | undefined
  const targets = (now: Snapshot) => targetsOf(change, before, now, due)
  const read = async () => {
    try {
      const found = await findMetadata(context, path)
      const now = found.state === 'missing' ? nothing : snapshotOf(found)
      // Another secret at the path has versions of its own.
      const shown = now.created === before.created ? now : nothing
      last = shown
      return targets(shown).every((version) => isIn(wanted, shown.states.get(version)))
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return undefined
    }
  }
  const isConfirmed = (await readUntil(context, read, (found) => found !== false)) === true
  const seen = last?.states
  const lost = seen === undefined ? [] : due.filter((version) => !['live', 'deleted'].includes(seen.get(version) ?? ''))
  if (wanted === 'live' && lost.length > 0) {
    const restored = due.filter((version) => seen?.get(version) === 'live')
    const done = restored.length === 0 ? '' : `restored ${versionWords(restored)}; `
    throw new TugError('conflict', `${done}${versionWords(lost)} of ${path}: ${fateOf(seen, lost)}`, {
      service: 'secrets',
      hints: [seeVersions(context, path)],
      applied: restored.length > 0,
    })
  }
  const fate = wanted === 'deleted' || seen?.size === 0 ? fateOf(seen, due) : ''
  if (!isConfirmed) {
    const see = context.commandLine('kv history', path)
    const shown = fate === '' ? `the metadata doesn't show the ${words[wanted].noun} yet` : fate
    context.io.warnAlways(`accepted, not confirmed: ${shown}; see: ${see}`)
  }
  const versions = last === undefined ? due : targets(last)
  const rows = (change.versions ?? versions).map((version) =>
    versionRow(version, before.states.get(version), last?.states.get(version)),
  )
  const others = (change.versions ?? []).filter((version) => !due.includes(version))
  const already = others.length === 0 ? '' : `; ${alreadyIn(before, others)}`
  const end = fate === '' ? undoWords(context, { path, wanted, versions }) : `; ${fate}`
  return {
    words: isConfirmed
      ? `${words[wanted].done} ${versionWords(versions)} of ${path}${already}${end}`
      : requestedWords(context, { ...change, versions }, end),
    facts: { versions: rows, confirmed: isConfirmed },
    guard: guardOf(last ?? before, []),
  }
}

/** The snapshot of a secret that no longer exists. */
const nothing: Snapshot = { current: 0, created: '', states: new Map() }

function snapshotOf({ metadata, versions, current }: Metadata): Snapshot {
  const states = versions.map(({ version, state }) => [version, state] as const)
  return { current, created: metadata.created_time ?? '', states: new Map(states) }
}

/** The guard of a change: the current version, which secret it is, and the versions to change. */
function guardOf({ current, created }: Snapshot, due: readonly number[]): string {
  return [`version ${current} of the secret of ${created}`, ...due].join(' ')
}

/** The error for versions that don't exist, with the newest that do. */
function noVersions(context: Context, path: string, what: string, { states }: Snapshot): TugError {
  const existing = [...states.keys()]
  const newest = existing.slice(0, mostNamed).join(', ')
  const has =
    existing.length === 0
      ? 'it has metadata only'
      : existing.length > mostNamed
        ? `its newest versions: ${newest} (${plural(existing.length, 'version')})`
        : `its versions: ${newest}`
  return new TugError('not_found', `${path} has no ${what}; ${has}; nothing was sent`, {
    reason: 'no_secret',
    hints: [seeVersions(context, path)],
  })
}

const mostNamed = 10

/** The versions that a change was about. The latest, to be deleted, may have become another one before the request arrived. */
function targetsOf(
  { versions, wanted }: VersionChange,
  before: Snapshot,
  now: Snapshot,
  due: readonly number[],
): readonly number[] {
  if (versions !== undefined || wanted !== 'deleted') return due
  const first = before.current
  const isOther = now.current !== first && now.states.get(first) === before.states.get(first)
  return [isOther ? now.current : first]
}

/** True if a version needs no change, or none can be made: a destroyed one can be neither deleted nor restored. */
function isIn(wanted: VersionState, state: VersionState | undefined): boolean {
  return state === wanted || (wanted !== 'destroyed' && state === 'destroyed')
}

/** The words for a change, by the state that it leads to. */
const words = {
  deleted: { action: 'delete', done: 'deleted', noun: 'deletion' },
  live: { action: 'undelete', done: 'restored', noun: 'restoration' },
  destroyed: { action: 'destroy', done: 'destroyed', noun: 'destruction' },
} as const satisfies Record<VersionState, { action: Action; done: string; noun: string }>

/** Words for a change that was sent and not confirmed. */
function requestedWords(context: Context, change: VersionChange, end = undoWords(context, change)): string {
  const { path, wanted, versions } = change
  const what = versions === undefined ? 'the latest version' : versionWords(versions)
  return `requested ${words[wanted].noun} of ${what} of ${path}, not verified${end}`
}

/** What somebody else has done to versions, if their data no longer exists. */
function fateOf(seen: Snapshot['states'] | undefined, versions: readonly number[]): string {
  const states = seen === undefined ? [] : versions.map((version) => seen.get(version) ?? 'removed')
  const fates = (['destroyed', 'removed'] as const).filter((fate) => states.includes(fate))
  return fates.length === 0 ? '' : `${fates.join(' or ')} meanwhile`
}

/** The command line that undoes a deletion. */
function undoWords({ commandLine }: Context, { path, wanted, versions }: VersionChange): string {
  if (wanted !== 'deleted') return ''
  const named = versions === undefined ? [] : [['--versions', versions.join(',')] as const]
  return `; undo: ${commandLine('kv undelete', path, ...named)}`
}

/** `version 2 is deleted already`, `version 2 is deleted already, version 3 is destroyed already`. */
function alreadyIn({ states }: Snapshot, versions: readonly number[]): string {
  return (['live', 'deleted', 'destroyed'] as const)
    .flatMap((state) => {
      const those = versions.filter((version) => states.get(version) === state)
      if (those.length === 0) return []
      return [`${versionWords(those)} ${those.length === 1 ? 'is' : 'are'} ${state} already`]
    })
    .join(', ')
}

/** What a prune keeps. */
interface Prune {
  /** Whose secrets are kept, in words. */
  readonly whose: string
  readonly isKept: (path: string) => boolean | Promise<boolean>
  /** Called first; it may throw. */
  readonly before?: () => Promise<void>
}

/** Deletes the live secrets below a folder that the other side doesn't have; asks first. */
export function pruneStage(context: Context, folder: string, { whose, isKept, before }: Prune): Stage {
  async function* surplus() {
    await before?.()
    for await (const one of secretsToWrite(context, [`${folder}/`], { mayBeMissing: true }))
      if (typeof one !== 'string' || !(await isKept(one))) yield one
  }
  return stage<string>({
    targets: surplus(),
    nameOf: (path) => path,
    decide: async (path) => {
      const decision = await decideVersions(context, { path, wanted: 'deleted' })
      // A secret that is deleted already is not surplus.
      if (decision?.apply === undefined) return decision?.action === 'unchanged' ? undefined : decision
      const { apply } = decision
      return { ...decision, apply: (item) => apply({ ...item, context: item.within(context) }) }
    },
    ask: (shown: readonly Shown<string>[]) => `Delete ${secretsAsked(shown, `that ${whose} doesn't contain`)}?`,
  })
}
