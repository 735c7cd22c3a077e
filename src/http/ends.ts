import { constants } from 'node:buffer'
import { originOf } from '../core/address.ts'
import type { HttpResponse, HttpStream } from '../core/connection.ts'
import { interrupted, TugError } from '../core/errors.ts'
import type { Send } from '../core/http.ts'
import { isObject, parseJson, parseJsonPlain } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { FailedAnswer } from '../core/service.ts'
import type { SentHeaders } from './exchange.ts'
import { headersOf, openExchange, placeOf, signalOf } from './exchange.ts'
import { failureOf, messageSize } from './failure.ts'
import type { Here } from './here.ts'
import { networkFailure } from './network-failure.ts'
import {
  checkAnswer,
  checkHead,
  largestError,
  limited,
  readAvailable,
  readWhole,
  refuseOtherThanCsv,
  WholeResponse,
} from './response.ts'
import { finalError, ruleOf } from './retry.ts'
import type { Answer } from './transport.ts'

/** The end of the layers for a request whose response is read whole, and checked. */
export function wholeEnd(here: Here): Send {
  const { service, maxBody } = here
  const head = openHead(here)
  return async <T>(request: HttpRequest<T>) => {
    const answer = await head(request)
    const facts = { status: answer.status, ...placeOf(service, request) }
    const most = Math.min(maxBody, answer.status < 300 ? constants.MAX_STRING_LENGTH : largestError)
    const whole = readWhole(answer.body, most, facts)
    const tooLarge = (error: unknown) => {
      if (answer.status < 300 || !(error instanceof TugError)) throw error
      const failure = failureOf(service, failedAnswer(here, request, answer, ''))
      throw failure.with({ message: `${failure.message}, and ${error.message}`, reason: 'body_too_large' })
    }
    const response = new WholeResponse<T>(answer, whole instanceof Promise ? await whole.catch(tooLarge) : whole, {
      place: facts,
      parse: request.parseAsDoubles === true ? parseJsonPlain : parseJson,
      failure(body) {
        const failure = failureOf(service, failedAnswer(here, request, answer, body))
        return finalError(failure, request, ruleOf(failure, { hasAnswered: true }), false)
      },
    })
    if (answer.status >= 300) return response
    refuseErrorBody(response)
    checkAnswer(response, request.answers, facts)
    return response
  }
}

/** The end for a request whose response is streamed. */
export function streamEnd(here: Here): (request: HttpRequest) => Promise<HttpStream> {
  const head = openHead(here)
  return async (request) => {
    const answer = await head(request)
    if (answer.status < 300) checkHead(answer, placeOf(here.service, request))
    return { ...answer, body: checkedStream(here, request, answer) }
  }
}

/** Streams the body. The start of a CSV is checked; a broken connection becomes an error. */
async function* checkedStream(
  here: Here,
  request: HttpRequest,
  { status, headers, hasEnd, body }: Answer,
): AsyncIterable<Uint8Array> {
  const isCsv = request.answers?.form === 'csv' && status < 300
  const facts = { ...placeOf(here.service, request), status }
  try {
    const pieces = limited(body, here.maxBody, facts)
    if (isCsv) {
      const { wholeCsv } = await import('./whole-csv.ts')
      yield* wholeCsv(pieces, { hasEnd, facts, check: (start) => refuseOtherThanCsv(start, headers, facts) })
    } else yield* pieces
  } catch (error) {
    if (error instanceof TugError) throw error
    throw signalOf(here, request).aborted ? interrupted() : unreachable(here, request, error)
  }
}

/** A success status with nothing but errors inside is not a success. */
function refuseErrorBody(response: HttpResponse): void {
  if (response.body.length > messageSize || !response.text().startsWith('{"errors"')) return
  const value = response.json()
  if (!isObject(value) || 'data' in value || !Array.isArray(value['errors']) || value['errors'].length === 0) return
  throw response.failure().with({ code: 'failed' })
}

/**
 * Sends requests, and gives each response once its head has arrived. Throws the error of one that is not a success, unless the request
 * allows its status.
 */
function openHead(here: Here): (request: HttpRequest) => Promise<Answer> {
  const { service, memory } = here
  const exchange = openExchange(here)
  /** By the content type of the body. */
  const usual: Record<string, Promise<SentHeaders>> = {}

  /** Requests without headers of their own share theirs: they are the same for a whole bulk operation. */
  function headersFor(request: HttpRequest): Promise<SentHeaders> {
    const { headers, token, accept, contentType, body } = request
    if (headers !== undefined || token !== undefined || accept !== undefined) return headersOf(request, here)
    return (usual[body === undefined ? 'none' : (contentType ?? 'usual')] ??= headersOf(request, here))
  }

  return async (request) => {
    const answer = await exchange(request, await headersFor(request))
    memory.isProduct ||= here.dialect === 'neutral' && service.shown(answer.headers) === 'hashicorp'
    const isSuccess = answer.status >= 200 && answer.status < 300
    if (isSuccess || request.allow?.includes(answer.status) === true) return answer
    // A truncated body is used as far as it arrived.
    const most = Math.min(here.maxBody, here.keepsBodies ? largestError : messageSize)
    const body = new TextDecoder().decode(await readAvailable(answer.body, most))
    throw failureOf(service, failedAnswer(here, request, answer, body))
  }
}

/** The error for a request whose server could not be reached. */
export function unreachable({ connection, service, targetFlags, memory }: Here, request: HttpRequest, error: unknown) {
  const place = originOf(connection.address())
  return networkFailure(error, place, targetFlags, memory).with(placeOf(service, request))
}

function failedAnswer(
  { dialect, targetFlags, connection }: Here,
  request: HttpRequest,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  body: string,
): FailedAnswer {
  return {
    request,
    status,
    headers,
    body,
    dialect,
    origin: originOf(connection.address()),
    targetFlags,
    hasToken: connection.hasToken,
  }
}
