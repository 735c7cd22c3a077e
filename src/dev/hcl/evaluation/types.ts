/** The types of variables, and conversions to them. */

import { fail } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import { ValueError, isMap, itemsIn, mapOf, numberText, typeOf } from './values.ts'
import type { Value } from './values.ts'

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
      if (typeof value === 'number') return numberText(value)
      return typeof value === 'string' || typeof value === 'boolean' ? String(value) : mismatch(value, type)
    case 'number':
      if (typeof value !== 'string') return typeof value === 'number' ? value : mismatch(value, type)
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw new ValueError('a number is required')
      return Number(value)
    case 'bool':
      return toBool(value, type)
    case 'map':
      if (!isMap(value)) return mismatch(value, type)
      return mapOf([...value].map(([key, item]) => [key, within(`element "${key}"`, item, type.element)]))
    default:
      return (
        itemsIn(value)?.map((item, index) => within(`element ${index}`, item, type.element)) ?? mismatch(value, type)
      )
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

function within(place: string, value: Value, type: Type): Value {
  try {
    return convert(value, type)
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`${place}: ${error.message}`) : error
  }
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
