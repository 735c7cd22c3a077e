import * as api from '../../../api/kv.ts'
import type { WrapInfo } from '../../../api/secrets.ts'
import { printWarnings, sendExplained, withWrapping } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { encodeSegments } from '../../../core/request.ts'
import { registerSecrets } from '../data/values.ts'
import type { Version } from '../data/versions.ts'
import { momentOf, versionsOf } from '../data/versions.ts'
import { isReadAsVersion1, requireVersion2, showsVersion2, wrongEngine } from '../mount/engine.ts'
import type { Gone } from './missing.ts'
import { failureFor404, goneIn, goneVersion } from './missing.ts'

/** A live version of a secret. */
export interface Secret {
  readonly state: 'live'
  /** A map; null if null was stored. */
  readonly data: Json
  /** The version that was read; 0 in a version 1 engine. */
  readonly version: number
  readonly metadata: api.VersionMetadata
  /** `data` of the response: the data and its metadata. */
  readonly answer: Json
  readonly response: HttpResponse
}

/** A secret, or one of its versions, that doesn't exist. */
export interface Missing {
  readonly state: 'missing'
  /** Its reason is `no_secret`. */
  readonly error: TugError
  /** Adds to the error what the path may mean, by listing the folder above; `folderHints` if it is a folder. */
  readonly explain: (folderHints?: () => readonly string[]) => Promise<TugError>
}

/**
 * Reads a version of a secret, by default the latest, whatever its state. Its values are not registered as secrets, because the registry
 * would otherwise hold a whole export. Throws `version_1` if the engine has no versions.
 */
export async function findSecret(context: Context, path: string, version?: number): Promise<Secret | Gone | Missing> {
  const query: [string, string][] = version === undefined ? [] : [['version', String(version)]]
  const found = await findVersion(context, 'data', path, query)
  if (found.state !== 'live') return found
  const { value, metadata, response } = found
  return {
    state: 'live',
    data: value.data ?? null,
    version: metadata.version,
    metadata,
    answer: asJson(value),
    response,
  }
}

/**
 * Reads a live version and registers its values as secrets. Throws `version_deleted`, `version_destroyed`, or for a missing secret what
 * its path may mean, with `folderHints` if it is a folder.
 */
export async function readSecret(
  context: Context,
  path: string,
  version?: number,
  folderHints?: () => readonly string[],
): Promise<Secret> {
  const secret = await findSecret(context, path, version)
  if (secret.state === 'missing') throw await secret.explain(folderHints)
  if (secret.state !== 'live') throw secret.error
  registerSecrets(context.io, secret.data, path)
  return secret
}

/** Reads the latest version to change it, and registers its values as secrets. Throws if it is deleted or destroyed. */
export async function readForEdit(context: Context, path: string): Promise<Secret | Missing> {
  const secret = await findSecret(context, path)
  if (secret.state === 'missing') return secret
  if (secret.state !== 'live') throw secret.error
  registerSecrets(context.io, secret.data, path)
  return secret
}

/**
 * Reads a version as a single-use token. Throws for a missing secret, and for a deleted version if the metadata may be read: the response
 * doesn't show that its token leads to nothing.
 */
export async function readWrapped(
  context: Context,
  path: string,
  version: number | undefined,
  { ttl, folderHints }: { readonly ttl: string; readonly folderHints: () => readonly string[] },
): Promise<HttpResponse<{ readonly wrap_info: WrapInfo }>> {
  const request = api.readData({ path }, version === undefined ? {} : { query: [['version', String(version)]] })
  const response = await context.http.send(withWrapping({ ...request, allow: [404] }, ttl))
  if (response.status === 404) {
    const { explain } = missingAt(context, path, failureFor404(context, response, path, version?.toString()))
    throw await explain(folderHints)
  }
  const metadata = await findMetadata(context, path).catch((error: unknown) => {
    if (error instanceof TugError && error.facts.status !== undefined) return undefined
    throw error
  })
  if (metadata?.state === 'exists') {
    const wanted = metadata.versions.find((one) => one.version === (version || metadata.current))
    const error = wanted && metadata.goneError(wanted)
    if (error !== undefined) throw error
  }
  return response
}

/** What was read at the path of a write. */
export type Readable =
  | Pick<Secret, 'state' | 'data' | 'version' | 'metadata'>
  | Pick<Gone, 'state' | 'version'>
  | Pick<Missing, 'state'>

/** What is at the path of a write, if the token may read it. */
export type Present = Readable | { readonly state: 'unreadable' }

/** Reads what is at the path of a write. */
export async function readPresent(context: Context, path: string): Promise<Present> {
  const found = await findSecret(context, path).catch(unlessForbidden)
  if (found === undefined) return { state: 'unreadable' }
  // Without its number, no write can be guarded.
  if ((found.state === 'deleted' || found.state === 'destroyed') && found.version === 0) throw found.error
  return found
}

/** The keys of a version. */
export interface Subkeys {
  readonly state: 'live'
  /** Maps whose leaves are null. */
  readonly subkeys: Json
  /** `data` of the response. */
  readonly value: api.SecretVersion
  readonly metadata: api.VersionMetadata
  readonly response: HttpResponse
}

/** Reads the names of a version's keys, by default of the latest; `depth`: levels of maps. */
export async function findSubkeys(
  context: Context,
  path: string,
  query: Readonly<Record<'version' | 'depth', number | undefined>>,
): Promise<Subkeys | Gone | Missing> {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const found = await findVersion(context, 'subkeys', path, given)
  return found.state === 'live' ? { ...found, subkeys: found.value.subkeys ?? null } : found
}

/** A response with a live version. */
interface VersionRead {
  readonly state: 'live'
  readonly value: api.SecretVersion
  readonly metadata: api.VersionMetadata
  readonly response: HttpResponse
}

/** GET of `data` or `subkeys`; prints warnings. */
async function findVersion(
  context: Context,
  kind: 'data' | 'subkeys',
  path: string,
  query: readonly (readonly [string, string])[],
): Promise<VersionRead | Gone | Missing> {
  const asked = query.find(([name]) => name === 'version')?.[1]
  const parts = { query, allow: [404] }
  const request = kind === 'data' ? api.readData({ path }, parts) : api.readSubkeys({ path }, parts)
  const response = await sendExplained<api.SubkeysAnswer>(context, request)
  // The keys are inside `data` or, as the specification shows them, beside it.
  const { data, subkeys, metadata: beside }: Partial<api.SubkeysAnswer> = response.status === 404 ? {} : response.value
  const value = response.status === 404 ? undefined : (data ?? { subkeys, metadata: beside })
  const gone = goneIn(context, response, value, { path, asked })
  if (gone !== undefined) return gone
  const metadata = value?.metadata ?? undefined
  if (value === undefined || metadata === undefined) {
    if (await isReadAsVersion1(context)) return readVersion1(context, kind, path, asked)
    if (value === undefined) {
      const error = failureFor404(context, response, path, asked)
      if (kind === 'subkeys' && error.reason === 'no_mount') {
        const { explainAge } = await import('../mount/server.ts')
        throw await explainAge(context, error, 'subkeys', '1.10')
      }
      return missingAt(context, path, error)
    }
    const { mount } = context.settings.route
    const literal = encodeSegments(`${mount}/${kind}/${path}`)
    throw wrongEngine(
      context,
      'not a version 2 key-value engine: its response has no metadata',
      `read the literal key: ${context.commandLine('api secrets GET', literal)}`,
    ).with({ status: response.status })
  }
  showsVersion2(context)
  printWarnings(context.io, response)
  return { state: 'live', value, metadata, response }
}

/** A missing secret. Throws if the server's message has another reason for the 404. */
function missingAt(context: Context, path: string, error: TugError): Missing {
  if (error.reason !== 'no_secret') throw error
  return {
    state: 'missing',
    error,
    explain: async (folderHints) => (await import('./explain.ts')).explainMissing(context, path, error, folderHints),
  }
}

/** Reads a secret of a version 1 engine, which has no versions. Its data serves as its subkeys too. */
async function readVersion1(
  context: Context,
  kind: 'data' | 'subkeys',
  path: string,
  asked: string | undefined,
): Promise<VersionRead | Missing> {
  if (asked !== undefined) await requireVersion2(context)
  const response = await sendExplained(context, api.readVersion1({ path }, { allow: [404] }))
  if (response.status === 404) return missingAt(context, path, failureFor404(context, response, path, undefined))
  const data = asJson(response.value.data)
  printWarnings(context.io, response, data)
  return { state: 'live', value: { [kind]: data }, metadata: { version: 0 }, response }
}

/** The metadata of a secret that exists. */
export interface Metadata {
  readonly state: 'exists'
  readonly metadata: api.SecretMetadata
  /** Newest first, with their states at `moment`. */
  readonly versions: readonly Version[]
  /** The number of the current version; 0 without any. */
  readonly current: number
  /** When the server sent the response, by its clock. */
  readonly moment: Date
  /** The error of reading a deleted or destroyed version; undefined for a live one. */
  readonly goneError: (version: Version) => TugError | undefined
  readonly response: HttpResponse
}

/** GET of a secret's metadata. */
export async function findMetadata(context: Context, path: string): Promise<Metadata | Missing> {
  const response = await sendExplained(context, api.readMetadata({ path }, { allow: [404] }))
  if (response.status === 404) {
    await requireVersion2(context)
    return missingAt(context, path, failureFor404(context, response, path, undefined, 'metadata'))
  }
  showsVersion2(context)
  printWarnings(context.io, response)
  const metadata = response.value.data
  const moment = momentOf(context, response)
  const versions = versionsOf(metadata, moment)
  return {
    state: 'exists',
    metadata,
    versions,
    current: metadata.current_version ?? 0,
    moment,
    goneError: ({ version, state, deletion_time }) =>
      state === 'live' ? undefined : goneVersion(context, path, { version, state, deletion_time }),
    response,
  }
}

/** Like {@link findMetadata}, but throws for a missing secret, like {@link readSecret}. */
export async function readMetadata(
  context: Context,
  path: string,
  folderHints?: () => readonly string[],
): Promise<Metadata> {
  const found = await findMetadata(context, path)
  if (found.state === 'missing') throw await found.explain(folderHints)
  return found
}

/** Pauses between reads that wait for a standby to catch up; 2 s in all. */
const pauses = [100, 200, 300, 600, 800]

/** Repeats a read until its result is as expected, for two seconds at most; returns the last result. */
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
