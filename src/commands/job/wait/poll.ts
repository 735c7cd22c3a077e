import { formatSpan } from '../../../core/duration.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Context, HttpResponse } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Pace } from '../../../api/blocking.ts'
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

const parts: readonly Part[] = ['evaluations', 'deployments', 'allocations', 'job']

export interface PollOptions {
  /** The request of each part, without index and wait. */
  readonly request: (part: Part) => HttpRequest
  /** When the wait is to end, in milliseconds since 1970; Infinity for never. */
  readonly deadline: number
}

const mostFailures = 30
/** Rests are taken in pieces, so that none outlives the wait. */
const slice = 250

interface Source {
  readonly part: Part
  readonly pace: Pace
  /** The last answer; undefined before the first. */
  body: Json | undefined
  /** How many answers have arrived. */
  answers: number
  /** Why the last question has no answer. */
  failure: TugError | undefined
}

/** Reads and follows until it is closed. */
interface PollingReader extends Reader {
  /** Why a part isn't known as it is now; undefined if the last question about each was answered. */
  readonly outage: () => TugError | undefined
  readonly close: () => void
}

/** Reads a job and its work, and follows each part by a blocking query of its own, as `--watch` does. */
export function createReader(context: Context, { request, deadline }: PollOptions): PollingReader {
  const sources = parts.map((part): Source => ({
    part,
    pace: startPace(),
    body: undefined,
    answers: 0,
    failure: undefined,
  }))
  const asking = new Map<Source, Promise<Source>>()
  const outage = createOutage()
  let ended = false
  const left = () => Math.max(0, deadline - context.now().getTime())

  async function read(part: Part): Promise<Reading> {
    const source = sources.find((one) => one.part === part) as Source
    for (;;) {
      try {
        const response = await send(request(part))
        took(source, response)
        source.pace.index = indexOf(response)
        return readingOf(source)
      } catch (error) {
        await failed(source, error)
        if (left() === 0) throw error
      }
    }
  }

  async function next(): Promise<Reading> {
    for (const source of sources) {
      if (asking.has(source)) continue
      const answer = ask(source)
      // The wait may end while it is still held back.
      answer.catch(() => undefined)
      asking.set(source, answer)
    }
    const source = await Promise.race(asking.values())
    asking.delete(source)
    return readingOf(source)
  }

  /** Asks until there is an answer or the time is over. */
  async function ask(source: Source): Promise<Source> {
    const { part, pace } = source
    await restInPieces(Math.min(pace.pause, left()))
    const started = context.now().getTime()
    const known = source.answers
    try {
      const response = await send(blockingRequest(request(part), pace.index, left()))
      const found = indexOf(response)
      // A read that was sent later may have been answered earlier.
      if (source.answers !== known && found < pace.index) return source
      const before = source.body
      took(source, response)
      paceAnswer(pace, {
        found,
        isNew: !isDeepStrictEqual(before, source.body),
        took: context.now().getTime() - started,
      })
    } catch (error) {
      await failed(source, error)
    }
    return source
  }

  /** The server is asked again here, with one report for all parts, and not once more for each request. */
  function send(one: HttpRequest): Promise<HttpResponse> {
    return context.http.send({ ...one, allow: [404], policy: { ...one.policy, retries: 0 } })
  }

  function took(source: Source, response: HttpResponse): void {
    source.body = response.status === 404 ? gone(source.part) : response.json()
    source.answers += 1
    source.failure = undefined
    source.pace.failures = 0
    outage.answered(source)
  }

  /** After a failure that may be over by the next question: lets time pass. Throws what asking again does not change. */
  async function failed(source: Source, error: unknown): Promise<void> {
    const { pace } = source
    if (ended || !mayMend(error) || pace.failures >= mostFailures) throw error
    source.failure = error
    backOff(pace, context.random)
    if (outage.failed(source)) report(error, pace)
    await restInPieces(Math.min(pace.pause, left()))
    pace.pause = 0
  }

  function report(error: TugError, { pause }: Pace): void {
    context.io.note(`${error.message}; asking again in ${formatSpan(Math.ceil(pause / 1000) * 1000)}`, 'dim')
  }

  async function restInPieces(milliseconds: number): Promise<void> {
    for (let rests = milliseconds; rests > 0; rests -= slice) {
      if (ended) return
      await rest(context, Math.min(slice, rests))
    }
  }

  return {
    read,
    next,
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

function readingOf({ part, body = gone(part) }: Source): Reading {
  if (part === 'job') return { part, job: body === null ? 'absent' : readJob(body) }
  if (part === 'evaluations') return { part, list: readEvaluations(body) }
  if (part === 'deployments') return { part, list: readDeployments(body) }
  return { part, list: readAllocations(body) }
}
