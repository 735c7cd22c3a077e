import { usageError } from '../core/errors.ts'
import { isObject, jsonOrNothing } from '../core/json.ts'
import { isTokenHeader } from '../core/secret-names.ts'

/** Transport headers, set by the HTTP client. */
const framing =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

/** Headers that every request already has, in any dialect. */
const ofEveryRequest =
  /^(?:accept|content-type|user-agent|x-vault-request|x-(?:secrets|vault)-namespace|x-(?:secrets|vault)-wrap-ttl)$/i

/** A header `name: value`. Throws RangeError, without the value. */
export function readHeader(text: string): [name: string, value: string] {
  const found = /^([\w!#$%&'*+.^`|~-]+):\s*([^\r\n\0]*)$/.exec(text)
  if (found === null) throw new RangeError("a header must be 'name: value'")
  const [, name = '', value = ''] = found
  if (isTokenHeader(name)) throw new RangeError(`${name} is the token: pass it with --token-file or its variable`)
  if (framing.test(name)) throw new RangeError(`${name} belongs to the connection, which tug manages`)
  return [name, value]
}

/** A header to send with each request. Throws RangeError for one that tug sets itself. */
export function readOwnHeader(text: string): [name: string, value: string] {
  const [name, value] = readHeader(text)
  if (ofEveryRequest.test(name)) throw new RangeError(`${name} is set by tug itself`)
  return [name, value]
}

/** `VAULT_HEADERS`, a JSON object of strings or arrays of strings, as lines. Throws a usage error that names the source. */
export function headerLines(text: string, source: string): string {
  const headers = jsonOrNothing(text)
  const lines = isObject(headers)
    ? Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    : undefined
  if (lines === undefined || lines.some(([, value]) => typeof value !== 'string'))
    throw usageError(`${source} is not a JSON object of names and values`)
  return lines.map(([name, value]) => `${name}: ${String(value)}`).join('\n')
}

/** One header per name; several values are joined. A later list overrides the names of an earlier one. */
export function mergedHeaders(
  lists: readonly (readonly (readonly [name: string, value: string])[])[],
): Readonly<Record<string, string>> {
  const found = new Map<string, readonly [name: string, value: string]>()
  for (const list of lists) {
    for (const [name] of list) found.delete(name.toLowerCase())
    for (const [name, value] of list) {
      const [, earlier] = found.get(name.toLowerCase()) ?? []
      found.set(name.toLowerCase(), [name, earlier === undefined ? value : `${earlier}, ${value}`])
    }
  }
  return Object.fromEntries(found.values())
}
