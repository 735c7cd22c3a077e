import { isPlaceholder } from '../core/answer.ts'
import { entriesOf, isObject, objectFrom, stringifyJson, withEntries } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { requestTarget } from '../core/request.ts'
import { withoutUrlSecrets } from '../core/secret-names.ts'
import { shellQuote } from '../core/shell.ts'

/**
 * A curl line that sends the request. `auth` are header lines in double quotes, so the token stays a
 * shell variable; the path is appended to `base`.
 */
export function toCurl(
  request: HttpRequest,
  options: { base: string; socket?: string; headers: readonly (readonly [string, string])[]; auth: readonly string[] },
): string {
  const words = ['curl', '-X', request.method]
  if (options.socket !== undefined) words.push('--unix-socket', shellQuote(options.socket))
  words.push(shellQuote(options.base + requestTarget(request)))
  for (const line of options.auth) words.push('-H', `"${line}"`)
  for (const [name, value] of options.headers) words.push('-H', shellQuote(`${name}: ${value}`))
  if (request.body !== undefined) words.push('--data-binary', shellQuote(stringifyJson(maskedBody(request))))
  return words.join(' ')
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
  if (isPlaceholder(value) || !isObject(value)) return value
  return objectFrom(entriesOf(value).map(([key, item]): [string, Json] => [key, change(item)]))
}

function maskUrls(value: Json): Json {
  return typeof value === 'string' ? withoutUrlSecrets(value) : mapInside(value, maskUrls)
}

/** Every scalar, whatever its key; values from later answers stay readable. */
function maskLeaves(value: Json): Json {
  if (value === null || isPlaceholder(value)) return value
  return Array.isArray(value) || isObject(value) ? mapInside(value, maskLeaves) : '<redacted>'
}

/** The secret paths at which the body has something to mask. */
export function withheldPlaces(request: HttpRequest): string[] {
  const body = request.body ?? null
  const masks = (place: string) =>
    stringifyJson(maskAt(body, place === '' ? [] : place.split('.'))) !== stringifyJson(body)
  return (request.secretBody ?? []).filter(masks)
}
