import type { JsonObject } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import type { EngineConfig, SecretRecord, VersionRecord } from '../backup/record.ts'
import { keyChanges, same } from '../values.ts'
import type { VersionState } from '../versions.ts'

/** How a secret differs from a backup. */
export interface Comparison {
  /** In words without values; empty if it is identical but for times. */
  readonly differences: readonly string[]
  /** Versions that are pruned in the backup and destroyed here; neither has data. */
  readonly destroyedInstead: readonly number[]
}

/** The state that a version of a backup has by now: one whose deletion time has passed is deleted. */
export function stateBy(moment: Date, { state, deletion_time }: VersionRecord): VersionState {
  const due = deletion_time === '' ? Number.NaN : Date.parse(deletion_time)
  return state === 'live' && due <= moment.getTime() ? 'deleted' : state
}

/** Compares a secret with its record in a backup. Times and the data of deleted versions are not compared. */
export function compareSecret(expected: SecretRecord, actual: SecretRecord, moment: Date): Comparison {
  const differences: string[] = []
  if (expected.current_version !== actual.current_version)
    differences.push(`current version ${expected.current_version} is ${actual.current_version} here`)
  const destroyedInstead: number[] = []
  const found = new Map(actual.versions.map((version) => [version.version, version]))
  for (const version of expected.versions) {
    const difference = compareVersion(version, found.get(version.version), moment)
    if (difference !== undefined) differences.push(`version ${version.version} ${difference}`)
    found.delete(version.version)
  }
  for (const { version, state } of found.values()) {
    if (state === 'destroyed' && version <= expected.current_version) destroyedInstead.push(version)
    else differences.push(`version ${version} is ${state} here and not in the backup`)
  }
  return { differences: [...differences, ...settingDifferences(expected, actual)], destroyedInstead }
}

function compareVersion(expected: VersionRecord, actual: VersionRecord | undefined, moment: Date): string | undefined {
  const wanted = stateBy(moment, expected)
  if (actual === undefined) return `is ${wanted} in the backup and missing here`
  const state = stateBy(moment, actual)
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
    ['only here', added],
  ] as const
  return parts
    .filter(([, keys]) => keys.length > 0)
    .map(([what, keys]) => `${what} ${keys.join(', ')}`)
    .join('; ')
}

const settingNames = ['max_versions', 'cas_required', 'delete_version_after'] as const

/** How the settings differ that an engine and a secret have in common. */
export function engineDifferences(expected: EngineConfig, actual: EngineConfig): string[] {
  return settingNames
    .filter((name) => expected[name] !== actual[name])
    .map((name) => `${name} ${String(expected[name])} is ${String(actual[name])} here`)
}

/** How the settings and custom metadata of a secret differ. */
export function settingDifferences(expected: SecretRecord, actual: SecretRecord): string[] {
  const differing = engineDifferences(expected, actual)
  if ((expected.metadata_cas_required ?? false) !== (actual.metadata_cas_required ?? false))
    differing.push('metadata_cas_required differs')
  if (!same(expected.custom_metadata, actual.custom_metadata)) {
    const keys = new Set([...keysOf(expected.custom_metadata ?? {}), ...keysOf(actual.custom_metadata ?? {})])
    const changed = [...keys].filter((key) => !same(expected.custom_metadata?.[key], actual.custom_metadata?.[key]))
    differing.push(`custom metadata differs: ${changed.join(', ')}`)
  }
  return differing
}
