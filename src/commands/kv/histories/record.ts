import { mostVersions } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { array, boolean, count, filled, map, nullable, object, string } from '../../../core/shape.ts'
import { mapOf } from '../data/values.ts'
import type { Version, VersionState } from '../data/versions.ts'
import { findMetadata, findSecret, readUntil } from '../secret/index.ts'

const versionShape = object({
  version: count(1, mostVersions),
  state: filled as Shape<VersionState>,
  created_time: string,
  deletion_time: string,
  'data?': map(),
})

/** One version of a secret in a backup. Its data is null if null was stored, and missing if it was not read or no longer exists. */
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
  /** Guards writes of the metadata on servers that count them. No backup has it. */
  readonly current_metadata_version?: number | undefined
  /** The bytes of its line in a backup, once read. */
  readonly bytes?: number
}

/** The versions of a secret by their numbers. */
export function byNumber({ versions }: SecretRecord): Map<number, VersionRecord> {
  return new Map(versions.map((version) => [version.version, version]))
}

/** The state that a version of a backup has by now: one whose deletion time has passed is deleted. */
export function stateBy(moment: Date, { state, deletion_time }: VersionRecord): VersionState {
  const due = deletion_time === '' ? Number.NaN : Date.parse(deletion_time)
  return state === 'live' && due <= moment.getTime() ? 'deleted' : state
}

/** A secret as it is now, without data, as a record whose path is `name`; undefined if it doesn't exist. */
export async function readOutline(context: Context, path: string, name = path): Promise<SecretRecord | undefined> {
  const found = await findMetadata(context, path)
  if (found.state === 'missing') return undefined
  const { metadata, current, versions } = found
  const custom = mapOf(asJson(metadata.custom_metadata ?? null))
  return {
    path: name,
    current_version: current,
    oldest_version: metadata.oldest_version ?? 0,
    created_time: metadata.created_time ?? '',
    updated_time: metadata.updated_time ?? '',
    max_versions: metadata.max_versions ?? 0,
    cas_required: metadata.cas_required === true,
    delete_version_after: metadata.delete_version_after ?? '0s',
    ...(metadata.metadata_cas_required === true ? { metadata_cas_required: true } : {}),
    custom_metadata: Object.keys(custom).length === 0 ? null : custom,
    current_metadata_version: metadata.current_metadata_version ?? undefined,
    versions: versions.toReversed(),
  }
}

/**
 * Reads the metadata and all data of a secret as one state: a secret that is written in between is read again. Undefined if it
 * doesn't exist. Throws if it kept changing.
 */
export async function readSnapshot(context: Context, path: string, name = path): Promise<SecretRecord | undefined> {
  const read = async () => {
    const record = await readOutline(context, path, name)
    if (record === undefined) return { record }
    const data = await readData(context, path, record)
    if (data === undefined) return undefined
    const versions = record.versions.map((version) => {
      const found = data.get(version.version)
      return found === undefined ? version : { ...version, data: found }
    })
    return { record: { ...record, versions } }
  }
  const found = await readUntil(context, read, (one) => one !== undefined)
  if (found === undefined)
    throw new TugError('failed', `${path} kept changing while it was read`, { service: 'secrets' })
  return found.record
}

type Data = Map<number, JsonObject | null>

/** The data of each version that can be read; undefined if the secret changed meanwhile. The current version is read last. */
async function readData(context: Context, path: string, record: SecretRecord): Promise<Data | undefined> {
  const data: Data = new Map()
  const live = record.versions.filter(({ state }) => state === 'live')
  const isCurrent = ({ version }: VersionRecord) => version === record.current_version
  for (const version of live.filter((one) => !isCurrent(one))) {
    if (!(await readVersion(context, path, version, data))) return undefined
  }
  const current = live.find(isCurrent)
  if (current !== undefined) return (await readVersion(context, path, current, data, 'latest')) ? data : undefined
  if (live.length === 0) return data
  const after = await readOutline(context, path)
  return after?.current_version === record.current_version ? data : undefined
}

/** Adds the data of a version. False if it isn't live, or the response is about another version than the metadata. */
async function readVersion(
  context: Context,
  path: string,
  expected: VersionRecord,
  data: Data,
  which?: 'latest',
): Promise<boolean> {
  const secret = await findSecret(context, path, which === undefined ? expected.version : undefined)
  if (secret.state !== 'live' || secret.version !== expected.version) return false
  if ((secret.metadata.created_time ?? expected.created_time) !== expected.created_time) return false
  data.set(expected.version, secret.data === null ? null : mapOf(secret.data))
  return true
}
