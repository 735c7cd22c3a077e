import type { Json, JsonObject } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { same } from '../data/values.ts'
import { versionWords } from '../data/versions.ts'
import type { Follows } from './compare.ts'
import { compareVersion, differencesFrom, liveDifferences, surplusVersions } from './compare.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { byNumber, stateBy } from './record.ts'

/** One request of a restore. */
export type Step =
  | { readonly kind: 'settings'; readonly settings: JsonObject }
  /** Guarded by check-and-set: the version before it must be the current one. */
  | { readonly kind: 'write'; readonly version: number; readonly data: JsonObject | null }
  | { readonly kind: 'delete' | 'destroy'; readonly versions: readonly number[] }
  /** Destroys those of these versions that pruning has not removed. */
  | { readonly kind: 'clear'; readonly versions: readonly number[] }

/** What a restore would do with a path. */
export type Comparison =
  | { readonly kind: 'identical' }
  /** Nothing is there, or a part of the same history. */
  | { readonly kind: 'restore' | 'continue'; readonly steps: readonly Step[]; readonly follows?: Follows }
  | { readonly kind: 'conflict'; readonly why: string }

/** How a path becomes equal to a history. */
export interface ComparisonOptions {
  readonly follows?: Follows | undefined
}

/** Compares a path with its record, and says what brings it to the same history. Nothing that exists is ever replaced. */
export function compareWith(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  now: Date,
  { follows }: ComparisonOptions = {},
): Comparison {
  if (actual === undefined) return { kind: 'restore', steps: stepsOf(expected, undefined, now) }
  const isEqual = (by?: Follows) => differencesFrom(expected, actual, now, by).length === 0
  if (isEqual() || (follows !== undefined && isEqual(follows))) return { kind: 'identical' }
  if (actual.current_version > expected.current_version)
    return { kind: 'conflict', why: `it has ${actual.current_version} versions, not ${expected.current_version}` }
  const kind = actual.current_version === 0 ? 'restore' : 'continue'
  const why = conflictWith(expected, actual, now)
  if (why === undefined) return { kind, steps: stepsOf(expected, actual, now) }
  if (follows === undefined) return { kind: 'conflict', why }
  // A path that follows a history has all versions that are live in it, up to its own current one.
  const [difference] = liveDifferences(expected, actual, now)
  if (difference !== undefined) return { kind: 'conflict', why: difference }
  return { kind, steps: stepsThatFollow(expected, actual, now, follows), follows }
}

/** Adds what is new in the history. Of what is here, it deletes at most versions; nothing is pruned while it writes. */
function stepsThatFollow(expected: SecretRecord, actual: SecretRecord, now: Date, follows: Follows): Step[] {
  const steps = stepsOf({ ...expected, oldest_version: 0 }, actual, now).flatMap((step): Step[] => {
    if (!('versions' in step)) return [step]
    const versions = step.versions.filter((version) => version > actual.current_version)
    return versions.length === 0 ? [] : [{ ...step, versions }]
  })
  const surplus = surplusVersions(expected, actual, now, follows)
  // After the writes, so that readers find a live version meanwhile.
  return surplus.length === 0 ? steps : [...steps, { kind: 'delete', versions: surplus }]
}

/**
 * While versions are written: as many as must not be pruned yet. Versions below `oldest_version` are pruned as the later ones
 * arrive.
 */
function temporaryLimit({ current_version, oldest_version }: SecretRecord): number {
  return oldest_version > 1 ? current_version - oldest_version + 1 : current_version + 1
}

/** True if the secret has the temporary settings of a restore that was cut off. */
function isUnderWay(expected: SecretRecord, { max_versions, cas_required, custom_metadata }: SecretRecord): boolean {
  return max_versions === temporaryLimit(expected) && !cas_required && custom_metadata === null
}

/** Why the secret is not the beginning of the expected history. */
function conflictWith(expected: SecretRecord, actual: SecretRecord, now: Date): string | undefined {
  const isUnfinished = isUnderWay(expected, actual)
  const { max_versions, cas_required, delete_version_after, custom_metadata } = actual
  const hasSettings = max_versions !== 0 || cas_required || delete_version_after !== '0s' || custom_metadata !== null
  if (actual.current_version === 0 && !isUnfinished && hasSettings) return 'it has settings of its own'
  const wanted = byNumber(expected)
  const found = byNumber(actual)
  for (let number = 1; number <= actual.current_version; number += 1) {
    if (!isBeginning(wanted.get(number), found.get(number), isUnfinished, now)) return `version ${number} differs`
  }
  return undefined
}

/** True if a version is what was expected, or the placeholder of a restore. */
function isBeginning(
  wanted: VersionRecord | undefined,
  here: VersionRecord | undefined,
  isUnfinished: boolean,
  now: Date,
): boolean {
  if (wanted === undefined ? here === undefined : compareVersion(wanted, here, now) === undefined) return true
  const state = here && stateBy(now, here)
  if (wanted === undefined && state === 'destroyed') return true
  const isPlaceholder = state === 'deleted' || (state === 'live' && same(here?.data, emptyData))
  return isUnfinished && isPlaceholder && (wanted === undefined || stateBy(now, wanted) !== 'live')
}

/** Stands for data that was not read or no longer exists; these versions are destroyed afterwards. */
const emptyData = objectFrom([])

/** The requests that make the secret equal to the record, in the one order that loses nothing. */
function stepsOf(expected: SecretRecord, actual: SecretRecord | undefined, now: Date): Step[] {
  const first = (actual?.current_version ?? 0) + 1
  const wanted = byNumber(expected)
  const writes: Step[] = []
  let expiry = '0s'
  const settle = (deleteAfter: string) => {
    if (deleteAfter === expiry) return
    writes.push({ kind: 'settings', settings: objectFrom([['delete_version_after', deleteAfter]]) })
    expiry = deleteAfter
  }
  const isPrepared = actual !== undefined && isUnderWay(expected, actual) && actual.delete_version_after === expiry
  if (first <= expected.current_version && !isPrepared)
    writes.push({ kind: 'settings', settings: temporarySettings(expected) })
  for (let version = first; version <= expected.current_version; version += 1) {
    const record = wanted.get(version)
    settle(record === undefined ? '0s' : remaining(record, now))
    const isLive = record !== undefined && stateBy(now, record) === 'live' && record.data !== undefined
    writes.push({ kind: 'write', version, data: isLive ? (record.data ?? null) : emptyData })
  }
  return [
    ...writes,
    ...removals(expected, actual, now),
    { kind: 'settings', settings: finalSettings(expected, actual) },
  ]
}

/** Destroys the placeholders, and what is destroyed in the history. */
function removals(expected: SecretRecord, actual: SecretRecord | undefined, now: Date): Step[] {
  const here = new Map(actual?.versions.map((version) => [version.version, stateBy(now, version)]))
  const stateHere = (version: number) =>
    here.get(version) ?? (version > (actual?.current_version ?? 0) ? 'live' : undefined)
  const destroyed = expected.versions.flatMap((one) => {
    const target = stateBy(now, one)
    const state = stateHere(one.version)
    const isDue = target === 'destroyed' ? state !== 'destroyed' : target === 'deleted' && state === 'live'
    return isDue ? [one.version] : []
  })
  const recorded = new Set(expected.versions.map(({ version }) => version))
  const absent = Array.from({ length: expected.current_version }, (_, index) => index + 1).filter(
    (version) => !recorded.has(version) && stateHere(version) !== undefined && stateHere(version) !== 'destroyed',
  )
  const steps: Step[] = [
    { kind: 'destroy', versions: destroyed },
    { kind: 'clear', versions: absent },
  ]
  return steps.filter((step) => 'versions' in step && step.versions.length > 0)
}

/** The deletion time to give a version that is still live: what is left of it, in whole seconds. */
function remaining({ state, deletion_time }: VersionRecord, now: Date): string {
  const due = deletion_time === '' ? Number.NaN : Date.parse(deletion_time)
  if (state !== 'live' || !(due > now.getTime())) return '0s'
  const seconds = Math.max(1, Math.round((due - now.getTime()) / 1000))
  return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m${seconds % 60}s`
}

/** The settings of a secret while its history is written. */
function temporarySettings(expected: SecretRecord): JsonObject {
  return objectFrom([
    ['max_versions', temporaryLimit(expected)],
    ['cas_required', false],
    ['delete_version_after', '0s'],
  ])
}

function finalSettings(expected: SecretRecord, actual: SecretRecord | undefined): JsonObject {
  const { max_versions, cas_required, delete_version_after, metadata_cas_required, custom_metadata } = expected
  const clears = (actual?.custom_metadata ?? null) !== null
  const entries: [string, Json][] = [
    ['max_versions', max_versions],
    ['cas_required', cas_required],
    ['delete_version_after', delete_version_after],
  ]
  if (metadata_cas_required === true) entries.push(['metadata_cas_required', true])
  if (custom_metadata !== null || clears) entries.push(['custom_metadata', custom_metadata ?? objectFrom([])])
  return objectFrom(entries)
}

/** What a restore would do with a path, in words. */
export function comparisonWords(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  comparison: Exclude<Comparison, { kind: 'conflict' }>,
): string {
  if (comparison.kind === 'identical') return 'identical'
  const since = actual?.current_version ?? 0
  const surplus = comparison.steps.flatMap((step) => (step.kind === 'delete' ? step.versions : []))
  const gone = surplus.filter((version) => version <= since)
  return [contentWords(expected, since), ...(gone.length === 0 ? [] : [`deletes ${versionWords(gone)}`])].join('; ')
}

/** `4 versions (1 destroyed), settings, custom metadata`; `since` is the version that the path has already. */
function contentWords(record: SecretRecord, since: number): string {
  const { current_version, oldest_version, versions, custom_metadata } = record
  const count = (state: string) => versions.filter((one) => one.version > since && one.state === state).length
  const states = [
    [count('deleted'), 'deleted: without data'],
    [count('destroyed'), 'destroyed'],
    [Math.max(0, oldest_version - 1 - since), 'pruned'],
  ] as const
  const notes = states.filter(([number]) => number > 0).map(([number, state]) => `${number} ${state}`)
  const more = current_version - since
  const after = since === 0 ? '' : `after version ${since}: `
  const what = `${after}${plural(more, 'version')}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
  return [...(more === 0 ? [] : [what]), 'settings', ...(custom_metadata === null ? [] : ['custom metadata'])].join(
    ', ',
  )
}

/** What became of deleted versions. */
export function destroyedNote(versions: number): string {
  return `${plural(versions, 'deleted version')} destroyed here: ${versions === 1 ? 'its data' : 'their data'} was not read`
}
