import type { Json } from './json.ts'
import { entriesOf, isNumber, isObject, JsonNumber, withEntries } from './json.ts'

/**
 * Reads answers without trusting their shape, and replaces answers that don't exist in a `--dry-run`: a member of
 * such an answer is an {@link Awaited}, which later requests contain as `<from request 1: .data.version>`.
 */
export class AwaitedValue {
  readonly request: number
  readonly place: string

  constructor(request: number, place: string) {
    this.request = request
    this.place = place
  }

  toString(): string {
    return `<from request ${this.request}: ${this.place === '' ? '.' : this.place}>`
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Ends a dry run: the next step depends on an answer that was never requested. */
export class DryRunEnd extends Error {}

/** The value, if the program needs it to continue. Throws {@link DryRunEnd} for a placeholder of `--dry-run`. */
export function known<T>(value: T): T {
  if (isAwaited(value)) throw new DryRunEnd()
  return value
}

/** Checks a value once it is known; `--dry-run` skips the check. */
export function ifKnown<T>(value: T, check: (value: T) => void): void {
  if (!isAwaited(value)) check(value)
}

/** What `read` makes of an answer; in a `--dry-run` a placeholder that names it as this place of the answer. */
export function orPlaceholder<T>(answer: Json | undefined, place: string, read: () => T): T | Json {
  return isAwaited(answer) ? (at(answer, place) as Json) : read()
}

/** What `make` makes of a value; with `--dry-run`, `otherwise` makes it of the placeholder that the value may be. */
export function whenKnown<T, R>(value: T, make: (value: T) => R, otherwise: (placeholder: T) => R): R {
  return isAwaited(value) ? otherwise(value) : make(value)
}

/** True for a value that only the server knows (`--dry-run`). */
export function isAwaited(value: unknown): value is AwaitedValue {
  return value instanceof AwaitedValue
}

/** The value at a path of an answer; undefined if there is none. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let found: unknown = value
  for (const key of keys) {
    if (isAwaited(found)) found = new AwaitedValue(found.request, `${found.place}.${key}`)
    else if (isObject(found)) found = Object.hasOwn(found, key) ? found[key] : undefined
    else return undefined
  }
  return found as Json | undefined
}

/** The object with other members; a placeholder of `--dry-run` stays as it is. */
export function changed(value: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  return isObject(value) && !isAwaited(value) ? withEntries(value, changes) : value
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
  return isNumber(found) || isAwaited(found) ? String(found) : undefined
}

/** The number at a path, as a double; undefined if there is none. */
export function number(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = known(at(value, ...keys))
  if (typeof found === 'number') return found
  return found instanceof JsonNumber ? found.valueOf() : undefined
}

/** The server's warnings in an answer (`warnings`). */
export function warningsIn(body: Json | undefined): string[] {
  if (isAwaited(body)) return []
  return items(body, 'warnings').filter((warning) => typeof warning === 'string')
}

/** True if the value at the path is `true`. */
export function truth(value: Json | undefined, ...keys: readonly string[]): boolean {
  return known(at(value, ...keys)) === true
}
