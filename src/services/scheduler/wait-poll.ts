import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { interrupted } from '../../http/client.ts'
import { schedulerHeader } from '../../http/vocabulary.ts'
import type { WorkState } from './wait-state.ts'
import { readAllocations, readDeployments, readEvaluations } from './wait-state.ts'

/** What is read of a job's work, in the order in which the scheduler writes it. */
const parts = ['evaluations', 'deployments', 'allocations'] as const

type Part = (typeof parts)[number]

/** Follows several endpoints of one job at once. */
export interface Watcher {
  /** The state now: every endpoint read once, what is written first read first. */
  fresh(): Promise<WorkState>
  /** The state after the next answer of any endpoint, which may be the same; at the latest when the time is over. */
  changed(): Promise<WorkState>
  /** Ends it: what is still held back is of no interest any more. */
  close(): void
}

export interface WatcherOptions {
  /** The request of each endpoint, without index and wait. */
  readonly request: (part: Part) => HttpRequest
  /** When the wait is to end, in milliseconds since 1970; Infinity for never. */
  readonly deadline: number
}

/** Milliseconds that a server may hold an answer back, at most. */
const longestWait = 60_000
/** An answer that took less was not held back. */
const held = 1000
/** Pauses after answers that were not held back: our job changed; another's did; the server does not hold back at all. */
const changedPause = 150
const busyPause = 1000
const shortestPause = 2000
const longestPause = 10_000
const longestBackoff = 30_000
const mostFailures = 30
/** Rests are taken in pieces, so that none outlives the wait. */
const slice = 250

interface Source {
  readonly part: Part
  index: number
  body: Json
  /** Milliseconds to let pass before the next question. */
  pause: number
  idlePause: number
  failures: number
}

/**
 * Follows evaluations, deployments and allocations by one blocking query each (contract c): an index per endpoint, a lower
 * one starts over, none is asked again by a timer. Failures that may mend are asked again with jitter.
 */
export function createWatcher(context: Context, { request, deadline }: WatcherOptions): Watcher {
  const sources = parts.map((part): Source => ({
    part,
    index: 0,
    body: [],
    pause: 0,
    idlePause: shortestPause,
    failures: 0,
  }))
  const asking = new Map<Source, Promise<Source>>()
  let ended = false
  const left = () => Math.max(0, deadline - context.now().getTime())

  async function fresh(): Promise<WorkState> {
    for (const source of sources) {
      const response = await context.http.send(request(source.part))
      source.body = bodyOf(response)
      source.index = indexOf(response.headers)
    }
    return state()
  }

  async function changed(): Promise<WorkState> {
    for (const source of sources) {
      if (asking.has(source)) continue
      const answer = ask(source)
      // The wait may end while it is still held back.
      answer.catch(() => undefined)
      asking.set(source, answer)
    }
    asking.delete(await Promise.race(asking.values()))
    return state()
  }

  async function ask(source: Source): Promise<Source> {
    await rest(Math.min(source.pause, left()))
    const asked = source.index
    const started = context.now().getTime()
    try {
      const response = await context.http.send(blocking(request(source.part), asked, Math.min(longestWait, left())))
      const body = bodyOf(response)
      const isNew = !isDeepStrictEqual(body, source.body)
      source.failures = 0
      source.body = body
      pace(source, { asked, found: indexOf(response.headers), isNew, atOnce: context.now().getTime() - started < held })
    } catch (error) {
      if (ended || !mayMend(error) || source.failures >= mostFailures) throw error
      source.pause = Math.min(longestBackoff, 1000 * 2 ** source.failures) * (0.5 + context.random() / 2)
      source.failures += 1
      const seconds = Math.ceil(source.pause / 1000)
      context.io.note(`${error.message}; asking again in ${seconds} s`, 'dim')
    }
    return source
  }

  async function rest(milliseconds: number): Promise<void> {
    for (let rests = milliseconds; rests > 0; rests -= slice) {
      if (ended) return
      await context.sleep(Math.min(slice, rests)).catch(() => {
        throw interrupted()
      })
    }
  }

  function state(): WorkState {
    const body = (part: Part) => sources.find((source) => source.part === part)?.body ?? []
    return {
      evaluations: readEvaluations(body('evaluations')),
      deployments: readDeployments(body('deployments')),
      allocations: readAllocations(body('allocations')),
    }
  }

  const close = () => {
    ended = true
  }

  return { fresh, changed, close }
}

interface Asked {
  readonly asked: number
  readonly found: number
  readonly isNew: boolean
  readonly atOnce: boolean
}

/** Decides when the endpoint is asked again, and with which index. */
function pace(source: Source, { asked, found, isNew, atOnce }: Asked): void {
  source.index = found < asked ? 0 : found
  source.pause = 0
  if (found > asked) {
    source.idlePause = shortestPause
    if (atOnce) source.pause = isNew ? changedPause : busyPause
  } else if (atOnce || found === 0) {
    source.pause = source.idlePause
    source.idlePause = Math.min(longestPause, source.idlePause * 2)
  }
}

/** The request as a blocking query that ends, with what the server adds to it, within `wait` milliseconds. */
function blocking(request: HttpRequest, index: number, wait: number): HttpRequest {
  const seconds = Math.max(1, Math.floor((wait * 16) / 17 / 1000))
  const patience = seconds * 1000 * (1 + 1 / 16) + 10_000
  if (index === 0) return request
  const query = [...(request.query ?? []), ['index', String(index)] as const, ['wait', `${seconds}s`] as const]
  return { ...request, query, patience }
}

/** The body; a job that is gone has none. */
function bodyOf(response: Awaited<ReturnType<Context['http']['send']>>): Json {
  return response.status === 404 ? [] : response.json()
}

function indexOf(headers: Readonly<Record<string, string>>): number {
  const index = Number(schedulerHeader(headers, 'Index') ?? 0)
  return Number.isSafeInteger(index) && index > 0 ? index : 0
}

/** True for what may be over by the time of the next question. */
function mayMend(error: unknown): error is TugError {
  if (!(error instanceof TugError)) return false
  return error.code === 'unreachable' || (error.facts.status ?? 0) >= 500
}
