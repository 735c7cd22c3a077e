import { isDeepStrictEqual } from 'node:util'
import type { Context, HttpResponse } from '../core/context.ts'
import { interrupted, TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { schedulerHeader } from './scheduler-service.ts'

/** What a blocking query needs of the world. */
export type BlockingContext = Pick<Context, 'http' | 'io' | 'now' | 'sleep' | 'random'>

/** How long a server may hold an answer back, in seconds. */
const longestWait = 60
/** An answer that took less was not held back. */
const held = 1000

/** Pauses after answers that were not held back: what is watched changed; something else did; the server does not hold back. */
const changedPause = 150
const busyPause = 1000
const shortestPause = 2000
const longestPause = 10_000
const longestBackoff = 30_000

/** One state of what is watched. */
export interface Snapshot {
  readonly body: Json
  readonly response: HttpResponse
}

/**
 * Asks again and again by blocking query (contract c) and yields each answer that differs from the one before, the first at
 * once; it ends only by the signal ("interrupted") or by an error that asking again does not mend.
 */
export async function* blockingQuery(context: BlockingContext, request: HttpRequest): AsyncGenerator<Snapshot> {
  const pace = startPace()
  let known: Json | undefined
  for (;;) {
    await rest(context, pace.pause)
    const started = context.now().getTime()
    let response: HttpResponse
    try {
      response = await context.http.send(blockingRequest(request, pace.index))
    } catch (error) {
      if (known === undefined || !mayMend(error)) throw error
      paceFailure(pace, error, context)
      continue
    }
    const took = context.now().getTime() - started
    const body = response.json()
    const isNew = known === undefined || !isDeepStrictEqual(body, known)
    if (isNew) {
      known = body
      yield { body, response }
    }
    if (context.http.dryRun) return
    paceAnswer(pace, { found: indexOf(response), isNew, took })
  }
}

/** How a blocking query goes on: what it asks next, and when. */
export interface Pace {
  /** The index that the next question names; 0 names none. */
  index: number
  /** Milliseconds to let pass before it. */
  pause: number
  /** The next pause where the server does not hold back. */
  idlePause: number
  /** Failures since the last answer. */
  failures: number
}

/** The pace of a query that has not been asked yet: at once, and without an index. */
export function startPace(): Pace {
  return { index: 0, pause: 0, idlePause: shortestPause, failures: 0 }
}

/**
 * After an answer, which had the index `found` and took so many milliseconds. The index is the endpoint's own: a lower one
 * starts over, none or 0 is asked again by a timer, and the same one at once (a server that does not block) after 2 s,
 * doubling to 10 s. A server on which much is written answers at once as well: it is not asked as fast as it answers.
 */
export function paceAnswer(pace: Pace, answer: { found: number; isNew: boolean; took: number }): void {
  const { found, isNew, took } = answer
  const asked = pace.index
  const isAtOnce = took < held
  pace.failures = 0
  pace.pause = 0
  pace.index = found < asked ? 0 : found
  if (found > asked) {
    pace.idlePause = shortestPause
    // A question without an index is never held back.
    if (isAtOnce && asked > 0) pace.pause = isNew ? changedPause : busyPause
  } else if (isAtOnce || found === 0) {
    pace.pause = pace.idlePause
    pace.idlePause = Math.min(longestPause, pace.idlePause * 2)
  }
}

/** After a failure: the same question again, with jitter, which is reported. */
export function paceFailure(pace: Pace, failure: TugError, { io, random }: Pick<Context, 'io' | 'random'>): void {
  backOff(pace, random)
  io.note(`${failure.message}; asking again in ${Math.ceil(pace.pause / 1000)} s`, 'dim')
}

/** After a failure: the next question later than after the one before, with jitter. */
export function backOff(pace: Pace, random: () => number): void {
  pace.pause = Math.min(longestBackoff, 1000 * 2 ** pace.failures) * (0.5 + random() / 2)
  pace.failures += 1
}

/**
 * The request as a blocking query that ends, with the sixteenth that the server adds, within `wait` milliseconds; index 0
 * does not block.
 */
export function blockingRequest(request: HttpRequest, index: number, wait = Infinity): HttpRequest {
  if (index === 0) return request
  const seconds = Math.max(1, Math.min(longestWait, Math.floor((wait * 16) / 17 / 1000)))
  const patience = seconds * 1000 * (1 + 1 / 16) + 10_000
  const query = [...(request.query ?? []), ['index', String(index)] as const, ['wait', `${seconds}s`] as const]
  return { ...request, query, patience }
}

/** The index of the answer; 0 where there is none. */
export function indexOf({ headers }: Pick<HttpResponse, 'headers'>): number {
  const index = Number(schedulerHeader(headers, 'Index') ?? 0)
  return Number.isSafeInteger(index) && index > 0 ? index : 0
}

/** True for what may be over by the time of the next question. */
export function mayMend(error: unknown): error is TugError {
  if (!(error instanceof TugError)) return false
  return error.code === 'unreachable' || (error.facts.status ?? 0) >= 500
}

/** Lets so many milliseconds pass; throws "interrupted" when the signal is aborted. */
export async function rest({ sleep }: Pick<Context, 'sleep'>, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return
  await sleep(milliseconds).catch(() => {
    throw interrupted()
  })
}
