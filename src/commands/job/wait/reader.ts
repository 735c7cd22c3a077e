import { isDeepStrictEqual } from 'node:util'
import type { Pace } from '../../../api/blocking.ts'
import { blockingRequest, indexOf, paceAnswer, rest, startPace } from '../../../api/blocking.ts'
import * as jobs from '../../../api/jobs.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpRequest, RequestPolicy } from '../../../core/request.ts'
import type { Part, Reader, Reading } from '../state/index.ts'
import { readBack } from '../way-back.ts'

const endpoints = {
  evaluations: jobs.evaluations,
  deployments: jobs.deployments,
  allocations: jobs.allocations,
  job: jobs.read,
}
const parts = Object.keys(endpoints) as Part[]

export interface ReaderOptions {
  /** When the wait is to end, by the monotonic clock; Infinity for never. */
  readonly deadline: number
  /** Runs a request when it may be sent; at once by default. */
  readonly turn?: <T>(send: () => Promise<T>) => Promise<T>
  /** Waits until a part may have changed, by other means than a blocking query; false if no other part has. */
  readonly change?: (part: Part) => Promise<boolean>
}

/** Failures in a row after which a server that is down is given up: about ten minutes. */
const mostFailures = 100
/** How long one part is watched before the others are read again. */
const longestHold = 5000
/** The pause between readings while nothing but time must pass. */
const steadyPause = 2000

/** The answers about one part. */
interface Source {
  readonly part: Part
  readonly pace: Pace
  /** The last answer; undefined before the first. */
  value: unknown
}

/**
 * Reads a job and its work with one request at a time. To follow them, it watches the part that will change next by a blocking
 * query, then reads the others: a server allows a client few connections (docs/servers.md, Scheduler blocking queries).
 */
export function createReader(context: Context, place: JobPlace, options: ReaderOptions): Reader {
  const { deadline, turn = (send) => send(), change } = options
  const sources = parts.map((part): Source => ({ part, pace: startPace(), value: null }))
  const begun = context.monotonic()
  let unread: Part[] = []
  const left = () => Math.max(0, deadline - context.monotonic())
  const pause = (milliseconds: number) => rest(context, Math.min(milliseconds, left()))
  const sourceOf = (part: Part) => sources.find((one) => one.part === part) as Source

  async function read(part: Part): Promise<Reading> {
    const source = sourceOf(part)
    await turn(() => ask(source))
    return readingOf(source)
  }

  /** Sends a blocking query. */
  async function hold(part: Part): Promise<Reading> {
    const source = sourceOf(part)
    await pause(source.pace.pause)
    await ask(source, source.pace.index)
    return readingOf(source)
  }

  function readingOf({ part, value }: Source): Reading {
    return { part, at: context.monotonic() - begun, value } as Reading
  }

  /** Sends one request, a blocking query if there is an index. It waits for a server that is down until the wait is over. */
  async function ask(source: Source, index?: number): Promise<void> {
    const { pace } = source
    const began = context.monotonic()
    const query: HttpRequest = endpoints[source.part]({ job: place.jobId }, placeQuery(place))
    const request = blockingRequest(query, index ?? 0, Math.min(longestHold, left()))
    const policy = { ...request.policy, ...(deadline === Infinity ? {} : { deadline }), persists: mostFailures }
    const response = await context.http.send({ ...request, allow: [404], policy })
    const value = response.status === 404 ? null : response.value
    const [found, took] = [indexOf(response), context.monotonic() - began]
    if (index === undefined) pace.index = found
    else paceAnswer(pace, { found, isNew: !isDeepStrictEqual(value, source.value), took })
    source.value = value
  }

  async function next(part: Part, again?: number): Promise<Reading> {
    const other = unread.shift()
    if (other !== undefined) return read(other)
    unread = parts.filter((one) => one !== part)
    if (again !== undefined) await pause(Math.min(again, steadyPause))
    else if (change === undefined) return hold(part)
    else if (!(await change(part))) unread = []
    return read(part)
  }

  async function hasCompleted(): Promise<boolean> {
    const policy = withinLimit(left())
    const { value } = await context.http.send(jobs.summary({ job: place.jobId }, { ...placeQuery(place), policy }))
    return Object.values(value.Summary ?? {}).some(({ Complete }) => Complete)
  }

  const versionBack = () => readBack(context, place.jobId, { ...placeQuery(place), policy: withinLimit(left()) })

  return { read, next, hasCompleted, versionBack }
}

/** What a request may take until a wait is over; the last one, after it, a little. */
export function withinLimit(left: number): Pick<RequestPolicy, 'timeLimit'> {
  return left === Infinity ? {} : { timeLimit: Math.max(left, 250) }
}

/** A job, and its namespace unless that is the server's default. */
export interface JobPlace {
  readonly jobId: string
  readonly namespace: string | undefined
}

export function placeQuery({ namespace }: JobPlace): Pick<HttpRequest, 'query'> {
  return namespace === undefined ? {} : { query: [['namespace', namespace]] }
}
