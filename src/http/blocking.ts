import { isDeepStrictEqual } from 'node:util'
import type { Context, HttpResponse } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { interrupted } from './client.ts'
import { schedulerHeader } from './vocabulary.ts'

/** What a blocking query needs of the world. */
export type BlockingContext = Pick<Context, 'http' | 'io' | 'now' | 'sleep' | 'random'>

/** How long a server may hold an answer back, in seconds, and how long we are patient: it adds up to a sixteenth. */
const waitSeconds = 60
const patience = waitSeconds * (1 + 1 / 16) * 1000 + 10_000

/** Milliseconds between questions to a server that does not hold its answer back. */
const shortestPause = 2000
const longestPause = 10_000
const busyPause = 1000
const longestBackoff = 30_000

/** An answer that took less was not held back. */
const held = 1000

/** One state of what is watched. */
export interface Snapshot {
  readonly body: Json
  readonly response: HttpResponse
}

/**
 * Asks again and again by blocking query (contract c) and yields each answer that differs from the one before, the first at
 * once; it ends only by the signal ("interrupted") or by an error that asking again does not mend. The index is the
 * endpoint's own: a lower one starts over, none or 0 is asked again by a timer, and the same one at once (a server that does
 * not block) after 2 s, doubling to 10 s. Broken connections and failures of the service are asked again with jitter.
 */
export async function* blockingQuery(context: BlockingContext, request: HttpRequest): AsyncGenerator<Snapshot> {
  let index = 0
  let known: Json | undefined
  let pause = shortestPause
  let failures = 0
  for (;;) {
    const asked = index
    const started = context.now().getTime()
    let response: HttpResponse
    try {
      response = await context.http.send(asked === 0 ? request : withIndex(request, asked))
      failures = 0
    } catch (error) {
      if (known === undefined || !mayMend(error)) throw error
      const wait = Math.min(longestBackoff, 1000 * 2 ** failures) * (0.5 + context.random() / 2)
      failures += 1
      context.io.note(`${error.message}; asking again in ${Math.ceil(wait / 1000)} s`, 'dim')
      await rest(context, wait)
      continue
    }
    const atOnce = context.now().getTime() - started < held
    const body = response.json()
    const found = indexOf(response)
    const changed = known === undefined || !isDeepStrictEqual(body, known)
    if (changed) {
      known = body
      yield { body, response }
    }
    if (context.http.dryRun) return
    index = found < asked ? 0 : found
    if (found > asked) {
      pause = shortestPause
      // Other writes move the index too: a busy server must not be asked as fast as it answers.
      if (!changed && atOnce) await rest(context, busyPause)
    } else if (atOnce || found === 0) {
      await rest(context, pause)
      pause = Math.min(longestPause, pause * 2)
    }
  }
}

function withIndex(request: HttpRequest, index: number): HttpRequest {
  const query = [...(request.query ?? []), ['index', String(index)] as const, ['wait', `${waitSeconds}s`] as const]
  return { ...request, query, patience }
}

/** The index of the answer; 0 where there is none. */
function indexOf({ headers }: HttpResponse): number {
  const index = Number(schedulerHeader(headers, 'Index') ?? 0)
  return Number.isSafeInteger(index) && index > 0 ? index : 0
}

/** True for what may be over by the time of the next question. */
function mayMend(error: unknown): error is TugError {
  if (!(error instanceof TugError)) return false
  return error.code === 'unreachable' || (error.facts.status ?? 0) >= 500
}

async function rest({ sleep }: BlockingContext, milliseconds: number): Promise<void> {
  await sleep(milliseconds).catch(() => {
    throw interrupted()
  })
}
