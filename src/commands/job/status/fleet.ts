import type { BulkReads } from '../../../read/bulk.ts'
import { failuresOf, openReads } from '../../../read/bulk.ts'
import * as jobs from '../../../api/jobs.ts'
import { blockingQuery } from '../../../api/blocking.ts'
import type { Stub, Summary } from '../../../api/job-shapes.ts'
import { stub } from '../../../api/job-shapes.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, ScreenView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { parseJsonPlain } from '../../../core/json.ts'
import type { Cell, Paint } from '../../../core/output.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { commandLine, withoutFlag } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import { arrayItems } from '../../../http/array-stream.ts'
import { isBatchJob, isParentJob } from '../jobs.ts'
import type { Answers, Health } from '../state/index.ts'
import { diagnose } from '../state/index.ts'
import { readStatus } from './job.ts'
import { table } from './screen.ts'

/** What to look at, and how. */
export interface FleetInput {
  /** The query of the list. */
  readonly query: NonNullable<HttpRequest['query']>
  readonly exitCode: boolean | undefined
  readonly watch: boolean | undefined
}

interface FleetStatus {
  readonly jobs: number
  readonly healthy: number
  readonly stopped: number
  /** Finished jobs whose allocations the server no longer lists. */
  readonly unknown?: number
  readonly unhealthy: readonly JobRow[]
  /** Jobs that are listed, and cannot be read. */
  readonly unreadable?: readonly JobRow[]
}

/** A job that isn't healthy. */
interface JobRow {
  readonly namespace?: string
  readonly job?: string
  readonly rule?: string
  readonly why: string
  readonly next?: string
}

/** A job that needs a closer look. */
interface ListedJob {
  readonly namespace: string
  readonly job: string
  /** As the list has it. */
  readonly summary: Summary | undefined
  readonly isSuspect: boolean
}

/** A job that is listed, and cannot be read. */
type Unreadable = ListedJob & { readonly error: TugError }

/** So many jobs are each looked at; of more only those that the list shows to be in trouble. */
const mostLookedAt = 200

/** Jobs that want nothing to run. */
const wantsNothing = 'all TaskGroups as group { group.Count == 0 }'

/** All jobs at a glance: one list, then a closer look at each, or at those in trouble. */
export async function fleetStatus(context: Context, input: FleetInput): Promise<Result> {
  const reads = openReads(context)
  const view = fleetView(context.settings.namespace === '*')
  const request = jobs.list({}, { query: input.query })
  if (input.watch === true) return { snapshots: watched(context, request, reads, input), view }
  const found = await examine(reads, input, await pagesOf(context, request))
  const { status: data, unreadable } = found
  const { unhealthy, unknown } = data
  const isHealthy = unhealthy.length + unreadable.length === 0 && unknown === undefined
  return {
    data: asJson(data),
    view,
    // One that cannot be read doesn't hide the others.
    ...failuresOf(
      unreadable.map(({ namespace, job, error }) => ({
        item: context.settings.namespace === '*' ? `${namespace}/${job}` : job,
        error,
      })),
      data.jobs - unreadable.length,
    ),
    ...(input.exitCode === true && !isHealthy ? { exitCode: exitCodes.differences } : {}),
  }
}

async function pagesOf({ http }: Context, request: HttpRequest<readonly Stub[] | null>) {
  const place = { service: 'scheduler', method: request.method, path: request.path } as const
  return arrayItems(await http.stream(request), { place, of: stub, parse: parseJsonPlain })
}

/** Those of the idle jobs that want nothing to run; none if the server cannot tell. */
async function listIdle(context: Context, { query }: FleetInput): Promise<ReadonlySet<string>> {
  const own = query.find(([name]) => name === 'filter')?.[1]
  const filter = own === undefined ? wantsNothing : `(${String(own)}) and (${wantsNothing})`
  const idle = new Set<string>()
  try {
    const rest = query.filter(([name]) => name !== 'filter')
    for await (const page of await pagesOf(context, jobs.list({}, { query: [...rest, ['filter', filter]] })))
      for (const one of page as unknown as readonly Stub[]) idle.add(keyOf(one, context))
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    idle.clear()
  }
  return idle
}

async function* watched(
  context: Context,
  request: HttpRequest<readonly Stub[] | null>,
  reads: BulkReads,
  input: FleetInput,
): AsyncGenerator<Json> {
  for await (const { value } of blockingQuery(context, request, { everyAnswer: true }))
    yield asJson((await examine(reads, input, [asJson(value ?? []) as Json[]])).status)
}

/** Sorts the jobs of a list, and reads what the list leaves open. Nothing is kept of those that are fine. */
async function examine(
  reads: BulkReads,
  input: FleetInput,
  pages: Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>,
): Promise<{ status: FleetStatus; unreadable: readonly Unreadable[] }> {
  const { context } = reads
  let [count, stopped] = [0, 0]
  let suspects: ListedJob[] = []
  /** Suspects of which the list shows only that nothing runs. */
  const idle = new Set<string>()
  /** The others: their deployments, restarts and checks are not in the list. */
  const others: ListedJob[] = []
  for await (const page of pages)
    for (const one of page as unknown as readonly Stub[]) {
      count += 1
      if (one.Stop === true) stopped += 1
      // A job that only starts others has no allocations itself; its children are in the list.
      if (one.Stop === true || isParentJob(one)) continue
      const namespace = namespaceOf(one, context)
      const place = { namespace, job: one.ID, summary: one.JobSummary ?? undefined, isSuspect: isSuspect(one) }
      if (isIdle(one)) idle.add(keyOf(one, context))
      if (place.isSuspect) suspects.push(place)
      else if (count <= mostLookedAt) others.push(place)
    }
  if (count > mostLookedAt && idle.size > 0) {
    const unwanted = await listIdle(context, input)
    suspects = suspects.filter((one) => !(idle.has(nameOf(one)) && unwanted.has(nameOf(one))))
  }
  const all = count <= mostLookedAt ? [...suspects, ...others] : suspects
  if (count > mostLookedAt && input.watch !== true)
    context.io.incomplete(`${count} jobs: looked only at the ${suspects.length} that the list shows in trouble`)
  const found: (ListedJob & Health)[] = []
  const unreadable: Unreadable[] = []
  for await (const outcome of reads.read('looking at jobs', all, (one) => healthOf(context, one))) {
    if (!('error' in outcome)) {
      if (outcome.value.healthy !== true) found.push({ ...outcome.item, ...outcome.value })
    } else if (outcome.error.code === 'not_found') count -= 1
    else unreadable.push({ ...outcome.item, error: outcome.error })
  }
  const unhealthy = found.filter((one) => one.healthy === false)
  const unknown = found.length - unhealthy.length
  const status = {
    jobs: count,
    healthy: count - stopped - found.length - unreadable.length,
    stopped,
    ...(unknown === 0 ? {} : { unknown }),
    unhealthy: unhealthy.map(({ namespace, job, rule, why, next }) => ({ namespace, job, rule, why, next })),
    ...(unreadable.length === 0
      ? {}
      : { unreadable: unreadable.map(({ namespace, job, error }) => ({ namespace, job, why: error.message })) }),
  }
  return { status, unreadable }
}

function namespaceOf({ Namespace, JobSummary }: Stub, { settings }: Context): string {
  return Namespace ?? JobSummary?.Namespace ?? settings.namespace ?? 'default'
}

function nameOf({ namespace, job }: Pick<ListedJob, 'namespace' | 'job'>): string {
  return `${namespace}/${job}`
}

function keyOf(one: Stub, context: Context): string {
  return nameOf({ namespace: namespaceOf(one, context), job: one.ID })
}

/** True if the list counts an allocation in one of these states. */
function isAny({ JobSummary }: Stub, ...states: readonly (keyof NonNullable<Summary['Summary']>[string])[]): boolean {
  return Object.values(JobSummary?.Summary ?? {}).some((counts) => states.some((state) => counts[state]))
}

/** True if a job may be in trouble. Its counts never forget a failure: only allocations show whether that is over. */
function isSuspect(job: Stub): boolean {
  const { Status } = job
  if (Status === 'pending' || isAny(job, ...troubles)) return true
  if (isBatchJob(job)) return Status === 'dead' && !isAny(job, 'Complete')
  return Status === 'dead' || isAny(job, 'Starting') || !isAny(job, 'Running')
}

const troubles = ['Queued', 'Failed', 'Lost', 'Unknown'] as const

/** True for a job of which nothing runs or ever failed: its count may be 0. */
function isIdle(job: Stub): boolean {
  return job.Status !== 'pending' && !isAny(job, ...troubles, 'Starting', 'Running')
}

/** What `job status` shows of a single job, as far as it fits in a row. */
async function healthOf(context: Context, one: ListedJob): Promise<Health> {
  const { job, namespace, summary } = one
  const target = { job, query: [['namespace', namespace]] as const }
  const { settings } = context
  const place = [...withoutFlag(settings.targetFlags, '-n'), '-n', namespace]
  const line: Context['commandLine'] =
    settings.namespace === '*' ? (words, ...args) => commandLine(place, words, ...args) : context.commandLine
  const judged = (answers: Answers) => diagnose(answers, { line, now: context.now(), place: 'fleet' })
  const known = summary === undefined ? {} : { summary }
  if (one.isSuspect) return judged(await readStatus(context, target, known))
  const { evaluations, ...answers } = await readStatus(context, target, { ...known, evaluations: [] })
  const health = judged({ ...answers, evaluations })
  // What is not as it should be may be explained by the evaluations.
  return health.healthy === true ? health : judged(await readStatus(context, target, answers))
}

/** How the state of all jobs is shown: a line of counts, then those that are not healthy. */
function fleetView(hasNamespaces: boolean): ScreenView {
  const names = ['namespace', 'job', 'why', 'next'] as const
  const headers = names.filter((name) => name !== 'namespace')
  const rowName = ({ namespace = '', job, why }: JobRow) =>
    hasNamespaces && job ? `${namespace}/${job}` : (job ?? why)
  const cellOf = (row: JobRow, name: keyof JobRow): Cell => ({
    text: name === 'job' ? rowName(row) : String(row[name]),
  })
  const columns = names.map((name) => ({ name, value: (row: JobRow) => row[name] }))
  return {
    kind: 'screen',
    blocks: (paint, _showing, data) => {
      const status = data as unknown as FleetStatus
      const { unhealthy, unreadable = [] } = status
      const shownRows = [
        ...unhealthy,
        ...unreadable.map((row) => ({ ...row, why: `cannot be read: ${row.why}`, next: '' })),
      ]
      const rows = shownRows.map((row) => headers.map((name) => cellOf(row, name)))
      const lines = `${countsLine(status, paint)}\n`
      if (rows.length === 0) return [lines]
      const shown = table(headers, rows, () => false)
      // On a narrow terminal nothing of the reason is cut.
      const below = shownRows.map(({ why, next }) => [why, ...(next ? [`next: ${next}`] : [])])
      return [lines, { ...shown, folded: { columns: 1, always: false, below } }]
    },
    rows: {
      view: { ...list<JobRow>(columns, rowName), rows: (data: Json) => (data as { unhealthy: Json[] }).unhealthy },
    },
  }
}

/** `291 jobs: 284 healthy, 3 unhealthy, 4 stopped`. */
function countsLine(status: FleetStatus, paint: Paint): string {
  if (status.jobs === 0) return 'no jobs'
  const { stopped, unknown = 0 } = status
  const unreadable = status.unreadable?.length ?? 0
  const unhealthy = status.jobs - status.healthy - stopped - unknown - unreadable
  const counts = [
    `${status.healthy} healthy`,
    ...(unhealthy === 0 ? [] : [paint('bad', `${unhealthy} unhealthy`)]),
    ...(stopped === 0 ? [] : [`${stopped} stopped`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(unreadable === 0 ? [] : [paint('warn', `${unreadable} unreadable`)]),
  ]
  return `${plural(status.jobs, 'job')}: ${counts.join(', ')}`
}
