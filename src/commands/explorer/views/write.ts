import * as api from '../../../api/explorer.ts'
import { at, text } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { ValueResult } from '../../../core/command.ts'
import type { Context, HttpResponse } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { argument, flag } from '../../../core/param.ts'
import type { Input } from '../../../core/param.ts'
import { savedViewOf } from '../answers.ts'
import type { Filter, Scope } from '../filter/filter.ts'
import { filterText, parseFilter, readField, readFilter, readSort, readView } from '../filter/filter.ts'
import { fieldsFlag, filterFlag, noCheckFlag } from '../query.ts'
import { bodyForms, filterParts, readSavedView, readStoredQuery, savedViewBody } from './saved-view.ts'
import type { StoredQuery } from './saved-view.ts'
import { savedViewRecord, viewId } from './columns.ts'
import type { ViewFile } from './file.ts'

const definitionParams = {
  filter: filterFlag,
  fields: fieldsFlag,
  sort: flag.texts('sort by this field, then by the next; descending: --sort=-field', {
    short: 's',
    placeholder: 'field',
    complete: 'explorer-field',
  }),
  fromFile: flag.text('read name, query_type and query from a JSON or YAML file (-: standard input)', {
    placeholder: 'file',
    complete: 'file',
  }),
  body: flag.choice('the form of the request, if a service needs the other one', bodyForms, {
    defaultText: 'documented',
  }),
  noCheck: noCheckFlag,
}

type Definition = Input<typeof definitionParams>

export const viewsCreate = command({
  name: 'create',
  summary: 'Store a query by name',
  description: `The view comes from flags, or from a file with name, query_type and query (filter, fields, sort), as printed by views get -o json or -o yaml; flags override the file. A relative date in a filter (30d) is stored as an absolute date.`,
  endpoint: api.createView,
  params: {
    name: argument.text("name of the saved view; by default the file's"),
    type: flag.text('the view to query: workspaces, tf_versions, providers or modules', {
      placeholder: 'view',
      complete: 'explorer-view',
    }),
    ...definitionParams,
  },
  examples: [
    {
      line: "explorer views create 'Drifted' --type workspaces --filter 'drifted is true' --sort=-resources_drifted",
      note: 'from flags',
    },
    { line: 'explorer views create --from-file view.yaml', note: 'from a file' },
    {
      line: 'explorer views create Copy --from-file view.json',
      note: 'a copy of the output of views get -o json, with another name',
    },
  ],
  async run(input, context) {
    const { dialect } = context.settings
    const file = await readFile(input, context)
    const name = input.name ?? file?.name
    if (name === undefined || name === '') throw usageError('the view needs a name', 'pass it: views create <name> …')
    const typed = input.type ?? file?.type
    if (typed === undefined) throw usageError('--type is required: the view to query', 'for example --type workspaces')
    const type = readView(typed, { dialect, check: input.noCheck !== true })
    const changes = readChanges(input, file, scopeOf(input, context, type))
    const body = savedViewBody({ name, type, query: changes.query }, input.body ?? 'documented', dialect)
    sayRelative(context, changes.filters)
    const response = await context.http.send(api.createView({}, { body }))
    return written(context, response, `stored the saved view '${name}'`)
  },
})

export const viewsUpdate = command({
  name: 'update',
  summary: 'Change a saved view; everything else is kept',
  description: `Reads the view first, because an update must contain all of it. Its type cannot be changed.`,
  endpoint: api.updateView,
  also: [api.readView],
  params: {
    view: viewId,
    name: flag.text('its new name'),
    ...definitionParams,
    clearFilter: flag.boolean('remove all filters'),
    clearFields: flag.boolean('show all fields again'),
    clearSort: flag.boolean('remove the sorting'),
  },
  examples: [
    { line: "explorer views update sq-7RkT2mWq9ZbX4cLd --name 'Drift report'", note: 'another name, nothing else' },
    {
      line: "explorer views update sq-7RkT2mWq9ZbX4cLd -f 'drifted is true' -f 'project_name is Payments' --clear-sort",
      note: 'replace all filters, no sorting',
    },
    { line: 'explorer views update sq-7RkT2mWq9ZbX4cLd --from-file view.yaml', note: 'from a file' },
  ],
  async run(input, context) {
    refuseContradictions(input)
    const { dialect } = context.settings
    const file = await readFile(input, context)
    // Errors are found before anything is sent; whether the names fit this view is known after the read.
    readChanges(input, file, scopeOf(input, context, undefined))
    const stored = savedViewOf((await context.http.send(api.readView({ view: input.view }))).json())
    const attributes = at(stored, 'attributes') ?? stored
    const known = readSavedView(stored)
    const type = known['type'] ?? null
    const changes = readChanges(input, file, scopeOf(input, context, typeof type === 'string' ? type : undefined))
    refuseOtherType(file, type)
    const query: StoredQuery = {
      ...readStoredQuery(at(attributes, 'query')),
      ...changes.query,
      ...(input.clearFilter === true ? { filter: [] } : {}),
      ...(input.clearFields === true ? { fields: [] } : {}),
      ...(input.clearSort === true ? { sort: [] } : {}),
    }
    const name = input.name ?? file?.name ?? known['name'] ?? null
    const body = savedViewBody({ id: input.view, name, type, query }, input.body ?? 'documented', dialect)
    sayRelative(context, changes.filters)
    const response = await context.http.send(api.updateView({ view: input.view }, { body }))
    return written(context, response, `changed the saved view ${input.view}`)
  },
})

function scopeOf({ noCheck }: Definition, context: Context, view: string | undefined): Scope {
  return { view, dialect: context.settings.dialect, check: noCheck !== true, now: context.now() }
}

async function readFile({ fromFile }: Definition, { io }: Context): Promise<ViewFile | undefined> {
  if (fromFile === undefined) return undefined
  const { readViewFile } = await import('./file.ts')
  return readViewFile(await io.readText(fromFile), fromFile)
}

/** What to store, checked and by the specification's names, without absent members. */
function readChanges(
  input: Definition,
  file: ViewFile | undefined,
  scope: Scope,
): { filters: readonly Filter[]; query: Partial<StoredQuery> } {
  const fromFile = file?.filter?.map((entry) =>
    typeof entry === 'string' ? parseFilter(entry, scope) : readFilter(filterParts(entry), scope),
  )
  const filters = input.filter.length > 0 ? input.filter.map((one) => parseFilter(one, scope)) : fromFile
  const fields = (input.fields ?? file?.fields)?.map((name) => readField(name, scope))
  const sort = (input.sort.length > 0 ? input.sort : file?.sort)?.map((key) => readSort(key, scope))
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

function sayRelative({ io }: Context, filters: readonly Filter[]): void {
  for (const filter of filters) {
    if (filter.relative === undefined) continue
    io.note(`'${filter.relative}' is stored as an absolute date: ${filterText(filter)}`)
  }
}

function refuseContradictions(input: Definition & { readonly [key: string]: unknown }): void {
  const given = { filter: input.filter.length > 0, fields: input.fields !== undefined, sort: input.sort.length > 0 }
  const cleared = {
    filter: input['clearFilter'] === true,
    fields: input['clearFields'] === true,
    sort: input['clearSort'] === true,
  }
  for (const part of ['filter', 'fields', 'sort'] as const) {
    if (given[part] && cleared[part]) throw usageError(`--${part} and --clear-${part} exclude each other`)
  }
  const changes = [...Object.values(given), ...Object.values(cleared)].includes(true)
  if (!changes && input['name'] === undefined && input.fromFile === undefined) {
    throw usageError('nothing to change', 'give --name, --filter, --fields, --sort, --clear-… or --from-file')
  }
}

function refuseOtherType(file: ViewFile | undefined, type: Json): void {
  if (file?.type === undefined || typeof type !== 'string' || file.type === type) return
  throw usageError(`the view queries ${type}, the file ${file.type}; the type of a saved view cannot be changed`)
}

/** The view as stored now; if the service answers with nothing, `done` is the message. */
function written({ http, io }: Context, response: HttpResponse, done: string): ValueResult | undefined {
  const data = http.dryRun ? undefined : at(response.json(), 'data')
  if (data === undefined || text(data, 'id') === undefined) {
    io.note(done)
    return undefined
  }
  return { data: readSavedView(data), view: savedViewRecord, rawBody: response.body }
}
