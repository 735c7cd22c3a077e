import { mostVersions } from '../../../api/secrets.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { array, boolean, count, filled, map, nullable, object, string } from '../../../core/shape.ts'
import type { Version, VersionState } from '../versions.ts'

const versionShape = object({
  version: count(1, mostVersions),
  state: filled as Shape<VersionState>,
  created_time: string,
  deletion_time: string,
  'data?': map(),
})

/** One version of a secret in a backup. Its data are null if null was stored, and missing if they were not read, or no longer exist. */
export type VersionRecord = Version & { readonly data?: JsonObject | null }

export const secretShape = object({
  path: filled,
  current_version: count(0, mostVersions),
  oldest_version: count(0, mostVersions),
  created_time: string,
  updated_time: string,
  max_versions: count(),
  cas_required: boolean,
  delete_version_after: string,
  // Only some servers have it.
  'metadata_cas_required?': boolean,
  custom_metadata: nullable(map()),
  versions: array(versionShape),
})

/**
 * A secret in a backup: settings, custom metadata and every version, oldest first. The path is relative to the folder that was backed
 * up, and `oldest_version` is 0 until versions were pruned.
 */
export interface SecretRecord extends Omit<Infer<typeof secretShape>, 'versions'> {
  readonly versions: readonly VersionRecord[]
}

/** The versions of a secret by their numbers. */
export function byNumber({ versions }: SecretRecord): Map<number, VersionRecord> {
  return new Map(versions.map((version) => [version.version, version]))
}

/** The latest version of a secret; undefined if it has none. */
export function currentOf({ versions, current_version }: SecretRecord): VersionRecord | undefined {
  return versions.find(({ version }) => version === current_version)
}

/** The state that a version of a backup has by now: one whose deletion time has passed is deleted. */
export function stateBy(moment: Date, { state, deletion_time }: VersionRecord): VersionState {
  const due = deletion_time === '' ? Number.NaN : Date.parse(deletion_time)
  return state === 'live' && due <= moment.getTime() ? 'deleted' : state
}

const engineShape = object({ max_versions: count(), cas_required: boolean, delete_version_after: string })

/** The settings of an engine. */
export type EngineConfig = Infer<typeof engineShape>

/** The name and version of the format, in the first line of every backup. */
export const formatName = 'tug-kv-backup'
export const formatVersion = 1

export const headerShape = object({
  format: filled,
  version: count(1),
  tug: string,
  created: filled,
  mount: filled,
  path: string,
  config: nullable(engineShape),
})

/** The first line of a backup. */
export type Header = Infer<typeof headerShape>

export const endShape = object({
  end: boolean,
  secrets: count(),
  versions: count(),
  deleted: count(),
  without_data: count(),
  destroyed: count(),
  pruned: count(),
  missing: array(object({ path: string, error: string })),
  sha256: filled,
})

/** The last line of a backup. */
export type End = Infer<typeof endShape>

/** The order of paths in a backup. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
