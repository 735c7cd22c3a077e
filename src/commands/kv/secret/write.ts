import * as api from '../../../api/kv.ts'
import type { WrittenVersion } from '../../../api/kv.ts'
import { listNames, sayWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import type { RequestParts } from '../../../core/endpoint.ts'
import { mergePatch } from '../../../core/endpoint.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { isObject, objectFrom } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { LineFlag } from '../../../core/shell.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { Applied, Decision, Facts, ItemRun } from '../../../write/work.ts'
import { folderOf, relativeTo } from '../data/paths.ts'
import type { KeyChanges } from '../data/values.ts'
import { changeWords, keyChanges, mapOf, registerSecrets, same } from '../data/values.ts'
import { refuseVersion1, storedLiterally } from './engine.ts'
import { failureFor404, goneVersionIn, seeVersions } from './missing.ts'
import type { Present } from './read.ts'
import { readPresent } from './read.ts'
import { momentOf, stateOf } from './versions.ts'

/** A write's answer. */
export interface Written {
  readonly version: number
  readonly metadata: WrittenVersion
  readonly response: HttpResponse
}

/** POST of a secret's whole value; without `cas` it replaces any version. */
export async function writeSecret(
  context: Context,
  path: string,
  data: JsonObject | null,
  cas: number | undefined,
): Promise<Written> {
  const request = api.writeData({ path }, dataParts(data, cas))
  try {
    return written(context, path, await sendWrite(context, path, request))
  } catch (error) {
    // A server may echo what it refused.
    registerSecrets(context.io, data, path)
    throw error
  }
}

/** PATCH of a secret: a merge patch, which the server applies. Throws a conflict if the latest version is deleted. */
export async function patchSecret(
  context: Context,
  path: string,
  data: JsonObject,
  cas: number | undefined,
): Promise<Written> {
  const parts = dataParts(data, cas)
  const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
  const response = await sendWrite(context, path, request, (error) => patchHints(context, path, error))
  if (response.status === 404) throw patchFailure(context, response, path)
  return written(context, path, response)
}

/** What to do about a patch that was refused. */
function patchHints(context: Context, path: string, error: TugError): string[] {
  const line = (words: string) => `${context.commandLine(words, path)} key=value`
  if (isPatchRefused(error))
    return [`kv set reads and writes instead, which needs read and update on ${path}: ${line('kv set')}`]
  return /resource does not exist/.test(error.message)
    ? [`its value is null, which cannot be patched; write a new one: ${line('kv put')}`]
    : []
}

/** The error for a 404: a deleted version if the answer has its metadata, else a missing secret (docs/servers.md, Patching). */
function patchFailure(context: Context, response: HttpResponse, path: string): TugError {
  const data = goneVersionIn(response)
  // Servers put the metadata directly into `data`; one level deeper is read too.
  const metadata = data?.metadata ?? data
  const version = metadata?.version ?? undefined
  if (metadata === undefined || version === undefined) return failureFor404(context, response, path, undefined)
  const state = stateOf(metadata, momentOf(context, response)) === 'destroyed' ? 'destroyed' : 'deleted'
  return patchOfGone(context, path, response.failure(), { version: String(version), state })
}

/** The conflict of a patch with a deleted or destroyed version. */
export function patchOfGone(
  { commandLine }: Context,
  path: string,
  failure: TugError,
  { version, state }: { readonly version: string; readonly state: 'deleted' | 'destroyed' },
): TugError {
  return failure.with({
    code: 'conflict',
    message: `the latest version (${version}) is ${state}, and only a live one can be patched`,
    reason: `version_${state}`,
    hints: [
      ...(state === 'deleted' ? [`undelete it first: ${commandLine('kv undelete', path)}`] : []),
      `write a new value: ${commandLine('kv put', path, ['--cas', version])} key=value`,
    ],
  })
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
 * Sends a write. Adds hints to its failure, those of `more` last and also how to find out what became of it, and prints its
 * warnings.
 */
export async function sendWrite<T>(
  context: Context,
  path: string,
  request: HttpRequest<T>,
  more: (error: TugError) => readonly string[] = () => [],
): Promise<HttpResponse<T>> {
  try {
    const response = await context.http.send<T>({ checkCommand: context.commandLine('kv history', path), ...request })
    sayWarnings(context.io, response)
    return response
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const hints = [...refusalHints(context, path, error), ...more(error)]
    throw hints.length === 0 ? error : error.with({ hints: [...error.hints, ...hints] })
  }
}

/** What to do about a write that the server refused, by the server's own message. */
function refusalHints(context: Context, path: string, { message, facts }: TugError): string[] {
  const line = (words: string) => context.commandLine(words, path)
  if (/metadata check-and-set parameter does not match/.test(message))
    return [`see current_metadata_version: ${line('kv metadata get')}`]
  if (/metadata check-and-set parameter required/.test(message))
    return [`pass --metadata-cas <n>; current_metadata_version is the number: ${line('kv metadata get')}`]
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

/** True if a patch failed because the token has no capability for it, or the server has no patches. */
export function isPatchRefused({ facts }: TugError): boolean {
  return facts.status === 403 || facts.status === 405
}

/** The new version from a write's answer. Throws if there is none: a version 1 engine stored a literal key. */
export function written(
  context: Context,
  path: string,
  response: HttpResponse<{ readonly data: WrittenVersion } | null>,
): Written {
  const metadata = response.value?.data
  if (metadata !== undefined) return { version: metadata.version, metadata, response }
  if (response.status === 204) throw storedLiterally(context, path)
  throw new TugError('failed', 'the answer contains no version; the outcome is unknown', {
    status: response.status,
    service: 'secrets',
    reason: 'in_doubt',
    hints: [seeVersions(context, path)],
  })
}

/** What a write of data meets. */
export interface PresentData extends Omit<Present, 'state'> {
  /** `none`: missing, or the latest version is deleted or destroyed. `unknown`: it may not be read. */
  readonly state: Present['state'] | 'unknown'
  /** True if a list has shown that it doesn't exist, and not a read of it. */
  readonly isListed?: boolean
}

/** Reads what a write of data meets. Throws other failures than a missing secret or a missing right. */
export async function readPresentData(context: Context, path: string): Promise<PresentData> {
  try {
    return await readPresent(context, path)
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_allowed') return { state: 'unknown', data: null, version: 0 }
    throw error
  }
}

/** Throws a conflict if another version than that of `--cas` is the current one, whose number is undefined if there is none. */
export function checkVersion(
  context: Context,
  path: string,
  current: number | undefined,
  cas: number | undefined,
): void {
  if (cas === undefined || cas === (current ?? 0)) return
  const is = current === undefined ? "doesn't exist, so it is not at version" : `is at version ${current}, not`
  const isOlder = cas > 0 && cas < (current ?? 0)
  const hints = isOlder ? [seeChanges(context, path, ['--from', String(cas)], ['--to', String(current)])] : []
  throw new TugError('conflict', `${path} ${is} ${cas}; nothing was written`, { hints })
}

/** A hint. */
export function seeChanges({ commandLine }: Context, path: string, ...versions: LineFlag[]): string {
  return `see what changed, without values: ${commandLine('kv diff', path, ...versions)}`
}

/**
 * Like {@link readPresentData}, with one list for each folder: what is not listed doesn't exist, and needs no read of its own. A path that
 * is asked for again is read: the list is older than what made it necessary.
 */
export function createPresentReader(context: Context): (path: string) => Promise<PresentData> {
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
  return async (path) => {
    const folder = folderOf(path)
    const names = missing.has(path) ? undefined : await namesIn(folder)
    if (names === undefined || names.has(relativeTo(folder, path))) return readPresentData(context, path)
    missing.add(path)
    return { state: 'none', data: null, version: 0, isListed: true }
  }
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
}

/** What writing the data would do to a secret. Throws if it would be new, or may not be read, and the mount stores no versions. */
export async function decideData(context: Context, present: PresentData, wanted: DataToWrite): Promise<Decision> {
  const { path, data, mayReplace, generated = [], hint } = wanted
  if (present.state === 'unknown') {
    await refuseVersion1(context, path)
    const guard = mayReplace ? undefined : 0
    return { action: 'write', words: 'not looked at', ...applying(path, data, guard, () => []) }
  }
  const before = mapOf(present.data)
  const after = mapOf(data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  const { version } = present
  if (present.state === 'none') {
    if (version === 0) await refuseVersion1(context, path)
    const names = keys.added.map((key) => escapeControl(key) + (generated.includes(key) ? ' (generated)' : ''))
    const words = names.length === 0 ? 'new, without keys' : `new: ${names.join(', ')}`
    const decision = {
      action: 'create',
      words,
      facts,
      ...applying(path, data, version, () => changeWords(keys, generated)),
    } as const
    return present.isListed === true ? { ...decision, assumed: true } : decision
  }
  const isEqual = present.data !== null && data !== null ? same(before, after) : present.data === data
  if (isEqual && present.expires !== true)
    return { action: 'unchanged', words: `unchanged at version ${version}`, facts, guard: version }
  const words = isEqual ? 'equal, but its version will expire' : changeWords(keys, generated).join('   ')
  if (mayReplace)
    return { action: 'change', words, facts, ...applying(path, data, version, () => changeWords(keys, generated)) }
  const error = new TugError('conflict', `${path} already exists`, {
    service: 'secrets',
    ...(hint === undefined ? {} : { hints: [hint] }),
  })
  return { action: 'conflict', words: `exists, and differs   ${words}`, facts, guard: version, error }
}

/** Names of keys, as every row of a write of data has them. */
export function keyFacts({ added, changed, removed, kept }: KeyChanges): Facts {
  return { keys_added: added, keys_changed: changed, keys_removed: removed, keys_kept: kept }
}

/** Those names as columns. */
export const keyColumns = ['keys_added', 'keys_changed', 'keys_removed', 'keys_kept']

function applying(path: string, data: JsonObject | null, guard: number | undefined, changes: () => readonly string[]) {
  return {
    ...(guard === undefined ? {} : { guard, enforced: true }),
    apply: async ({ context }: ItemRun): Promise<Applied> =>
      appliedData(path, await writeSecret(context, path, data, guard), { from: guard, changes: changes() }),
  }
}

/** `app/db 7 → 8   changed: password`, and the metadata of the new version. */
export function appliedData(
  path: string,
  { version, metadata, response }: Written,
  { from, changes }: { readonly from: number | undefined; readonly changes: readonly string[] },
): Applied {
  const end = metadata.deletion_time ?? ''
  const words = [
    from === undefined ? `${path}: wrote version ${version}` : `${path} ${from} → ${version}`,
    ...changes,
    ...(end === '' ? [] : [`expires: ${readableTime(end)}`]),
  ]
  const facts = asJson(metadata)
  return {
    words: words.join('   '),
    facts: isObject(facts) ? facts : objectFrom([]),
    guard: version,
    rawBody: response.body,
  }
}
