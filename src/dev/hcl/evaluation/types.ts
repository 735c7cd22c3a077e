/** The types of variables and arguments, and conversions to them. */

import type { Diagnostic } from '../diagnostics.ts'
import { literalText } from '../syntax/tree.ts'
import type { Expression } from '../syntax/tree.ts'
import { ValueSet, isMap, itemsIn, mapOf, numberText, typeOf, unknown } from './values.ts'
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

/** A value that does not fit the type wanted. */
export class ConversionError extends Error {}

/** `value` as a `type`, or {@link ConversionError}. Null and unknown values fit every type. */
export function convert(value: Value, type: Type): Value {
  if (value === null || value === unknown) return value
  const items = itemsIn(value)
  switch (type.kind) {
    case 'any':
      return value
    case 'string':
      if (typeof value === 'number') return numberText(value)
      return typeof value === 'string' || typeof value === 'boolean' ? String(value) : mismatch(value, type)
    case 'number':
      if (typeof value !== 'string') return typeof value === 'number' ? value : mismatch(value, type)
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw new ConversionError('a number is required')
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
  throw new ConversionError(`${typeName(type)} required, but have ${typeOf(value)}`)
}

function toBool(value: Value, type: Type): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return mismatch(value, type)
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  const lower = value.toLowerCase()
  const hint = lower === 'true' || lower === 'false' ? `; to convert from string, use lowercase "${lower}"` : ''
  throw new ConversionError(`a bool is required${hint}`)
}

function toObject(value: ValueMap, members: ReadonlyMap<string, ObjectMember>): Value {
  const missing = [...members].find(([name, { optional }]) => !optional && !value.has(name))
  if (missing !== undefined) throw new ConversionError(`attribute "${missing[0]}" is required`)
  return mapOf(
    [...members].map(([name, { type }]) => [name, within(`attribute "${name}"`, value.get(name) ?? null, type)]),
  )
}

function within(place: string, value: Value, type: Type): Value {
  try {
    return convert(value, type)
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(`${place}: ${error.message}`) : error
  }
}

/** The type that an expression such as `map(string)` or `object({ a = number })` names; undefined after a report. */
export function typeFrom(expression: Expression, diagnostics: Diagnostic[]): Type | undefined {
  const invalid = (): undefined => {
    const detail = 'Types are string, number, bool, any, list(…), set(…), map(…), tuple([…]) and object({…}).'
    diagnostics.push({ summary: 'Invalid type specification', detail, range: expression.range })
  }
  const name = expression.kind === 'variable' || expression.kind === 'call' ? expression.name : ''
  if (expression.kind === 'variable') {
    return name === 'string' || name === 'number' || name === 'bool' || name === 'any' ? { kind: name } : invalid()
  }
  const [argument, ...others] = expression.kind === 'call' ? expression.items : []
  if (argument === undefined || others.length > 0) return invalid()
  if (name === 'list' || name === 'set' || name === 'map') {
    const element = typeFrom(argument, diagnostics)
    return element && { kind: name, element }
  }
  if (name === 'tuple' && argument.kind === 'tuple') {
    const elements = argument.items.map((item) => typeFrom(item, diagnostics))
    return elements.includes(undefined) ? undefined : { kind: 'tuple', elements: elements as Type[] }
  }
  if (name !== 'object' || argument.kind !== 'object') return invalid()
  const members = new Map<string, ObjectMember>()
  for (const { key, value } of argument.items) {
    const optional = value.kind === 'call' && value.name === 'optional' ? value.items[0] : undefined
    const type = typeFrom(optional ?? value, diagnostics)
    const member = key.kind === 'variable' ? key.name : literalText(key)
    if (type === undefined) return undefined
    if (member === undefined) return invalid()
    members.set(member, { type, optional: optional !== undefined })
  }
  return { kind: 'object', members }
}
