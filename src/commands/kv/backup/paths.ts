import * as api from '../../../api/kv.ts'
import { listNames } from '../../../api/secrets-list.ts'
import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import { createEndings } from '../../../bulk/endings.ts'
import { below } from '../place.ts'
import { astray, deepest, endless, isAstray } from '../walk.ts'
import { comparePaths } from './record.ts'

/** A secret, or a folder that could not be listed. */
export interface FoundPath {
  /** Relative to the mount; a folder ends with a slash. */
  readonly path: string
  readonly failure?: TugError
}

/** Folders of one level that are listed ahead. */
const listedAhead = 4

/**
 * The paths of all secrets below a folder in the order of {@link comparePaths}, as they are found: memory doesn't grow with
 * their number. Throws if the first folder cannot be listed; `mayBeMissing`: one that doesn't exist is empty.
 */
export async function* pathsInOrder(
  context: Context,
  start: string,
  { mayBeMissing = false } = {},
): AsyncGenerator<FoundPath> {
  const endings = createEndings(listedAhead)
  const list = (path: string, emptyWhen404: boolean) => {
    const names = listNames(context, api.list({ path }), { emptyWhen404 })
    names.catch(() => undefined)
    return names
  }

  async function* entriesOf(folder: string, found: readonly string[], level: number): AsyncGenerator<FoundPath> {
    const names = [...new Set(found)].toSorted(comparePaths)
    const folders = names.filter((name) => name.endsWith('/') && !isAstray(name) && level < deepest)
    const opened = new Map<string, Promise<string[]>>()
    for (const name of names) {
      const path = below(folder, name)
      if (isAstray(name)) yield { path, failure: astray() }
      else if (!name.endsWith('/')) yield { path }
      else if (level >= deepest) yield { path, failure: endless() }
      else {
        while (opened.size < listedAhead && folders.length > 0) {
          const next = folders.shift() as string
          opened.set(next, list(below(folder, next.slice(0, -1)), true))
        }
        yield* opening(path, opened.get(name) as Promise<string[]>, level)
        opened.delete(name)
      }
    }
  }

  async function* opening(path: string, listed: Promise<string[]>, level: number): AsyncGenerator<FoundPath> {
    let names: string[]
    try {
      names = await listed
      endings.worked()
    } catch (error) {
      yield { path, failure: endings.failed(error) }
      return
    }
    yield* entriesOf(path.slice(0, -1), names, level + 1)
  }

  yield* entriesOf(start, await list(start, start === '' || mayBeMissing), 1)
}
