import { openBulk } from '../../../bulk/engine.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import * as jobs from '../../../api/jobs.ts'
import { blockingQuery } from '../../../api/blocking.ts'
import type { Stub } from '../../../api/job-shapes.ts'
import { stub } from '../../../api/job-shapes.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, ScreenView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import { parseJsonPlain } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import type { Paint } from '../../../core/output.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { shellQuote } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import { arrayItems } from '../../../http/array-stream.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly, liveAllocations } from '../live.ts'
import { restartCount } from '../restarts.ts'
import type { Diagnosis } from './health.ts'
import { diagnose } from './health.ts'
import { readStatus } from './job.ts'
import { table } from './screen.ts'

/** What to look at, and how. */
export interface FleetInput extends BulkInput {
  /** The query of the list. */
  readonly query: NonNullable<HttpRequest['query']>
  readonly exitCode: boolean | undefined
  readonly thorough: boolean | undefined
  readonly by: 'why' | undefined
  readonly watch: boolean | undefined
}

/** What is printed as JSON. */
interface FleetStatus {
  readonly jobs: number
  readonly healthy: number
  readonly stopped: number
  /** Finished jobs whose allocations the server no longer lists. */
  readonly unknown?: number
  /** With `--by why` a row for each kind of trouble. */
  readonly unhealthy: readonly (UnhealthyJob | Trouble)[]
}

interface UnhealthyJob {
  readonly namespace: string
  readonly job: string
  readonly why: string
  readonly next: string
}

interface Trouble {
  readonly why: string
  readonly count: number
  /** With their namespaces: `prod/web`. */
  readonly jobs: readonly string[]
}

/** One job of the list that needs a closer look. */
interface Suspect {
  readonly namespace: string
  readonly id: string
}

/** A job that isn't healthy, or of which that isn't known. */
interface Finding extends Suspect {
  readonly health: Diagnosis
}

/** What a list shows of all its jobs; nothing is kept of those that are fine, however many they are. */
interface Survey {
  jobs: number
  stopped: number
  /** Jobs that the list shows to be in trouble, or perhaps so. */
  readonly suspects: Suspect[]
  /** The others that should run all the time: their deployments, restarts and checks are not in the list. */
  readonly running: Suspect[]
}

/** All jobs at a glance: one list, then a closer look at those that it shows to be in trouble. */
export async function fleetStatus(context: Context, input: FleetInput): Promise<Result> {
  const examine = await examinerOf(context, input)
  const view = fleetView(context.settings.namespace === '*', input.by)
  const request = jobs.list({}, { query: input.query })
  if (input.watch === true) return { snapshots: watched(context, request, examine), view }
  const answer = await context.http.stream(request)
  const place = { service: 'scheduler', method: request.method, path: request.path }
  const data = await examine(arrayItems(answer, { place, of: stub, parse: parseJsonPlain }))
  const isHealthy = data.unhealthy.length === 0 && data.unknown === undefined
  return {
    data: asJson(data),
    view,
    ...(input.exitCode === true && !isHealthy ? { exitCode: exitCodes.differences } : {}),
  }
}

async function* watched(
  context: Context,
  request: HttpRequest<readonly Stub[] | null>,
  examine: Examiner,
): AsyncGenerator<Json> {
  for await (const { value } of blockingQuery(context, request, { everyAnswer: true }))
    yield asJson(await examine([asJson(value ?? []) as Json[]]))
}

/** Sorts the jobs of a list, and reads what the list leaves open. */
type Examiner = (pages: Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>) => Promise<FleetStatus>

async function examinerOf(context: Context, input: FleetInput): Promise<Examiner> {
  const bulk = await openBulk(context, input, { action: 'status', parallel: secretsAtOnce })
  return async (pages) => {
    const survey: Survey = { jobs: 0, stopped: 0, suspects: [], running: [] }
    for await (const page of pages)
      for (const one of page) add(survey, one as unknown as Stub, context.settings.namespace)
    const { suspects, running } = survey
    const more = input.thorough === true ? running : []
    if (input.thorough === true) announce(context, input, suspects.length, more.length)
    const found: Finding[] = []
    const known = new Set(suspects)
    let gone = 0
    const all = [...suspects, ...more]
    const judged = async (one: Suspect) =>
      known.has(one) || !(await seemsFine(bulk.context, one)) ? findingOf(bulk.context, one) : undefined
    for await (const outcome of bulk.read('looking at jobs', all, judged, { total: all.length })) {
      if (!('error' in outcome)) {
        if (outcome.value !== undefined && outcome.value.health.healthy !== true) found.push(outcome.value)
      } else if (outcome.error.code === 'not_found') gone += 1
      else throw outcome.error
    }
    return statusOf({ ...survey, jobs: survey.jobs - gone }, found, input.by)
  }
}

function add(survey: Survey, job: Stub, namespace = 'default'): void {
  survey.jobs += 1
  if (job.Stop === true) {
    survey.stopped += 1
    return
  }
  // It has no allocations itself; its children are in the list.
  if (isStarter(job)) return
  const place = { namespace: job.Namespace ?? job.JobSummary?.Namespace ?? namespace, id: job.ID }
  if (isSuspect(job)) survey.suspects.push(place)
  else if (job.Type?.endsWith('batch') !== true) survey.running.push(place)
}

/** Failures stay in the summary for ever: only the allocations tell whether they are over. */
function isSuspect({ Type, Status, JobSummary }: Stub): boolean {
  const groups = Object.values(JobSummary?.Summary ?? {})
  const isAny = (...states: (keyof (typeof groups)[number])[]) =>
    groups.some((counts) => states.some((state) => (counts[state] ?? 0) > 0))
  if (Status === 'pending' || isAny('Queued', 'Failed', 'Lost', 'Unknown')) return true
  if (Type?.endsWith('batch') === true) return Status === 'dead' && !isAny('Complete')
  return Status === 'dead' || isAny('Starting') || !isAny('Running')
}

/** Before requests that may take long: how many, and with `--rate` how long. */
function announce({ io }: Context, { rate }: FleetInput, suspects: number, running: number): void {
  const count = 1 + suspects * 3 + running * 2
  const span = rate === undefined ? '' : `, at ${rate}/s about ${formatSpan((count / rate) * 1000)}`
  io.note(`--thorough: about ${plural(count, 'request')}${span}`)
}

/** True if deployment and allocations leave no doubt about a job whose list entry shows no trouble. */
async function seemsFine({ http }: Context, { id, namespace }: Suspect): Promise<boolean> {
  const parts = { query: [['namespace', namespace]] } as const
  const { value: deployment } = await http.send(jobs.deployment({ job: id }, parts))
  const { value: allocations } = await http.send(jobs.allocations({ job: id }, parts))
  if (deployment !== null && deployment.Status !== 'successful') return false
  return liveAllocations(allocations ?? []).every(
    (one) => !endedBadly(one) && one.DeploymentStatus?.Healthy !== false && restartCount(one) === 0,
  )
}

/** What `job status` shows of a single job, as far as it fits in a row. */
async function findingOf(context: Context, one: Suspect): Promise<Finding> {
  const answers = await readStatus(context, { job: one.id, query: [['namespace', one.namespace]] })
  const line = lineIn(context, one.namespace)
  const health = diagnose(answers, { line, now: context.now() })
  const isShort = health.next === '' || health.kind === 'not placed' || health.kind === 'waits for promotion'
  return { ...one, health: isShort ? health : { ...health, next: line('job status', one.id) } }
}

/** Command lines about a job where the list is of all namespaces. */
function lineIn({ settings, commandLine }: Context, namespace: string): Context['commandLine'] {
  if (settings.namespace !== '*') return commandLine
  const own = `-n ${shellQuote(namespace)}`
  return (words, ...args) => {
    const line = commandLine(words, ...args)
    return line.includes(" -n '*'") ? line.replace("-n '*'", own) : `${line} ${own}`
  }
}

function statusOf({ jobs: count, stopped }: Survey, found: readonly Finding[], by: 'why' | undefined): FleetStatus {
  const unhealthy = found.filter(({ health }) => health.healthy === false)
  const unknown = found.length - unhealthy.length
  const rows = unhealthy.map(({ namespace, id, health: { why, next } }) => ({ namespace, job: id, why, next }))
  return {
    jobs: count,
    healthy: count - stopped - found.length,
    stopped,
    ...(unknown === 0 ? {} : { unknown }),
    unhealthy: by === 'why' ? groupsOf(unhealthy) : rows,
  }
}

/** The same trouble of several jobs, the most frequent first. */
function groupsOf(unhealthy: readonly Finding[]): Trouble[] {
  return [...grouped(unhealthy, ({ health }) => health.kind)]
    .map(([why, all]) => ({ why, count: all.length, jobs: all.map(({ namespace, id }) => `${namespace}/${id}`) }))
    .toSorted((one, other) => other.count - one.count)
}

/** How the state of all jobs is shown: a line of counts, then those that are not healthy. */
function fleetView(hasNamespaces: boolean, by: 'why' | undefined): ScreenView {
  const names = by === 'why' ? ['why', 'count', 'jobs'] : ['namespace', 'job', 'why', 'next']
  const columns = names.map((name) => ({ name, value: (row: Row) => valueOf(row, name) }))
  const nameOf = (row: UnhealthyJob) => (hasNamespaces ? `${row.namespace}/${row.job}` : row.job)
  const rowName = (row: Row) => ('job' in row ? nameOf(row) : row.why)
  const cellsOf = (row: Row) =>
    'job' in row
      ? [{ text: nameOf(row) }, { text: row.why }, { text: row.next }]
      : [{ text: row.why }, { text: String(row.count) }, { text: row.jobs.join(', '), items: row.jobs }]
  return {
    kind: 'screen',
    blocks: (paint, _showing, data) => {
      const status = data as unknown as FleetStatus
      const headers = names.filter((name) => name !== 'namespace')
      const rows = status.unhealthy.map(cellsOf)
      return [
        `${countsLine(status, paint)}\n`,
        ...(rows.length === 0 ? [] : [table(headers, rows, (name) => name === 'count')]),
      ]
    },
    rows: {
      view: { ...list<Row>(columns, rowName), rows: (data: Json) => (data as { unhealthy: Json[] }).unhealthy },
    },
  }
}

type Row = UnhealthyJob | Trouble

function valueOf(row: Row, name: string): Json | undefined {
  const value = (row as unknown as Readonly<Record<string, Json>>)[name]
  return Array.isArray(value) ? value.join(' ') : value
}

/** `291 jobs: 284 healthy, 3 unhealthy, 4 stopped`. */
function countsLine(status: FleetStatus, paint: Paint): string {
  const { healthy, stopped, unknown = 0, unhealthy } = status
  if (status.jobs === 0) return 'no jobs'
  const bad = unhealthy.reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0)
  const counts = [
    `${healthy} healthy`,
    bad === 0 ? '' : paint('bad', `${bad} unhealthy`),
    stopped === 0 ? '' : `${stopped} stopped`,
    unknown === 0 ? '' : `${unknown} unknown`,
  ]
  return `${plural(status.jobs, 'job')}: ${counts.filter((words) => words !== '').join(', ')}`
}
