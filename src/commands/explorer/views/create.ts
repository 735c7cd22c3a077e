import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { onlyTarget } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import type { Filter, Scope } from '../filter.ts'
import { filterText, parseFilter, readField, readFilter, readSort, readView } from '../filter.ts'
import { fieldsFlag, filterFlag, noCheckFlag } from '../query.ts'
import type { WantedView } from './decide.ts'
import { decideCreation, decideUpdate, isSameQuery } from './decide.ts'
import type { ViewFile } from './file.ts'
import type { StoredQuery } from './saved-view.ts'
import { attributesOf, filterParts, readSavedView, readStoredQuery, viewWriter, typeFixed } from './saved-view.ts'
import { listViews, viewArgument, viewIdOf } from './views.ts'

/** The flags that define a saved view. */
const definitionParams = {
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
  noCheck: noCheckFlag,
}

type Definition = Input<typeof definitionParams>

/** The scope of names in one view, or in any if the view isn't known yet. */
export function scopeOf({ noCheck }: Pick<Definition, 'noCheck'>, context: Context, view: string | undefined): Scope {
  return { view, check: noCheck !== true, now: context.now }
}

/** The file of `--from-file`. */
async function readFile({ fromFile }: Definition, { io }: Context): Promise<ViewFile | undefined> {
  if (fromFile === undefined) return undefined
  const { readViewFile } = await import('./file.ts')
  return readViewFile(await io.readText(fromFile), fromFile)
}

/** The checked definition, with the specification's names and without absent members. */
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
      ...(filters === undefined
        ? {}
        : { filter: filters.map(({ field, operator, value }): Json => ({ field, operator, value: [...value] })) }),
      ...(fields === undefined ? {} : { fields }),
      ...(sort === undefined ? {} : { sort }),
      ...(file === undefined || file.more.length === 0 ? {} : { more: file.more }),
    },
  }
}

/** Notes on stderr which values are stored differently than typed, such as relative dates. */
export function noteRelative({ io }: Context, filters: readonly Filter[]): void {
  for (const filter of filters) {
    if (filter.note !== undefined) io.note(filter.note)
    if (filter.relative !== undefined)
      io.note(`'${filter.relative}' is stored as an absolute date: ${filterText(filter)}`)
  }
}

export const viewsCreate = write({
  name: 'create',
  summary: 'Store a query by name',
  description: `The saved view comes from flags, or from a file with name, query_type and query (filter, fields, sort), as printed by views get -o json or -o yaml; flags override the file. A relative date in a filter (30d, within 30d) is stored as an absolute date. The saved views are listed first: nothing is stored if an equal one exists, and a different one with that name is a conflict.`,
  endpoint: api.createView,
  also: [api.listViews],
  params: {
    name: argument.text("name of the saved view; by default the file's", { placeholder: 'name' }),
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
  async open(input, context): Promise<Work> {
    const file = await readFile(input, context)
    const name = input.name ?? file?.name
    if (name === undefined || name === '')
      throw usageError('the saved view needs a name', 'pass it: tug explorer views create <name> …')
    const typed = input.type ?? file?.type
    if (typed === undefined)
      throw usageError('--type is required: which view to query', 'for example --type workspaces')
    const type = readView(typed, { check: input.noCheck !== true, dialect: context.settings.dialect })
    const changes = readChanges(input, file, scopeOf(input, context, type))
    noteRelative(context, changes.filters)
    const writer = viewWriter(input.noCheck)
    writer.check(context, { name, type, query: changes.query })
    return {
      action: 'create',
      target: 'view',
      noun: 'saved view',
      ...onlyTarget(name, {
        async decide(): Promise<Decision> {
          const found = await namedView(context, name)
          if (found === undefined) return decideCreation(context, { name, type, query: changes.query }, writer)
          const { id, type: storedType } = readSavedView(found)
          const stored = readStoredQuery(attributesOf(found).query)
          const wanted = { filter: [], fields: [], sort: [], more: stored.more, ...changes.query }
          if (storedType === type && isSameQuery(stored, wanted))
            return { action: 'unchanged', words: `exists already (${id})`, facts: { id, type } }
          throw new TugError('conflict', `the saved view '${name}' exists already, and differs; nothing was stored`, {
            service: 'explorer',
            hints: [`change it: ${context.commandLine('explorer views update', id)} …`],
          })
        },
      }),
    }
  },
})

/** The stored view with this name; undefined also if the token may not list views. */
async function namedView(context: Context, name: string): Promise<AnsweredView | undefined> {
  try {
    return (await listViews(context)).find((view) => attributesOf(view).name === name)
  } catch (error) {
    return unlessForbidden(error)
  }
}

const params = {
  view: viewArgument,
  name: flag.text('its new name'),
  ...definitionParams,
  clearFilter: flag.boolean('remove all filters', { excludes: ['filter'] }),
  clearFields: flag.boolean('show all fields again', { excludes: ['fields'] }),
  clearSort: flag.boolean('remove the sorting', { excludes: ['sort'] }),
}

export const viewsUpdate = write({
  name: 'update',
  summary: 'Change a saved view; everything else is kept',
  description: `Reads the saved view first, because an update must contain all of it. Its type cannot be changed.`,
  endpoint: api.updateView,
  also: [api.listViews, api.readView],
  params,
  examples: [
    { line: "explorer views update sq-7RkT2mWq9ZbX4cLd --name 'Drift report'", note: 'another name, nothing else' },
    {
      line: "explorer views update sq-7RkT2mWq9ZbX4cLd -f 'drifted is true' -f 'project_name is Payments' --clear-sort",
      note: 'replace all filters, no sorting',
    },
    { line: 'explorer views update sq-7RkT2mWq9ZbX4cLd --from-file view.yaml', note: 'from a file' },
  ],
  async open(input, context): Promise<Work> {
    const cleared: Partial<StoredQuery> = {
      ...(input.clearFilter === true ? { filter: [] } : {}),
      ...(input.clearFields === true ? { fields: [] } : {}),
      ...(input.clearSort === true ? { sort: [] } : {}),
    }
    const { name: newName, filter, fields, sort, fromFile } = input
    const isChanged = [newName, fields, sort, fromFile, ...filter].some((value) => value !== undefined)
    if (!isChanged && Object.keys(cleared).length === 0)
      throw usageError('nothing to change', 'give --name, --filter, --fields, --sort, --clear-… or --from-file')
    const file = await readFile(input, context)
    // Checks what it can before the first request; names are checked against the view once its type is known.
    noteRelative(context, readChanges(input, file, scopeOf(input, context, undefined)).filters)
    const writer = viewWriter(input.noCheck)
    let id: string | undefined
    return {
      action: 'update',
      target: 'view',
      noun: 'saved view',
      ...onlyTarget(input.view, {
        async decide(): Promise<Decision> {
          // Only once, because the name may change.
          id ??= await viewIdOf(context, input.view)
          const view = id
          let renamed: string | undefined
          const wantedFor = (_: StoredQuery, stored: AnsweredView): WantedView => {
            const { type, name: oldName } = readSavedView(stored)
            const changes = readChanges(input, file, scopeOf(input, context, type ?? undefined))
            if (file?.type !== undefined && type !== null && file.type !== type)
              throw typeFixed(oldName ?? view, type, file.type)
            const name = newName ?? file?.name ?? oldName ?? ''
            if (name !== oldName) renamed = name
            return { name, type: type ?? '', query: { ...changes.query, ...cleared } }
          }
          const decision = await decideUpdate(context, view, wantedFor, writer)
          // A run leaves it to the server to refuse a name that is taken.
          const other = input.plan === true && renamed !== undefined ? await namedView(context, renamed) : undefined
          if (other !== undefined)
            throw new TugError('invalid', `the name '${renamed}' is taken by the saved view ${readSavedView(other).id}`)
          return decision
        },
      }),
    }
  },
})
