import * as api from '../../../api/kv.ts'
import { listNames } from '../../../api/secrets.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { mergePatch } from '../../../core/endpoint.ts'
import { TugError, unlessForbidden } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import type { Applied, Decision, ItemRun } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import { folderOf, relativeTo } from '../data/paths.ts'
import { changeWords, keyChanges, keyFacts, keyWords, mapOf, patched, registerSecrets, same } from '../data/values.ts'
import { momentOf, stateOf } from '../data/versions.ts'
import { readConfig, refuseVersion1 } from '../mount/engine.ts'
import type { LineIn } from '../mount/misplaced.ts'
import { refuseWrongMount } from '../mount/misplaced.ts'
import { unlessOld } from '../mount/server.ts'
import { failureFor404, goneVersionIn } from './missing.ts'
import type { Gone } from './missing.ts'
import type { Present, Readable } from './read.ts'
import { findMetadata, findSecret, findSubkeys, readPresent } from './read.ts'
import { dataParts, requirementHint, sendWrite, writeData, writtenVersion } from './write.ts'

/** What is to be written, and what may be replaced. */
export interface DataToWrite {
  readonly path: string
  readonly data: JsonObject | null
  /** True if an existing secret that differs may be replaced. */
  readonly mayReplace: boolean
  /** The hint of the conflict if it may not. */
  readonly hint?: string
  /** Keys whose values were made at random: their names are marked as such. */
  readonly generated?: readonly string[]
  /** The version that must be the current one (`--cas`). */
  readonly cas?: number | undefined
  /** What is at the path, if it has been read already. */
  readonly present?: Present
  /** The typed line for another mount, if the path is not all that it takes. */
  readonly lineIn?: LineIn
}

/** What writing the data would do to a secret. Throws if the mount stores no versions. */
export async function decideData(context: Context, wanted: DataToWrite): Promise<Decision> {
  const present = wanted.present ?? (await readPresent(context, wanted.path))
  if (isUnproved(present)) await refuseWrongMount(context, wanted.path, `data/${wanted.path}`, wanted.lineIn)
  return decisionOf(context, wanted, present)
}

/** True if nothing was read that shows that the mount stores versions. */
function isUnproved({ state }: Present): boolean {
  return state === 'missing' || state === 'unreadable'
}

/**
 * What writing the data would do to a secret that has been read, if its mount stores versions. `isListed`: whether a list has shown the
 * path. If so, it has metadata at least, and a write takes the capability `update`.
 */
function decisionOf(context: Context, wanted: DataToWrite, present: Present, isListed?: boolean): Decision {
  const { path, data, mayReplace, hint, generated = [], cas } = wanted
  const writing = (guard: number | undefined, changes?: () => readonly string[]) => {
    const acl = isListed === true ? ('update' as const) : undefined
    return guardedBy(guard, (item) => writeData(item.context, path, data, { cas: guard, from: guard, changes, acl }))
  }
  if (present.state === 'unreadable') return { ...unseen, ...writing(mayReplace ? cas : 0) }
  checkVersion(context, path, present, cas)
  const before = present.state === 'live' ? mapOf(present.data) : {}
  const after = mapOf(data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  const changes = () => changeWords(keys, generated)
  if (present.state !== 'live') {
    const words = keys.added.length === 0 ? 'new, without keys' : `new: ${keyWords(keys.added, generated)}`
    const version = present.state === 'missing' ? 0 : present.version
    return { action: 'create', words, facts, assumed: isListed === false, ...writing(version, changes) }
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
  return {
    action: 'conflict',
    words: `exists, ${isEqual ? '' : 'and differs   '}${words}`,
    facts,
    guard: version,
    error,
  }
}

/**
 * {@link decideData} for many secrets, with one list for each folder: a path that isn't listed doesn't exist, so it isn't read. A path that
 * is decided again is read, because the list is out of date by then.
 */
export function createDataDecider(context: Context): (wanted: DataToWrite) => Promise<Decision> {
  const folders = new Map<string, Promise<ReadonlySet<string> | undefined>>()
  const namesIn = (folder: string) => {
    const listed = folders.get(folder)
    if (listed !== undefined) return listed
    // Without the list, each secret is read.
    const names = listNames(context, api.list({ path: folder })).then(
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
  let checked: Promise<void> | undefined
  return async (wanted) => {
    const { path } = wanted
    const folder = folderOf(path)
    const names = missing.has(path) ? undefined : await namesIn(folder)
    const isListed = names?.has(relativeTo(folder, path))
    if (isListed === false) missing.add(path)
    const present: Present = isListed === false ? { state: 'missing' } : await readPresent(context, path)
    if (isUnproved(present)) await (checked ??= refuseWrongMount(context, path, `data/${path}`, wanted.lineIn))
    return decisionOf(context, wanted, present, isListed)
  }
}

/** A new version to write, whatever the present one contains. */
interface NewVersion {
  readonly path: string
  readonly data: JsonObject
  readonly cas: number | undefined
  /** Keys whose values were made at random. */
  readonly generated: readonly string[]
  /** True if the run would guard the write by the version that it reads. */
  readonly isGuarded: boolean
}

/**
 * What writing a new version would do. `reads`: a plan compares with the present value, a person is told which keys would be lost, a script
 * only checks that the mount has versions.
 */
export async function decidePut(
  context: Context,
  wanted: NewVersion,
  reads: 'value' | 'keys' | 'mount' | 'nothing',
): Promise<Decision> {
  const { path, data, cas, generated, isGuarded } = wanted
  const writing = (guard: number | undefined, lost: readonly string[]) =>
    guardedBy(guard, async (item) => {
      const changes = lost.length === 0 ? [] : [`removed: ${lost.join(', ')}`]
      const applied = await writeData(item.context, path, data, { cas: guard, changes: () => changes })
      // Nothing else shows that the secret is new.
      return applied.guard === 1 ? { ...applied, action: 'create' } : applied
    })
  const blind = {
    action: cas === 0 ? 'create' : 'write',
    words: `write ${keysOf(data).join(', ') || 'no key'}`,
    ...writing(cas, []),
  } as const
  if (reads === 'value') {
    const present = await readPresent(context, path)
    if (isUnproved(present)) await refuseWrongMount(context, path, `data/${path}`)
    if (present.state === 'unreadable') return { ...blind, ...unseen, action: blind.action }
    checkVersion(context, path, present, cas)
    const before = present.state === 'live' ? present.data : null
    const keys = keyChanges(mapOf(before), data)
    const isEqual = present.state === 'live' && same(before, data)
    const unread = cas === undefined && !isGuarded ? await checkRequirement(context, path) : []
    return {
      ...blind,
      action: present.state === 'missing' ? 'create' : 'write',
      words: [changeWords(keys, generated).join('   ') || 'no key', ...unread].join('   '),
      facts: { ...keyFacts(keys), ...(isEqual ? { equal: true } : {}) },
    }
  }
  if (reads === 'keys') {
    const found = await findSubkeys(context, path, { version: undefined, depth: 1 }).catch((error: unknown) => {
      const isUnsupported = error instanceof TugError && error.reason === 'no_mount'
      if (isUnsupported || (error instanceof TugError && [400, 403, 405, 501].includes(error.facts.status ?? 0)))
        return undefined
      throw error
    })
    if (found?.state === 'live') {
      checkVersion(context, path, { state: 'live', version: found.metadata.version }, cas)
      const lost = keysOf(mapOf(found.subkeys)).filter((key) => !Object.hasOwn(data, key))
      // What was shown is what is replaced.
      return { ...blind, facts: { keys_removed: lost }, ...writing(cas ?? found.metadata.version, lost) }
    }
  }
  // With a number, the server refuses to write what doesn't exist.
  if (reads !== 'nothing' && (cas ?? 0) > 0) await refuseVersion1(context, `data/${path}`)
  else if (reads !== 'nothing') await refuseWrongMount(context, path, `data/${path}`)
  return blind
}

/** What a merge patch would do to a secret. Throws for a missing secret, and a conflict if the latest version is not live. */
export async function decidePatch(
  context: Context,
  path: string,
  data: JsonObject,
  { cas, isPlan }: { readonly cas: number | undefined; readonly isPlan: boolean },
): Promise<Decision> {
  const current = await findSecret(context, path).catch(unlessForbidden)
  if (current?.state === 'missing') throw await current.explain()
  if (current !== undefined && current.state !== 'live') throw patchOfGone(context, path, current.error, current)
  // The server applies the merge patch.
  const parts = dataParts(data, cas)
  const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
  const applying = (from: number | undefined, changes: readonly string[]) =>
    guardedBy(cas, async (item) => {
      const response = await sendWrite(item.context, path, request, (error, missing) =>
        missing === undefined ? withPatchHints(context, path, error) : patchFailure(context, missing, path),
      ).catch(unlessOld(context, 'PATCH of data', '1.9'))
      return writtenVersion(context, path, response, { from, changes: () => changes })
    })
  if (current === undefined) {
    await refuseVersion1(context, `data/${path}`)
    return { ...unseen, ...applying(undefined, []) }
  }
  const { version, metadata } = current
  registerSecrets(context.io, current.data, path)
  checkVersion(context, path, current, cas)
  const before = mapOf(current.data)
  const after = patched(before, data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  if (same(before, after) && (metadata.deletion_time ?? '') === '')
    return { action: 'unchanged', words: `unchanged at version ${version}`, facts, guard: version }
  const changes = changeWords(keys)
  const unread = isPlan && cas === undefined ? await checkRequirement(context, path) : []
  return {
    action: 'change',
    words: [...changes, ...unread].join('   '),
    facts,
    guard: version,
    ...applying(version, changes),
  }
}

/**
 * Throws the conflict that a write without a version will meet where the secret or the mount requires check-and-set. Returns what could not be
 * read, in words.
 */
async function checkRequirement(context: Context, path: string): Promise<string[]> {
  const unread = (error: unknown) => {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    return undefined
  }
  const [ofSecret, ofMount] = await Promise.all([
    findMetadata(context, path).then(
      (found) => found.state === 'exists' && found.metadata.cas_required === true,
      unread,
    ),
    readConfig(context).then(({ value }) => value.data.cas_required === true, unread),
  ])
  if (ofSecret === true || ofMount === true)
    throw new TugError(
      'conflict',
      `${ofSecret === true ? path : `the mount ${context.settings.route.mount}/`} requires check-and-set (cas_required)`,
      { service: 'secrets', hints: [requirementHint(context, path)] },
    )
  return ofSecret === undefined || ofMount === undefined ? ['cas_required was not read'] : []
}

/** The error of a refused patch, with what to do about it. */
function withPatchHints(context: Context, path: string, error: TugError): TugError {
  const line = (words: string) => `${context.commandLine(words, path)} key=value`
  const isRefused = error.facts.status === 403 || error.facts.status === 405
  if (!isRefused && !/resource does not exist/.test(error.message)) return error
  const hint = isRefused
    ? `kv set reads and writes instead, which needs read and update on ${path}: ${line('kv set')}`
    : `its value is null, which cannot be patched; write a new one: ${line('kv put')}`
  return error.with({ hints: [...error.hints, hint] })
}

/** The error for a 404: a deleted version if the response has its metadata, otherwise a missing secret (docs/servers.md, Patching). */
function patchFailure(context: Context, response: HttpResponse, path: string): TugError {
  const data = goneVersionIn(response)
  // Servers put the metadata directly into `data`; one level deeper is read too.
  const metadata = data?.metadata ?? data
  const version = metadata?.version ?? undefined
  if (metadata === undefined || version === undefined) return failureFor404(context, response, path, undefined)
  const state = stateOf(metadata, momentOf(context, response)) === 'destroyed' ? 'destroyed' : 'deleted'
  return patchOfGone(context, path, response.failure(), { version, state })
}

/** The conflict of a patch with a deleted or destroyed version. */
function patchOfGone(
  { commandLine }: Context,
  path: string,
  failure: TugError,
  { version, state }: Pick<Gone, 'version' | 'state'>,
): TugError {
  return failure.with({
    code: 'conflict',
    message: `the latest version (${version}) is ${state}, and only a live one can be patched`,
    reason: `version_${state}`,
    hints: [
      ...(state === 'deleted' ? [`undelete it first: ${commandLine('kv undelete', path)}`] : []),
      `write a new value: ${commandLine('kv put', path, ['--cas', String(version)])} key=value`,
    ],
  })
}

/** Throws a conflict if the current version isn't that of `--cas`. */
function checkVersion(
  context: Context,
  path: string,
  { version: current }: { readonly state: Readable['state']; readonly version?: number },
  cas: number | undefined,
): void {
  if (cas === undefined || cas === (current ?? 0)) return
  const is = current === undefined ? "doesn't exist, so it is not at version" : `is at version ${current}, not`
  const isOlder = cas > 0 && cas < (current ?? 0)
  const diff = context.commandLine('kv diff', path, ['--from', String(cas)], ['--to', String(current)])
  throw new TugError('conflict', `${path} ${is} ${cas}; nothing was written`, {
    hints: isOlder ? [`see what changed, without values: ${diff}`] : [],
  })
}

/** The write of a decision. If a version guards it, the server refuses it unless that is the current one. */
function guardedBy(guard: number | undefined, apply: (item: ItemRun) => Promise<Applied>) {
  return guard === undefined ? { apply } : { guard, enforced: true, apply }
}
