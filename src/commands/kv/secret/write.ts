import * as api from '../../../api/kv.ts'
import type { WrittenVersion } from '../../../api/kv.ts'
import { listNames, sayWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import type { RequestParts } from '../../../core/endpoint.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { encodeSegments } from '../../../core/request.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { Applied, Decision, ItemRun } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import { folderOf, relativeTo } from '../data/paths.ts'
import { changeWords, keyChanges, keyFacts, mapOf, registerSecrets, same } from '../data/values.ts'
import { seeVersions } from '../data/versions.ts'
import { refuseVersion1, wrongEngine } from '../mount/engine.ts'
import { failureFor404 } from './missing.ts'
import type { Present, Readable } from './read.ts'
import { readPresent } from './read.ts'

/** What a write reports besides its new version: the one it replaced, and what became of which keys. */
interface Reported {
  readonly from?: number | undefined
  readonly changes?: (() => readonly string[]) | undefined
}

/** POST of a secret's whole value; without `cas` it replaces any version. */
export async function writeData(
  context: Context,
  path: string,
  data: JsonObject | null,
  { cas, acl, ...report }: Reported & { readonly cas: number | undefined; readonly acl?: 'update' },
): Promise<Applied> {
  const parts = { ...dataParts(data, cas), ...(acl === undefined ? {} : { acl }) }
  try {
    const response = await sendWrite(context, path, api.writeData({ path }, parts))
    return writtenVersion(context, path, response, report)
  } catch (error) {
    // A server may echo what it refused.
    registerSecrets(context.io, data, path)
    throw error
  }
}

/** What a write of data adds to its route; check-and-set makes it safe to repeat. */
export function dataParts(data: JsonObject | null, cas: number | undefined): RequestParts {
  return {
    body: objectFrom([['data', data], ...(cas === undefined ? [] : [['options', { cas }] as const])]),
    secretBody: ['data'],
    policy: { guarded: cas !== undefined },
  }
}

/**
 * Sends a write, and prints its warnings. Adds hints to its failure. A 404 that the request allows is thrown as a missing secret; `explain`
 * changes the error, and gets the response for a 404.
 */
export async function sendWrite<T>(
  context: Context,
  path: string,
  request: HttpRequest<T>,
  explain: (error: TugError, response?: HttpResponse<T>) => TugError = (error) => error,
): Promise<HttpResponse<T>> {
  const asked = { checkCommand: context.commandLine('kv history', path), ...request }
  const response = await context.http.send<T>(asked).catch((error: unknown) => {
    if (!(error instanceof TugError)) throw error
    const hints = refusalHints(context, path, error)
    throw explain(hints.length === 0 ? error : error.with({ hints: [...error.hints, ...hints] }))
  })
  sayWarnings(context.io, response)
  if (response.status !== 404) return response
  throw explain(failureFor404(context, response, path, undefined, 'metadata'), response)
}

/** What to do about a write that the server refused, by the server's own message. */
function refusalHints(context: Context, path: string, { message, facts }: TugError): string[] {
  const line = (words: string) => context.commandLine(words, path)
  if (facts.isUnseen === true && /did not match|does not match/.test(message)) return []
  if (/metadata check-and-set parameter does not match/.test(message))
    return [`see current_metadata_version: ${line('kv metadata get')}`]
  if (/metadata check-and-set parameter required/.test(message))
    return [
      `pass --metadata-cas <n>${facts.isUnseen === true ? '' : `; current_metadata_version is the number: ${line('kv metadata get')}`}`,
    ]
  if (/did not match/.test(message)) return [seeVersions(context, path)]
  if (/check-and-set parameter required/.test(message))
    return [`pass --cas <n> with the version to replace, or let kv set read it: ${line('kv set')} key=value`]
  if (/maximum number of strings/.test(message))
    return [
      context.commandPath.at(-1) === 'set'
        ? `servers take at most 1,000 strings (keys and values) in a request; send only what changes: ${line('kv patch')} …`
        : `this server takes at most 1,000 strings (keys and values) in a request: write a part with kv put, then the rest: ${line('kv patch')} @rest.json`,
    ]
  return facts.status === 413 ? ['servers take at most 32 MiB in a request'] : []
}

/**
 * `app/db 7 → 8   changed: password`, and the metadata of the new version, from a write's answer. Throws if there is no version in it: a
 * version 1 engine stored a literal key.
 */
export function writtenVersion(
  context: Context,
  path: string,
  response: HttpResponse<{ readonly data: WrittenVersion } | null>,
  { from, changes = () => [] }: Reported,
): Applied {
  const metadata = response.value?.data
  if (metadata === undefined && response.status === 204) {
    const literal = encodeSegments(`${context.settings.route.mount}/data/${path}`)
    throw wrongEngine(
      context,
      `not a version 2 key-value engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
      `remove it: ${context.commandLine('api secrets DELETE', literal)}`,
    ).with({ status: 204 })
  }
  if (metadata === undefined)
    throw new TugError('failed', 'the answer contains no version; the outcome is unknown', {
      status: response.status,
      service: 'secrets',
      reason: 'in_doubt',
      hints: [seeVersions(context, path)],
    })
  const { version } = metadata
  const end = metadata.deletion_time ?? ''
  const words = () => [
    from === undefined ? `${path}: wrote version ${version}` : `${path} ${from} → ${version}`,
    ...changes(),
    ...(end === '' ? [] : [`expires: ${readableTime(end)}`]),
  ]
  return {
    words: () => words().join('   '),
    facts: mapOf(asJson(metadata)),
    guard: version,
    rawBody: response.body,
  }
}

/** Throws a conflict if another version than that of `--cas` is the current one. */
export function checkVersion(context: Context, path: string, present: Readable, cas: number | undefined): void {
  const current = present.state === 'missing' ? undefined : present.version
  if (cas === undefined || cas === (current ?? 0)) return
  const is = current === undefined ? "doesn't exist, so it is not at version" : `is at version ${current}, not`
  const isOlder = cas > 0 && cas < (current ?? 0)
  const diff = context.commandLine('kv diff', path, ['--from', String(cas)], ['--to', String(current)])
  throw new TugError('conflict', `${path} ${is} ${cas}; nothing was written`, {
    hints: isOlder ? [`see what changed, without values: ${diff}`] : [],
  })
}

/** What is to be written, and what may be replaced. */
export interface DataToWrite {
  readonly path: string
  readonly data: JsonObject | null
  /** Whether what exists and differs may be replaced. */
  readonly mayReplace: boolean
  /** The hint of the conflict if it may not. */
  readonly hint?: string
  /** Keys whose values were made at random: their names are marked as such. */
  readonly generated?: readonly string[]
  /** The version that must be the current one (`--cas`). */
  readonly cas?: number | undefined
  /** What is at the path, if it has been read already. */
  readonly present?: Present
  /** True if a list has shown the path: it has metadata at least, so a write takes the capability `update`. */
  readonly isListed?: boolean
}

/** What writing the data would do to a secret. Throws if it would be new, or may not be read, and the mount stores no versions. */
export async function decideData(context: Context, wanted: DataToWrite): Promise<Decision> {
  const { path, data, mayReplace, hint, generated = [], cas, isListed = false } = wanted
  const present = wanted.present ?? (await readPresent(context, path))
  const writing = (guard: number | undefined, changes?: () => readonly string[]) => {
    const how = { cas: guard, from: guard, changes, ...(isListed ? { acl: 'update' as const } : {}) }
    return guardedBy(guard, ({ context: own }) => writeData(own, path, data, how))
  }
  if (present.state === 'unreadable') {
    await refuseVersion1(context, `data/${path}`)
    return { ...unseen, ...writing(mayReplace ? cas : 0) }
  }
  checkVersion(context, path, present, cas)
  const before = present.state === 'live' ? mapOf(present.data) : objectFrom([])
  const after = mapOf(data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  const changes = () => changeWords(keys, generated)
  if (present.state !== 'live') {
    if (present.state === 'missing') await refuseVersion1(context, `data/${path}`)
    const names = keys.added.map((key) => escapeControl(key) + (generated.includes(key) ? ' (generated)' : ''))
    const words = names.length === 0 ? 'new, without keys' : `new: ${names.join(', ')}`
    const version = present.state === 'missing' ? 0 : present.version
    return { action: 'create', words, facts, ...writing(version, changes) }
  }
  const { version, metadata } = present
  const isEqual = present.data !== null && data !== null ? same(before, after) : present.data === data
  // A version that expires is written again.
  if (isEqual && (metadata.deletion_time ?? '') === '')
    return { action: 'unchanged', words: `unchanged at version ${version}`, facts, guard: version }
  const words = isEqual ? 'equal, but its version will expire' : changes().join('   ')
  if (mayReplace) return { action: 'change', words, facts, ...writing(version, changes) }
  const error = new TugError('conflict', `${path} already exists`, {
    service: 'secrets',
    ...(hint === undefined ? {} : { hints: [hint] }),
  })
  return { action: 'conflict', words: `exists, and differs   ${words}`, facts, guard: version, error }
}

/** The write of a decision. With a version as its guard, the server refuses it if that isn't the current one. */
export function guardedBy(guard: number | undefined, apply: (item: ItemRun) => Promise<Applied>) {
  return guard === undefined ? { apply } : { guard, enforced: true, apply }
}

/**
 * Like {@link decideData} for many secrets, with one list for each folder: what is not listed doesn't exist, and needs no read of its own.
 * A path that is decided again is read: the list is older than what made it necessary.
 */
export function createDataDecider(context: Context): (wanted: DataToWrite) => Promise<Decision> {
  const folders = new Map<string, Promise<ReadonlySet<string> | undefined>>()
  const namesIn = (folder: string) => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    // Without the list, each secret is read.
    const names = listNames(context, api.list({ path: folder }), { emptyWhen404: true }).then(
      (found) => new Set(found),
      (error: unknown) => {
        if (error instanceof TugError && error.facts.status !== undefined) return undefined
        throw error
      },
    )
    folders.set(folder, names)
    return names
  }
  const missing = new Set<string>()
  return async (wanted) => {
    const { path } = wanted
    const folder = folderOf(path)
    const names = missing.has(path) ? undefined : await namesIn(folder)
    if (names === undefined || names.has(relativeTo(folder, path)))
      return decideData(context, { ...wanted, isListed: names !== undefined })
    missing.add(path)
    return { ...(await decideData(context, { ...wanted, present: { state: 'missing' } })), assumed: true }
  }
}
