import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Failure } from './bulk/bulk.ts'
import { createEndings, limiter } from './bulk/bulk.ts'
import { below } from './place.ts'
import { listNames } from '../../api/secrets-list.ts'
import { explainEmpty } from './version1.ts'

/** A folder and its entries; names are the server's, folders end with a slash. */
export interface Folder {
  readonly path: string
  readonly entries: readonly Entry[]
}

export interface Entry {
  /** `db`, `app/`. */
  readonly name: string
  /** Relative to the mount; without a folder's slash. */
  readonly path: string
  /** A folder's entries; undefined for a secret and for a folder that wasn't read. */
  readonly folder?: Folder
  /** Why a folder could not be read, or why a name is skipped. */
  readonly failure?: TugError
}

/** Levels of folders: far more than anybody has, and an end where a server lists folders without one. */
export const deepest = 100

/** How far to walk, and how many folders at a time. */
export interface WalkOptions {
  readonly depth?: number | undefined
  readonly parallel?: number | undefined
}

/**
 * Reads the names below a folder, all levels or `depth` of them, many folders at a time. A folder below it that cannot be
 * listed is marked and the rest is read; one that has disappeared is empty. Throws if the first one fails.
 */
export async function walk(
  context: Context,
  start: string,
  { depth = Infinity, parallel }: WalkOptions = {},
): Promise<Folder> {
  const limit = limiter(parallel)
  const endings = createEndings()

  async function open(path: string, level: number): Promise<Folder> {
    const names = await limit(() => listNames(context, api.list({ path }), { emptyWhen404: path === '' || level > 1 }))
    const entries = names.map((name) => entryOf(path, name, level))
    return { path, entries: await Promise.all(entries) }
  }

  async function entryOf(folder: string, name: string, level: number): Promise<Entry> {
    if (isAstray(name)) return { name, path: below(folder, name.replace(/\/$/, '')), failure: astray() }
    if (!name.endsWith('/')) return { name, path: below(folder, name) }
    const path = below(folder, name.slice(0, -1))
    if (level >= depth) return { name, path }
    if (level >= deepest) return { name, path, failure: endless() }
    try {
      const opened = await open(path, level + 1)
      endings.worked()
      return { name, path, folder: opened }
    } catch (error) {
      return { name, path, failure: endings.failed(error) }
    }
  }

  const found = await open(start, 1)
  if (start === '' && found.entries.length === 0) await explainEmpty(context)
  return found
}

/** True for a name that would lead out of its folder or cannot be requested; only a hostile server has such names. */
export function isAstray(name: string): boolean {
  return /^(?:\.{0,2}\/?|.*\/.+)$/s.test(name)
}

export function astray(): TugError {
  return new TugError('failed', 'the server lists an invalid name, which is skipped')
}

export function endless(): TugError {
  return new TugError('failed', `the server lists folders more than ${deepest} levels deep; no more are read`)
}

/** The paths of all secrets below a folder, in walk order; the folders below `depth`; and those that could not be listed. */
export async function secretsBelow(
  context: Context,
  start: string,
  options: WalkOptions = {},
): Promise<{ paths: string[]; deeper: string[]; failures: Failure[] }> {
  const paths: string[] = []
  const deeper: string[] = []
  const failures: Failure[] = []
  for (const entry of entriesOfTree(await walk(context, start, options))) {
    if (entry.failure !== undefined) failures.push({ what: nameOf(entry), error: entry.failure })
    else if (!entry.name.endsWith('/')) paths.push(entry.path)
    else if (entry.folder === undefined) deeper.push(nameOf(entry))
  }
  return { paths, deeper, failures }
}

/** An entry's path for display: a folder's has a slash. */
export function nameOf({ name, path }: Entry): string {
  return name.endsWith('/') ? `${path}/` : path
}

/** Every entry below a folder, a folder before its entries. */
export function* entriesOfTree(folder: Folder): Generator<Entry> {
  for (const entry of folder.entries) {
    yield entry
    if (entry.folder !== undefined) yield* entriesOfTree(entry.folder)
  }
}
