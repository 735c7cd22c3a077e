import type { Json } from './json.ts'
import { entriesOf, isNumber, isObject, JsonNumber, withEntries } from './json.ts'

/**
 * Replaces answers that don't exist in a `--dry-run`, and reads the parts of an answer that have no declared shape: secrets,
 * meta, the explorer's rows.
 */

/** Marks a placeholder. */
const source = Symbol('the request whose answer would have this value')

/** Where a placeholder's value would come from. */
interface Source {
  readonly request: number
  /** `.data.version`, or '' for the whole answer. */
  readonly path: string
}

/**
 * Stands for a value that only the server knows. A member of it is a placeholder too; in text and JSON it is `<from request 1:
 * .data.version>`. What needs the value itself (a number, an iteration, a method) throws {@link DryRunEnd}.
 */
export interface Placeholder {
  readonly [source]: Source
}

/** A placeholder for the answer to the given request, counted from 1, or for its member at `path`. */
export function placeholder(request: number, path = ''): Placeholder {
  const name = () => `<from request ${request}: ${path === '' ? '.' : path}>`
  return new Proxy(() => undefined, {
    get(_, key) {
      if (key === source) return { request, path } satisfies Source
      if (key === 'toString' || key === 'toJSON') return name
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? name() : end())
      // What `await` asks.
      if (key === 'then') return undefined
      return typeof key === 'symbol' || key === 'length' ? end() : placeholder(request, `${path}.${key}`)
    },
    apply: end,
    has: (_, key) => key === source || key === 'toJSON' || end(),
    ownKeys: end,
    getOwnPropertyDescriptor: end,
  }) as unknown as Placeholder
}

/** Ends a dry run: the next step depends on an answer that was never requested. */
export class DryRunEnd extends Error {}

function end(): never {
  throw new DryRunEnd()
}

/** True for a value that only the server knows (`--dry-run`). */
export function isPlaceholder(value: unknown): value is Placeholder {
  return typeof value === 'function' && source in value
}

/** The value, if the program needs it to continue. Throws {@link DryRunEnd} for a placeholder of `--dry-run`. */
export function known<T>(value: T): T {
  if (isPlaceholder(value)) throw new DryRunEnd()
  return value
}

/** Checks a value once it is known; `--dry-run` skips the check. */
export function ifKnown<T>(value: T, check: (value: T) => void): void {
  if (!isPlaceholder(value)) check(value)
}

/** What `read` makes of an answer; in a `--dry-run` a placeholder that names it as this place of the answer. */
export function orPlaceholder<T>(answer: unknown, place: string, read: () => T): T | Json {
  return isPlaceholder(answer) ? (at(answer as unknown as Json, place) as Json) : read()
}

/** What `make` makes of a value; with `--dry-run`, `otherwise` makes it of the placeholder that the value may be. */
export function whenKnown<T, R>(value: T, make: (value: T) => R, otherwise: (placeholder: T) => R): R {
  return isPlaceholder(value) ? otherwise(value) : make(value)
}

/** A typed part of an answer, to be shown or sent back: it still is the lossless JSON from which it was read. */
export function asJson(value: unknown): Json {
  return value as Json
}

/** The value at a path of an answer; undefined if there is none. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let found: unknown = value
  for (const key of keys) {
    if (isPlaceholder(found)) found = placeholder(found[source].request, `${found[source].path}.${key}`)
    else if (isObject(found)) found = Object.hasOwn(found, key) ? found[key] : undefined
    else return undefined
  }
  return found as Json | undefined
}

/** The object with these members changed; a placeholder of `--dry-run` is returned unchanged. */
export function changed(value: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  return isObject(value) ? withEntries(value, changes) : value
}

/** The items of an array at a path; none if it isn't an array. */
export function items(value: Json | undefined, ...keys: readonly string[]): Json[] {
  const found = known(at(value, ...keys))
  return Array.isArray(found) ? found : []
}

/** The entries of a map at a path, in source order; none if it isn't a map. */
export function entries(value: Json | undefined, ...keys: readonly string[]): [string, Json][] {
  const found = known(at(value, ...keys))
  return isObject(found) ? entriesOf(found) : []
}

/** The text at a path: a string, or a number's digits; undefined for anything else. */
export function text(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys)
  if (typeof found === 'string') return found
  return isNumber(found) || isPlaceholder(found) ? String(found) : undefined
}

/** The number at a path, as a double; undefined if there is none. */
export function number(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = known(at(value, ...keys))
  if (typeof found === 'number') return found
  return found instanceof JsonNumber ? found.valueOf() : undefined
}

/** The server's warnings in an answer (`warnings`). */
export function warningsIn(body: Json | undefined): string[] {
  if (isPlaceholder(body)) return []
  return items(body, 'warnings').filter((warning) => typeof warning === 'string')
}
