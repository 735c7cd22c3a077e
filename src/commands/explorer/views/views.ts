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
import { filterText } from '../filter.ts'
import type { EveryRow, Source } from '../paging.ts'
import { everyRow, firstAnswer, mapped, pagedRows, pagingParams, rowsFrom } from '../paging.ts'
import { shownTime } from '../rows.ts'
import type { SavedView } from './saved-view.ts'
import { attributesOf, filterParts, readSavedView, savedViewOf } from './saved-view.ts'

const conditions = ({ query }: SavedView) =>
  (query.filter ?? []).map((entry) => filterText(filterParts(entry))).join(' and ')

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
  { name: 'filters', value: conditions, long: true },
  { name: 'fields', value: ({ query }) => asJson(query.fields), wide: true },
  { name: 'sort', value: ({ query }) => asJson(query.sort), wide: true },
]

const idOf = ({ id }: SavedView) => id

/** One saved view. */
export const savedViewRecord = record(
  columns.map((column) =>
    column.name === 'created_at' ? { ...column, title: 'created_at', show: atTheMinute } : column,
  ),
  idOf,
)

function atTheMinute(view: SavedView, showing: Showing): string {
  return shownTime(view.created_at ?? undefined, { ...showing, wide: true })
}

/** Several saved views. */
const savedViewList = list(columns, idOf, { empty: 'no saved views' })

/** The saved view that a command is about, by ID or exact name. */
export const viewArgument = path.segment('ID or exact name of the saved view', {
  placeholder: 'saved-view',
  complete: 'saved-view',
})

/** All saved views, of every page if the service has pages of them. */
export const listSource: Source = {
  request: (parts) => api.listViews({}, parts),
  query: [],
  view: undefined,
  fields: undefined,
  unpaged: true,
}

/** True for an ID, which is never looked up. */
function isId(typed: string): boolean {
  return /^sq-[^\s/]+$/.test(typed)
}

/** A saved view in messages: an ID as it is, a name in quotes. */
export function viewWords(typed: string): string {
  return isId(typed) ? typed : `'${typed}'`
}

/**
 * The ID of the view that was typed. What doesn't look like one takes one list request, in which IDs count, then names. Throws if
 * there is no such view, and a usage error with the IDs if several have the name.
 */
export async function viewIdOf(context: Context, typed: string): Promise<string> {
  if (isId(typed)) return typed
  const answer = await firstAnswer(context, listSource)
  return findId(context, typed, rowsFrom(context, listSource, answer))
}

async function findId(context: Context, wanted: string, listed: EveryRow): Promise<string> {
  const views = await collect(listed)
  if (views.some(({ id }) => id === wanted)) return wanted
  const ids = views.filter((view) => nameOf(view) === wanted).map(({ id: found }) => found)
  const [id] = ids
  if (ids.length > 1) throw severalNamed(wanted, ids, 'use the ID')
  if (id !== undefined) return id
  const names = views.flatMap((view) => nameOf(view) ?? [])
  throw new TugError('not_found', `there is no saved view '${wanted}'${didYouMean(wanted, names)}`, {
    hints: [`all saved views: ${context.commandLine('explorer views list')}`],
  })
}

/** The error for a name that several saved views have. */
export const severalNamed = (name: string, ids: readonly string[], hint: string) =>
  usageError(`${ids.length} saved views are named '${name}': ${ids.join(', ')}`, hint)

/** All views of a list. Throws if some are missing, because what isn't there may be on a page that wasn't read. */
export async function collect({ rows, finish }: EveryRow): Promise<api.AnsweredView[]> {
  const views: api.AnsweredView[] = []
  for await (const batch of rows) views.push(...(batch as unknown as api.AnsweredView[]))
  if (finish() !== undefined) throw new TugError('failed', 'the list of saved views is incomplete')
  return views
}

function nameOf(view: api.AnsweredView): string | undefined {
  return attributesOf(view).name ?? undefined
}

/** The rows of a saved view, by its ID. */
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
