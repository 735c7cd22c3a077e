import type { NameList } from '../../../api/secrets.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { BulkReads, Failure } from '../../../read/bulk.ts'
import { itemFailure, usualParallel } from '../../../read/bulk.ts'
import { asFolder, below, comparePaths, isFolder } from '../data/paths.ts'
import { isSecret, listFolder } from './list.ts'

/** A secret or a folder that was found below another folder. */
export interface Entry {
  /** The server's name: `db`, `app/`. */
  readonly name: string
  /** Relative to the mount; a folder's ends with a slash. */
  readonly path: string
  /** 1 for what is directly below the first folder. */
  readonly level: number
  /** True for the last one of its folder. */
  readonly isLast: boolean
  /** True for a folder whose entries follow. */
  readonly isOpen?: boolean
  /** Why a folder could not be listed, or why a name is skipped. */
  readonly failure?: TugError
}

/** A secret, or what could not be listed. */
export type FoundPath = Pick<Entry, 'path' | 'failure'>

interface WalkOptions {
  /** Levels to open; all by default. */
  readonly depth?: number | undefined
  /** Folders listed at a time, unless a setting limits what is done at once. */
  readonly parallel?: number
  /** True if the first folder need not exist. */
  readonly mayBeMissing?: boolean
  /** True for the targets of a write: after a failure that ends the run, each folder that was not listed is counted. */
  readonly countsAll?: boolean
  /** The names in the first folder, if they were requested already. */
  readonly names?: Promise<NameList> | undefined
}

/** Folders listed at a time while their secrets are read. */
const listedAhead = 4

/** Levels of folders: far more than anybody has, and an end where a server lists folders without one. */
const deepest = 100

/**
 * Everything below a folder in the order of {@link comparePaths}, a folder before its entries, as it is found: memory doesn't grow
 * with the number of secrets. A folder that cannot be listed is marked and the rest is read; one that has disappeared is empty.
 * Throws if the first one cannot be listed. A start without a slash at its end may be a secret too, which is left out with a warning.
 */
export async function walk(
  context: Context,
  start: string,
  {
    depth = Infinity,
    parallel = listedAhead,
    mayBeMissing = false,
    countsAll = false,
    names: requested,
  }: WalkOptions = {},
): Promise<AsyncGenerator<Entry>> {
  const atOnce = context.settings.limits.parallel ?? parallel
  let listing = 0

  /** Lists a folder, which may be needed later or never. */
  function list(path: string, emptyWhen404: boolean, first?: Promise<NameList>): Promise<string[]> {
    listing += 1
    const listed = (first ?? listFolder(context, path, countsAll ? { listsTargets: true } : {})).finally(
      () => (listing -= 1),
    )
    const names = listed.then(({ value, missing }) => {
      if (missing !== undefined && !emptyWhen404) throw missing
      return value
    })
    names.catch(() => undefined)
    return names
  }

  async function* entriesOf(folder: string, found: readonly string[], level: number): AsyncGenerator<Entry> {
    const names = [...new Set(found)].toSorted(comparePaths)
    const listed = new Map<string, Promise<string[]>>()
    const folders = names.filter((name) => name.endsWith('/') && !isAstray(name)).values()
    const listAhead = (name: string) => {
      while (!listed.has(name) || (listing < atOnce && listed.size < atOnce)) {
        const next = folders.next()
        if (next.done === true) return
        listed.set(next.value, list(below(folder, next.value), true))
      }
    }
    for (const [index, name] of names.entries()) {
      const entry = { name, path: below(folder, name), level, isLast: index === names.length - 1 }
      if (isAstray(name))
        yield { ...entry, failure: new TugError('failed', 'the server lists an invalid name, which is skipped') }
      else if (!name.endsWith('/') || level >= depth) yield entry
      else if (level >= deepest)
        yield { ...entry, failure: new TugError('failed', `folders more than ${deepest} levels deep are not read`) }
      else {
        listAhead(name)
        yield* opened(entry, listed.get(name) as Promise<string[]>)
        listed.delete(name)
      }
    }
  }

  async function* opened(entry: Entry, listed: Promise<string[]>): AsyncGenerator<Entry> {
    let names: string[]
    try {
      names = await listed
    } catch (error) {
      yield { ...entry, failure: countsAll && error instanceof TugError ? error : itemFailure(error) }
      return
    }
    yield { ...entry, isOpen: true }
    yield* entriesOf(entry.path.slice(0, -1), names, entry.level + 1)
  }

  const folder = asFolder(start)
  const names = await list(folder, folder === '' || mayBeMissing, requested)
  if (!isFolder(start) && names.length > 0 && (await isSecret(context, folder)))
    context.io.warnAlways(`${folder} is also a secret, which was left out`)
  return entriesOf(folder, names, 1)
}

/** True for a name that would lead out of its folder or cannot be requested; only a hostile server has such names. */
function isAstray(name: string): boolean {
  return /^(?:\.{0,2}\/?|.*\/.+)$/s.test(name)
}

/** The secrets below a folder as they are found, and what could not be listed; see {@link walk}. */
export async function secretsIn(
  context: Context,
  start: string,
  options: WalkOptions = {},
): Promise<AsyncGenerator<FoundPath>> {
  const entries = await walk(context, start, options)
  return (async function* secrets() {
    for await (const entry of entries) if (entry.failure !== undefined || !entry.name.endsWith('/')) yield entry
  })()
}

export type Found = AsyncIterable<FoundPath> | Iterable<FoundPath>

/** The secrets below a folder, or the secret at that path where there is no such folder. */
export async function secretsAt(
  context: Context,
  typed: string,
): Promise<{ readonly found: Found; readonly isOne: boolean }> {
  try {
    return { found: await secretsIn(context, typed), isOne: false }
  } catch (error) {
    const mayBeSecret = error instanceof TugError && error.code === 'not_found' && !isFolder(typed)
    if (!mayBeSecret || !(await isSecret(context, typed))) throw error
    return { found: [{ path: typed }], isOne: true }
  }
}

/** Reads each secret that was found, and yields the values in that order. What could not be listed or read is added to the failures. */
export async function* readFound<T>(
  bulk: BulkReads,
  what: string,
  { found, failures, sizeOf = () => 0 }: { found: Found; failures: Failure[]; sizeOf?: (value: T) => number },
  work: (path: string) => Promise<T>,
): AsyncGenerator<T> {
  const read = async ({ path, failure }: FoundPath) => {
    if (failure !== undefined) throw failure
    return work(path)
  }
  for await (const outcome of bulk.read(what, found, read, { sizeOf })) {
    if ('error' in outcome) failures.push({ item: outcome.item.path, error: outcome.error })
    else yield outcome.value
  }
}

/** The paths of all secrets below a folder, and what could not be listed, before anything is done with them. */
export async function secretsBelow(
  context: Context,
  start: string,
  options: Omit<WalkOptions, 'parallel'> = {},
): Promise<{ paths: string[]; failures: Failure[] }> {
  const paths: string[] = []
  const failures: Failure[] = []
  for await (const { path, failure } of await secretsIn(context, start, { ...options, parallel: usualParallel })) {
    if (failure === undefined) paths.push(path)
    else failures.push({ item: path, error: failure })
  }
  return { paths, failures }
}
