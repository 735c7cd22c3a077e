import type { HttpResponse, HttpStream } from '../core/connection.ts'
import { TugError } from '../core/errors.ts'
import type { Memory } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Dialect, Service, SpokenDialect } from '../core/service.ts'
import type { Client, Target } from './client.ts'
import { ignoredByProduct } from './failure.ts'

interface Options extends Pick<Target, 'service' | 'dialect' | 'targetFlags'> {
  readonly memory: Memory
  readonly warn: (line: string) => void
}

/** A client that takes requests with the specification's names, and its service's dialect if known. */
export type Translator = ReturnType<typeof createTranslator>

/**
 * Translates requests into the dialect of the service. In `auto`, responses decide: a read that was sent in the wrong dialect is sent
 * again in the right one, a write only if it was rejected as invalid.
 */
export function createTranslator(client: Client, options: Options) {
  const { service, memory } = options
  const learn = (shown: SpokenDialect | undefined) => {
    if (memory.dialect === 'auto' && shown !== undefined) memory.dialect = shown
  }

  /** Sends a request in the dialect; while that is unknown, perhaps again in another one. `drop` discards a response in the wrong one. */
  async function translated<T>(
    request: HttpRequest,
    sendIn: (dialect: Dialect) => Promise<T>,
    drop: (answer: T) => Promise<unknown>,
  ): Promise<T> {
    if (memory.dialect !== 'auto') return sendIn(memory.dialect)
    const others = service.otherDialects(request)
    const isWrong = () => others.some((other) => other === memory.dialect)
    let answer: T
    try {
      answer = await sendIn(memory.dialect)
    } catch (error) {
      if (error instanceof TugError) learn(error.facts.dialect)
      if (memory.dialect !== 'auto' && !isWrong()) throw error
      return sendInOthers(sendIn, memory.dialect === 'auto' ? others : [memory.dialect as SpokenDialect], error)
    }
    if (!isWrong() || isWrite(request)) return answer
    await drop(answer)
    return sendIn(memory.dialect)
  }

  /** Sends the request in the other dialects, one after the other, until one is accepted; otherwise throws the first error. */
  async function sendInOthers<T>(
    sendIn: (dialect: Dialect) => Promise<T>,
    others: readonly SpokenDialect[],
    error: unknown,
  ): Promise<T> {
    const [other, ...more] = wasUnread(error) ? others : []
    if (other === undefined) throw error
    try {
      const answer = await sendIn(other)
      learn(other)
      return answer
    } catch (second) {
      // In another dialect that cannot express the request, nothing was sent.
      const isInexpressible = second instanceof TugError && second.code === 'usage'
      if (memory.dialect === other || !(wasUnread(second) || isInexpressible)) throw second
      return sendInOthers(sendIn, more, error)
    }
  }

  return {
    send<T>(request: HttpRequest<T>): Promise<HttpResponse<T>> {
      if (request.answers === undefined) return client.send(request)
      if (memory.dialect === 'hashicorp') return client.send(service.translate(request, memory.dialect))
      const sendIn = async (spoken: Dialect) => {
        const sent = service.translate(request, spoken)
        const response = await client.send(sent)
        if (memory.dialect === 'auto') learn(shownBy(service, response))
        const isIgnored = options.dialect === 'neutral' && sent.neutralOnly !== undefined
        if (isIgnored && shownBy(service, response) === 'hashicorp') reportIgnored(sent, options)
        return response
      }
      return translated(request, sendIn, () => Promise.resolve())
    },
    connect: client.connect,
    async stream(request: HttpRequest): Promise<HttpStream> {
      const sendIn = async (spoken: Dialect) => {
        const answer = await client.stream(service.translate(request, spoken))
        learn(service.shown(answer.headers))
        return answer
      }
      return translated(request, sendIn, async ({ body }) => body[Symbol.asyncIterator]().return?.())
    },
  }
}

/** The dialect indicated by a response's headers or body. */
function shownBy(service: Service, response: HttpResponse): SpokenDialect | undefined {
  const shown = service.shown(response.headers)
  if (shown !== undefined || response.status >= 300 || service.shownIn === undefined) return shown
  return service.shownIn(response.json())
}

/** True if the server rejected the request as invalid: nothing was done. */
function wasUnread(error: unknown): boolean {
  return error instanceof TugError && [400, 422].some((status) => status === error.facts.status)
}

/** A product ignores some names of the neutral dialect. For a read, that is an error; a write has been carried out, so it is a warning. */
function reportIgnored(request: HttpRequest, { service, targetFlags, warn }: Options): void {
  const { neutralOnly = '' } = request
  if (!isWrite(request)) throw ignoredByProduct(service, neutralOnly, targetFlags)
  warn(`the server is ${service.product}, which ignores ${neutralOnly} of the neutral dialect; use --dialect auto`)
}
