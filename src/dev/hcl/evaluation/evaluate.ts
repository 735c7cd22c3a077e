/** Expressions → values. All functions here throw {@link HclError}. */

import { encoded } from '../../go.ts'
import { JsonNumber, isNumber, stringifyJson, objectFrom, type Json } from '../../../core/json.ts'
import { fail, type Range } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'

/** The names that an expression may use. Without a scope it may use none, and call no function. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>
}

/** The value of an expression. Names that the scope does not know are left to the scheduler as `${…}`. */
export function evaluate(expression: Expression, scope: Scope | undefined): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'template':
      return expression.parts.map((part) => textOf(part, scope, 'Invalid template interpolation value')).join('')
    case 'variable':
      return variable(expression, scope)
    case 'index':
      return index(expression, scope)
    case 'call':
      return called(expression, scope)
    case 'tuple':
      return expression.items.map((item) => evaluate(item, scope))
    case 'object':
      return new Map(expression.items.map(({ key, value }) => [keyOf(key, scope), evaluate(value, scope)]))
    default:
      return evaluate(expression.inner, scope)
  }
}

/** The value of an expression that must be a string; `summary` is what is wrong otherwise. */
function textOf(expression: Expression, scope: Scope | undefined, summary: string): string {
  return valueAs('string', evaluate(expression, scope), expression.range, summary) as string
}

function valueAs(kind: 'string' | 'number', value: Value, range: Range, summary: string): Value {
  if (value === null) return fail(summary, `A ${kind} is required here, not null.`, range)
  return placed(range, summary, '', () => convert(value, { kind }))
}

/** What `read` returns. A {@link ValueError}, or a number out of range, is reported at `range`, behind `subject`. */
export function placed<Result>(range: Range, summary: string, subject: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ValueError || error instanceof RangeError)) throw error
    return fail(summary, `${subject}${error.message}.`, range)
  }
}

function variable({ name, range }: Expression & { kind: 'variable' }, scope: Scope | undefined): Value {
  if (scope === undefined) return fail('Variables not allowed', 'Variables may not be used here.', range)
  return scope.variables.get(name) ?? late(range)
}

/** A text that the scheduler resolves when it runs the job. */
function late({ source, start, end }: Range): string {
  return `\${${source.text.slice(start, end)}}`
}

/** `value.name` or `value[key]`. A member of a name that only the scheduler knows stays a text as a whole. */
function index(expression: Expression & { kind: 'index' }, scope: Scope | undefined): Value {
  let root: Expression = expression
  while (root.kind === 'index') root = root.of
  const { range } = expression
  if (root.kind === 'variable' && scope?.variables.has(root.name) === false) return late(range)
  const value = evaluate(expression.of, scope)
  const key = evaluate(expression.key, scope)
  const summary = expression.dot && typeof key === 'string' ? 'Unsupported attribute' : 'Invalid index'
  if (isMap(value)) {
    const name = valueAs('string', key, range, summary) as string
    if (value.has(name)) return value.get(name) ?? null
    return fail(summary, `This object does not have an attribute named "${name}".`, range)
  }
  const items = itemsIn(value)
  if (items === undefined) return fail(summary, `A value of type ${typeOf(value)} does not have any elements.`, range)
  const place = valueAs('number', key, range, summary) as number
  return items[place] ?? (place in items ? null : fail(summary, `The list of ${items.length} has no ${place}.`, range))
}

/** A bare word is the key itself. */
function keyOf(key: Expression, scope: Scope | undefined): string {
  if (key.kind === 'variable') return key.name
  if (key.kind !== 'index') return textOf(key, scope, 'Invalid object key')
  return fail('Ambiguous attribute key', 'Put a key with dots in quotes.', key.range)
}

/** A call of one of the few functions that the local server has; none of them reads files. */
function called({ name, items, range }: Expression & { kind: 'call' }, scope: Scope | undefined): Value {
  if (scope === undefined) return fail('Function calls not allowed', 'Functions may not be called here.', range)
  const values = items.map((item) => evaluate(item, scope))
  const call = functions.get(name)
  if (call !== undefined) {
    return placed(range, 'Error in function call', `Call to function "${name}" failed: `, () => call(...values))
  }
  const detail = name.startsWith('file')
    ? `Call to function "${name}" failed: filesystem function disabled.`
    : `The local server has no function named "${name}".`
  return fail('Error in function call', detail, range)
}

const functions = new Map<string, (...values: Value[]) => Value>([
  ['format', (format, ...values) => asText(format).replaceAll(/%[sdvt]/g, () => asText(values.shift()))],
  ['join', (separator, list) => asList(list).map(asText).join(asText(separator))],
  ['jsonencode', (value) => jsonText(value ?? null)],
  ['lower', (text) => asText(text).toLowerCase()],
  ['merge', (...maps) => new Map(maps.flatMap((map) => [...asMap(map)]))],
  ['upper', (text) => asText(text).toUpperCase()],
])

/** Keys in order, and without characters that mean something in HTML, as real servers have it. */
function jsonText(value: Value): string {
  const escape = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return stringifyJson(encoded(jsonOf(value))).replaceAll(/[<>&\u2028\u2029]/g, escape)
}

function asText(value: Value | undefined): string {
  if (value === undefined || value === null) throw new ValueError('a string is required')
  return convert(value, { kind: 'string' }) as string
}

function asList(value: Value | undefined): readonly Value[] {
  return convert(value ?? [], { kind: 'list', element: { kind: 'any' } }) as readonly Value[]
}

function asMap(value: Value | undefined): ValueMap {
  return convert(value ?? new Map(), { kind: 'map', element: { kind: 'any' } }) as ValueMap
}

/** What expressions evaluate to, the types of variables, and conversions to them. */

/** A value that cannot be used: it does not fit the type wanted, or a function cannot take it. */
export class ValueError extends Error {}

/** A number is a {@link JsonNumber} if a double would lose some of its digits. */
export type Value = null | boolean | number | JsonNumber | string | readonly Value[] | ValueMap

export type ValueMap = ReadonlyMap<string, Value>

function isMap(value: Value): value is ValueMap {
  return value instanceof Map
}

/** The items of a list or tuple; undefined for everything else. */
function itemsIn(value: Value): readonly Value[] | undefined {
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

/** The number that a text stands for, with all its digits unless it has an exponent. */
export function numberFrom(text: string): number | JsonNumber {
  const digits = /^\+?(-?)0*(\d+(?:\.\d*[1-9])?)\.?0*$/.exec(text)
  const number = Number(text)
  if (digits === null || digits[0].replace(/\D/g, '').length < 16) return number
  const exact = `${digits[1]}${digits[2]}`
  return String(number) === exact ? number : new JsonNumber(exact)
}

export function typeOf(value: Value): string {
  if (value === null) return 'dynamic'
  if (isNumber(value)) return 'number'
  if (isMap(value)) return 'object'
  if (typeof value === 'object') return 'tuple'
  return typeof value === 'boolean' ? 'bool' : 'string'
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
      if (value instanceof JsonNumber) return value.text
      return typeof value === 'object' ? mismatch(value, type) : String(value)
    case 'number':
      if (typeof value !== 'string') return isNumber(value) ? value : mismatch(value, type)
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) throw new ValueError('a number is required')
      return numberFrom(value)
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
