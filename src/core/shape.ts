import type { Json, JsonNumber, JsonObject } from './json.ts'
import { isNumber, isObject, keysOf } from './json.ts'

declare const inferred: unique symbol

/** How a value is checked. */
type Check =
  | { readonly kind: 'any' | 'string' | 'filled' | 'boolean' }
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
  | { readonly kind: 'integer'; readonly least: number }
  | {
      readonly kind: 'object'
      /** Created on first use, because a shape may be recursive. */
      readonly members: () => readonly Member[]
      /** At least one of these must exist. */
      readonly oneOf?: readonly string[]
    }
  | { readonly kind: 'array'; readonly of: Shape }
  | { readonly kind: 'map'; readonly of: Shape; readonly keys?: RegExp }
  | { readonly kind: 'nullable'; readonly of: Shape }

interface Member {
  readonly key: string
  /** May be absent or null. */
  readonly optional: boolean
  readonly of: Shape
}

/**
 * What a value in a response must look like, and through {@link Infer} the type of a checked value. Endpoints declare
 * the members that a command reads; what a server may omit is optional, and members that no command reads are not mentioned.
 */
export type Shape<T = unknown> = Check & { readonly [inferred]?: T }

/** The type of a value that has a shape: `type Job = Infer<typeof job>`. */
export type Infer<S> = S extends { readonly [inferred]?: infer T } ? Exclude<T, undefined> : never

type Members = Readonly<Record<string, Shape>>

/** An object's type: a name that ends in `?` may be absent or null. */
type Typed<M extends Members> = {
  readonly [K in keyof M as K extends `${string}?` ? never : K]: Infer<M[K]>
} & {
  readonly [K in keyof M as K extends `${infer Name}?` ? Name : never]?: Infer<M[K]> | null | undefined
}

type AllOptional<M extends Members> = { readonly [K in keyof M]?: Infer<M[K]> | null | undefined }

/** Displays an intersection as one object type. */
type Flat<T> = { [K in keyof T]: T[K] }

/**
 * The body of a successful response: JSON of a shape (`mayBeEmpty`: or no body, for writes to which only some servers return one);
 * anything except a web page, if the specification doesn't define it; nothing; CSV; or a protocol switch.
 */
export type AnswerForm<T = unknown> = (
  | { readonly form: 'json'; readonly shape: Shape; readonly mayBeEmpty?: boolean }
  | { readonly form: 'any' | 'nothing' | 'csv' | 'upgrade' }
) & { readonly [inferred]?: T }

/** Any JSON; its parts are read by name (`core/answer.ts`). */
export const any: Shape<Json> = { kind: 'any' }
export const string: Shape<string> = { kind: 'string' }
/** A string that isn't empty. */
export const filled: Shape<string> = { kind: 'filled' }
export const boolean: Shape<boolean> = { kind: 'boolean' }

/** An integer that a double represents exactly. If work or memory grows with it, bound it with `most`. */
export function count(least = 0, most = Number.MAX_SAFE_INTEGER): Shape<number> {
  return { kind: 'count', least, most }
}

/** An integer of any size, such as an index or nanoseconds; a {@link JsonNumber} if a double cannot represent it. */
export function integer(least = Number.NEGATIVE_INFINITY): Shape<number | JsonNumber> {
  return { kind: 'integer', least }
}

/** An object with at least these members; a name that ends in `?` may be absent or null. */
export function object<const M extends Members>(members: M): Shape<Flat<Typed<M>>> {
  return { kind: 'object', members: membersOf(members) }
}

function membersOf(members: Members, others: readonly Member[] = []): () => readonly Member[] {
  let made: readonly Member[] | undefined
  return () =>
    (made ??= [
      ...others,
      ...Object.entries(members).map(([name, of]) => {
        const optional = name.endsWith('?')
        return { key: optional ? name.slice(0, -1) : name, optional, of }
      }),
    ])
}

/**
 * An object with at least one of these members, enough to recognize it; existing members have their shapes, as do the `others`.
 */
export function objectWith<const M extends Members>(oneOf: M): Shape<Flat<AllOptional<M>>>
export function objectWith<const M extends Members, const O extends Members>(
  oneOf: M,
  others: O,
): Shape<Flat<AllOptional<M> & Typed<O>>>
export function objectWith(oneOf: Members, others: Members = {}): Shape {
  const members = Object.entries(oneOf).map(([key, of]) => ({ key, optional: true, of }))
  return { kind: 'object', members: membersOf(others, members), oneOf: Object.keys(oneOf) }
}

/** An object with values of one shape, and keys that match `keys`. */
export function map<T = Json>(of: Shape<T> = any as Shape<T>, keys?: RegExp): Shape<Readonly<Record<string, T>>> {
  return { kind: 'map', of, ...(keys === undefined ? {} : { keys }) }
}

export function array<T = Json>(of: Shape<T> = any as Shape<T>): Shape<readonly T[]> {
  return { kind: 'array', of }
}

/** The shape, or null. */
export function nullable<T>(of: Shape<T>): Shape<T | null> {
  return { kind: 'nullable', of }
}

/** A JSON response. */
export function json<T>(shape: Shape<T>): AnswerForm<T> {
  return { form: 'json', shape }
}

/** A JSON response, or an empty one, which counts as null. */
export function jsonOrEmpty<T>(shape: Shape<T>): AnswerForm<T | null> {
  return { form: 'json', shape, mayBeEmpty: true }
}

/** Any response except a web page: every 2xx is a success. */
export const anyAnswer: AnswerForm = { form: 'any' }

/** The item type of a list response. */
export function itemShape(answers: AnswerForm | undefined): Shape {
  const list = answers?.form === 'json' ? answers.shape : any
  const items = list.kind === 'nullable' ? list.of : list
  return items.kind === 'array' ? items.of : any
}

/** How a value differs from a shape, as a predicate: `has no .data.keys`; undefined if it matches. */
export function mismatch(value: Json, shape: Shape, place = ''): string | undefined {
  const found = difference(value, shape)
  return found?.problem(`${place}${found.place}`)
}

/** What doesn't match. Most values do, so the location is only built while unwinding. */
interface Difference {
  /** Such as `.data[3].keys`. */
  readonly place: string
  readonly problem: (place: string) => string
}

function difference(value: Json, shape: Shape): Difference | undefined {
  switch (shape.kind) {
    case 'any':
      return undefined
    case 'string':
      return typeof value === 'string' ? undefined : differs(value, 'a string')
    case 'filled':
      if (value === '')
        return here((place) => (place === '' ? 'is an empty string' : `has an empty string at ${place}`))
      return typeof value === 'string' ? undefined : differs(value, 'a string')
    case 'boolean':
      return typeof value === 'boolean' ? undefined : differs(value, 'true or false')
    case 'count':
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= shape.least && value <= shape.most)
        return undefined
      return differs(
        value,
        `a whole number from ${shape.least}${shape.most === Number.MAX_SAFE_INTEGER ? '' : ` to ${shape.most}`}`,
      )
    case 'integer':
      if (isNumber(value) && Number.isInteger(value.valueOf()) && value.valueOf() >= shape.least) return undefined
      return differs(value, Number.isFinite(shape.least) ? `a whole number from ${shape.least}` : 'a whole number')
    case 'nullable':
      return value === null ? undefined : difference(value, shape.of)
    case 'array':
      return Array.isArray(value) ? itemDifference(value, shape.of) : differs(value, 'an array')
    case 'map':
      return isObject(value) ? valueDifference(value, shape) : differs(value, 'an object')
    case 'object':
      return isObject(value) ? memberDifference(value, shape) : differs(value, 'an object')
    default:
      return shape satisfies never
  }
}

function itemDifference(items: readonly Json[], of: Shape): Difference | undefined {
  for (let index = 0; index < items.length; index++) {
    const found = difference(items[index] as Json, of)
    if (found !== undefined) return inside(`[${index}]`, found)
  }
  return undefined
}

function valueDifference(value: JsonObject, { of, keys }: Check & { kind: 'map' }): Difference | undefined {
  if (of.kind === 'any' && keys === undefined) return undefined
  for (const key of keysOf(value)) {
    if (keys?.test(key) === false)
      return here((place) => (place === '' ? 'has an unexpected key' : `has an unexpected key in ${place}`))
    const found = difference(value[key] as Json, of)
    if (found !== undefined) return inside(`.${key}`, found)
  }
  return undefined
}

function memberDifference(value: JsonObject, { members, oneOf }: Check & { kind: 'object' }): Difference | undefined {
  if (oneOf?.every((name) => !Object.hasOwn(value, name)) === true)
    return here((place) => `has none of ${oneOf.map((name) => `${place}.${name}`).join(', ')}`)
  const declared = members()
  for (let index = 0; index < declared.length; index += 1) {
    const { key, optional, of } = declared[index] as Member
    const member = Object.hasOwn(value, key) ? value[key] : undefined
    if (member === undefined || member === null) {
      if (optional) continue
      if (member === undefined) return here((place) => `has no ${place}.${key}`)
    }
    const found = difference(member, of)
    if (found !== undefined) return inside(`.${key}`, found)
  }
  return undefined
}

function inside(place: string, found: Difference): Difference {
  return { place: `${place}${found.place}`, problem: found.problem }
}

function here(problem: Difference['problem']): Difference {
  return { place: '', problem }
}

function differs(value: Json, expected: string): Difference | undefined {
  const found = kindOf(value)
  return here((place) => (place === '' ? `is ${found}, not ${expected}` : `has ${found} at ${place}, not ${expected}`))
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  if (typeof value === 'boolean') return `${value}`
  if (typeof value === 'string') return 'a string'
  return Number(value) <= 0 ? 'zero or less' : 'a number'
}

/**
 * A shape as JSON, for documentation: `{"ID": "string", "Meta?": {"*": "string"}}`. A name that ends in `?` may be absent
 * or null; a shape inside itself is `"object"`.
 */
export function shapeWords(shape: Shape, around: readonly Shape[] = []): Json {
  if (around.includes(shape)) return 'object'
  const words = (inner: Shape) => shapeWords(inner, [...around, shape])
  switch (shape.kind) {
    case 'object':
      return Object.fromEntries(shape.members().map(({ key, optional, of }) => [optional ? `${key}?` : key, words(of)]))
    case 'array':
      return [words(shape.of)]
    case 'map':
      return { '*': words(shape.of) }
    case 'nullable':
      return words(shape.of)
    case 'filled':
      return 'string'
    case 'count':
      return 'integer'
    default:
      return shape.kind
  }
}
