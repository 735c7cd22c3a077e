import * as api from '../../api/kv.ts'
import { at, isAwaited, text } from '../../core/answer.ts'
import type { Context, HttpResponse, Io } from '../../core/context.ts'
import { shellQuote } from '../../core/shell.ts'
import { TugError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isNumber, isObject, objectFrom } from '../../core/json.ts'
import { misplaced } from './place.ts'
import { momentOf, readableTime, stateOf } from './versions.ts'
import { isNothingThere } from '../../api/secrets-list.ts'
import { jsonIn, sayWarnings } from '../../api/secrets-warnings.ts'

/** One version of a secret. */
export interface Secret {
  /** A map, or null if null was stored. */
  readonly data: Json
  /** The version; with `--dry-run` a placeholder. */
  readonly version: Json
  /** The answer's `data`: the data and its metadata. */
  readonly answer: Json
  readonly response: HttpResponse
}

/**
 * Reads a version of a secret, by default the latest. Throws "not found" for one that
 * was deleted or destroyed, whatever the status is, and for one that doesn't exist (docs/servers.md, Reading a version).
 */
export async function readSecret(context: Context, path: string, version?: number | string): Promise<Secret> {
  const secret = await readOneOfMany(context, path, version)
  registerSecrets(context.io, secret.data, path)
  return secret
}

/**
 * The same for one of many: its values aren't added to the registry of secrets, which would grow with an export. A write
 * that fails registers its values.
 */
export async function readOneOfMany(context: Context, path: string, version?: number | string): Promise<Secret> {
  const response = await readVersion(context, 'data', path, version === undefined ? [] : [['version', String(version)]])
  const answer = dataOf(response, 'secret')
  const data = at(answer, 'data') ?? null
  return { data, version: at(answer, 'metadata', 'version') ?? null, answer, response }
}

/**
 * The latest version, for a write on top of it; undefined if the secret doesn't exist. A deleted one is still an
 * error, as is an answer without a version number.
 */
export async function readIfThere(context: Context, path: string): Promise<Secret | undefined> {
  try {
    const secret = await readSecret(context, path)
    if (secret.version === null) throw noAnswer(secret.response, 'version to write on top of')
    return secret
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const missingErrors = new WeakSet<TugError>()

/** True for the error of a secret that doesn't exist, as opposed to a deleted one. */
export function isMissing(error: unknown): boolean {
  return error instanceof TugError && missingErrors.has(error)
}

const goneErrors = new WeakSet<TugError>()

/** True for the error of a deleted or destroyed version. */
export function isGone(error: unknown): boolean {
  return error instanceof TugError && goneErrors.has(error)
}

/** GET of `data` or `subkeys`, checked for deleted and missing versions; prints the server's warnings. */
export async function readVersion(
  context: Context,
  kind: 'data' | 'subkeys',
  path: string,
  query: readonly (readonly [string, string])[],
): Promise<HttpResponse> {
  const endpoint = kind === 'data' ? api.readData : api.readSubkeys
  const response = await context.http.send(
    endpoint({ path }, { ...(query.length === 0 ? {} : { query }), allow: [404] }),
  )
  const asked = query.find(([name]) => name === 'version')?.[1]
  refuseGone(context, response, path, asked, kind === 'data' ? 'data' : 'subkeys')
  if (response.status === 404) throw failureFor404(context, response, path, asked)
  sayWarnings(context.io, response)
  return response
}

/** GET of the key's metadata: the answer's `data`. */
export async function readMetadata(
  context: Context,
  path: string,
): Promise<{ metadata: Json; response: HttpResponse }> {
  const response = await context.http.send(api.readMetadata({ path }, { allow: [404] }))
  if (response.status === 404) throw failureFor404(context, response, path, undefined)
  sayWarnings(context.io, response)
  return { metadata: dataOf(response, 'metadata'), response }
}

/** The answer's `data`. Throws if there is none, because something else answered. */
function dataOf(response: HttpResponse, what: string): Json {
  const data = at(response.json(), 'data')
  if (isObject(data)) return data
  throw noAnswer(response, what)
}

/** Throws for a version 1 engine: its key `data/…` isn't a version (docs/servers.md, Versions of the engine). */
function noAnswer({ status }: HttpResponse, what: string): TugError {
  return new TugError('failed', `the answer has no ${what}`, {
    status,
    service: 'secrets',
    hints: ['is the address right, and is a version 2 key-value engine mounted there? (--mount)'],
  })
}

/** A deleted version is a 404 with its metadata inside: the body decides before the status. */
function refuseGone(
  context: Context,
  response: HttpResponse,
  path: string,
  asked: string | undefined,
  member: string,
): void {
  const body = jsonIn(response)
  const inner = at(body, 'data')
  const metadata = at(inner, 'metadata')
  if (!isObject(metadata) || isAwaited(metadata)) return
  const isThere = (at(inner, member) ?? null) !== null
  if (isThere) return
  const state = stateOf(metadata, momentOf(context, response))
  if (response.status === 404 || state !== 'live') {
    throw goneError(path, metadata, { asked, state: state === 'live' ? 'deleted' : state })
  }
}

/** The error for a deleted or destroyed version: which one, and what to do. */
export function goneError(
  path: string,
  metadata: Json,
  { asked, state }: { asked?: string | undefined; state: 'deleted' | 'destroyed' },
): TugError {
  const version = text(metadata, 'version') ?? asked ?? ''
  const which = asked === undefined || asked === '0' ? `the latest version (${version})` : `version ${version}`
  const deleted = (state === 'deleted' ? text(metadata, 'deletion_time') : undefined) ?? ''
  const when = deleted === '' ? '' : ` on ${readableTime(deleted)}`
  const error = new TugError(
    'not_found',
    state === 'deleted'
      ? `${which} was deleted${when}; its data can be restored`
      : `${which} was destroyed; its data no longer exists`,
    {
      status: 404,
      service: 'secrets',
      hints: [
        ...(state === 'deleted' ? [`restore it: tug kv undelete ${shellQuote(path)} --versions ${version}`] : []),
        `live versions: tug kv history ${shellQuote(path)}`,
      ],
    },
  )
  goneErrors.add(error)
  return error
}

/** The error for a 404 of a secret's path: the server's text, else the possible causes. */
export function failureFor404(
  context: Context,
  response: HttpResponse,
  path: string,
  asked: string | undefined,
): TugError {
  const body = response.text()
  const failure = response.failure()
  if (body.trim() !== '' && !isNothingThere(body)) return failure
  const hint = misplaced(context, path)
  const folder = path.split('/').slice(0, -1).join('/')
  const missing = failure.with({
    message:
      asked === undefined || asked === '0'
        ? 'no such secret, or none of its versions has data'
        : `no such secret, or its version ${asked} was never written or is pruned`,
    hints: [
      ...(hint === undefined ? [] : [hint]),
      ...(asked === undefined
        ? [
            `what is there: tug kv list${folder === '' ? '' : ` ${shellQuote(folder)}`}; in it, if it is a folder: tug kv list ${shellQuote(path)}`,
          ]
        : [`its versions: tug kv history ${shellQuote(path)}`]),
    ],
  })
  missingErrors.add(missing)
  return missing
}

/**
 * From now on no leaf of the value appears on stderr, except those that are also part of the secret's path, so
 * that messages can name it.
 */
export function registerSecrets(io: Io, value: Json, path: string, options: Parameters<Io['secret']>[1] = {}): void {
  if (typeof value === 'string' || isNumber(value)) {
    const leaf = String(value)
    if (!path.split('/').includes(leaf)) io.secret(leaf, options)
  } else if (Array.isArray(value)) for (const item of value) registerSecrets(io, item, path, options)
  else if (isObject(value) && !isAwaited(value))
    for (const [name, item] of entriesOf(value)) registerSecrets(io, item, path, { ...options, name })
}

/** The value as a map; an empty one for null and for a placeholder of `--dry-run`. */
export function mapOf(value: Json): JsonObject {
  return isObject(value) && !isAwaited(value) ? value : objectFrom([])
}
