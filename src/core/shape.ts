import { isAwaited } from './answer.ts'
import type { Json, JsonObject } from './json.ts'
import { entriesOf, isNumber, isObject } from './json.ts'

/**
 * What a value in an answer must look like. Endpoints declare the members without which an answer proves nothing; members
 * that a server may omit or add are not mentioned.
 */
export type Shape =
  | { readonly kind: 'any' | 'text' | 'filled' }
  | { readonly kind: 'count'; readonly least: number }
  | {
      readonly kind: 'object'
      readonly members: Readonly<Record<string, Shape>>
      /** At least one of these must be there. */
      readonly oneOf?: readonly string[]
    }
  | { readonly kind: 'array'; readonly of: Shape }
  | { readonly kind: 'map'; readonly of: Shape; readonly keys?: RegExp }
  | { readonly kind: 'nullable'; readonly of: Shape }

/**
 * What a successful answer is: JSON of a shape (`mayBeEmpty`: or no body at all, for writes that some servers answer and
 * others do not); nothing; CSV; or a switch of protocols.
 */
export type AnswerForm =
  | { readonly form: 'json'; readonly shape: Shape; readonly mayBeEmpty?: boolean }
  | { readonly form: 'nothing' }
  | { readonly form: 'csv' }
  | { readonly form: 'upgrade' }

export const any: Shape = { kind: 'any' }
export const text: Shape = { kind: 'text' }
/** A text that isn't empty. */
export const filled: Shape = { kind: 'filled' }

/** A whole number. */
export function count(least = 0): Shape {
  return { kind: 'count', least }
}

/** An object with at least these members; a name that ends in `?` may be absent or null. */
export function object(members: Readonly<Record<string, Shape>> = {}): Shape {
  return { kind: 'object', members }
}

/** An object with at least one of these members, enough to tell it from another object; those that are there have the shape. */
export function objectWith(oneOf: Readonly<Record<string, Shape>>): Shape {
  const members = Object.entries(oneOf).map(([key, of]) => [`${key}?`, of])
  return { kind: 'object', members: Object.fromEntries(members) as Record<string, Shape>, oneOf: Object.keys(oneOf) }
}

/** An object whose every value has the shape, and every key matches `keys`. */
export function map(of: Shape = any, keys?: RegExp): Shape {
  return { kind: 'map', of, ...(keys === undefined ? {} : { keys }) }
}

export function array(of: Shape = any): Shape {
  return { kind: 'array', of }
}

/** The shape, or null. */
export function nullable(of: Shape): Shape {
  return { kind: 'nullable', of }
}

/** An answer in JSON. */
export function json(shape: Shape): AnswerForm {
  return { form: 'json', shape }
}

/** An answer in JSON, or an empty one. */
export function jsonOrEmpty(shape: Shape): AnswerForm {
  return { form: 'json', shape, mayBeEmpty: true }
}

/** What an answer that is a list has as items. */
export function itemShape(answers: AnswerForm | undefined): Shape {
  const list = answers?.form === 'json' ? answers.shape : any
  const items = list.kind === 'nullable' ? list.of : list
  return items.kind === 'array' ? items.of : any
}

/**
 * How a value differs from a shape, as the rest of a sentence about the answer: `has no .data.keys`; undefined if it fits. A
 * placeholder of `--dry-run` fits every shape.
 */
export function mismatch(value: Json, shape: Shape, place = ''): string | undefined {
  if (isAwaited(value)) return undefined
  switch (shape.kind) {
    case 'any':
      return undefined
    case 'text':
      return typeof value === 'string' ? undefined : differs(value, 'a text', place)
    case 'filled':
      return typeof value === 'string' && value !== '' ? undefined : differs(value, 'a text', place)
    case 'count':
      return isCount(value, shape.least) ? undefined : differs(value, `a whole number from ${shape.least}`, place)
    case 'nullable':
      return value === null ? undefined : mismatch(value, shape.of, place)
    case 'array':
      return Array.isArray(value) ? itemMismatch(value, shape.of, place) : differs(value, 'an array', place)
    case 'map':
      return isObject(value) ? valueMismatch(value, shape, place) : differs(value, 'an object', place)
    case 'object':
      return isObject(value) ? membersMismatch(value, shape, place) : differs(value, 'an object', place)
    default:
      return shape satisfies never
  }
}

function itemMismatch(items: readonly Json[], of: Shape, place: string): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = mismatch(item, of, `${place}[${index}]`)
    if (found !== undefined) return found
  }
  return undefined
}

/** True for a whole number, however large. */
function isCount(value: Json, least: number): boolean {
  return isNumber(value) && Number.isInteger(value.valueOf()) && value.valueOf() >= least
}

function valueMismatch(value: JsonObject, { of, keys }: Shape & { kind: 'map' }, place: string): string | undefined {
  for (const [key, item] of entriesOf(value)) {
    if (keys?.test(key) === false) return place === '' ? 'has an unexpected key' : `has an unexpected key in ${place}`
    const found = mismatch(item, of, `${place}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function membersMismatch(value: JsonObject, shape: Shape & { kind: 'object' }, place: string): string | undefined {
  if (shape.oneOf?.every((name) => !Object.hasOwn(value, name)) === true)
    return `has none of ${shape.oneOf.map((name) => `${place}.${name}`).join(', ')}`
  for (const [name, of] of Object.entries(shape.members)) {
    const found = memberMismatch(value, name, of, place)
    if (found !== undefined) return found
  }
  return undefined
}

function memberMismatch(value: JsonObject, name: string, of: Shape, place: string): string | undefined {
  const optional = name.endsWith('?')
  const key = optional ? name.slice(0, -1) : name
  const member = Object.hasOwn(value, key) ? value[key] : undefined
  if (optional && (member === undefined || member === null)) return undefined
  return member === undefined ? `has no ${place}.${key}` : mismatch(member, of, `${place}.${key}`)
}

function differs(value: Json, expected: string, place: string): string {
  const found = kindOf(value)
  return place === '' ? `is ${found}, not ${expected}` : `has ${found} at ${place}, not ${expected}`
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  if (typeof value === 'boolean') return `${value}`
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  return Number(value) <= 0 ? 'zero or less' : 'a number'
}
