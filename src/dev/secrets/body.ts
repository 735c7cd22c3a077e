import { JsonNumber, JsonSyntaxError, entriesOf, isObject, objectFrom, parseJson } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { DevReply, DevRequest } from '../http.ts'
import { errorReply } from './reply.ts'

/** Reading the body of a request to the demo secrets store: one JSON object, within limits (contract a.5, a.10). */

const largest = 32 * 1024 * 1024
const mostStrings = 1000
const deepest = 10_000

export interface SecretsBody {
  readonly value: JsonObject | undefined
  readonly contentType: string | undefined
}

/** The body, or the reply that refuses it. Nothing is read of a GET, LIST or DELETE. */
export function readBody(request: DevRequest): SecretsBody | DevReply {
  const contentType = mediaType(request.headers['content-type'])
  if (!['POST', 'PUT', 'PATCH'].includes(request.method)) return { value: undefined, contentType }
  if (request.body.length > largest) {
    const tooLarge = errorReply(413, 'http: request body too large')
    return { ...tooLarge, headers: { ...tooLarge.headers, connection: 'close' } }
  }
  if (request.method === 'PATCH' && contentType !== 'application/merge-patch+json') {
    if (contentType === undefined) return errorReply(400, 'mime: no media type')
    return errorReply(415, `PATCH requires Content-Type of application/merge-patch+json, provided ${contentType}`)
  }
  const text = request.body.toString('utf8')
  if (contentType === 'application/x-www-form-urlencoded' && !text.startsWith('{')) {
    return { value: objectFrom(new URLSearchParams(text)), contentType }
  }
  const value = decode(text)
  return typeof value === 'string' ? errorReply(400, value) : { value, contentType }
}

function mediaType(header: string | undefined): string | undefined {
  return /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(header ?? '')?.[1]?.toLowerCase()
}

/** The object in the text, nothing when the text is empty or `null`, or the words that say what is wrong. */
function decode(text: string): JsonObject | undefined | string {
  if (text.trim() === '') return undefined
  const refusal = tooComplex(text)
  if (refusal !== undefined) return refusal
  try {
    const value = wellFormed(parseJson(text))
    if (value === null) return undefined
    if (!isObject(value))
      return fault(`json: cannot unmarshal ${kind(value)} into Go value of type map[string]interface {}`)
    return value
  } catch (error) {
    if (error instanceof Overflow)
      return fault(`json: cannot unmarshal number ${error.text} into Go value of type float64`)
    if (!(error instanceof JsonSyntaxError)) throw error
    return fault(
      error.offset >= text.length
        ? 'unexpected EOF'
        : `invalid character '${firstByte(text, error.offset)}' looking for beginning of value`,
    )
  }
}

function fault(reason: string): string {
  return `failed to decode JSON input: ${reason}`
}

/** The server names the byte at which it stopped, as if it were a letter. */
function firstByte(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return Buffer.from(character).subarray(0, 1).toString('latin1')
}

function kind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'number'
}

/** Counts strings (keys as well as values) and nesting. */
function tooComplex(text: string): string | undefined {
  let strings = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '"') {
      strings += 1
      if (strings > mostStrings) return 'refused JSON input due to high complexity: exceeded maximum number of strings'
      at = endOfString(text, at)
    } else if (character === '[' || character === '{') {
      depth += 1
      if (depth > deepest) return fault(`invalid character '${character}' exceeded max depth`)
    } else if (character === ']' || character === '}') {
      depth -= 1
    }
  }
  return undefined
}

/** Where the string that starts at `start` ends. */
function endOfString(text: string, start: number): number {
  let end = start
  let backslashes = 0
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
  } while (backslashes % 2 === 1)
  return end
}

class Overflow extends Error {
  readonly text: string

  constructor(text: string) {
    super(`${text} is beyond a double`)
    this.text = text
  }
}

/** Lone surrogates become U+FFFD; numbers beyond a double are refused. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\uFFFD')
  if (Array.isArray(value)) return value.map(wellFormed)
  if (value instanceof JsonNumber && !Number.isFinite(Number(value.text))) throw new Overflow(value.text)
  if (!isObject(value)) return value
  return objectFrom(entriesOf(value).map(([key, item]) => [key.replace(/\p{Surrogate}/gu, '\uFFFD'), wellFormed(item)]))
}
