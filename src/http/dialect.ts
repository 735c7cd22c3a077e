import type { HttpResponse } from '../core/connection.ts'
import { TugError } from '../core/errors.ts'
import type { Layer } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { isUpgrade, isWrite } from '../core/request.ts'
import type { Dialect, Service, SpokenDialect } from '../core/service.ts'
import { ignoredByProduct } from './failure.ts'
import type { Here } from './here.ts'

/**
 * Translates requests, which have the specification's names, into the dialect of the service. In `auto`, responses decide: a read that
 * was sent in the wrong dialect is sent again in the right one, a write only if it was rejected as invalid.
 */
export const spoken: Layer<Here> = (next, here) => {
  const { service, memory } = here
  const learn = (shown: SpokenDialect | undefined) => {
    if (memory.dialect === 'auto' && shown !== undefined) memory.dialect = shown
  }

  async function sendIn<T>(request: HttpRequest<T>, dialect: Dialect): Promise<HttpResponse<T>> {
    const sent = service.translate(request, dialect)
    const response = await next(sent)
    if (memory.dialect === 'auto') learn(shownBy(service, response))
    const isIgnored = here.dialect === 'neutral' && sent.neutralOnly !== undefined
    if (isIgnored && shownBy(service, response) === 'hashicorp') reportIgnored(sent, here)
    return response
  }

  /** Sends the request in the other dialects, one after the other, until one is accepted; otherwise throws the first error. */
  async function sendInOthers<T>(
    request: HttpRequest<T>,
    others: readonly SpokenDialect[],
    error: unknown,
  ): Promise<HttpResponse<T>> {
    const [other, ...more] = wasUnread(error) ? others : []
    if (other === undefined) throw error
    try {
      const answer = await sendIn(request, other)
      learn(other)
      return answer
    } catch (second) {
      // In another dialect that cannot express the request, nothing was sent.
      const isInexpressible = second instanceof TugError && second.code === 'usage'
      if (memory.dialect === other || !(wasUnread(second) || isInexpressible)) throw second
      return sendInOthers(request, more, error)
    }
  }

  /** Sends a request while the dialect is unknown, perhaps again in another one. */
  async function findDialect<T>(request: HttpRequest<T>): Promise<HttpResponse<T>> {
    const others = service.otherDialects(request)
    const isWrong = () => others.some((other) => other === memory.dialect)
    let answer: HttpResponse<T>
    try {
      answer = await sendIn(request, 'auto')
    } catch (error) {
      if (error instanceof TugError) learn(error.facts.dialect)
      if (memory.dialect !== 'auto' && !isWrong()) throw error
      return sendInOthers(request, memory.dialect === 'auto' ? others : [memory.dialect], error)
    }
    if (!isWrong() || isWrite(request)) return answer
    // Ends a stream in the wrong dialect.
    if (Symbol.asyncIterator in answer.body)
      await (answer.body as AsyncIterable<never>)[Symbol.asyncIterator]().return?.()
    return sendIn(request, memory.dialect)
  }

  return (request) => {
    if (request.answers === undefined) return next(request)
    const dialect = isUpgrade(request) ? here.dialect : memory.dialect
    if (isUpgrade(request) || dialect === 'hashicorp') return next(service.translate(request, dialect))
    return dialect === 'auto' ? findDialect(request) : sendIn(request, dialect)
  }
}

/** The dialect indicated by a response's headers or body. */
function shownBy(service: Service, response: HttpResponse): SpokenDialect | undefined {
  const shown = service.shown(response.headers)
  const isWhole = 'json' in response && response.status < 300
  return shown === undefined && isWhole ? service.shownIn?.(response.json()) : shown
}

/** True if the server rejected the request as invalid: nothing was done. */
function wasUnread(error: unknown): boolean {
  return error instanceof TugError && [400, 422].some((status) => status === error.facts.status)
}

/** A product ignores some names of the neutral dialect. For a read, that is an error; a write has been carried out, so it is a warning. */
function reportIgnored(request: HttpRequest, { service, targetFlags, warn }: Here): void {
  const { neutralOnly = '' } = request
  if (!isWrite(request)) throw ignoredByProduct(service, neutralOnly, targetFlags)
  warn(`the server is ${service.product}, which ignores ${neutralOnly} of the neutral dialect; use --dialect auto`)
}
