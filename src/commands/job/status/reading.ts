import { blockingQuery, createOutage } from '../../../api/blocking.ts'
import * as jobs from '../../../api/jobs.ts'
import { known, truth } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { redraws } from '../reads.ts'
import { groupCounts, isEmpty } from './counts.ts'

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
export async function* watchStatus(context: Context, target: Target): AsyncGenerator<Reading> {
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
