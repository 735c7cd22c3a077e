import type { AnsweredView } from '../../../api/explorer.ts'
import { asJson, known } from '../../../core/answer.ts'
import type { DoneResult, ValueResult } from '../../../core/command.ts'
import type { Context, HttpResponse } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { Input } from '../../../core/param.ts'
import type { Filter, Scope } from '../filter/filter.ts'
import { filterText, parseFilter, readField, readFilter, readSort } from '../filter/filter.ts'
import { fieldsFlag, filterFlag, noCheckFlag } from '../query-params.ts'
import { savedViewRecord } from './columns.ts'
import type { ViewFile } from './file.ts'
import type { StoredQuery } from './saved-view.ts'
import { bodyForms, filterParts, readSavedView } from './saved-view.ts'

/** The shape of a request's body. */
export const bodyFlag = flag.choice('the form of the request, if a service needs the other one', bodyForms, {
  defaultText: 'documented',
})

/** The flags that define a saved view. */
export const definitionParams = {
  filter: filterFlag,
  fields: fieldsFlag,
  sort: flag.list('sort by these fields, in this order; descending: --sort=-field', {
    short: 's',
    complete: 'explorer-field',
  }),
  fromFile: flag.text('read name, query_type and query from a JSON or YAML file (-: standard input)', {
    placeholder: 'file',
    complete: 'file',
  }),
  body: bodyFlag,
  noCheck: noCheckFlag,
}

export type Definition = Input<typeof definitionParams>

/** How names are checked, in a view or, if only the service knows it, in any. */
export function scopeOf({ noCheck }: Pick<Definition, 'noCheck'>, context: Context, view: string | undefined): Scope {
  return { view, check: noCheck !== true, now: context.now() }
}

/** The file of `--from-file`. */
export async function readFile({ fromFile }: Definition, { io }: Context): Promise<ViewFile | undefined> {
  if (fromFile === undefined) return undefined
  const { readViewFile } = await import('./file.ts')
  return readViewFile(await io.readText(fromFile), fromFile)
}

/** What to store, checked and by the specification's names, without absent members. */
export function readChanges(
  input: Pick<Definition, 'filter' | 'fields' | 'sort'>,
  file: ViewFile | undefined,
  scope: Scope,
): { filters: readonly Filter[]; query: Partial<StoredQuery> } {
  const fromFile = file?.filter?.map((entry) =>
    typeof entry === 'string' ? parseFilter(entry, scope) : readFilter(filterParts(entry), scope),
  )
  const filters = input.filter.length > 0 ? input.filter.map((one) => parseFilter(one, scope)) : fromFile
  const fields = (input.fields ?? file?.fields)?.map((name) => readField(name, scope))
  const sort = (input.sort ?? file?.sort)?.map((key) => readSort(key, scope))
  return {
    filters: filters ?? [],
    query: {
      ...(filters === undefined ? {} : { filter: filters.map(asStored) }),
      ...(fields === undefined ? {} : { fields }),
      ...(sort === undefined ? {} : { sort }),
      ...(file === undefined || file.more.length === 0 ? {} : { more: file.more }),
    },
  }
}

function asStored({ field, operator, value }: Filter): Json {
  return { field, operator, value: [...value] }
}

/** Points out what is stored otherwise than typed: relative dates as absolute ones, for example. */
export function sayRelative({ io }: Context, filters: readonly Filter[]): void {
  for (const filter of filters) {
    if (filter.note !== undefined) io.note(filter.note)
    if (filter.relative === undefined) continue
    io.note(`'${filter.relative}' is stored as an absolute date: ${filterText(filter)}`)
  }
}

/** The view as stored now; what was done if the service answers with nothing. */
export function written(
  response: HttpResponse<{ readonly data: AnsweredView } | null>,
  done: string,
  facts: Readonly<Record<string, string>>,
): ValueResult | DoneResult {
  const view = known(response.value)?.data
  if (view === undefined) return { done, data: objectFrom(Object.entries(facts)) }
  return { data: asJson(readSavedView(view)), view: savedViewRecord, rawBody: response.body }
}
