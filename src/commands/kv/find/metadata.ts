import { asJson, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { readMetadata } from '../read.ts'
import type { VersionState } from '../versions.ts'
import { currentVersion, momentOf, versionsOf } from '../versions.ts'

/** What a secret's metadata must be like. */
export interface MetadataFilter {
  /** Milliseconds since the current version was written, which must be live: a deleted one needs no new value. */
  readonly olderThan: number | undefined
  /** True if the current version must be deleted: what kv undelete can restore. */
  readonly deleted: boolean
  readonly customMetadata: readonly (readonly [key: string, value: string])[]
}

/** What a row shows of a secret's metadata. */
export interface MetadataFacts {
  readonly version: number | null
  readonly state: VersionState | null
  readonly created_time: string | null
  readonly deletion_time: string | null
  readonly custom_metadata: Json
}

/** Reads a secret's metadata; its facts for a row, or undefined if it doesn't match. One without versions is of no age. */
export async function metadataFacts(
  context: Context,
  path: string,
  { olderThan, deleted, customMetadata }: MetadataFilter,
): Promise<MetadataFacts | undefined> {
  const { metadata, response } = await readMetadata(context, path)
  const custom = asJson(metadata.custom_metadata ?? null)
  if (customMetadata.some(([key, value]) => text(custom, key) !== value)) return undefined
  const now = momentOf(context, response)
  const current = versionsOf(metadata, now).find(({ version }) => version === currentVersion(metadata))
  if (deleted && current?.state !== 'deleted') return undefined
  const age = current?.state === 'live' ? now.getTime() - Date.parse(current.created_time) : NaN
  if (olderThan !== undefined && !(age > olderThan)) return undefined
  return {
    version: current?.version ?? null,
    state: current?.state ?? null,
    created_time: current?.created_time ?? null,
    deletion_time: current?.deletion_time ?? null,
    custom_metadata: custom,
  }
}
