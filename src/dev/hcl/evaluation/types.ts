/** The types of variables and arguments, and conversions to them. */

import { fail } from '../diagnostics.ts'
import { literalText } from '../syntax/tree.ts'
import type { Expression, ObjectItem } from '../syntax/tree.ts'
import { ValueError, ValueSet, isMap, itemsIn, mapOf, numberText, typeOf } from './values.ts'
import type { Value, ValueMap } from './values.ts'

export type Type =
  | { readonly kind: 'any' | 'string' | 'number' | 'bool' }
  | { readonly kind: 'map' | 'list' | 'set'; readonly element: Type }
  | { readonly kind: 'tuple'; readonly elements: readonly Type[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, ObjectMember> }

interface ObjectMember {
  readonly type: Type
  readonly optional: boolean
}

export const anyType: Type = { kind: 'any' }
export const textType: Type = { kind: 'string' }
export const numberType: Type = { kind: 'number' }
export const boolType: Type = { kind: 'bool' }

/** `value` as a `type`. Null fits every type. Throws {@link ValueError}. */
export function convert(value: Value, type: Type): Value {
  if (value === null) return value
  const items = itemsIn(value)
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
    case 'tuple':
      if (items?.length !== type.elements.length) return mismatch(value, type)
      return items.map((item, index) => within(`element ${index}`, item, type.elements[index] as Type))
    case 'object':
      return isMap(value) ? toObject(value, type.members) : mismatch(value, type)
    case 'map':
      if (!isMap(value)) return mismatch(value, type)
      return mapOf([...value].map(([key, item]) => [key, within(`element "${key}"`, item, type.element)]))
    default: {
      const converted = items?.map((item, index) => within(`element ${index}`, item, type.element))
      if (converted === undefined) return mismatch(value, type)
      return type.kind === 'set' ? new ValueSet(converted) : converted
    }
  }
}

function typeName(type: Type): string {
  return 'element' in type ? `${type.kind} of ${type.element.kind}` : type.kind
}

function mismatch(value: Value, type: Type): never {
  throw new ValueError(`${typeName(type)} required, but have ${typeOf(value)}`)
}

function toBool(value: Value, type: Type): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return mismatch(value, type)
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  const lower = value.toLowerCase()
  const hint = lower === 'true' || lower === 'false' ? `; to convert from string, use lowercase "${lower}"` : ''
  throw new ValueError(`a bool is required${hint}`)
}

function toObject(value: ValueMap, members: ReadonlyMap<string, ObjectMember>): Value {
  const missing = [...members].find(([name, { optional }]) => !optional && !value.has(name))
  if (missing !== undefined) throw new ValueError(`attribute "${missing[0]}" is required`)
  return mapOf(
    [...members].map(([name, { type }]) => [name, within(`attribute "${name}"`, value.get(name) ?? null, type)]),
  )
}

function within(place: string, value: Value, type: Type): Value {
  try {
    return convert(value, type)
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`${place}: ${error.message}`) : error
  }
}

const simple = ['string', 'number', 'bool', 'any'] as const
const collections = ['list', 'set', 'map'] as const

/** The type that an expression such as `map(string)` or `object({ a = number })` names. Throws {@link HclError}. */
export function typeFrom(expression: Expression): Type {
  const name = expression.kind === 'variable' || expression.kind === 'call' ? expression.name : ''
  const plain = simple.find((kind) => kind === name)
  if (expression.kind === 'variable' && plain !== undefined) return { kind: plain }
  const [argument, ...others] = expression.kind === 'call' ? expression.items : []
  if (argument !== undefined && others.length === 0) {
    const collection = collections.find((kind) => kind === name)
    if (collection !== undefined) return { kind: collection, element: typeFrom(argument) }
    if (name === 'tuple' && argument.kind === 'tuple') return { kind: 'tuple', elements: argument.items.map(typeFrom) }
    if (name === 'object' && argument.kind === 'object') {
      return { kind: 'object', members: new Map(argument.items.map(memberFrom)) }
    }
  }
  const detail = 'Types are string, number, bool, any, list(…), set(…), map(…), tuple([…]) and object({…}).'
  return fail('Invalid type specification', detail, expression.range)
}

function memberFrom({ key, value }: ObjectItem): [string, ObjectMember] {
  const name = key.kind === 'variable' ? key.name : literalText(key)
  if (name === undefined) return fail('Invalid type specification', 'A member needs a name.', key.range)
  const optional = value.kind === 'call' && value.name === 'optional' ? value.items[0] : undefined
  return [name, { type: typeFrom(optional ?? value), optional: optional !== undefined }]
}
