import { blockingQuery, createOutage } from '../../../api/blocking.ts'
import * as jobs from '../../../api/jobs.ts'
import { at, items, known, number, text, truth } from '../../../core/answer.ts'
import type { Result, ScreenView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { countColumn, idOf, plainColumn } from '../cells.ts'
import { jobStatus } from '../jobs.ts'
import { liveAllocations, noteStopped } from '../live.ts'
import { redraws } from '../reads.ts'
import { restartCount } from '../restarts.ts'
import { failedVersion, groupCounts, isEmpty, total } from './counts.ts'
import { healthOf } from './health.ts'
import type { Status } from './screen.ts'
import { statusScreen } from './screen.ts'

/** What is known about a job, as the server answered it. */
export interface Reading {
  readonly job: Json
  readonly summary: Json
  /** The latest one; null for a job without any. */
  readonly deployment: Json
  readonly allocations: Json
  /** Read only if something is not placed; else null. */
  readonly evaluations: Json
}

type Part = Exclude<keyof Reading, 'evaluations'>

const endpoints = {
  job: jobs.read,
  summary: jobs.summary,
  deployment: jobs.deployment,
  allocations: jobs.allocations,
} as const
const parts = Object.keys(endpoints) as Part[]

/** The job to read, and the query of every request. */
export interface Target {
  readonly job: string
  readonly query: NonNullable<HttpRequest['query']>
}

const requestFor = (part: Part, { job, query }: Target): HttpRequest => endpoints[part]({ job }, { query })

/** Reads a job once. */
export async function readStatus(context: Context, target: Target): Promise<Reading> {
  const answers = await Promise.allSettled(parts.map((part) => context.http.send(requestFor(part, target))))
  const bodies = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value.json()
  })
  return withEvaluations(context, target, readingOf(bodies))
}

/** Reads a job again on every change, each part by a blocking query of its own. Ends only by the signal or an error. */
async function* watchStatus(context: Context, target: Target): AsyncGenerator<Reading> {
  const options = { outage: createOutage(), everyAnswer: redraws(context) }
  const queries = parts.map((part) => blockingQuery(context, requestFor(part, target), options))
  const bodies: Json[] = []
  const next = async (index: number) => {
    const { value } = await (queries[index] as (typeof queries)[number]).next()
    bodies[index] = value?.body ?? null
    return index
  }
  await Promise.all(queries.map((_, index) => next(index)))
  const asked = new Map<number, Promise<number>>()
  for (;;) {
    yield await withEvaluations(context, target, readingOf(bodies))
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

function readingOf(bodies: readonly Json[]): Omit<Reading, 'evaluations'> {
  for (const body of bodies) known(body)
  const [job, summary, deployment, allocations] = bodies as [Json, Json, Json, Json]
  return { job, summary, deployment, allocations }
}

async function withEvaluations(
  { http }: Context,
  { job, query }: Target,
  reading: Omit<Reading, 'evaluations'>,
): Promise<Reading> {
  const groups = groupCounts(reading.job, reading.summary)
  const isUnplaced = groups.some((group) => group.waiting > 0 || (group.wanted === undefined && isEmpty(group)))
  const evaluations =
    isUnplaced && !truth(reading.job, 'Stop') ? (await http.send(jobs.evaluations({ job }, { query }))).json() : null
  return { ...reading, evaluations }
}

/** Shows a job once. */
export async function showJob(context: Context, target: Target, usesExitCode: boolean): Promise<Result> {
  const found = await statusOf(await readStatus(context, target), context)
  return {
    data: { ...found },
    view,
    ...(usesExitCode && found.healthy !== true ? { exitCode: exitCodes.differences } : {}),
    finish: () => {
      if (!showsScreen(context)) return
      noteStopped(context, items(found.allocations), target.job)
      noteFailedVersion(context, found, target.job)
      noteChildren(context, found, target.job)
    },
  }
}

function noteFailedVersion({ io, commandLine }: Context, status: Status, job: string): void {
  const version = failedVersion(status)?.version
  if (version !== undefined) io.note(`what version ${version} changed: ${commandLine('job versions', job, '--diffs')}`)
}

/** The screen counts a parent's children; this is how to see them. */
function noteChildren({ io, commandLine }: Context, { summary }: Status, job: string): void {
  const children = ['Pending', 'Running', 'Dead'].map((key) => number(at(summary, 'Children'), key) ?? 0)
  const count = children.reduce((sum, one) => sum + one, 0)
  const words = count === 1 ? 'child' : 'children'
  if (count > 0) io.note(`${count} ${words}: ${commandLine('job list', '--prefix', `${job}/`)}`)
}

/** True for the screen, which leaves stopped allocations out; other formats have all of them, or a row for the job. */
function showsScreen({ settings: { format, outputFlags } }: Context): boolean {
  return (
    ['table', 'wide', 'box'].includes(format) && outputFlags.query === undefined && outputFlags.columns === undefined
  )
}

/** Shows a job again on every change. */
export function watchJob(context: Context, target: Target): Result {
  return { snapshots: watched(context, target), view }
}

async function* watched(context: Context, target: Target): AsyncIterable<Json> {
  for await (const reading of watchStatus(context, target)) yield { ...(await statusOf(reading, context, true)) }
}

async function statusOf(reading: Reading, context: Context, isWatched = false): Promise<Status> {
  const isPeriodic = isObject(at(reading.job, 'Periodic'))
  const launchOf = isPeriodic ? await (await import('../jobs.ts')).loadLaunches() : undefined
  const next_launch = launchOf?.(reading.job, context.now())?.toISOString() ?? null
  const options = { line: context.commandLine, now: context.now(), isWatched }
  return { ...reading, next_launch, ...healthOf(reading, options) }
}

const counted = (key: 'wanted' | 'running' | 'starting' | 'waiting' | 'failed') =>
  countColumn<Json>(key, key, {
    value: (row) => {
      const { job, summary, allocations } = row as unknown as Status
      return total(groupCounts(job, summary, allocations), key)
    },
  })

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, one) => sum + one, 0)
}

const view: ScreenView = {
  kind: 'screen',
  blocks: (paint, showing, data) => statusScreen(data as unknown as Status, paint, showing),
  rows: {
    view: list<Json>(
      [
        { name: 'id', value: (row) => idOf((row as unknown as Status).job), whole: true },
        { name: 'status', value: (row) => jobStatus((row as unknown as Status).job) },
        { name: 'version', value: (row) => text((row as unknown as Status).job, 'Version') },
        counted('wanted'),
        counted('running'),
        counted('starting'),
        counted('waiting'),
        counted('failed'),
        {
          name: 'restarts',
          value: (row) => sumOf(liveAllocations(items((row as unknown as Status).allocations)).map(restartCount)),
          align: 'right',
        },
        { name: 'deployment', value: (row) => text((row as unknown as Status).deployment, 'Status') },
        plainColumn('healthy', 'healthy'),
        plainColumn('why', 'why'),
        plainColumn('next', 'next'),
      ],
      (row) => idOf((row as unknown as Status).job),
    ),
  },
}
