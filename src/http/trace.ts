import { formatSpan } from '../core/duration.ts'
import type { Json } from '../core/json.ts'
import { entriesOf, isObject, objectFrom, stringifyJson, withEntries } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Answer } from './transport.ts'
import { isSecretHeader, withoutUrlSecrets } from '../core/secret-names.ts'

/** Prints requests and responses (`--trace`). */
export interface Trace {
  request(request: HttpRequest, url: string, headers: Readonly<Record<string, string>>): void
  /** `milliseconds`: until the headers. */
  answer(answer: Answer, milliseconds: number): void
}

/**
 * Passes the lines of `--trace` to `line`. Secret headers and the secret paths of a request's body are masked. Response bodies are never
 * traced: they may contain secrets. A proxy or plugin may repeat those in a header, before the command has registered them, so only
 * headers about the response itself are shown.
 */
export function createTrace(line: (line: string) => void): Trace {
  return {
    request(request, url, headers) {
      line(`> ${request.method} ${url}`)
      for (const [name, value] of Object.entries(headers)) line(`> ${name}: ${shownHeader(name, value)}`)
      if (request.body !== undefined) line(`> ${stringifyJson(maskedBody(request))}`)
    },
    answer({ status, headers }, milliseconds) {
      line(`< ${status} after ${formatSpan(milliseconds)}`)
      for (const [name, value] of Object.entries(headers))
        line(`< ${name}: ${aboutResponse.test(name) ? shownHeader(name, value) : '<redacted>'}`)
    },
  }
}

const aboutResponse =
  /^(?:age|allow|cache-control|connection|content-(?:encoding|length|type)|date|etag|expires|keep-alive|last-modified|location|retry-after|server|strict-transport-security|transfer-encoding|upgrade|vary|via|(?:x-)?ratelimit-[\w-]+|(?:x-)?request-id|tfp-[\w-]+|x-(?:nomad|scheduler)-(?:index|knownleader|lastcontact|nexttoken)|x-tfe-version)$/i

/** A header's value with secrets and the passwords of URLs redacted. */
function shownHeader(name: string, value: string): string {
  return isSecretHeader(name) ? '<redacted>' : withoutUrlSecrets(value)
}

/** The body with every leaf below the secret paths, and every password of a URL, replaced by `<redacted>`. */
export function maskedBody(request: HttpRequest): Json {
  let masked = request.body ?? null
  for (const place of request.secretBody ?? []) masked = maskAt(masked, place === '' ? [] : place.split('.'))
  return maskUrls(masked)
}

function maskAt(value: Json, keys: readonly string[]): Json {
  const [key, ...deeper] = keys
  if (key === undefined) return maskLeaves(value)
  if (key === '*') return mapInside(value, (item) => maskAt(item, deeper))
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  return withEntries(value, { [key]: maskAt(value[key] as Json, deeper) })
}

function mapInside(value: Json, change: (item: Json) => Json): Json {
  if (Array.isArray(value)) return value.map(change)
  if (!isObject(value)) return value
  return objectFrom(entriesOf(value).map(([key, item]): [string, Json] => [key, change(item)]))
}

function maskUrls(value: Json): Json {
  return typeof value === 'string' ? withoutUrlSecrets(value) : mapInside(value, maskUrls)
}

/** Every scalar, whatever its key. */
function maskLeaves(value: Json): Json {
  if (value === null) return value
  return Array.isArray(value) || isObject(value) ? mapInside(value, maskLeaves) : '<redacted>'
}

/** The secret paths at which the body has something to mask. */
export function withheldPlaces(request: HttpRequest): string[] {
  const body = request.body ?? null
  const masks = (place: string) =>
    stringifyJson(maskAt(body, place === '' ? [] : place.split('.'))) !== stringifyJson(body)
  return (request.secretBody ?? []).filter(masks)
}
