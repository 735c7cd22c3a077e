import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Pace } from '../../../api/blocking.ts'
import { blockingRequest, indexOf, mayMend, paceAnswer, paceFailure, rest, startPace } from '../../../api/blocking.ts'
import type { WorkState } from './state.ts'
import { readAllocations, readDeployments, readEvaluations } from './state.ts'

/** The lists to read, in the order in which the scheduler writes them. */
const parts = ['evaluations', 'deployments', 'allocations'] as const

type Part = (typeof parts)[number]

/** Follows several endpoints of one job at once. */
export interface Watcher {
  /** The state now: every endpoint read once, the one written first read first. */
  fresh(): Promise<WorkState>
  /** The state after the next answer of any endpoint (it may be unchanged), at the latest when the time is over. */
  changed(): Promise<WorkState>
  /** Stops, dropping pending requests. */
  close(): void
}

export interface WatcherOptions {
  /** The request of each endpoint, without index and wait. */
  readonly request: (part: Part) => HttpRequest
  /** When the wait must end, in milliseconds since 1970; Infinity for never. */
  readonly deadline: number
}

const mostFailures = 30
/** Pauses are split, so that none outlives the wait. */
const slice = 250

interface Source {
  readonly part: Part
  readonly pace: Pace
  body: Json
}

/** Follows evaluations, deployments and allocations with one blocking query each, as `--watch` does. */
export function createWatcher(context: Context, { request, deadline }: WatcherOptions): Watcher {
  const sources = parts.map((part): Source => ({ part, pace: startPace(), body: [] }))
  const asking = new Map<Source, Promise<Source>>()
  let ended = false
  const left = () => Math.max(0, deadline - context.now().getTime())

  async function fresh(): Promise<WorkState> {
    for (const source of sources) {
      const response = await context.http.send(request(source.part))
      source.body = bodyOf(response)
      source.pace.index = indexOf(response)
    }
    return state()
  }

  async function changed(): Promise<WorkState> {
    for (const source of sources) {
      if (asking.has(source)) continue
      const answer = ask(source)
      // The wait may end while the answer is pending.
      answer.catch(() => undefined)
      asking.set(source, answer)
    }
    asking.delete(await Promise.race(asking.values()))
    return state()
  }

  async function ask(source: Source): Promise<Source> {
    const { part, pace } = source
    await restInPieces(Math.min(pace.pause, left()))
    const started = context.now().getTime()
    try {
      const response = await context.http.send(blockingRequest(request(part), pace.index, left()))
      const body = bodyOf(response)
      const isNew = !isDeepStrictEqual(body, source.body)
      source.body = body
      paceAnswer(pace, { found: indexOf(response), isNew, took: context.now().getTime() - started })
    } catch (error) {
      if (ended || !mayMend(error) || pace.failures >= mostFailures) throw error
      paceFailure(pace, error, context)
    }
    return source
  }

  async function restInPieces(milliseconds: number): Promise<void> {
    for (let rests = milliseconds; rests > 0; rests -= slice) {
      if (ended) return
      await rest(context, Math.min(slice, rests))
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

/** The body; undefined if the job is gone. */
function bodyOf(response: Awaited<ReturnType<Context['http']['send']>>): Json {
  return response.status === 404 ? [] : response.json()
}
