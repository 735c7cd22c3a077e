import * as jobs from '../../../api/jobs.ts'
import { isDeepStrictEqual } from 'node:util'
import { formatSpan } from '../../../core/duration.ts'
import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Outage, Pace } from '../../../api/blocking.ts'
import {
  backOff,
  blockingRequest,
  createOutage,
  indexOf,
  mayMend,
  paceAnswer,
  rest,
  startPace,
} from '../../../api/blocking.ts'
import type { Reader } from './decide.ts'
import { readAllocations, readDeployments, readEvaluations, readJob } from './facts.ts'
import type { Part, Reading } from './observe.ts'

export const parts: readonly Part[] = ['evaluations', 'deployments', 'allocations', 'job']

export interface PollOptions {
  /** The request of each part, without index and wait. */
  readonly request: (part: Part) => HttpRequest
  /** When the wait is to end, in milliseconds since 1970; Infinity for never. */
  readonly deadline: number
  /** Shared by several: the first that fails reports the outage for all. */
  readonly outage?: Outage
}

const mostFailures = 30
/** Rests are taken in pieces, so that none outlives the wait. */
const slice = 250
/** How long one part is watched before the others are read again. */
const longestHold = 5000
/** The pause between readings while nothing but time must pass. */
const steadyPause = 2000

interface Source {
  readonly part: Part
  readonly pace: Pace
  /** The last answer; undefined before the first. */
  body: Json | undefined
  /** Why the last question has no answer. */
  failure: TugError | undefined
}

/** Reads and follows until it is closed. */
export interface PollingReader extends Reader {
  /** Why a part isn't known as it is now; undefined if the last question about each was answered. */
  readonly outage: () => TugError | undefined
  readonly close: () => void
}

/**
 * Reads a job and its work with one request at a time. To follow them, it watches the part that will change next by a blocking
 * query, then reads the others: a server allows a client few connections (docs/servers.md, Scheduler blocking queries).
 */
export function createReader(context: Context, options: PollOptions): PollingReader {
  const asker = createAsker(context, options)
  let unread: Part[] = []
  return {
    ...asker,
    async next({ part, again }) {
      const other = unread.shift()
      if (other !== undefined) return asker.read(other)
      unread = parts.filter((one) => one !== part)
      if (again === undefined) return asker.hold(part)
      await asker.pause(Math.min(again, steadyPause))
      return asker.read(part)
    },
  }
}

/** Asks about one job. */
export interface Asker extends Pick<PollingReader, 'read' | 'outage' | 'close'> {
  /** Asks by a blocking query; without an answer the reading is the one before. */
  hold(part: Part): Promise<Reading>
  /** Lets time pass, unless the wait ends. */
  pause(milliseconds: number): Promise<void>
}

/** Asks until there is an answer, as long as the failure may be over by the next request and the wait isn't. */
export function createAsker(context: Context, { request, deadline, outage = createOutage() }: PollOptions): Asker {
  const sources = parts.map((part): Source => ({ part, pace: startPace(), body: undefined, failure: undefined }))
  let failures = 0
  let ended = false
  /** The time since the start: pauses, and what requests took. No clock that can be set is asked. */
  let elapsed = 0
  const left = () => Math.max(0, deadline - context.monotonic())
  const sourceOf = (part: Part) => sources.find((one) => one.part === part) as Source

  async function read(part: Part): Promise<Reading> {
    const source = sourceOf(part)
    while (!(await answered(source, request(part), false))) {
      if (left() === 0) throw source.failure as TugError
    }
    return readingOf(source)
  }

  async function hold(part: Part): Promise<Reading> {
    const source = sourceOf(part)
    await rests(source.pace.pause)
    const asked = blockingRequest(request(part), source.pace.index, Math.min(longestHold, left()))
    await answered(source, asked, true)
    return readingOf(source)
  }

  /** Asks once; false after a failure that may be over soon, for which it paused. */
  async function answered(source: Source, asked: HttpRequest, isHeld: boolean): Promise<boolean> {
    const { pace, part } = source
    const began = context.monotonic()
    try {
      // The server is asked again here, with one report for all parts, and not once more for each request.
      const response = await context.http.send({ ...asked, allow: [404], policy: { ...asked.policy, retries: 0 } })
      const took = context.monotonic() - began
      elapsed += took
      const body = response.status === 404 ? gone(part) : response.json()
      const found = indexOf(response)
      if (isHeld) paceAnswer(pace, { found, isNew: !isDeepStrictEqual(body, source.body), took })
      else pace.index = found
      source.body = body
      source.failure = undefined
      failures = 0
      outage.answered(sources)
      return true
    } catch (error) {
      elapsed += context.monotonic() - began
      if (ended || !mayMend(error) || failures >= mostFailures) throw error
      source.failure = error
      await backedOff(error)
      return false
    }
  }

  async function backedOff(error: TugError): Promise<void> {
    const pace = { ...startPace(), failures }
    backOff(pace, context.random)
    failures += 1
    const pause = formatSpan(Math.ceil(pace.pause / 1000) * 1000)
    if (outage.failed(sources)) context.io.note(`${error.message}; asking again in ${pause}`, 'dim')
    await rests(pace.pause)
  }

  async function rests(milliseconds: number): Promise<void> {
    for (let time = Math.min(milliseconds, left()); time > 0; time -= slice) {
      if (ended) return
      await rest(context, Math.min(slice, time))
      elapsed += Math.min(slice, time)
    }
  }

  const readingOf = ({ part, body = gone(part) }: Source): Reading => {
    const at = elapsed
    if (part === 'job') return { part, at, job: body === null ? 'absent' : readJob(body) }
    if (part === 'evaluations') return { part, at, list: readEvaluations(body) }
    if (part === 'deployments') return { part, at, list: readDeployments(body) }
    return { part, at, list: readAllocations(body) }
  }

  return {
    read,
    hold,
    pause: rests,
    outage: () => sources.find(({ failure }) => failure !== undefined)?.failure,
    close: () => {
      ended = true
    },
  }
}

/** What an unknown job has: lists that are empty. */
function gone(part: Part): Json {
  return part === 'job' ? null : []
}

/** A job, and the namespace that it is in if that is known. */
export interface Place {
  readonly jobId: string
  readonly namespace: string | undefined
}

const endpoints = {
  job: jobs.read,
  evaluations: jobs.evaluations,
  allocations: jobs.allocations,
  deployments: jobs.deployments,
  versions: jobs.versions,
}

/** The request for a part of a job's work. */
export function partRequest(place: Place, part: Part | 'versions'): HttpRequest {
  const { jobId, namespace } = place
  const endpoint = endpoints[part]
  return endpoint({ job: jobId }, namespace === undefined ? {} : { query: [['namespace', namespace]] })
}
