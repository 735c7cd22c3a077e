import { parseJson, stringifyJson, type Json, type JsonObject } from '../../../src/core/json.ts'
import { devRequest } from '../request.ts'
import type { DevClock, DevReply, DevRequest, DevService, Dialect } from '../../../src/dev/http.ts'

/** Time that passes only when a test says so. */
export class FakeClock implements DevClock {
  private time: number
  private order = 0
  private readonly timers = new Map<number, { due: number; ring: () => void }>()

  constructor(start = Date.UTC(2026, 10, 21, 7, 10, 26)) {
    this.time = start
  }

  now(): Date {
    return new Date(this.time)
  }

  after(milliseconds: number, ring: () => void): () => void {
    const key = (this.order += 1)
    this.timers.set(key, { due: this.time + milliseconds, ring })
    return () => this.timers.delete(key)
  }

  /** Lets time pass, calling each timer at its moment. */
  advance(milliseconds: number): void {
    const end = this.time + milliseconds
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.due <= end)
      const [next] = due.toSorted(([a, left], [b, right]) => left.due - right.due || a - b)
      if (next === undefined) break
      this.timers.delete(next[0])
      this.time = Math.max(this.time, next[1].due)
      next[1].ring()
    }
    this.time = end
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The text of the body. */
  readonly text: string
  /** The body as JSON; null when it is none. */
  readonly json: Json
}

export interface Call {
  readonly body?: Json | string
  readonly headers?: Readonly<Record<string, string>>
  readonly dialect?: Dialect
  readonly signal?: AbortSignal
}

/** Sends a request straight to a service. */
export async function call(service: DevService, method: string, target: string, options: Call = {}): Promise<Answer> {
  const reply = await service.handle(requestOf(method, target, options))
  return answerOf(reply)
}

/** The request that the server would make of this. */
function requestOf(method: string, target: string, options: Call = {}): DevRequest {
  const { body = '', dialect = 'hashicorp', headers, signal } = options
  return devRequest(method, target, {
    body: typeof body === 'string' ? body : stringifyJson(body),
    dialect,
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
  })
}

function answerOf(reply: DevReply): Answer {
  const text = typeof reply.body === 'string' ? reply.body : ''
  const headers = reply.headers ?? {}
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json')
  return { status: reply.status, headers, text, json: isJson ? parseJson(text) : null }
}

/** The answer's body as an object, for reading members. */
export function objectOf(answer: Answer): JsonObject {
  return answer.json as JsonObject
}

/** The answer's body as a list of objects. */
export function listOf(answer: Answer): JsonObject[] {
  return answer.json as JsonObject[]
}
