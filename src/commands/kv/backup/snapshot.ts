import * as api from '../../../api/kv.ts'
import type { SecretMetadata } from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { failureFor404, isGone, isMissing } from '../missing.ts'
import { readOneOfMany } from '../read.ts'
import { momentOf, versionsOf } from '../versions.ts'
import { mapOf } from '../values.ts'
import type { SecretRecord, VersionRecord } from './record.ts'

/** Reads of one secret before it is given up, if it is written all the time. */
const mostTries = 6

/** A secret as it is now, without data. */
export interface Outline {
  readonly record: SecretRecord
  /** The server's time of the answer. */
  readonly moment: Date
}

/** The metadata of a secret as a record whose path is `name`. Throws `no_secret` if it doesn't exist. */
export async function readOutline(context: Context, path: string, name = path): Promise<Outline> {
  const response = await context.http.send(api.readMetadata({ path }, { allow: [404] }))
  if (response.status === 404) throw failureFor404(context, response, path, undefined, 'metadata')
  const moment = momentOf(context, response)
  return { record: outlineOf(response.value.data, moment, name), moment }
}

/** The same for a secret that may be missing: undefined if it doesn't exist. */
export async function readOutlineIfThere(context: Context, path: string): Promise<Outline | undefined> {
  try {
    return await readOutline(context, path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function outlineOf(metadata: SecretMetadata, moment: Date, path: string): SecretRecord {
  const custom = mapOf(asJson(metadata.custom_metadata ?? null))
  return {
    path,
    current_version: metadata.current_version ?? 0,
    oldest_version: metadata.oldest_version ?? 0,
    created_time: metadata.created_time ?? '',
    updated_time: metadata.updated_time ?? '',
    max_versions: metadata.max_versions ?? 0,
    cas_required: metadata.cas_required === true,
    delete_version_after: metadata.delete_version_after ?? '0s',
    ...(metadata.metadata_cas_required === true ? { metadata_cas_required: true } : {}),
    custom_metadata: Object.keys(custom).length === 0 ? null : custom,
    versions: versionsOf(metadata, moment).toReversed(),
  }
}

/** How to read the data of deleted versions: it makes them readable for a moment. */
export type DeletedReader = (versions: readonly number[], read: () => Promise<void>) => Promise<void>

/** What to read of a secret. */
export interface SnapshotOptions {
  /** The path in the record. */
  readonly name: string
  /** True if the data is not needed, because nothing has changed. */
  readonly skipData?: (outline: SecretRecord) => boolean
  /** Reads deleted versions too. */
  readonly deleted?: DeletedReader
}

/**
 * Reads the metadata and all data of a secret as one state: a secret that is written in between is read again. Undefined if it
 * doesn't exist. Throws if it kept changing.
 */
export async function readSnapshot(
  context: Context,
  path: string,
  options: SnapshotOptions,
): Promise<SecretRecord | undefined> {
  try {
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (tries > 0) await context.sleep(50 * 2 ** tries)
      const { record } = await readOutline(context, path, options.name)
      if (options.skipData?.(record) === true) return record
      const data = await readData(context, path, record, options.deleted)
      if (data !== undefined) return withData(record, data)
    }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  throw new TugError('failed', `${path} kept changing while it was read`, { service: 'secrets' })
}

type Data = Map<number, JsonObject | null>

function withData(record: SecretRecord, data: Data): SecretRecord {
  const versions = record.versions.map((version) => {
    const found = data.get(version.version)
    return found === undefined ? version : { ...version, data: found }
  })
  return { ...record, versions }
}

/** The data of each version that can be read; undefined if the secret changed meanwhile. The current version is read last. */
async function readData(
  context: Context,
  path: string,
  record: SecretRecord,
  deleted: DeletedReader | undefined,
): Promise<Data | undefined> {
  const data: Data = new Map()
  const live = record.versions.filter(({ state }) => state === 'live')
  const isCurrent = ({ version }: VersionRecord) => version === record.current_version
  const gone = deleted === undefined ? [] : record.versions.filter(({ state }) => state === 'deleted')
  try {
    for (const version of live.filter((one) => !isCurrent(one))) {
      if (!(await readVersion(context, path, version, data))) return undefined
    }
    if (gone.length > 0) {
      const numbers = gone.map(({ version }) => version)
      await deleted?.(numbers, async () => {
        for (const version of gone) await readVersion(context, path, version, data)
      })
    }
    const current = live.find(isCurrent)
    if (current !== undefined) return (await readVersion(context, path, current, data, 'latest')) ? data : undefined
    if (live.length + gone.length === 0) return data
    const after = await readOutline(context, path)
    return after.record.current_version === record.current_version ? data : undefined
  } catch (error) {
    if (isGone(error) || isMissing(error)) return undefined
    throw error
  }
}

/** Adds the data of a version. False if the answer is about another version than the metadata. */
async function readVersion(
  context: Context,
  path: string,
  expected: VersionRecord,
  data: Data,
  which?: 'latest',
): Promise<boolean> {
  const secret = await readOneOfMany(context, path, which === undefined ? expected.version : undefined)
  if (secret.version !== expected.version) return false
  if ((secret.metadata.created_time ?? expected.created_time) !== expected.created_time) return false
  data.set(expected.version, secret.data === null ? null : mapOf(secret.data))
  return true
}
