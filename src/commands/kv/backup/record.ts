import type { JsonObject } from '../../../core/json.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { array, boolean, count, filled, map, nullable, object, string } from '../../../core/shape.ts'
import type { VersionState } from '../versions.ts'

/** One version of a secret in a backup. */
export interface VersionRecord {
  readonly version: number
  readonly state: VersionState
  readonly created_time: string
  /** Empty, or when it was or will be deleted. */
  readonly deletion_time: string
  /** Null if null was stored; undefined if the data was not read, or no longer exists. */
  readonly data?: JsonObject | null
}

/** A secret in a backup: settings, custom metadata and every version, oldest first. */
export interface SecretRecord {
  /** Relative to the folder that was backed up. */
  readonly path: string
  readonly current_version: number
  /** 0 until versions were pruned. */
  readonly oldest_version: number
  readonly created_time: string
  readonly updated_time: string
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: string
  /** Only if it is true, because only some servers have it. */
  readonly metadata_cas_required?: boolean
  readonly custom_metadata: JsonObject | null
  readonly versions: readonly VersionRecord[]
}

/** The latest version of a secret; undefined if it has none. */
export function currentOf({ versions, current_version }: SecretRecord): VersionRecord | undefined {
  return versions.find(({ version }) => version === current_version)
}

/** The settings of an engine. */
export interface EngineConfig {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: string
}

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
  config: nullable(object({ max_versions: count(), cas_required: boolean, delete_version_after: string })),
  since: nullable(object({ created: filled, sha256: filled })),
})

/** The first line of a backup. */
export type Header = Infer<typeof headerShape>

const versionShape = object({
  version: count(1),
  state: filled,
  created_time: string,
  deletion_time: string,
  'data?': map(),
})

/** A line between the first and the last: a secret, or with `removed` one that no longer exists. */
export const lineShape: Shape = object({ path: filled, 'removed?': boolean })

export const secretShape: Shape = object({
  path: filled,
  current_version: count(),
  oldest_version: count(),
  created_time: string,
  updated_time: string,
  max_versions: count(),
  cas_required: boolean,
  delete_version_after: string,
  'metadata_cas_required?': boolean,
  custom_metadata: nullable(map()),
  versions: array(versionShape),
})

export const endShape = object({
  end: boolean,
  secrets: count(),
  versions: count(),
  deleted: count(),
  without_data: count(),
  destroyed: count(),
  pruned: count(),
  removed: count(),
  missing: array(object({ path: string, error: string })),
  sha256: filled,
})

/** The last line of a backup. */
export type End = Infer<typeof endShape>

/** A line of a secret: its record, or that it was removed since the backup on which this one is based. */
export type Line = SecretRecord | { readonly path: string; readonly removed: true }

/** True for the line of a secret that no longer exists. */
export function isRemoved(line: Line): line is { readonly path: string; readonly removed: true } {
  return 'removed' in line
}

/** The order of paths in a backup. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
