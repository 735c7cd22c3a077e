import { isUtf8 } from 'node:buffer'
import type { HttpResponse } from '../core/connection.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { jsonOrNothing, parseJson } from '../core/json.ts'
import type { AnswerForm } from '../core/shape.ts'
import { mismatch } from '../core/shape.ts'
import { plural } from '../core/words.ts'
import { isHtml, messageSize } from './failure.ts'
import type { Answer, Body } from './transport.ts'

/** The chunks of a body. Throws once it exceeds `most` bytes. */
export async function* limited(body: Body, most: number, facts: ErrorFacts): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > most) throw tooLarge(most, facts)
    yield piece
  }
}

/** A body as one chunk. Throws if it exceeds `most` bytes. */
export function readWhole(body: Body, most = Infinity, facts: ErrorFacts = {}): Uint8Array | Promise<Uint8Array> {
  const arrived = body.arrived?.()
  const only = arrived?.length === 1 ? arrived[0] : undefined
  return only !== undefined && only.length <= most ? only : readPieces(body, most, facts)
}

async function readPieces(body: Body, most: number, facts: ErrorFacts): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of limited(body, most, facts)) pieces.push(piece)
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
}

function tooLarge(most: number, facts: ErrorFacts): TugError {
  return new TugError('failed', `the response is larger than ${plural(most, 'byte')}`, {
    ...facts,
    reason: 'body_too_large',
    hints: (facts.status ?? 0) < 300 ? ['--max-body <bytes> allows larger ones'] : [],
  })
}

/** Maximum bytes of an error body that is printed as a result. */
export const largestError = 1024 * 1024

/** As much of a body as arrives, up to a limit: an error message is useful even if truncated. */
export async function readAvailable(body: AsyncIterable<Uint8Array>, most = messageSize): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of body) {
      pieces.push(piece)
      size += piece.length
      if (size >= most) break
    }
  } catch {
    // The status is known; use the text so far.
  }
  return Buffer.concat(pieces).subarray(0, most)
}

/** Reads a body as JSON. */
type Parse = (text: string) => Json

/** How to read a body. */
interface ResponseOptions {
  /** The response's name in errors about its body. */
  readonly place: ErrorFacts
  readonly parse: Parse
  /** The error for a response with such a body. */
  readonly failure: (body: string) => TugError
}

const decoder = new TextDecoder()

/** A response with its body, which is parsed at most once. */
export class WholeResponse<T> implements HttpResponse<T> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly #options: ResponseOptions
  #text: string | undefined
  #parsed: { readonly value: Json } | undefined

  constructor({ status, headers }: Answer, body: Uint8Array, options: ResponseOptions) {
    this.status = status
    this.headers = headers
    this.body = body
    this.#options = options
  }

  text(): string {
    return (this.#text ??= decoder.decode(this.body))
  }

  get value(): T {
    if (this.status >= 300) throw new Error(`the response with status ${this.status} has no value`)
    return this.json() as T
  }

  json(): Json {
    if (this.#parsed === undefined) {
      const { place, parse } = this.#options
      if (!isUtf8(this.body)) throw unexpectedResponse('the response is not valid UTF-8', place)
      this.#parsed = { value: parseBody(this.text(), this.headers, place, parse) }
    }
    return this.#parsed.value
  }

  failure(): TugError {
    return this.#options.failure(this.text())
  }
}

/** A body as JSON; null for an empty one. Throws with reason `unexpected_response` for anything else, for example a web page. */
export function parseBody(
  content: string,
  headers: Readonly<Record<string, string>>,
  place: ErrorFacts,
  parse: Parse = parseJson,
): Json {
  if (content.trim() === '') return null
  try {
    return parse(content)
  } catch (error) {
    if (isHtml({ headers: {}, body: content }))
      throw unexpectedResponse('the response is an HTML page, not JSON', place)
    const type = headers['content-type'] ?? 'no content type'
    throw unexpectedResponse(`the response is not JSON (${type}): ${(error as Error).message}`, place)
  }
}

/**
 * Rejects a malformed success: a body that doesn't match the endpoint, a partial body, an encoding that wasn't requested. Throws with
 * reason `unexpected_response`.
 */
export function checkAnswer(response: HttpResponse, form: AnswerForm | undefined, place: ErrorFacts): void {
  checkHead(response, place)
  const difference = form === undefined ? undefined : differenceOf(response, form)
  if (difference !== undefined) throw unexpectedResponse(`the response ${difference}`, place)
}

/** The part of the check that needs no body. */
export function checkHead({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>, place: ErrorFacts): void {
  if (status === 206) throw unexpectedResponse('the response is partial (206)', place)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw unexpectedResponse(`the response is encoded as ${encoding}, which was not requested`, place)
}

function differenceOf(response: HttpResponse, form: AnswerForm): string | undefined {
  switch (form.form) {
    case 'json':
      if (response.text().trim() !== '') return mismatch(response.json(), form.shape)
      return form.mayBeEmpty === true ? undefined : 'is empty'
    case 'any':
      return isHtml({ headers: response.headers, body: response.text() }) ? 'is an HTML page' : undefined
    case 'nothing':
      return response.text().trim() === '' ? undefined : 'has an unexpected body'
    case 'csv':
      return csvDifference(response.text().slice(0, 1000), response.headers)
    case 'upgrade':
      return undefined
    default:
      return form satisfies never
  }
}

/** Throws with reason `unexpected_response` for the start of a body that is not CSV. */
export function refuseOtherThanCsv(start: string, headers: Readonly<Record<string, string>>, place: ErrorFacts): void {
  const difference = csvDifference(start, headers)
  if (difference !== undefined) throw unexpectedResponse(`the response ${difference}`, place)
}

/** The first field of a header line. */
const csvHeader = /^\ufeff?("?)[\w-]+\1(?:,|\r?\n|$)/

/**
 * How the start of a body differs from CSV; undefined for CSV. The specification doesn't define the content type, so HTML and JSON
 * types are only a reason to require a header line.
 */
function csvDifference(start: string, headers: Readonly<Record<string, string>>): string | undefined {
  const type = headers['content-type'] ?? ''
  const hasHeader = csvHeader.test(start) && jsonOrNothing(start) === undefined
  if (isHtml({ headers: hasHeader ? {} : headers, body: start })) return 'is an HTML page, not CSV'
  if (/^\s*[[{]/.test(start) || (type.includes('json') && !hasHeader)) return 'is JSON, not CSV'
  if (start.trim() === '') return 'is empty: a CSV has at least a header line'
  return undefined
}

/** The error for a malformed response. */
export function unexpectedResponse(message: string, place: ErrorFacts): TugError {
  return new TugError('failed', message, {
    ...place,
    reason: 'unexpected_response',
    hints: ['is the address right? A proxy or login page may be in front of the service'],
  })
}
