import * as jobsApi from '../../api/jobs.ts'
import type { StateCounts, Stub } from '../../api/job-shapes.ts'
import type { ListView, Rows, RowsResult } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context, Format } from '../../core/context.ts'
import type { HttpResponse } from '../../core/connection.ts'
import type { Cell, Column } from '../../core/output.ts'
import { query, flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { Json } from '../../core/json.ts'
import { parseJson, parseJsonPlain, isNumber } from '../../core/json.ts'
import { items } from '../../core/answer.ts'
import { flagText } from '../../core/shell.ts'
import { usageError } from '../../core/errors.ts'
import { itemShape } from '../../core/shape.ts'
import { requestOf } from '../../core/endpoint.ts'
import { arrayItems } from '../../http/array-stream.ts'
import { schedulerHeader } from '../../api/scheduler-service.ts'
import { ageColumn, countColumn, idOf, plainColumn, statusCell } from './cells.ts'
import { isBatchJob, jobStatus, kindOf, pairs } from './jobs.ts'
import { snapshots, watchFlags } from '../../read/read.ts'
import { didYouMean } from '../../core/words.ts'
import { columnNamed } from '../../output/columns.ts'

type State = keyof StateCounts

/** The number of allocations in these states, over all groups. */
function counted({ JobSummary }: Stub, states: readonly State[]): number {
  let sum = 0
  for (const group of Object.values(JobSummary?.Summary ?? {})) for (const state of states) sum += group[state] ?? 0
  return sum
}

function countOf(name: string, states: readonly State[]): Column<Stub> {
  return { name, value: (row) => counted(row, states), align: 'right' }
}

/**
 * `3 running, 1 failed`, of a batch job also `2 complete`. Newer allocations may have replaced failed and lost ones, which are
 * therefore marked as bad only if nothing runs.
 */
function allocationCell(row: Stub): Cell {
  const runs = counted(row, running)
  const starts = counted(row, starting)
  const waits = counted(row, queued)
  const failures = counted(row, failed)
  const losses = counted(row, lost)
  const words = []
  if (runs > 0) words.push(`${runs} running`)
  if (starts > 0) words.push(`${starts} starting`)
  if (waits > 0) words.push(`${waits} queued`)
  if (failures > 0) words.push(`${failures} failed`)
  if (losses > 0) words.push(`${losses} lost`)
  // Complete allocations of a service were replaced.
  const completed = isBatchJob(row) ? counted(row, complete) : 0
  if (completed > 0) words.push(`${completed} complete`)
  const ended = failures + losses
  return cell(words.join(', '), ended > 0 && runs === 0 ? 'bad' : ended + starts + waits > 0 ? 'warn' : undefined)
}

/** `1 pending, 2 running, 3 dead`: the jobs that a parent has started. */
function childrenWords({ JobSummary }: Stub): string {
  const { Pending, Running, Dead } = JobSummary?.Children ?? {}
  const counts = [
    [Pending, 'pending'],
    [Running, 'running'],
    [Dead, 'dead'],
  ] as const
  return counts.flatMap(([count, word]) => (count ? [`${count} ${word}`] : [])).join(', ')
}

/** The kind in a list: `periodic` for `batch periodic`. */
function shortKind(job: Stub): string {
  return kindOf(job).replace(/^batch (?=p)/, '')
}

/** The status in a list: `stopped` for `dead (stopped)`, `stopping` for `running (stopping)`. */
function shortStatus(job: Stub): string {
  return jobStatus(job).replace(/^.* \((stopped|stopping)\)$/, '$1')
}

const running = ['Running'] as const
const complete = ['Complete'] as const
const starting = ['Starting'] as const
const queued = ['Queued'] as const
const failed = ['Failed'] as const
const lost = ['Lost'] as const

const jobs: ListView = list<Stub>(
  [
    plainColumn('id', 'ID', { whole: true }),
    {
      name: 'namespace',
      // Some servers' stubs have it only in the summary.
      value: ({ Namespace, JobSummary }) => Namespace ?? JobSummary?.Namespace ?? null,
      wide: true,
    },
    // CSV has the words of the table, which --type and --status take too; JSON has the server's.
    { name: 'type', value: (row) => (row.Type ? shortKind(row) : null), show: shortKind, truncateFirst: true },
    {
      name: 'status',
      value: (row) => (row.Status ? shortStatus(row) : null),
      show: (row) => statusCell(shortStatus(row)),
      whole: true,
    },
    { name: 'allocs', value: (row) => allocationCell(row).text, show: allocationCell, onlyByName: true },
    countOf('running', running),
    countOf('starting', starting),
    countOf('queued', queued),
    countOf('failed', failed),
    ageColumn('submitted', 'SubmitTime', { title: 'age' }),
    countColumn('priority', 'Priority', { wide: true }),
    plainColumn('meta', 'Meta', { show: ({ Meta }) => pairs(Meta), wide: true }),
    plainColumn('parent', 'ParentID', { wide: true, whole: true }),
    countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
    plainColumn('status_description', 'StatusDescription', { wide: true }),
    countColumn('create_index', 'CreateIndex', { wide: true }),
    countColumn('modify_index', 'ModifyIndex', { wide: true }),
    plainColumn('name', 'Name', { wide: true }),
    { ...countOf('complete', complete), wide: true },
    { ...countOf('unknown', ['Unknown']), wide: true },
    { name: 'children', value: childrenWords, wide: true },
    { ...countOf('lost', lost), wide: true },
  ],
  idOf,
  { empty: 'no jobs' },
)

const params = {
  prefix: query.text('only jobs whose ID begins with this'),
  filter: query.text('only jobs for which this expression is true', { placeholder: 'expression' }),
  status: flag.each('only jobs with this status of the table: stopped, running, …', readStatus, {
    placeholder: 'status',
  }),
  type: flag.each('only jobs of this type of the table: service, periodic, …', readType, {
    placeholder: 'type',
  }),
  sort: flag.text('sort by this column; reverse: --sort=-column', {
    placeholder: 'column',
    excludes: ['watch'],
  }),
  perPage: query.integer('jobs per page; 0 (default): all', { wire: 'per_page', min: 0 }),
  nextToken: query.text('start at this page', { wire: 'next_token', placeholder: 'token' }),
  all: flag.boolean('every page'),
  meta: query.boolean("include the jobs' meta"),
  ...watchFlags,
} as const

/** May read page by page. */
export const jobList = command({
  name: 'list',
  summary: 'List jobs',
  description:
    '--namespace \'*\' lists the jobs of every namespace that the token may see.\n\nFilters are expressions over the whole job: Status == "running" and Type == "service", Meta.owner == "team-a", Meta["team-key"] == "x", "web" in Datacenters, Name matches "^pay", ParentID is empty, any TaskGroups as g { g.Count != 1 }. There is no < or >. See `tug help job-filters`.',
  params,
  endpoint: jobsApi.list,
  examples: [
    { line: 'job list', note: 'the jobs of the default namespace' },
    { line: `job list --filter 'Status == "running" and Type == "service"'`, note: 'services that run' },
    {
      line: 'job list --status stopped --type periodic --sort=-submitted',
      note: 'stopped periodic jobs, the newest first',
    },
    { line: "job list -n '*' --prefix audit -o wide", note: 'of every namespace' },
    { line: 'job list --all --per-page 500 -o ndjson', note: 'tens of thousands, a page in memory at a time' },
    { line: 'job list --watch', note: 'live, until Ctrl-C' },
  ],
  run: async (input, context) => {
    const { watch, all, perPage, sort, meta } = input
    const request = requestOf(jobsApi.list, params, { ...input, filter: expressionOf(input) })
    const namespace = context.settings.namespace === '*' ? ['namespace'] : []
    const usual = ['id', ...namespace, 'type', 'status', 'submitted', 'allocs', ...(meta === true ? ['meta'] : [])]
    const view = { ...jobs, usual }
    if (watch === true) {
      if (all === true && perPage !== undefined)
        throw usageError('--watch follows a single response: omit --per-page and --all')
      return { snapshots: snapshots(context, request), view }
    }
    const order = sort === undefined ? undefined : orderBy(sort, view)
    const first = await readPage(context, request)
    const result =
      all === true && first.next !== undefined
        ? everyPage(context, request, first, view)
        : onePage(context, first, view)
    if (order === undefined) return result
    const { text: _, ...unsorted } = result
    return { ...unsorted, rows: sorted(result.rows, order) }
  },
})

/** A page of the list. */
interface Page {
  readonly jobs: Rows
  /** The response, if it was read whole. */
  readonly body?: Uint8Array
  /** The response as text, if it can be printed unchanged. */
  readonly text?: () => string
  /** The start of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** Formats that need the whole response. For the others it is read as it arrives. */
const whole: readonly Format[] = ['json', 'yaml']
/** Formats that show every digit of a number. */
const exact: readonly Format[] = ['ndjson', 'csv', 'tsv']

async function readPage({ http, io, settings }: Context, request: HttpRequest): Promise<Page> {
  const { format, outputFlags } = settings
  if (!whole.includes(format)) {
    const answer = await http.stream(request)
    const place = { service: 'scheduler', method: request.method, path: request.path }
    const showsDigits = exact.includes(format) || outputFlags.query !== undefined || outputFlags.columns !== undefined
    const parse = showsDigits ? parseJson : parseJsonPlain
    const of = itemShape(request.answers)
    return { jobs: arrayItems(answer, { place, of, parse }), next: nextToken(answer) }
  }
  // In a pipe the response is nearly always printed unchanged.
  const parseAsDoubles = format === 'json' && outputFlags.query === undefined && !io.terminal.stdout
  const answer = await http.send({ ...request, parseAsDoubles })
  const page = { jobs: jobsIn(answer, parseAsDoubles), body: answer.body, next: nextToken(answer) }
  return parseAsDoubles ? { ...page, text: () => answer.text().trim() } : page
}

async function* jobsIn(answer: HttpResponse, parseAsDoubles: boolean): Rows {
  yield items(parseAsDoubles ? parseJson(answer.text()) : answer.json())
}

function nextToken({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  return schedulerHeader(headers, 'NextToken') || undefined
}

function onePage({ io }: Context, { jobs: rows, body, text: sent, next }: Page, view: ListView): RowsResult {
  return {
    rows,
    view,
    ...(sent === undefined ? {} : { text: sent }),
    ...(body === undefined ? {} : { rawBody: body }),
    finish: () => {
      if (next !== undefined)
        io.incomplete(`there are more; next page: ${flagText(['--next-token', next])} (every page: --all)`)
      return undefined
    },
  }
}

/** Every page in turn. A repeated token ends the loop. */
function everyPage(context: Context, request: HttpRequest, first: Page, view: ListView): RowsResult {
  async function* rows(): Rows {
    let page = first
    for (let token: string | undefined; ;) {
      yield* page.jobs
      if (page.next === undefined || page.next === token) return
      token = page.next
      const others = (request.query ?? []).filter(([name]) => name !== 'next_token')
      page = await readPage(context, { ...request, query: [...others, ['next_token', token]] })
    }
  }
  return { rows: rows(), view }
}

/** The words of the status column, as the server's expressions. */
const statuses = {
  running: 'Status == "running" and Stop == false',
  pending: 'Status == "pending" and Stop == false',
  dead: 'Status == "dead" and Stop == false',
  stopped: 'Status == "dead" and Stop == true',
  stopping: 'Status != "dead" and Stop == true',
} as const

/** The words of the type column. */
const types = {
  service: 'Type == "service"',
  batch: 'Type == "batch" and Periodic is nil and (ParameterizedJob is nil or Dispatched == true)',
  system: 'Type == "system"',
  sysbatch: 'Type == "sysbatch"',
  periodic: 'Periodic is not nil',
  parameterized: 'ParameterizedJob is not nil and Dispatched == false',
} as const

type Status = keyof typeof statuses
type Type = keyof typeof types

/** Reads a word of the status column. Throws RangeError. */
export function readStatus(word: string): Status {
  const advice = /^(?:fail|unhealthy|error)/.test(word) ? "; 'tug job status' lists the jobs that are not healthy" : ''
  return readWord(word, statuses, advice)
}

/** Reads a word of the type column. Throws RangeError. */
export function readType(word: string): Type {
  return readWord(word, types)
}

function readWord<T extends object>(word: string, words: T, advice = ''): keyof T {
  if (Object.hasOwn(words, word)) return word as unknown as keyof T
  throw new RangeError(`'${word}' is not one of ${Object.keys(words).join(', ')}${advice}`)
}

/** The filter of all flags: any of the statuses, any of the types, and --filter. */
export function expressionOf(input: {
  readonly filter: string | undefined
  readonly status: readonly Status[]
  readonly type: readonly Type[]
}): string | undefined {
  const parts = [
    ...anyOf(input.status.map((status) => statuses[status])),
    ...anyOf(input.type.map((type) => types[type])),
    ...(input.filter === undefined ? [] : [input.filter]),
  ]
  return parts.length <= 1 ? parts[0] : parts.map((part) => `(${part})`).join(' and ')
}

function anyOf(parts: readonly string[]): string[] {
  if (parts.length <= 1) return [...parts]
  return [parts.map((part) => `(${part})`).join(' or ')]
}

type Order = (one: Json, other: Json) => number

/** The order of a column, `-column` for the reverse. Throws a usage error for an unknown column. */
function orderBy(sort: string, view: ListView): Order {
  const name = sort.replace(/^-/, '')
  const columns = view.columns as readonly Column<Json>[]
  const column = columnNamed(name, columns)
  if (column === undefined) {
    const names = columns.map((one) => one.name)
    throw usageError(`--sort: no column '${name}'${didYouMean(name, names)}`, `columns: ${names.join(', ')}`)
  }
  const order: Order = (one, other) => compare(column.value(one), column.value(other))
  return sort.startsWith('-') ? (one, other) => order(other, one) : order
}

async function* sorted(rows: Rows, order: Order): Rows {
  const all: Json[] = []
  for await (const some of rows) for (const one of some) all.push(one)
  yield all.toSorted(order)
}

/** Numbers by value, anything else by its text. */
function compare(one: Json | undefined, other: Json | undefined): number {
  if (isNumber(one) && isNumber(other)) return one.valueOf() - other.valueOf()
  const [left, right] = [one, other].map((value) => String(value ?? '')) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}
