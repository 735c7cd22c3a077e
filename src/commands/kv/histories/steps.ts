import { entriesOf, objectFrom } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import type { VersionState } from '../data/versions.ts'
import { versionWords } from '../data/versions.ts'
import type { Follows } from './compare.ts'
import { compareVersion, customDifference, isAsWanted, otherDifferences, surplusVersions } from './compare.ts'
import { isMarkOf, isPlaceholder, markIn, markKey } from './mark.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { byNumber, stateBy } from './record.ts'

/** What is left to do at a path. */
export interface HistorySteps {
  /** The first version to write. */
  readonly first: number
  /** As many versions as have to be kept while versions are written. */
  readonly limit: number
  /** Versions of unfinished copies that stand for data that was not read or no longer exists. */
  readonly placeholders: readonly number[]
  /** Live versions that the history doesn't have any more. */
  readonly deletes: readonly number[]
}

/** What a restore would do with a path. */
export type Comparison =
  | { readonly kind: 'identical' }
  /** Nothing is there, or a part of the same history. */
  | { readonly kind: 'restore' | 'continue'; readonly steps: HistorySteps }
  | {
      readonly kind: 'conflict'
      readonly why: string
      /** The command that makes these versions equal, if they are only deleted on one side; `settings`: nothing else differs. */
      readonly remedy?: readonly [command: 'kv undelete' | 'kv delete', versions: readonly number[]] | 'settings'
    }

/** Compares a path with its record, and finds what brings it to the same history. Nothing that exists is ever replaced. */
export function compareWith(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  now: Date,
  follows?: Follows,
): Comparison {
  const wanted = byNumber(expected)
  if (actual === undefined) return { kind: 'restore', steps: stepsOf(expected, undefined, now, undefined) }
  if ([undefined, follows].some((by) => isAsWanted(expected, actual, now, by))) return { kind: 'identical' }
  if (actual.current_version > expected.current_version)
    return { kind: 'conflict', why: `it has ${actual.current_version} versions, not ${expected.current_version}` }
  const mark = markIn(actual.custom_metadata)
  const isMarked = isMarkOf(expected, mark)
  if (mark !== undefined && !isMarked && markIn(expected.custom_metadata) !== mark)
    return { kind: 'conflict', why: `it is unfinished: ${mark}` }
  const found = byNumber(actual)
  const differing: number[] = []
  for (let number = 1; number <= actual.current_version; number += 1) {
    const [record, here] = [wanted.get(number), found.get(number)]
    // A path that follows a history need not have what isn't live there.
    const isFree = follows !== undefined && (record === undefined || stateBy(now, record) !== 'live')
    if (!isFree && !isBeginning(expected, record, here, now)) differing.push(number)
  }
  if (differing.length > 0) {
    const stateIn = (versions: typeof found, number: number) => {
      const version = versions.get(number)
      return version && stateBy(now, version)
    }
    const areAll = (there: VersionState, here: VersionState) =>
      differing.every((number) => stateIn(wanted, number) === there && stateIn(found, number) === here)
    const which = `${versionWords(differing)} ${differing.length === 1 ? 'is' : 'are'} deleted`
    if (areAll('live', 'deleted')) return { kind: 'conflict', why: `${which} here`, remedy: ['kv undelete', differing] }
    if (areAll('deleted', 'live'))
      return { kind: 'conflict', why: `${which} at the source, and live here`, remedy: ['kv delete', differing] }
    return { kind: 'conflict', why: `version ${differing[0]} differs` }
  }
  const others = follows === undefined ? settingsConflict(expected, actual, isMarked) : undefined
  if (others !== undefined) {
    const isWhole = actual.current_version === expected.current_version && !isMarked
    return { kind: 'conflict', why: others, ...(isWhole ? { remedy: 'settings' } : {}) }
  }
  const kind = actual.current_version === 0 ? 'restore' : 'continue'
  return { kind, steps: stepsOf(expected, actual, now, follows) }
}

/** True if the version is what was expected, or a placeholder of an unfinished copy that will be destroyed. */
function isBeginning(
  expected: SecretRecord,
  wanted: VersionRecord | undefined,
  here: VersionRecord | undefined,
  now: Date,
): boolean {
  if (wanted === undefined && (here === undefined || here.state === 'destroyed')) return true
  if (wanted !== undefined && compareVersion(wanted, here, now) === undefined) return true
  return (wanted === undefined || stateBy(now, wanted) !== 'live') && isPlaceholder(expected, here, now)
}

/** Settings and custom metadata have to be the default ones or those of the history; a run that is under way has set some of them. */
function settingsConflict(expected: SecretRecord, actual: SecretRecord, isMarked: boolean): string | undefined {
  const { max_versions, cas_required, delete_version_after, custom_metadata } = actual
  const custom = entriesOf(custom_metadata ?? objectFrom([])).filter(([key]) => key !== markKey)
  if (custom.length === 0 && (isMarked || (max_versions === 0 && !cas_required && delete_version_after === '0s')))
    return undefined
  if (isMarked) return customDifference(expected.custom_metadata, objectFrom(custom))
  return otherDifferences(expected, actual)[0]
}

function stepsOf(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  now: Date,
  follows: Follows | undefined,
): HistorySteps {
  const { current_version: current, oldest_version: oldest } = expected
  const here = actual?.versions ?? []
  const placeholders = here.filter((one) => isPlaceholder(expected, one, now)).map(({ version }) => version)
  const surplus = actual === undefined || follows === undefined ? [] : surplusVersions(expected, actual, now, follows)
  return {
    first: (actual?.current_version ?? 0) + 1,
    // Nothing that a path has already is pruned; a version that somebody else writes prunes none either.
    limit: Math.max(
      current - (follows === undefined ? Math.max(oldest, 1) : 1) + 2,
      usualLimit,
      actual?.max_versions ?? 0,
    ),
    placeholders,
    deletes: surplus.filter((version) => !placeholders.includes(version)),
  }
}

/** How many versions a server keeps where neither the engine nor the secret says (docs/servers.md). */
export const usualLimit = 10

/** What a restore would do with a path, in words. */
export function comparisonWords(
  expected: SecretRecord,
  actual: SecretRecord | undefined,
  { deletes }: HistorySteps,
): string {
  const content = contentWords(expected, actual?.current_version ?? 0)
  if (deletes.length === 0) return content
  const isWhole =
    actual?.current_version === expected.current_version && otherDifferences(expected, actual).length === 0
  return `${isWhole ? '' : `${content}; `}deletes ${versionWords(deletes)}`
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

/** The number of deleted versions, after the current version `before`, that a copy has as destroyed ones. */
export function countDestroyed({ versions }: SecretRecord, before: number, now: Date): number {
  return versions.filter((one) => one.version > before && stateBy(now, one) === 'deleted').length
}
