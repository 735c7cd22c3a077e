import { at, number, text } from '../../core/answer.ts'
import type { ListView, RowsResult } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { shellQuote } from '../../core/curl.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import type { Input } from '../../core/param.ts'
import { query, flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { parseRoute, toRequest } from '../../core/request.ts'
import { schedulerHeader } from '../../http/vocabulary.ts'
import { ageColumn, countColumn, idOf, plainColumn, statusCell } from './cells.ts'
import { jobStatus, shortKind } from './jobs.ts'
import { snapshots, watchParams, withShown } from './reads.ts'

/** How many allocations of all groups are in one of these states. */
function counted(row: Json, ...states: readonly string[]): number {
  const groups = at(row, 'JobSummary', 'Summary')
  if (!isObject(groups)) return 0
  return entriesOf(groups).reduce(
    (sum, [, group]) => sum + states.reduce((more, state) => more + (number(group, state) ?? 0), 0),
    0,
  )
}

function countOf(name: string, tone: 'bad' | 'warn' | undefined, ...states: readonly string[]): Column<Json> {
  return {
    name,
    value: (row) => counted(row, ...states),
    show: (row) => {
      const count = counted(row, ...states)
      return count === 0 ? cell('0', 'dim') : cell(String(count), tone)
    },
    align: 'right',
  }
}

const jobs: ListView = list<Json>(
  [
    plainColumn('id', 'ID', { whole: true }),
    plainColumn('namespace', 'Namespace', { wide: true }),
    { name: 'type', value: (row) => at(row, 'Type'), show: shortKind },
    { name: 'status', value: (row) => at(row, 'Status'), show: (row) => statusCell(jobStatus(row)) },
    countOf('running', undefined, 'Running'),
    countOf('waiting', 'warn', 'Queued', 'Starting'),
    countOf('failed', 'bad', 'Failed', 'Lost'),
    ageColumn('age', 'SubmitTime'),
    countColumn('priority', 'Priority', { wide: true }),
    { name: 'meta', value: (row) => at(row, 'Meta'), show: (row) => metaWords(row), wide: true },
    plainColumn('parent', 'ParentID', { wide: true, whole: true }),
    countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
  ],
  idOf,
  { empty: 'no jobs' },
)

function metaWords(row: Json): string {
  const meta = at(row, 'Meta')
  return isObject(meta)
    ? entriesOf(meta)
        .map(([key, value]) => `${key}=${text(value) ?? ''}`)
        .join(', ')
    : ''
}

const params = {
  prefix: query.text('only jobs whose ID begins with this'),
  filter: query.text('only jobs for which this expression is true', { placeholder: 'expression' }),
  perPage: query.integer('jobs a page; without it there is one page', { wire: 'per_page', min: 1 }),
  nextToken: query.text('begin at this page', { wire: 'next_token', placeholder: 'token' }),
  all: flag.boolean('every page'),
  meta: query.boolean("with the jobs' meta"),
  ...watchParams,
} as const

const route = parseRoute('GET /v1/jobs')

/** `job list`: spec endpoint 1, contract b.1. */
export const jobList = command({
  name: 'list',
  summary: 'List jobs',
  description:
    'Without --per-page the answer is one page with all jobs. --namespace \'*\' lists the jobs of every namespace that the token may see.\n\nFilters are expressions over the whole job: Status == "running" and Type == "service", Meta.owner == "team-a", Meta["team-key"] == "x", "web" in Datacenters, Name matches "^pay", ParentID is empty, any TaskGroups as g { g.Count != 1 }. There is no < or >. See `tug help filters`.',
  params,
  endpoints: [{ route: 'GET /v1/jobs', acl: 'namespace:list-jobs', blocking: true }],
  examples: [
    { line: 'job list', note: 'the jobs of the default namespace' },
    { line: `job list --filter 'Status == "running" and Type == "service"'`, note: 'services that run' },
    { line: "job list -n '*' --prefix pay -o wide", note: 'of every namespace' },
    { line: 'job list --all --per-page 500 -o ndjson', note: 'tens of thousands, a page in memory at a time' },
    { line: 'job list --watch', note: 'live, until Ctrl-C' },
  ],
  run: async (input, context) => {
    const { watch, all, perPage } = input
    const request: HttpRequest = {
      ...toRequest({ ...route, acl: 'namespace:list-jobs' }, params, input, context.settings.route),
    }
    const view = viewFor(input, context)
    if (watch === true && !context.http.dryRun) {
      if (all === true && perPage !== undefined)
        throw usageError('--watch follows one answer: leave --per-page or --all away')
      return { snapshots: snapshots(context, request), view }
    }
    const first = await context.http.send(request)
    if (context.http.dryRun) return undefined
    return all === true ? everyPage(context, request, first, view) : onePage(context, first, view)
  },
})

function viewFor({ meta }: Input<typeof params>, { settings }: Context): ListView {
  const shown = [...(settings.namespace === '*' ? ['namespace'] : []), ...(meta === true ? ['meta'] : [])]
  return shown.length === 0 ? jobs : withShown(jobs, ...shown)
}

function onePage({ io }: Context, response: HttpResponse, view: ListView): RowsResult {
  const next = schedulerHeader(response.headers, 'NextToken')
  return {
    rows: each(response.json()),
    view,
    rawBody: response.body,
    finish: () => {
      if (next !== undefined && next !== '')
        io.note(`there are more; the next page: --next-token ${shellQuote(next)} (every page: --all)`)
      return undefined
    },
  }
}

/** Every page, one in memory at a time (contract b.1). A token that comes again ends it. */
function everyPage(context: Context, request: HttpRequest, first: HttpResponse, view: ListView): RowsResult {
  async function* rows(): AsyncIterable<Json> {
    let response = first
    for (let token: string | undefined; ;) {
      yield* each(response.json())
      const next = schedulerHeader(response.headers, 'NextToken')
      if (next === undefined || next === '' || next === token) return
      token = next
      response = await context.http.send(withToken(request, token))
    }
  }
  return { rows: rows(), view }
}

function withToken(request: HttpRequest, token: string): HttpRequest {
  const others = (request.query ?? []).filter(([name]) => name !== 'next_token')
  return { ...request, query: [...others, ['next_token', token]] }
}

async function* each(body: Json): AsyncIterable<Json> {
  if (!Array.isArray(body)) throw new TugError('failed', 'the answer is no list of jobs: is the address right?')
  yield* body
}
