import type { JsonObject } from '../../../core/json.ts'
import { keysOf, lookUp } from '../../../core/json.ts'
import { isSameSetting } from '../data/settings.ts'
import { keyChanges, same } from '../data/values.ts'
import { isPlaceholder } from './mark.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { byNumber, stateBy } from './record.ts'

/** How a secret differs from a backup. */
interface Differences {
  /** In words without values; empty if it is identical but for times. */
  readonly differences: readonly string[]
  /** Versions that are pruned in the backup and destroyed here; neither has data. */
  readonly prunedVersions: readonly number[]
}

/** Compares a secret with its record in a backup. Times and the data of deleted versions are not compared. */
export function compareSecret(expected: SecretRecord, actual: SecretRecord, moment: Date): Differences {
  const differences: string[] = []
  if (expected.current_version !== actual.current_version)
    differences.push(`current version ${expected.current_version} is ${actual.current_version} here`)
  const prunedVersions: number[] = []
  const found = byNumber(actual)
  for (const version of expected.versions) {
    const difference = compareVersion(version, found.get(version.version), moment)
    if (difference !== undefined) differences.push(`version ${version.version} ${difference}`)
    found.delete(version.version)
  }
  for (const { version, state } of found.values()) {
    if (state === 'destroyed' && version <= expected.current_version) prunedVersions.push(version)
    else differences.push(`version ${version} is ${state} here and not in the backup`)
  }
  return { differences: [...differences, ...otherDifferences(expected, actual)], prunedVersions }
}

/** How a version differs from its record. What is deleted in the record, without data, is destroyed in a copy of it. */
export function compareVersion(
  expected: VersionRecord,
  actual: VersionRecord | undefined,
  moment: Date,
): string | undefined {
  const wanted = stateBy(moment, expected)
  if (actual === undefined) return `is ${wanted} in the backup and missing here`
  const state = stateBy(moment, actual)
  if (wanted === 'deleted' && state === 'destroyed') return undefined
  if (state !== wanted) return `is ${wanted} in the backup and ${state} here`
  if (expected.data === undefined || actual.data === undefined || same(expected.data, actual.data)) return undefined
  return `has other data: ${dataWords(expected.data, actual.data)}`
}

/** Which keys differ, without values. */
function dataWords(expected: JsonObject | null, actual: JsonObject | null): string {
  if (expected === null || actual === null) return `${expected === null ? 'null' : 'a map'} in the backup`
  const { added, changed, removed } = keyChanges(expected, actual)
  const parts = [
    ['changed', changed],
    ['only in the backup', removed],
    ['only in the secret', added],
  ] as const
  return parts
    .filter(([, keys]) => keys.length > 0)
    .map(([what, keys]) => `${what} ${keys.join(', ')}`)
    .join('; ')
}

export const settingNames = ['max_versions', 'cas_required', 'delete_version_after'] as const

type Settings = Pick<SecretRecord, (typeof settingNames)[number]>

/** How the settings differ that an engine and a secret have in common. */
export function settingDifferences(expected: Settings, actual: Settings): string[] {
  return settingNames
    .filter((name) => !isSameSetting(name, expected[name], actual[name]))
    .map((name) => `${name} ${String(expected[name])} is ${String(actual[name])} here`)
}

/** How the settings and custom metadata of a secret differ. */
export function otherDifferences(expected: Omit<SecretRecord, 'versions'>, actual: SecretRecord): string[] {
  const differing = settingDifferences(expected, actual)
  if ((expected.metadata_cas_required ?? false) !== (actual.metadata_cas_required ?? false))
    differing.push('metadata_cas_required differs')
  const custom = customDifference(expected.custom_metadata, actual.custom_metadata)
  return custom === undefined ? differing : [...differing, custom]
}

/** Which keys of custom metadata differ; undefined if none. */
export function customDifference(expected: JsonObject | null, actual: JsonObject | null): string | undefined {
  if (same(expected, actual)) return undefined
  const [before, after] = [expected ?? {}, actual ?? {}]
  const keys = new Set([...keysOf(before), ...keysOf(after)])
  const changed = [...keys].filter((key) => !same(lookUp(before, key), lookUp(after, key)))
  return changed.length === 0 ? undefined : `custom metadata differs: ${changed.join(', ')}`
}

/** A copy follows a history that goes on. Without this, a path becomes equal to the history, or is a conflict. */
export interface Follows {
  /** True if versions are deleted, but never destroyed, that the history has deleted, destroyed or pruned; else they stay. */
  readonly deletes: boolean
}

/** True if a path is equal to a history, or follows it. */
export function isAsWanted(expected: SecretRecord, actual: SecretRecord, now: Date, follows?: Follows): boolean {
  if (follows === undefined) return compareSecret(expected, actual, now).differences.length === 0
  const found = byNumber(actual)
  const isHere = (wanted: VersionRecord) =>
    stateBy(now, wanted) !== 'live' || compareVersion(wanted, found.get(wanted.version), now) === undefined
  return (
    actual.current_version === expected.current_version &&
    expected.versions.every(isHere) &&
    surplusVersions(expected, actual, now, follows).length === 0 &&
    otherDifferences(expected, actual).length === 0
  )
}

/** The versions that are live here, but not in the history any more: those to delete, and placeholders of an unfinished copy. */
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
    const isChosen = deletes || isPlaceholder(expected, here, now)
    return stateBy(now, here) === 'live' && !isWanted && isChosen ? [here.version] : []
  })
}
