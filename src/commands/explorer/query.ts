import { laterName } from '../../api/explorer-fields.ts'
import * as api from '../../api/explorer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag } from '../../core/param.ts'
import type { Condition, Scope } from './filter.ts'
import { asTyped, parseFilter, readField, readSort, readView } from './filter.ts'
import type { Source } from './paging.ts'
import { pagedRows, pagingParams } from './paging.ts'

export const viewArgument = argument.text('workspaces, tf_versions, providers or modules', {
  required: true,
  placeholder: 'view',
  complete: 'explorer-view',
})

export const filterFlag = flag.texts("keep rows that match '<field> <operator> [<value>]'; repeated: AND", {
  short: 'f',
  placeholder: 'expr',
  complete: 'explorer-filter',
})

export const fieldsFlag = flag.list('only these fields, in this order', { complete: 'explorer-field' })

export const noCheckFlag = flag.boolean('send unknown views, fields and operators as typed')

export const queryParams = {
  view: viewArgument,
  filter: filterFlag,
  sort: flag.text('sort by this field; descending: --sort=-field', {
    short: 's',
    placeholder: 'field',
    complete: 'explorer-field',
  }),
  fields: fieldsFlag,
  noCheck: noCheckFlag,
}

/** A query with its view. */
export type CheckedQuery = Source & { readonly view: string }

/** Reads and checks the query of a command line. */
export async function readQuery(
  context: Context,
  input: Input<Pick<typeof queryParams, 'view' | 'filter' | 'fields' | 'noCheck'>> & {
    readonly sort?: string | undefined
  },
): Promise<CheckedQuery> {
  const check = input.noCheck !== true
  const view = readView(input.view, { check, dialect: context.settings.dialect })
  const scope: Scope = { view, check, now: context.now }
  const readFilters = () => input.filter.map((text) => parseFilter(text, scope))
  let filters = readFilters()
  for (const { note } of filters) if (note !== undefined) context.io.note(note)
  const sort = input.sort === undefined ? [] : [readSort(input.sort, scope)]
  // By the specification's names; every row has `id`, which isn't a field.
  const fields =
    input.fields &&
    new Map(
      input.fields.map((spelling) => {
        const name = spelling === 'id' ? 'id' : readField(spelling, scope)
        return [name, asTyped(spelling, name)] as const
      }),
    )
  const isRelative = filters.some(({ relative }) => relative !== undefined)
  if (isRelative && !context.http.memory.hasAnswered && !context.io.isDryRun) {
    // A relative date is by the server's clock, which its first response shows.
    const one = [['type', view] as const, ['page[size]', '1'] as const]
    await context.http.send(api.query({}, { query: one }))
    filters = readFilters()
  }
  const sent = [...(fields ?? [])].filter(([name]) => name !== 'id')
  const query = queryParameters({
    view,
    filters,
    sort: sort.map((key) => asTyped(input.sort as string, key)),
    fields: sent.map(([, spelling]) => spelling),
  })
  const used = {
    filtered: filters.map(({ field }) => field),
    named: [...sent.map(([name]) => name), ...sort.map((key) => key.replace(/^-/, ''))],
  }
  const productOnly = check ? laterName(view, used) : undefined
  const columns = fields && [...fields.keys()]
  return { request: (parts) => api.query({}, parts), query, view, fields: columns, productOnly }
}

/** The query parameters of a request. */
export function queryParameters({
  view,
  filters,
  sort,
  fields,
}: {
  readonly view: string
  readonly filters: readonly Condition[]
  readonly sort: readonly string[]
  readonly fields: readonly string[]
}): [string, string][] {
  const query: [string, string][] = [['type', view]]
  for (const [index, { field, operator, value, sent = { field, operator } }] of filters.entries())
    query.push([`filter[${index}][${sent.field}][${sent.operator}][0]`, value[0] ?? ''])
  if (sort.length > 0) query.push(['sort', sort.join(',')])
  if (fields.length > 0) query.push(['fields', fields.join(',')])
  return query
}

/** Reads page by page. */
export const query = command({
  name: 'query',
  summary: 'Query workspaces, tool versions, providers or modules',
  description: `Reads one page unless --all or --limit asks for more; a note on stderr shows whether there are more rows.

Filters: 'drifted is true', 'module_count gteq 5', 'vcs_repo_identifier is_empty', 'workspace_updated_at is_before 30d'. tug explorer fields lists fields and operators, tug help filters explains the language. Everything is checked before anything is sent.`,
  endpoint: api.query,
  params: { ...queryParams, ...pagingParams },
  examples: [
    {
      line: "explorer query workspaces --filter 'drifted is true' --sort=-resources_drifted",
      note: 'what has drifted, the worst first',
    },
    {
      line: "explorer query workspaces -f 'current_run_status = errored' -f 'project_name ~ Pay' --fields workspace_name,vcs_repo_identifier",
      note: 'two conditions, two columns',
    },
    {
      line: "explorer query workspaces --filter 'workspace_updated_at is_before 90d' --all -o csv",
      note: 'every workspace unchanged for 90 days, as CSV',
    },
    { line: 'explorer query tf_versions --sort=-workspace_count --limit 5', note: 'the five most used versions' },
    { line: "explorer query workspaces -f 'drifted is true' --all -o name", note: 'the IDs, for a loop' },
  ],
  run: async (input, context) => pagedRows(context, await readQuery(context, input), input),
})
