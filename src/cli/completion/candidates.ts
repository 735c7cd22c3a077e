import { createHash } from 'node:crypto'
import { readFile, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'

type FieldType = 'boolean' | 'number' | 'string' | 'datetime'

/** The explorer's views, fields and operators, for completion. */
export interface ExplorerTables {
  viewNames(): readonly string[]
  fieldsOf(view: string): readonly { readonly name: string; readonly type: FieldType }[]
  operatorsOf(type: FieldType): readonly { readonly name: string; readonly alone?: boolean }[]
}

/** Sources of candidates. */
export interface CompletionSources {
  readonly explorer: () => Promise<ExplorerTables>
  readonly operations: () => Promise<readonly string[]>
  readonly profiles: () => readonly string[]
  /** Words that may follow `help` and these words. */
  readonly topics: (before: readonly string[]) => Promise<readonly string[]>
  /**
   * Names from a service. The words are the arguments before the cursor; for `secret-path` they end with the folder to list (`''` or
   * `a/b/`), in which folders end with a slash.
   */
  readonly fetchNames: (kind: string, words: readonly string[], signal: AbortSignal) => Promise<readonly string[]>
  readonly cache: NameCache | undefined
  /** Identifies server, namespace and profile, so cached names are never mixed. */
  readonly scope: string
  /** Aborts fetching; by default after a second. */
  readonly limit?: AbortSignal
}

/** Control characters, lone surrogates and bidi controls, which disguise a name. */
const unfit = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

/** Timeout for a service in milliseconds after TAB. */
const responseTimeout = 1000

/**
 * The candidates for the last of `words`, the begun value at the cursor; the others are the arguments before it. Each candidate is a
 * complete value that starts with the begun one. Never throws: a failed completion offers nothing.
 */
export async function completeWords(
  kind: string,
  words: readonly string[],
  sources: CompletionSources,
): Promise<readonly string[]> {
  const value = words.at(-1) ?? ''
  try {
    const found = await candidates(kind, words.slice(0, -1), value, sources)
    return [...new Set(found)].filter((name) => name.startsWith(value) && !unfit.test(name))
  } catch {
    return []
  }
}

async function candidates(kind: string, before: readonly string[], value: string, sources: CompletionSources) {
  if (kind === 'profile') return sources.profiles()
  if (kind === 'topic') return sources.topics(before)
  if (kind === 'explorer-view') return (await sources.explorer()).viewNames()
  if (kind === 'explorer-field') return fieldNames(await sources.explorer(), before, value)
  if (kind === 'explorer-filter') return filters(await sources.explorer(), before, value)
  if (kind === 'kmip-operation') {
    // In a list separated by commas.
    const lead = value.slice(0, value.lastIndexOf(',') + 1)
    const given = lead.split(',')
    return (await sources.operations()).filter((name) => !given.includes(name)).map((name) => lead + name)
  }
  if (kind !== 'secret-path') return fetched(kind, before, sources)
  const folder = value.slice(0, value.lastIndexOf('/') + 1)
  return (await fetched(kind, [...before, folder], sources)).map((name) => folder + name)
}

/** A field, after others and a comma, or after the minus of descending order. */
function fieldNames(tables: ExplorerTables, before: readonly string[], value: string): string[] {
  const start = value.lastIndexOf(',') + 1
  const lead = value.slice(0, start) + (value.startsWith('-') && start === 0 ? '-' : '')
  const given = value.slice(0, start).split(',')
  const names = viewsAt(tables, before).flatMap((view) => tables.fieldsOf(view).map(({ name }) => name))
  return names.filter((name) => !given.includes(name)).map((name) => lead + name)
}

/**
 * A filter, part by part: field, operator, and true or false. If only one part matches, it is offered with all continuations, so no
 * shell closes the quotes too early.
 */
function filters(tables: ExplorerTables, before: readonly string[], value: string): string[] {
  const fields = viewsAt(tables, before).flatMap((view) => [...tables.fieldsOf(view)])
  const [, name = '', gap = '', rest = ''] = /^(\S*)(\s*)(.*)$/.exec(value) ?? []
  const matching = [...new Map(fields.map((field) => [field.name, field])).values()].filter((field) =>
    gap === '' ? field.name.startsWith(name) : field.name === name,
  )
  const [only] = matching
  if (matching.length !== 1 || only === undefined) return matching.map((field) => `${field.name} `)
  const lead = `${only.name}${gap || ' '}`
  const blanks = / /.test(rest.trimEnd()) && !/_/.test(rest)
  return tables.operatorsOf(only.type).flatMap((operator) => {
    const text = operator.name.replaceAll(/[ _]/g, blanks ? ' ' : '_')
    if (operator.alone === true) return [lead + text]
    return only.type === 'boolean' ? [`${lead}${text} true`, `${lead}${text} false`] : [`${lead}${text} `]
  })
}

/** The view named by the words; all views if none is named yet. */
function viewsAt(tables: ExplorerTables, before: readonly string[]): readonly string[] {
  const all = tables.viewNames()
  const named = before.find((word) => all.includes(word))
  return named === undefined ? all : [named]
}

async function fetched(kind: string, words: readonly string[], sources: CompletionSources): Promise<readonly string[]> {
  const key = JSON.stringify([sources.scope, kind, words])
  const cached = await sources.cache?.read(key)
  if (cached !== undefined) return cached
  const signal = sources.limit ?? AbortSignal.timeout(responseTimeout)
  const found = await Promise.race([sources.fetchNames(kind, words, signal), ended(signal)])
  // A name that starts with a dash would be parsed as a flag.
  const names = found.filter((name) => !name.startsWith('-'))
  await sources.cache?.write(key, names)
  return names
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const stop = () => fail(new Error('it took too long'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Caches names between two presses of TAB. Nothing else from a service's responses is kept. */
export interface NameCache {
  /** The names, if they are recent enough. */
  read(key: string): Promise<readonly string[] | undefined>
  /** Stores names; failing to write the cache is not an error. */
  write(key: string, names: readonly string[]): Promise<void>
}

/** Lifetime of names in milliseconds. */
const life = 10_000

/**
 * A cache of files with mode 0600; old ones are removed when a new one is written. `folderOf` returns its folder, which it creates if
 * asked to; undefined if nothing there can be trusted.
 */
export function createNameCache(
  folderOf: (creates: boolean) => string | undefined,
  now: () => Date,
  writePrivate: (file: string, text: string) => Promise<void>,
): NameCache {
  const nameOf = (key: string) => `names-${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`

  async function removeOld(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      if (!/^names-[0-9a-f]{32}\.json$/.test(name)) continue
      const file = join(folder, name)
      const { mtimeMs } = await stat(file)
      if (Math.abs(now().getTime() - mtimeMs) > life) await unlink(file)
    }
  }

  return {
    async read(key) {
      try {
        const folder = folderOf(false)
        if (folder === undefined) return undefined
        const { at, names } = JSON.parse(await readFile(join(folder, nameOf(key)), 'utf8')) as {
          at: number
          names: string[]
        }
        const age = now().getTime() - at
        return age >= 0 && age < life && Array.isArray(names) ? names : undefined
      } catch {
        return undefined
      }
    },
    async write(key, names) {
      try {
        const folder = folderOf(true)
        if (folder === undefined) return
        await removeOld(folder).catch(() => undefined)
        const text = JSON.stringify({ at: now().getTime(), names })
        await writePrivate(join(folder, nameOf(key)), text)
      } catch {
        // Without a cache the names are fetched again.
      }
    },
  }
}
