import { objectFrom } from '../../../core/json.ts'
import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { same } from '../values.ts'
import { compareSecret, settingDifferences, stateBy } from './compare.ts'

/** A copy follows a history that goes on. Without this, a path becomes equal to the history, or is a conflict. */
export interface Follows {
  /** True if versions are deleted, but never destroyed, that the history has deleted, destroyed or pruned; else they stay. */
  readonly deletes: boolean
}

/** In words without values, what a path needs to be equal to a history, or to follow it. */
export function differencesFrom(
  expected: SecretRecord,
  actual: SecretRecord,
  now: Date,
  follows?: Follows,
): readonly string[] {
  if (follows === undefined) return compareSecret(expected, actual, now).differences
  const isBehind = actual.current_version !== expected.current_version
  const current = isBehind ? [`current version ${expected.current_version} is ${actual.current_version} here`] : []
  return [
    ...current,
    ...liveDifferences(expected, actual, now),
    ...surplusVersions(expected, actual, now, follows).map((version) => `version ${version} is live here`),
    ...settingDifferences(expected, actual),
  ]
}

/** Why a path cannot follow a history: it has a version more, or lacks one that it should have. */
export function cannotFollow(expected: SecretRecord, actual: SecretRecord, now: Date): string | undefined {
  if (actual.current_version > expected.current_version)
    return `it has ${actual.current_version} versions, not ${expected.current_version}`
  return liveDifferences(expected, actual, now)[0]
}

/** The versions up to the path's current one that are live in the history, but not here, or with other data. */
function liveDifferences(expected: SecretRecord, actual: SecretRecord, now: Date): string[] {
  const found = byNumber(actual)
  return expected.versions.flatMap((wanted) => {
    const { version, data } = wanted
    if (version > actual.current_version || stateBy(now, wanted) !== 'live') return []
    const here = found.get(version)
    if (here === undefined) return [`version ${version} is missing here`]
    const state = stateBy(now, here)
    if (state !== 'live') return [`version ${version} is ${state} here and live there`]
    const isSame = data === undefined || here.data === undefined || same(data, here.data)
    return isSame ? [] : [`version ${version} differs`]
  })
}

/**
 * The versions to delete: those live here, but not in the history any more. Those without a key are deleted in any case: a copy that was
 * cut off leaves them in place of data that could not be read.
 */
export function surplusVersions(
  expected: SecretRecord,
  actual: SecretRecord,
  now: Date,
  { deletes }: Follows,
): number[] {
  const wanted = byNumber(expected)
  return actual.versions.flatMap((here) => {
    const record = wanted.get(here.version)
    const isWanted = record !== undefined && stateBy(now, record) === 'live'
    const isChosen = deletes || same(here.data, noKeys)
    return stateBy(now, here) === 'live' && !isWanted && isChosen ? [here.version] : []
  })
}

const noKeys = objectFrom([])

function byNumber({ versions }: SecretRecord): ReadonlyMap<number, VersionRecord> {
  return new Map(versions.map((version) => [version.version, version]))
}
