import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../core/context.ts'
import type { HttpResponse } from '../core/connection.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { schedulerHeader } from './scheduler-service.ts'

/** What a blocking query needs. */
export type BlockingContext = Pick<Context, 'http' | 'monotonic' | 'sleep'>

/** How long a server may hold a request, in seconds. */
const longestWait = 60
/** A response that took less than this did not block, in milliseconds. */
const blockedTime = 1000

/** Pauses after responses that did not block: after a visible change, after another change, and if the server doesn't block. */
const changedPause = 150
const busyPause = 1000
const shortestPause = 2000
const longestPause = 10_000

/** One state of the watched response. */
export interface Snapshot<T = unknown> {
  readonly value: T
  readonly body: Json
  readonly response: HttpResponse<T>
}

interface WatchOptions {
  /** Also yields unchanged responses: a screen shows ages, which grow. */
  readonly everyAnswer?: boolean
}

/**
 * Repeats a blocking query and yields the first response and each one that differs from the one before. It ends only by the signal
 * ("interrupted") or a permanent error (docs/servers.md, Scheduler blocking queries).
 */
export async function* blockingQuery<T>(
  context: BlockingContext,
  request: HttpRequest<T>,
  { everyAnswer = false }: WatchOptions = {},
): AsyncGenerator<Snapshot<T>> {
  const pace = startPace()
  let last: Json | undefined
  for (;;) {
    await rest(context, pace.pause)
    const started = context.monotonic()
    const query = blockingRequest(request, pace.index)
    const policy = { ...query.policy, persists: Infinity }
    const response = await context.http.send(last === undefined ? query : { ...query, policy })
    const took = context.monotonic() - started
    const body = response.json()
    const isNew = last === undefined || !isDeepStrictEqual(body, last)
    last = body
    if (isNew || everyAnswer) yield { value: response.value, body, response }
    paceAnswer(pace, { found: indexOf(response), isNew, took })
  }
}

/** How a blocking query continues. */
export interface Pace {
  /** The index of the next request; 0 for none. */
  index: number
  /** Milliseconds before it. */
  pause: number
  /** The next pause if the server doesn't block. */
  idlePause: number
}

/** The pace of the first request: at once, without an index. */
export function startPace(): Pace {
  return { index: 0, pause: 0, idlePause: shortestPause }
}

/**
 * Sets the pace after a response with the index `found` that took `took` milliseconds. The index is the endpoint's own: a lower one
 * starts over; without one, or with 0, the query is repeated by a timer; if the same one returns at once, the server doesn't block, and
 * the pause is 2 s, doubling to 10 s. A busy server responds at once too, so the rate is limited.
 */
export function paceAnswer(pace: Pace, answer: { found: number; isNew: boolean; took: number }): void {
  const { found, isNew, took } = answer
  const sent = pace.index
  const isAtOnce = took < blockedTime
  pace.pause = 0
  pace.index = found < sent ? 0 : found
  if (found > sent) {
    pace.idlePause = shortestPause
    // A request without an index never blocks.
    if (isAtOnce && sent > 0) pace.pause = isNew ? changedPause : busyPause
  } else if (isAtOnce || found === 0) {
    pace.pause = pace.idlePause
    pace.idlePause = Math.min(longestPause, pace.idlePause * 2)
  }
}

/**
 * The request as a blocking query that ends within `wait` milliseconds, including the sixteenth that the server adds. It does not
 * block with index 0, or if `wait` is too short.
 */
export function blockingRequest<T>(request: HttpRequest<T>, index: number, wait = Infinity): HttpRequest<T> {
  const seconds = Math.min(longestWait, Math.floor((wait * 16) / 17 / 1000))
  if (index === 0 || seconds === 0) return request
  const responseTimeout = seconds * 1000 * (1 + 1 / 16) + 10_000
  const query = [...(request.query ?? []), ['index', String(index)] as const, ['wait', `${seconds}s`] as const]
  return { ...request, query, policy: { ...request.policy, responseTimeout } }
}

/** The index of a response; 0 if it has none. */
export function indexOf({ headers }: Pick<HttpResponse, 'headers'>): number {
  const index = Number(schedulerHeader(headers, 'Index') ?? 0)
  return Number.isSafeInteger(index) && index > 0 ? index : 0
}

/** Waits, unless there is nothing to wait for. Throws "interrupted" when the signal is aborted. */
export async function rest({ sleep }: Pick<Context, 'sleep'>, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds)
}
