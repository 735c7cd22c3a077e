import { didYouMean } from '../../../core/words.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { asJson } from '../../../core/answer.ts'
import { command, list, record } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Column, Showing } from '../../../core/output.ts'
import { path } from '../../../core/param.ts'
import type { Source } from '../paging.ts'
import { everyRow, mapped, pagedRows, pagingParams, wholeRows } from '../paging.ts'
import { shownTime } from '../rows.ts'
import { showMomentAndAge } from '../../../core/duration.ts'
import type { SavedView } from './saved-view.ts'
import { attributesOf, conditionText, readSavedView, savedViewOf } from './saved-view.ts'

const columns: readonly Column<SavedView>[] = [
  { name: 'id', value: ({ id }) => id, whole: true },
  { name: 'name', value: ({ name }) => name, whole: true },
  { name: 'type', value: ({ type }) => type },
  {
    name: 'created_at',
    title: 'age',
    value: (view) => view.created_at,
    show: (view, showing) => shownTime(view.created_at ?? undefined, showing),
  },
  { name: 'filters', value: ({ query }) => conditionText(query.filter ?? []), long: true },
  { name: 'fields', value: ({ query }) => asJson(query.fields), wide: true },
  { name: 'sort', value: ({ query }) => asJson(query.sort), wide: true },
]

const idOf = ({ id }: SavedView) => id

/** One saved view. */
export const savedViewRecord = record(
  columns.map((column) =>
    column.name === 'created_at'
      ? {
          ...column,
          title: 'created_at',
          show: (view: SavedView, showing: Showing) =>
            shownTime(view.created_at ?? undefined, showing, showMomentAndAge),
        }
      : column,
  ),
  idOf,
)

/** Several saved views. */
const savedViewList = list(columns, idOf, { empty: 'no saved views' })

export const viewArgument = path.segment('ID or exact name of the saved view', {
  placeholder: 'saved-view',
  complete: 'saved-view',
})

/** The list of saved views. */
export const listSource: Source = {
  request: (parts) => api.listViews({}, parts),
  query: [],
  view: undefined,
  fields: undefined,
  unpaged: true,
}

function isId(typed: string): boolean {
  return /^sq-[^\s/]+$/.test(typed)
}

/** The name of a saved view in messages: its ID, or its name in quotes. */
export function viewWords(typed: string): string {
  return isId(typed) ? typed : `'${typed}'`
}

/**
 * The ID of the saved view with this ID or name; looking up a name costs one list request. Throws "not found" for an unknown name, and
 * a usage error with the IDs for an ambiguous one.
 */
export async function viewIdOf(context: Context, typed: string): Promise<string> {
  if (isId(typed)) return typed
  const views = await listViews(context)
  if (views.some(({ id }) => id === typed)) return typed
  const ids = views.filter((view) => attributesOf(view).name === typed).map(({ id }) => id)
  const [first] = ids
  if (ids.length > 1) throw severalNamed(typed, ids, 'use the ID')
  if (first !== undefined) return first
  const names = views.flatMap((view) => attributesOf(view).name ?? [])
  throw new TugError('not_found', `no saved view '${typed}'${didYouMean(typed, names)}`, {
    hints: [`all saved views: ${context.commandLine('explorer views list')}`],
  })
}

/** The error for a name that several saved views have. */
export const severalNamed = (name: string, ids: readonly string[], hint: string) =>
  usageError(`${ids.length} saved views are named '${name}': ${ids.join(', ')}`, hint)

/** All saved views. Throws if the list is incomplete. */
export async function listViews(context: Context): Promise<AnsweredView[]> {
  const rows = await wholeRows(await everyRow(context, listSource), 'the list of saved views')
  return rows as unknown as AnsweredView[]
}

/** The rows of a saved view. */
export function resultsSource(view: string): Source {
  return {
    request: (parts) => api.viewResults({ view }, parts),
    query: [],
    cautious: true,
    view: undefined,
    fields: undefined,
  }
}

/** Reads page by page. */
export const viewsList = command({
  name: 'list',
  summary: 'List the saved views of the organization',
  endpoint: api.listViews,
  params: {},
  examples: [
    { line: 'explorer views list', note: 'every saved view' },
    { line: 'explorer views list -o name', note: 'their IDs' },
    { line: 'explorer views list -o yaml > views.yaml', note: 'a file for views apply' },
  ],
  async run(_, context) {
    const { rows, finish, rawBody } = await everyRow(context, listSource)
    return {
      rows: mapped(rows, (row) => asJson(readSavedView(row as unknown as AnsweredView)) as JsonObject),
      view: savedViewList,
      finish,
      ...(rawBody === undefined ? {} : { rawBody }),
    }
  },
})

/** A name is looked up first. */
export const viewsGet = command({
  name: 'get',
  summary: 'Show a saved view',
  endpoint: api.readView,
  also: [api.listViews],
  params: { view: viewArgument },
  examples: [
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd', note: 'its filters, fields and sorting' },
    { line: "explorer views get 'Failed checks'", note: 'by name' },
    { line: 'explorer views get sq-7RkT2mWq9ZbX4cLd -o yaml > view.yaml', note: 'a file for views create or update' },
  ],
  async run(input, context) {
    const view = await viewIdOf(context, input.view)
    const response = await context.http.send(api.readView({ view }))
    return {
      data: asJson(readSavedView(savedViewOf(response.value))),
      view: savedViewRecord,
      rawBody: response.body,
    }
  },
})

/** Reads page by page; a name is looked up first. */
export const viewsResults = command({
  name: 'results',
  summary: 'Run a saved view and show its rows',
  endpoint: api.viewResults,
  also: [api.listViews],
  params: { view: viewArgument, ...pagingParams },
  examples: [
    { line: 'explorer views results sq-7RkT2mWq9ZbX4cLd --all', note: 'all its current rows' },
    { line: "explorer views results 'Failed checks' --limit 10 -o json", note: 'the first ten, for a program' },
  ],
  run: async (input, context) => pagedRows(context, resultsSource(await viewIdOf(context, input.view)), input),
})
