import * as api from '../../../api/kv.ts'
import { sayWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { registerSecrets } from '../data/values.ts'
import { explainEmpty, isReadAsVersion1, needsVersion2, showsVersion2, withoutVersions } from './engine.ts'
import { failureFor404, isGone, isMissing, refuseGone } from './missing.ts'
import { momentOf } from './versions.ts'

/** One version of a secret. */
export interface Secret {
  /** A map; null if null was stored. */
  readonly data: Json
  /** The version that was read. With `--dry-run` everything is a placeholder. */
  readonly version: number
  readonly metadata: api.VersionMetadata
  /** The answer's `data`: the data and its metadata. */
  readonly answer: Json
  readonly response: HttpResponse
}

/**
 * Reads a version of a secret, by default the latest. Throws `no_secret` if it doesn't exist, `version_deleted` or
 * `version_destroyed` (whatever the HTTP status is), and `version_1` if the engine has no versions.
 */
export async function readSecret(context: Context, path: string, version?: number | string): Promise<Secret> {
  const secret = await fetchSecret(context, path, version)
  registerSecrets(context.io, secret.data, path)
  return secret
}

/** The same without registering values as secrets, because the registry would otherwise hold a whole export. */
export async function fetchSecret(context: Context, path: string, version?: number | string): Promise<Secret> {
  const query: [string, string][] = version === undefined ? [] : [['version', String(version)]]
  const { value, metadata, response } = await readVersion(context, 'data', path, query)
  return { data: value.data ?? null, version: metadata.version, metadata, answer: asJson(value), response }
}

/** What a write would replace: the data (null without a live version), and the version for check-and-set. */
export interface Present {
  readonly state: 'live' | 'none'
  readonly data: Json
  readonly version: number
  /** True if the version will be deleted at some time: equal data is then written again. */
  readonly expires?: boolean
}

/** What a write on top of a version meets; of a secret that doesn't exist if it is undefined. */
export function presentOf(secret: Pick<Secret, 'data' | 'version' | 'metadata'> | undefined): Present {
  if (secret === undefined) return { state: 'none', data: null, version: 0 }
  const { data, version, metadata } = secret
  return { state: 'live', data, version, expires: (metadata.deletion_time ?? '') !== '' }
}

/** The latest version of one of many, for a write on top of it, whatever its state: a missing secret is at version 0. */
export async function readPresent(context: Context, path: string): Promise<Present> {
  try {
    return presentOf(await fetchSecret(context, path))
  } catch (error) {
    if (isMissing(error)) return presentOf(undefined)
    if (isGone(error) && error.facts.version) return { state: 'none', data: null, version: Number(error.facts.version) }
    throw error
  }
}

/** An answer about a version. */
interface VersionRead {
  readonly value: api.SecretVersion
  readonly metadata: api.VersionMetadata
  readonly response: HttpResponse
}

/** GET of `data` or `subkeys`: refuses a deleted, missing or unversioned secret, prints warnings. */
export async function readVersion(
  context: Context,
  kind: 'data' | 'subkeys',
  path: string,
  query: readonly (readonly [string, string])[],
): Promise<VersionRead> {
  const asked = query.find(([name]) => name === 'version')?.[1]
  const parts = { query, allow: [404] }
  const request = kind === 'data' ? api.readData({ path }, parts) : api.readSubkeys({ path }, parts)
  const response = await context.http.send<api.SubkeysAnswer>(request)
  const value = response.status === 404 ? undefined : subkeysIn(response.value)
  refuseGone(context, response, value, { path, asked })
  const metadata = value?.metadata ?? undefined
  if (value === undefined || metadata === undefined) {
    if (await isReadAsVersion1(context)) return readVersion1(context, kind, path, asked)
    if (value === undefined) throw failureFor404(context, response, path, asked)
    throw withoutVersions(context, response.status, `${kind}/${path}`)
  }
  showsVersion2(context)
  sayWarnings(context.io, response)
  return { value, metadata, response }
}

/** The keys of a secret, which are inside `data` or, as the specification shows them, beside it. */
export function subkeysIn(answer: api.SubkeysAnswer): api.SecretVersion {
  const { data, subkeys, metadata } = answer
  return data ?? { subkeys, metadata }
}

/** A secret of a version 1 engine, which has no versions. Its values stand for its keys, too. */
async function readVersion1(
  context: Context,
  kind: 'data' | 'subkeys',
  path: string,
  asked: string | undefined,
): Promise<VersionRead> {
  if (asked !== undefined) throw needsVersion2(context, 'a version 1 key-value engine')
  const response = await context.http.send(api.readVersion1({ path }, { allow: [404] }))
  if (response.status === 404) throw failureFor404(context, response, path, undefined)
  sayWarnings(context.io, response, asJson(response.value.data))
  return { value: { [kind]: asJson(response.value.data) }, metadata: { version: 0 }, response }
}

/** A secret's metadata. */
export interface Metadata {
  readonly metadata: api.SecretMetadata
  /** The server's time of the answer, for the states of versions. */
  readonly moment: Date
  readonly response: HttpResponse
}

/** GET of a secret's metadata. Throws `no_secret` if it doesn't exist. */
export async function readMetadata(context: Context, path: string): Promise<Metadata> {
  const response = await context.http.send(api.readMetadata({ path }, { allow: [404] }))
  if (response.status === 404) {
    await explainEmpty(context)
    throw failureFor404(context, response, path, undefined, 'metadata')
  }
  showsVersion2(context)
  sayWarnings(context.io, response)
  return { metadata: response.value.data, moment: momentOf(context, response), response }
}

/** What a read of a secret returns; undefined if the secret doesn't exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** What a read of a version returns; undefined if the secret doesn't exist, or the version was deleted or destroyed. */
export function ifLive<T>(reading: Promise<T>): Promise<T | undefined> {
  return ifThere(reading).catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
}

/** Pauses between reads that wait for a standby to catch up; 2 s in all. */
const pauses = [100, 200, 300, 600, 800]

/** Reads until the answer is as expected, for two seconds at most; returns the last one. */
export async function readUntil<T>(
  { sleep }: Context,
  read: () => Promise<T>,
  isExpected: (found: T) => boolean,
): Promise<T> {
  let found = await read()
  for (const pause of pauses) {
    if (isExpected(found)) break
    await sleep(pause)
    found = await read()
  }
  return found
}
