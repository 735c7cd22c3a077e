import { randomUUID } from 'node:crypto'
import { JsonNumber, entriesOf, isObject, objectFrom, stringifyJson } from '../../core/json.ts'
import type { Json } from '../../core/json.ts'
import { jsonReply } from '../http.ts'
import type { DevReply } from '../http.ts'
import type { EngineReply } from './engine.ts'

/** The bodies of the demo secrets store (contract a.4, a.5). */

const headers = { 'cache-control': 'no-store' }

/** What even an answer without a body carries. */
export const jsonHeaders = { 'content-type': 'application/json', ...headers }

/** `{"errors": […]}`; an empty list is the store's way to say that nothing is there. */
export function errorReply(status: number, ...errors: readonly string[]): DevReply {
  return jsonReply(status, encode({ errors: [...errors] }), headers)
}

/** The form of a fault found behind the router: policy, unsupported method, several faults in one value. */
export function faultList(faults: readonly string[]): string {
  const heading = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return `${heading} occurred:\n${faults.map((fault) => `\t* ${fault}\n`).join('')}\n`
}

/** The method does not belong to the route. */
export const unsupportedOperation: EngineReply = { status: 405, errors: [faultList(['unsupported operation'])] }

/** A plain JSON body without an envelope, as the health routes send it. */
export function bareReply(status: number, value: Json): DevReply {
  return jsonReply(status, encode(value), headers)
}

/** Answer of an engine → reply: verbatim, errors, nothing, or an envelope. `beside` repeats members of `data` in it. */
export function toReply(answer: EngineReply, beside: Readonly<Record<string, Json>> = {}): DevReply {
  if (answer.raw !== undefined) return answer.raw
  if (answer.errors !== undefined) return errorReply(answer.status, ...answer.errors)
  if (answer.data === undefined && answer.warnings === undefined) {
    return answer.status >= 400 ? errorReply(answer.status) : { status: answer.status, headers: jsonHeaders }
  }
  // An envelope that carries a failure lacks the newline.
  const body = answer.status < 400 ? envelope(answer, beside) : envelope(answer, beside).trimEnd()
  return jsonReply(answer.status === 204 ? 200 : answer.status, body, headers)
}

function envelope(answer: EngineReply, beside: Readonly<Record<string, Json>>): string {
  return encode({
    ...beside,
    request_id: randomUUID(),
    lease_id: '',
    renewable: false,
    lease_duration: answer.lease ?? 0,
    data: sorted(answer.data ?? null),
    wrap_info: null,
    warnings: answer.warnings === undefined ? null : [...answer.warnings],
    auth: null,
  })
}

/** The server's encoder ends a body with a newline and writes what HTML minds as escapes. */
function encode(value: Json): string {
  const text = stringifyJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** Maps lose their order on the server: keys come sorted bytewise. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return objectFrom(
    entriesOf(value)
      .toSorted(([a], [b]) => compareBytes(a, b))
      .map(([key, item]) => [key, sorted(item)]),
  )
}

/** Order of two texts by their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** A time as RFC 3339 in UTC without trailing zeros. */
export function timeText(time: Date): string {
  return time.toISOString().replace(/\.?0+Z$/, 'Z')
}

/** What reading a number of a version 2 secret does to it: it passes through a double (contract a.9). */
export function throughDouble(value: Json): Json {
  if (Array.isArray(value)) return value.map(throughDouble)
  if (isObject(value)) return objectFrom(entriesOf(value).map(([key, item]) => [key, throughDouble(item)]))
  if (!(value instanceof JsonNumber)) return value
  const number = Number(value.text)
  return Object.is(number, -0) ? new JsonNumber('-0') : number
}
