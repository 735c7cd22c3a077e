/** What expressions evaluate to, the types of variables, and conversions to them. */

import { objectFrom, type Json } from '../../../core/json.ts'
import { fail } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'

/** A value that cannot be used: it does not fit the type wanted, or a function cannot take it. */
export class ValueError extends Error {}

export type Value = null | boolean | number | string | readonly Value[] | ValueMap

export type ValueMap = ReadonlyMap<string, Value>

export function isMap(value: Value): value is ValueMap {
  return value instanceof Map
}

/** The items of a list or tuple; undefined for everything else. */
export function itemsIn(value: Value): readonly Value[] | undefined {
  return Array.isArray(value) ? (value as readonly Value[]) : undefined
}

/** The value in JSON. Throws {@link ValueError} for an infinite number. */
export function jsonOf(value: Value): Json {
  const items = itemsIn(value)
  if (items !== undefined) return items.map(jsonOf)
  if (isMap(value)) return objectFrom([...value].map(([key, item]): [string, Json] => [key, jsonOf(item)]))
  if (typeof value === 'number' && !Number.isFinite(value)) throw new ValueError('value must be a finite number')
  return value as Json
}

export function typeOf(value: Value): string {
  if (value === null) return 'dynamic'
  if (isMap(value)) return 'object'
  if (typeof value === 'object') return 'tuple'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** The members of objects and tuples are not checked: their type is `any`. */
export type Type =
  | { readonly kind: 'any' | 'string' | 'number' | 'bool' }
  | { readonly kind: 'map' | 'list'; readonly element: Type }

/** `value` as a `type`. Null fits every type. Throws {@link ValueError}. */
export function convert(value: Value, type: Type): Value {
  if (value === null) return value
  switch (type.kind) {
    case 'any':
      return value
    case 'string':
      return typeof value === 'object' ? mismatch(value, type) : String(value)
    case 'number':
      if (typeof value !== 'string') return typeof value === 'number' ? value : mismatch(value, type)
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw new ValueError('a number is required')
      return Number(value)
    case 'bool':
      return toBool(value, type)
    case 'map':
      if (!isMap(value)) return mismatch(value, type)
      return new Map([...value].map(([key, item]) => [key, convert(item, type.element)]))
    default:
      return itemsIn(value)?.map((item) => convert(item, type.element)) ?? mismatch(value, type)
  }
}

function mismatch(value: Value, type: Type): never {
  const wanted = 'element' in type ? `${type.kind} of ${type.element.kind}` : type.kind
  throw new ValueError(`${wanted} required, but have ${typeOf(value)}`)
}

function toBool(value: Value, type: Type): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return mismatch(value, type)
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw new ValueError('a bool is required')
}

const simple = ['string', 'number', 'bool', 'any'] as const

/** The type that an expression such as `map(string)` names. Throws {@link HclError}. */
export function typeFrom(expression: Expression): Type {
  const name = expression.kind === 'variable' || expression.kind === 'call' ? expression.name : ''
  const plain = simple.find((kind) => kind === name)
  if (expression.kind === 'variable' && plain !== undefined) return { kind: plain }
  const [argument, ...others] = expression.kind === 'call' ? expression.items : []
  if (argument !== undefined && others.length === 0) {
    if (name === 'map') return { kind: 'map', element: typeFrom(argument) }
    if (name === 'list' || name === 'set') return { kind: 'list', element: typeFrom(argument) }
    if (name === 'tuple' || name === 'object') return { kind: 'any' }
  }
  const detail = 'Types are string, number, bool, any, list(…), set(…), map(…), tuple([…]) and object({…}).'
  return fail('Invalid type specification', detail, expression.range)
}
