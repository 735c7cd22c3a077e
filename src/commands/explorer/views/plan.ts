import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { stringifyJson } from '../../../core/json.ts'
import { fileWords } from '../../../core/words.ts'
import type { Filter, Scope } from '../filter/filter.ts'
import { readView } from '../filter/filter.ts'
import { findOperator } from '../../../api/explorer-fields.ts'
import { readChanges, scopeOf } from './definition.ts'
import type { ViewFile } from './file.ts'
import { attributesOf, filterParts, filtersIn, readSavedView, readStoredQuery } from './saved-view.ts'
import type { StoredQuery } from './saved-view.ts'

/** A saved view as a file wants it. */
export interface Wanted {
  readonly name: string
  readonly type: string
  readonly query: StoredQuery
  readonly filters: readonly Filter[]
}

/** What is to be done about one saved view. */
export interface Step {
  readonly action: 'create' | 'update' | 'delete' | 'keep'
  readonly name: string
  readonly type: string
  /** Undefined for a view that doesn't exist yet. */
  readonly id: string | undefined
  /** What to write. */
  readonly query: StoredQuery
}

/** The views of all files, checked. Throws a usage error naming the file for anything that couldn't be written. */
export async function readWanted(
  files: readonly string[],
  { noCheck, prune }: { readonly noCheck: boolean | undefined; readonly prune: boolean | undefined },
  context: Context,
): Promise<Wanted[]> {
  const { readViewFiles } = await import('./file.ts')
  const wanted: Wanted[] = []
  const places = new Map<string, string>()
  for (const file of files) {
    const content = await context.io.readText(file)
    const views = readViewFiles(content, file)
    // As of a program that failed: that is not what is wanted.
    if (prune === true && views.length === 0 && !/^\s*\[/.test(content))
      throw usageError(`${fileWords(file)} has no view, and --prune deletes what no file has`, '[] stands for no views')
    for (const view of views) {
      const { name = '' } = view
      if (name === '') throw usageError(`${fileWords(file)}: a view has no name`)
      const other = places.get(name)
      if (other !== undefined) throw usageError(`the view '${name}' is in ${other} and again in ${fileWords(file)}`)
      places.set(name, fileWords(file))
      if (view.type === undefined) throw usageError(`${fileWords(file)}: the view '${name}' has no query_type`)
      const type = readView(view.type, { check: noCheck !== true })
      const { filters, query } = checked(
        view,
        `${fileWords(file)}: the view '${name}'`,
        scopeOf({ noCheck }, context, type),
      )
      wanted.push({ name, type, filters, query: { filter: [], fields: [], sort: [], more: [], ...query } })
    }
  }
  return wanted
}

/** What a file says of a view, checked; an error begins with the place. */
function checked(view: ViewFile, place: string, scope: Scope) {
  try {
    return readChanges({ filter: [], fields: undefined, sort: undefined }, view, scope)
  } catch (error) {
    throw error instanceof TugError ? error.with({ message: `${place}: ${error.message}` }) : error
  }
}

/**
 * What makes the stored views those that are wanted, and the deletion of all others. Throws a usage error if a name isn't unique,
 * or if a view would have to query something else, which cannot be changed.
 */
export function planOf(
  { commandLine }: Pick<Context, 'commandLine'>,
  wanted: readonly Wanted[],
  stored: readonly AnsweredView[],
): { readonly steps: readonly Step[]; readonly others: readonly Step[] } {
  const views = stored.map((data) => {
    const { id, name, type } = readSavedView(data)
    return { id, name: name ?? '', type: type ?? '', query: readStoredQuery(attributesOf(data).query) }
  })
  const steps = wanted.map(({ name, type, query }): Step => {
    const [found, ...more] = views.filter((view) => view.name === name)
    if (found === undefined) return { action: 'create', name, type, id: undefined, query }
    if (more.length > 0) {
      const ids = [found, ...more].map(({ id }) => id).join(', ')
      throw usageError(`${more.length + 1} saved views are named '${name}': ${ids}`, 'rename or delete all but one')
    }
    if (found.type !== type) {
      throw usageError(
        `the saved view '${name}' queries ${found.type}, its file ${type}; the type of a saved view cannot be changed`,
        `delete it first: ${commandLine('explorer views delete', found.id)}`,
      )
    }
    const merged = { ...query, more: [...new Map([...found.query.more, ...query.more])] }
    return { action: isSame(found.query, merged) ? 'keep' : 'update', name, type, id: found.id, query: merged }
  })
  const names = new Set(wanted.map(({ name }) => name))
  const others = views
    .filter(({ name }) => !names.has(name))
    .map(({ id, name, type, query }): Step => ({ action: 'delete', name, type, id, query }))
  return { steps, others }
}

function isSame(one: StoredQuery, other: StoredQuery): boolean {
  return comparable(one) === comparable(other)
}

/** A query as text: filters in any order, because all of them must fit. */
function comparable({ filter, fields, sort, more }: StoredQuery): string {
  const filters = filtersIn(filter).map((entry) => {
    const { field, operator, value } = filterParts(entry)
    // Servers keep different things as the value of an operator that takes none.
    return stringifyJson([field, operator, findOperator(operator)?.alone === true ? [] : value])
  })
  return stringifyJson([filters.toSorted(), fields, sort, more.map((member) => stringifyJson(member)).toSorted()])
}
