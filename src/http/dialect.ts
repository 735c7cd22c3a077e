import { isPlaceholder } from '../core/answer.ts'
import type { HttpResponse } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { isWrite } from '../core/request.ts'
import type { Dialect, Service, SpokenDialect } from '../core/service.ts'
import type { Client } from './client.ts'
import { ignoredByProduct } from './dialect-guard.ts'

interface Options {
  readonly service: Service
  readonly dialect: Dialect
  readonly warn: (line: string) => void
}

/** A client of requests in the specification's words, and the dialect of its service as far as it is known. */
export interface Translator extends Client {
  readonly dialect: Dialect
}

/**
 * Translates requests into the dialect of the service. In `auto`, answers settle it: a read whose words turn out to be the wrong ones
 * is sent again in the right ones, a write only if it was refused unread.
 */
export function createTranslator(client: Client, options: Options): Translator {
  const { service } = options
  let dialect = options.dialect
  const learn = (shown: SpokenDialect | undefined) => {
    if (dialect === 'auto' && shown !== undefined) dialect = shown
  }
  /** One request in the words of the dialect known now. */
  async function sendOnce<T>(request: HttpRequest<T>): Promise<HttpResponse<T>> {
    try {
      const response = await client.send(service.translate(request, dialect))
      learn(shownBy(service, response))
      if (dialect === 'neutral') checkIgnored(request, response, options)
      return response
    } catch (error) {
      if (error instanceof TugError) learn(error.facts.dialect)
      throw error
    }
  }
  /** The request in the product's words, after those of the specification were refused; else the first error. */
  async function sendInOther<T>(request: HttpRequest<T>, error: unknown): Promise<HttpResponse<T>> {
    try {
      const response = await client.send(service.translate(request, 'hashicorp'))
      dialect = 'hashicorp'
      return response
    } catch (second) {
      throw dialect === 'hashicorp' ? second : error
    }
  }

  return {
    get dialect() {
      return dialect
    },
    async send(request) {
      if (request.answers === undefined) return client.send(request)
      const isOpen = dialect === 'auto' && service.contradicts(request)
      try {
        const response = await sendOnce(request)
        const wrong = isOpen && dialect === 'hashicorp' && !isWrite(request)
        return wrong ? await sendOnce(request) : response
      } catch (error) {
        if (isOpen && dialect !== 'neutral' && wasUnread(error)) return sendInOther(request, error)
        throw error
      }
    },
    async stream(request) {
      const isOpen = dialect === 'auto' && service.contradicts(request)
      const open = () => client.stream(service.translate(request, dialect))
      try {
        const answer = await open()
        learn(service.shown(answer.headers))
        if (!isOpen || dialect !== 'hashicorp') return answer
        await answer.body[Symbol.asyncIterator]().return?.()
        return await open()
      } catch (error) {
        if (error instanceof TugError) learn(error.facts.dialect)
        if (!isOpen || dialect === 'neutral' || !wasUnread(error)) throw error
        return client.stream(service.translate(request, 'hashicorp')).catch(() => {
          throw error
        })
      }
    },
  }
}

/** The dialect that an answer shows by its headers or its content. */
function shownBy(service: Service, response: HttpResponse): SpokenDialect | undefined {
  const shown = service.shown(response.headers)
  if (shown !== undefined || response.status >= 300 || service.shownIn === undefined) return shown
  if (!(response.headers['content-type'] ?? 'json').includes('json')) return undefined
  const answer = response.json()
  return isPlaceholder(answer) ? undefined : service.shownIn(answer)
}

/** True for a refusal of what the request says: nothing was done. */
function wasUnread(error: unknown): boolean {
  return error instanceof TugError && [400, 422].includes(error.facts.status ?? 0)
}

/** A product ignores some names of the neutral dialect. For a read, that is an error; a write has been carried out. */
function checkIgnored(request: HttpRequest, response: HttpResponse, { service, dialect, warn }: Options): void {
  const { neutralOnly } = service.translate(request, dialect)
  if (neutralOnly === undefined || shownBy(service, response) !== 'hashicorp') return
  if (!isWrite(request)) throw ignoredByProduct(service.product, neutralOnly, service.name)
  warn(`${service.product} answered, and it ignores ${neutralOnly} of the neutral dialect; use --dialect hashicorp`)
}
