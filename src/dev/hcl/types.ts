/** Types of variables, and the conversions between them. */

import type { Diagnostic } from './diagnostics.ts'
import { startRange } from './tree.ts'
import type { Expression } from './tree.ts'
import { Mapping, Sequence, list, numberText, set, tuple, unknown } from './values.ts'
import type { Value } from './values.ts'

export type Type =
  | { readonly kind: 'any' }
  | { readonly kind: 'string' }
  | { readonly kind: 'number' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'map'; readonly element: Type }
  | { readonly kind: 'list' | 'set'; readonly element: Type }
  | { readonly kind: 'tuple'; readonly elements: readonly Type[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, { type: Type; optional: boolean }> }

export const textType: Type = { kind: 'string' }
export const numberType: Type = { kind: 'number' }
export const boolType: Type = { kind: 'bool' }
export const anyType: Type = { kind: 'any' }
export const textsType: Type = { kind: 'list', element: textType }

/** A value that does not fit the type wanted; the message ends the server's sentence. */
export class ConversionError extends Error {}

/** `string`, `list of string`, `tuple`, … */
function typeName(type: Type): string {
  if (type.kind === 'any') return 'any type'
  return 'element' in type ? `${type.kind} of ${typeName(type.element)}` : type.kind
}

/** The name of a value's type. */
export function valueTypeName(value: Value): string {
  if (value instanceof Sequence || value instanceof Mapping) {
    if (value.element === undefined) return value.kind
    return `${value.kind} of ${value.element.kind === 'any' ? 'dynamic' : typeName(value.element)}`
  }
  if (typeof value === 'boolean') return 'bool'
  return value === null || value === unknown ? 'dynamic' : typeof value
}

/** `value` as a `type`, or {@link ConversionError}. Null and unknown values fit every type. */
export function convert(value: Value, type: Type): Value {
  if (value === null || value === unknown || type.kind === 'any') return value
  switch (type.kind) {
    case 'string':
      if (typeof value === 'number') return numberText(value)
      if (typeof value === 'boolean') return String(value)
      return typeof value === 'string' ? value : mismatch(value, type)
    case 'number':
      return toNumber(value, type)
    case 'bool':
      return toBool(value, type)
    case 'tuple':
      if (!(value instanceof Sequence) || value.items.length !== type.elements.length) return mismatch(value, type)
      return tuple(value.items.map((item, index) => convert(item, type.elements[index] as Type)))
    case 'object':
      return value instanceof Mapping ? toObject(value, type.members) : mismatch(value, type)
    case 'map':
      return value instanceof Mapping ? toMap(value, type.element) : mismatch(value, type)
    default:
      return value instanceof Sequence ? toSequence(value, type.kind, type.element) : mismatch(value, type)
  }
}

function mismatch(value: Value, type: Type): never {
  throw new ConversionError(`${typeName(type)} required, but have ${valueTypeName(value)}`)
}

function toNumber(value: Value, type: Type): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return mismatch(value, type)
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw new ConversionError('a number is required')
  return Number(value)
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

function toObject(value: Mapping, members: ReadonlyMap<string, { type: Type; optional: boolean }>): Value {
  const missing = [...members].filter(([name, member]) => !member.optional && !value.entries.has(name))
  if (missing.length > 0) {
    const names = missing.map(([name]) => `"${name}"`)
    const last = names.pop() as string
    throw new ConversionError(
      names.length === 0 ? `attribute ${last} is required` : `attributes ${names.join(', ')} and ${last} are required`,
    )
  }
  const entries = [...members].map(([name, { type }]): [string, Value] => [
    name,
    within(`attribute "${name}"`, value.entries.get(name) ?? null, type),
  ])
  return new Mapping('object', entries)
}

function toMap(value: Mapping, element: Type): Value {
  const entries = [...value.entries].map(([key, item]): [string, Value] => [
    key,
    within(`element "${key}"`, item, element),
  ])
  return new Mapping('map', entries, element)
}

function toSequence(value: Sequence, kind: 'list' | 'set', element: Type): Value {
  const items = value.items.map((item, index) => within(`element ${index}`, item, element))
  return kind === 'set' ? set(items, element) : list(items, element)
}

/** Types that cannot match are told with the place; a text that is no number is not, as on the server. */
function within(place: string, value: Value, type: Type): Value {
  try {
    return convert(value, type)
  } catch (error) {
    if (error instanceof ConversionError && error.message.includes(' required, but have ')) {
      throw new ConversionError(`${place}: ${error.message}`)
    }
    throw error
  }
}

/** The type that an expression such as `map(string)` or `object({ a = number })` stands for; undefined after a report. */
export function typeFrom(expression: Expression, diagnostics: Diagnostic[]): Type | undefined {
  const invalid = (detail: string): undefined => {
    diagnostics.push({ summary: 'Invalid type specification', detail, range: expression.range })
  }
  if (expression.kind === 'variable' && expression.steps.length === 0) {
    const { name } = expression
    if (name === 'string' || name === 'number' || name === 'bool' || name === 'any') return { kind: name }
    if (['list', 'set', 'map'].includes(name)) {
      return invalid(`The ${name} type constructor requires one argument specifying the element type.`)
    }
    return invalid(`The keyword "${name}" is not a valid type specification.`)
  }
  if (expression.kind !== 'call') {
    return invalid(
      'A type specification is either a primitive type keyword (bool, number, string) or a complex type constructor call, like list(string).',
    )
  }
  const [argument, ...others] = expression.items
  if (argument === undefined || others.length > 0) {
    return invalid(`The ${expression.name} type constructor requires one argument.`)
  }
  switch (expression.name) {
    case 'list':
    case 'set':
    case 'map': {
      const element = typeFrom(argument, diagnostics)
      return element && { kind: expression.name, element }
    }
    case 'tuple': {
      if (argument.kind !== 'tuple') return invalid('Tuple type constructor requires a list of element types.')
      const elements = argument.items.map((item) => typeFrom(item, diagnostics))
      return elements.includes(undefined) ? undefined : { kind: 'tuple', elements: elements as Type[] }
    }
    case 'object':
      return objectType(argument, diagnostics)
    default:
      return invalid(`Keyword "${expression.name}" is not a valid type constructor.`)
  }
}

function objectType(argument: Expression, diagnostics: Diagnostic[]): Type | undefined {
  if (argument.kind !== 'object') {
    const detail =
      'Object type constructor requires a map whose keys are attribute names and whose values are the corresponding attribute types.'
    diagnostics.push({ summary: 'Invalid type specification', detail, range: argument.range })
    return undefined
  }
  const members = new Map<string, { type: Type; optional: boolean }>()
  for (const { key, value } of argument.items) {
    const optional = value.kind === 'call' && value.name === 'optional' && value.items[0] !== undefined
    const type = typeFrom(optional ? (value.items[0] as Expression) : value, diagnostics)
    if (type === undefined) return undefined
    if (key.kind === 'variable') members.set(key.name, { type, optional })
    else if (key.kind === 'template' && key.parts[0]?.kind === 'literal') {
      members.set(String(key.parts[0].value), { type, optional })
    } else {
      const detail = 'Object constructor map keys must be attribute names.'
      diagnostics.push({ summary: 'Invalid type specification', detail, range: startRange(key) })
      return undefined
    }
  }
  return { kind: 'object', members }
}
