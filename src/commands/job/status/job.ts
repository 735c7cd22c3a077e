import { blockingQuery } from '../../../api/blocking.ts'
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
import { idOf, newestFirst } from '../cells.ts'
import { inNamespace, jobStatus, loadLaunches } from '../jobs.ts'
import { noteStopped } from '../allocs.ts'
import type { Answers } from '../state/index.ts'
import { liveAllocations, restartsOf } from '../facts/allocation.ts'
import { diagnose, failedVersion, groupCounts } from '../state/index.ts'
import { isRedrawn } from '../../../core/environment.ts'
import { sumOf } from '../../../core/lists.ts'
import type { Status } from './screen.ts'
import { statusScreen } from './screen.ts'

/** The job to read, and the query of every request. */
interface JobQuery {
  readonly job: string
  readonly query: NonNullable<HttpRequest['query']>
}

const endpoints = {
  job: jobs.read,
  summary: jobs.summary,
  deployments: jobs.deployments,
  allocations: jobs.allocations,
  evaluations: jobs.evaluations,
}
const parts = Object.keys(endpoints) as (keyof Answers)[]

function requestsFor({ job, query }: JobQuery): HttpRequest[] {
  return Object.values(endpoints).map((endpoint) => endpoint({ job }, { query }))
}

/** Reads a job, but for what is known of it. */
export async function readStatus(context: Context, target: JobQuery, known: Partial<Answers> = {}): Promise<Answers> {
  const answers = await Promise.allSettled(
    requestsFor(target).map(async (request, index) => {
      const name = parts[index] as keyof Answers
      return name in known ? known[name] : (await context.http.send(request)).value
    }),
  )
  return answersOf(
    answers.map((answer) => {
      if (answer.status === 'rejected') throw answer.reason
      return answer.value
    }),
  )
}

function answersOf(values: readonly unknown[]): Answers {
  return Object.fromEntries(parts.map((name, index) => [name, values[index]])) as unknown as Answers
}

/** Reads a job again on every change, each part by a separate blocking query. Ends only by the signal or an error. */
async function* watchStatus(context: Context, target: JobQuery): AsyncGenerator<Json> {
  const options = {
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
    yield asJson(await statusOf(answersOf(values), context, 'watch'))
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

async function statusOf(answers: Answers, context: Context, place: 'status' | 'watch' = 'status'): Promise<Status> {
  const { job, summary, deployments, allocations, evaluations } = answers
  const launchOf = job.Periodic ? await loadLaunches() : undefined
  const next_launch = launchOf?.(job, context.now())?.toISOString() ?? null
  const options = { line: context.commandLine, now: context.now(), place }
  const read = { ...inNamespace(context, job.Namespace ?? undefined) }
  let { lacks, ...health } = diagnose(answers, options)
  if (lacks !== undefined) {
    const { readBack } = await import('../way-back.ts')
    ;({ lacks, ...health } = diagnose(answers, { ...options, back: await readBack(context, idOf(job), read) }))
  }
  const deployment = deployments?.toSorted(newestFirst)[0] ?? null
  return { job, summary, deployment, allocations, evaluations, next_launch, ...health }
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
