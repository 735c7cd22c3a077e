import { listNames } from '../../api/secrets.ts'
import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { readableTime } from '../../core/duration.ts'
import { TugError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { isObject, objectFrom } from '../../core/json.ts'
import type { LineFlag } from '../../core/shell.ts'
import { escapeControl } from '../../output/safe.ts'
import type { Applied, Decision, Facts, ItemRun } from '../../write/work.ts'
import { folderOf, relativeTo } from './place.ts'
import type { Present } from './read.ts'
import { readPresent } from './read.ts'
import type { KeyChanges } from './values.ts'
import { changeWords, keyChanges, mapOf, same } from './values.ts'
import type { Written } from './write.ts'
import { writeSecret } from './write.ts'

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
 * Looks up secrets by lists, one for each folder: what is not listed doesn't exist, and needs no read of its own. True for a path that is
 * asked for again: the list is older than what made it necessary.
 */
export function createListing(context: Context): (path: string) => Promise<boolean> {
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
    if (missing.has(path)) return true
    const folder = folderOf(path)
    const names = await namesIn(folder)
    if (names === undefined || names.has(relativeTo(folder, path))) return true
    missing.add(path)
    return false
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
  /** Throws if the mount stores no versions; called before something would be created. */
  readonly checkMount: (path: string) => Promise<void>
}

/** What writing the data would do to a secret. */
export async function decideData(present: PresentData, wanted: DataToWrite): Promise<Decision> {
  const { path, data, mayReplace, generated = [], hint } = wanted
  if (present.state === 'unknown') {
    await wanted.checkMount(path)
    const guard = mayReplace ? undefined : 0
    return { action: 'write', words: 'not looked at', ...applying(path, data, guard, () => []) }
  }
  const before = mapOf(present.data)
  const after = mapOf(data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  const { version } = present
  if (present.state === 'none') {
    if (version === 0) await wanted.checkMount(path)
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
