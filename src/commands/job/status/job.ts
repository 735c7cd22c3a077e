import { blockingQuery, createOutage } from '../../../api/blocking.ts'
import type { Job } from '../../../api/job-shapes.ts'
import * as jobs from '../../../api/jobs.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, ScreenView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Column } from '../../../core/output.ts'
import { didYouMean, nearest } from '../../../core/words.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { idOf } from '../cells.ts'
import { inNamespace, jobStatus, loadLaunches, versionsOf } from '../jobs.ts'
import { noteStopped } from '../allocs.ts'
import type { Answers } from '../state/index.ts'
import { liveAllocations, restartsOf } from '../facts/allocation.ts'
import { diagnose, failedVersion, groupCounts, needsEvaluations } from '../state/index.ts'
import { isRedrawn } from '../../../core/environment.ts'
import { sumOf } from '../../../core/lists.ts'
import type { Status } from './screen.ts'
import { statusScreen } from './screen.ts'

/** The job to read, and the query of every request. */
interface JobQuery {
  readonly job: string
  readonly query: NonNullable<HttpRequest['query']>
}

const endpoints = [jobs.read, jobs.summary, jobs.deployment, jobs.allocations] as const

function requestsFor({ job, query }: JobQuery): HttpRequest[] {
  return endpoints.map((endpoint) => endpoint({ job }, { query }))
}

/** Reads a job; not its summary, if a list had it. */
export async function readStatus(context: Context, target: JobQuery, summary?: Answers['summary']): Promise<Answers> {
  const send = async (request: HttpRequest, index: number) =>
    endpoints[index] === jobs.summary && summary !== undefined ? { value: summary } : context.http.send(request)
  const answers = await Promise.allSettled(requestsFor(target).map(send))
  const values = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value.value
  })
  return withEvaluations(context, target, values)
}

/** Reads a job again on every change, each part by a separate blocking query. Ends only by the signal or an error. */
async function* watchStatus(context: Context, target: JobQuery): AsyncGenerator<Json> {
  const options = {
    outage: createOutage(),
    everyAnswer: isRedrawn(context.settings.format, context.io.terminal.stdout, context.io.env),
  }
  const queries = requestsFor(target).map((request) => blockingQuery(context, request, options))
  const values: unknown[] = []
  const next = async (index: number) => {
    const { value } = await (queries[index] as (typeof queries)[number]).next()
    values[index] = value?.value ?? null
    return index
  }
  await Promise.all(queries.map((_, index) => next(index)))
  const asked = new Map<number, Promise<number>>()
  for (;;) {
    yield asJson(await statusOf(await withEvaluations(context, target, values), context, true))
    for (const index of queries.keys()) {
      if (asked.has(index)) continue
      const answer = next(index)
      // It may fail after another one has ended the watch.
      answer.catch(() => undefined)
      asked.set(index, answer)
    }
    asked.delete(await Promise.race(asked.values()))
  }
}

async function withEvaluations({ http }: Context, target: JobQuery, values: readonly unknown[]): Promise<Answers> {
  const [job, summary, deployment, allocations] = values as [
    Answers['job'],
    Answers['summary'],
    Answers['deployment'],
    Answers['allocations'],
  ]
  const read = { job, summary, deployment, allocations }
  const request = jobs.evaluations({ job: target.job }, { query: target.query })
  return { ...read, evaluations: needsEvaluations(read) ? (await http.send(request)).value : null }
}

/** The error for a job that doesn't exist, with the jobs of the same first letter that may be meant. */
async function withNearest(context: Context, { job, query }: JobQuery, error: unknown): Promise<unknown> {
  if (!(error instanceof TugError) || error.code !== 'not_found') return error
  const prefix = Array.from(job)[0] ?? ''
  const request = jobs.list({}, { query: [...query, ['prefix', prefix]], policy: { retries: 0 } })
  const listed = await context.http.send(request).catch((failure: unknown) => {
    if (!(failure instanceof TugError) || failure.code === 'interrupted') throw failure
  })
  const names = (listed?.value ?? []).map(({ ID }) => ID)
  const [near] = nearest(job, names)
  if (near === undefined) return error
  const message = `${error.message}${didYouMean(job, names)}`
  return error.with({ message, hints: [context.commandLine('job status', near)] })
}

/** The status of a job, once or on every change. */
export async function showJob(
  context: Context,
  target: JobQuery,
  { watch, exitCode }: { readonly watch: boolean | undefined; readonly exitCode: boolean | undefined },
): Promise<Result> {
  if (watch === true) return { snapshots: watchStatus(context, target), view }
  const answers = await readStatus(context, target).catch(async (error: unknown) => {
    throw await withNearest(context, target, error)
  })
  const found = await statusOf(answers, context)
  return {
    data: asJson(found),
    view,
    ...(exitCode === true && found.healthy !== true ? { exitCode: exitCodes.differences } : {}),
    finish: () => noteMore(context, found, target.job),
  }
}

/** How to see what the screen leaves out; other formats have all allocations, or a row for the job. */
function noteMore(context: Context, { job: read, summary, allocations }: Status, job: string): void {
  const { format, outputFlags } = context.settings
  const isScreen = ['table', 'wide', 'box'].includes(format)
  if (!isScreen || outputFlags.query !== undefined || outputFlags.columns !== undefined) return
  noteStopped(context, allocations ?? [], job)
  const failed = failedVersion(read, allocations ?? [])?.version
  if (failed !== undefined)
    context.io.note(`what version ${failed} changed: ${context.commandLine('job versions', job, ['--diffs'])}`)
  const { Pending, Running, Dead } = summary.Children ?? {}
  const count = (Pending ?? 0) + (Running ?? 0) + (Dead ?? 0)
  if (count > 0) {
    const children = count === 1 ? '1 child' : `${count} children`
    context.io.note(`${children}: ${context.commandLine('job list', ['--prefix', `${job}/`])}`)
  }
}

async function statusOf(answers: Answers, context: Context, isWatched = false): Promise<Status> {
  const { job } = answers
  const launchOf = job.Periodic ? await loadLaunches() : undefined
  const next_launch = launchOf?.(job, context.now())?.toISOString() ?? null
  const options = { line: context.commandLine, now: context.now(), isWatched }
  let health = diagnose(answers, options)
  if (health.lacksVersions === true) health = diagnose(answers, { ...options, back: await versionBack(context, job) })
  const { healthy, why, next } = health
  return { ...answers, next_launch, healthy, why, next }
}

/** The version to go back to; null if there is none, undefined if the versions cannot be read. */
async function versionBack(context: Context, job: Job): Promise<number | null | undefined> {
  if (job.Version === 0) return null
  try {
    const { wayBack } = await import('../way-back.ts')
    return (
      wayBack(await versionsOf(context, idOf(job), inNamespace(context, job.Namespace ?? undefined)))?.Version ?? null
    )
  } catch (error) {
    // It is only for a hint.
    if (error instanceof TugError && error.code !== 'interrupted') return undefined
    throw error
  }
}

const view: ScreenView = {
  kind: 'screen',
  blocks: (paint, showing, data) => statusScreen(data as unknown as Status, paint, showing),
  rows: {
    view: list<Status>(
      [
        { name: 'id', value: ({ job }) => idOf(job), whole: true },
        { name: 'status', value: ({ job }) => jobStatus(job) },
        { name: 'version', value: ({ job }) => job.Version },
        ...(['wanted', 'running', 'starting', 'queued', 'failed'] as const).map((name): Column<Status> => ({
          name,
          value: ({ job, summary, allocations }) =>
            sumOf(groupCounts(job, summary, allocations ?? []).map((group) => group[name] ?? 0)),
          align: 'right',
        })),
        {
          name: 'restarts',
          value: ({ allocations }) => sumOf(liveAllocations(allocations ?? []).map((one) => restartsOf(one).count)),
          align: 'right',
        },
        { name: 'deployment', value: ({ deployment }) => deployment?.Status },
        { name: 'healthy', value: ({ healthy }) => healthy },
        { name: 'why', value: ({ why }) => why },
        { name: 'next', value: ({ next }) => next },
      ],
      ({ job }) => idOf(job),
    ),
  },
}
