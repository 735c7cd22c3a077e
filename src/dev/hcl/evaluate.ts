/** Expressions → values, and values → the types of variables. All functions here throw HclError. */

import { isNumber, JsonNumber, objectFrom, stringifyJson, type Json } from '../../core/json.ts'
import { fail, numberFrom, type Expression, type Range } from './syntax.ts'

/** A number is a {@link JsonNumber} if a double would lose some of its digits. */
export type Value = null | boolean | number | JsonNumber | string | readonly Value[] | ValueMap

export type ValueMap = ReadonlyMap<string, Value>

/** The names that an expression may use: `var` and `local`. Without a scope it may use none, and call no function. */
export type Scope = ReadonlyMap<string, Value>

/** The value of an expression. Names that the scope does not have are left to the scheduler as `${…}`. */
export function evaluate(expression: Expression, scope: Scope | undefined): Value {
  const { range } = expression
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'template':
      return expression.parts.map((part) => textOf(part, scope, 'Invalid template interpolation value')).join('')
    case 'variable':
      if (scope === undefined) return fail('Variables not allowed', 'Variables may not be used here.', range)
      return scope.get(expression.name) ?? late(range)
    case 'index':
      return index(expression, scope)
    case 'call': {
      if (scope === undefined) return fail('Function calls not allowed', 'Functions may not be called here.', range)
      const values = expression.items.map((item) => evaluate(item, scope))
      return called(expression.name, values, range)
    }
    case 'tuple':
      return expression.items.map((item) => evaluate(item, scope))
    default:
      return new Map(
        expression.items.map(([key, value]) => {
          if (key.kind === 'index') fail('Ambiguous attribute key', 'Put a key with dots in quotes.', key.range)
          // A bare word is the key itself.
          const name = key.kind === 'variable' ? key.name : textOf(key, scope, 'Invalid object key')
          return [name, evaluate(value, scope)]
        }),
      )
  }
}

function textOf(expression: Expression, scope: Scope | undefined, summary: string): string {
  const value = evaluate(expression, scope)
  if (value === null) return fail(summary, 'A string is required here, not null.', expression.range)
  return convert(value, { kind: 'string' }, (detail) => fail(summary, detail, expression.range)) as string
}

/** A text that the scheduler resolves when it runs the job. */
function late({ source, start, end }: Range): string {
  return `\${${source.text.slice(start, end)}}`
}

/** `value.name` or `value[key]`. A member of a name that only the scheduler has stays a text as a whole. */
function index({ of, key, range }: Expression & { kind: 'index' }, scope: Scope | undefined): Value {
  let root: Expression = of
  while (root.kind === 'index') root = root.of
  if (root.kind === 'variable' && scope?.has(root.name) === false) return late(range)
  const value = evaluate(of, scope)
  const name = String(evaluate(key, scope))
  const found = isMap(value) ? value.get(name) : Array.isArray(value) ? (value as Value[])[Number(name)] : undefined
  if (found !== undefined) return found
  return fail('Unsupported attribute', `This value does not have an element named "${name}".`, range)
}

/** Calls one of the few functions that the local server has; none of them reads files. */
function called(name: string, values: Value[], range: Range): Value {
  const refuse = (detail: string): never => fail('Error in function call', `${name}: ${detail}`, range)
  const given = (value: Value | undefined, type: Type): Value =>
    value === undefined || value === null ? refuse(`a ${type.kind} is required`) : convert(value, type, refuse)
  const text = (value: Value | undefined) => given(value, { kind: 'string' }) as string
  const [first, second] = values
  switch (name) {
    case 'format':
      return text(values.shift()).replaceAll(/%[sdvt]/g, () => text(values.shift()))
    case 'join':
      return (given(second, { kind: 'list', element: { kind: 'string' } }) as string[]).join(text(first))
    case 'jsonencode':
      return stringifyJson(jsonOf(first ?? null))
    case 'lower':
      return text(first).toLowerCase()
    case 'merge':
      return new Map(values.flatMap((value) => (isMap(value) ? [...value] : refuse('maps are required'))))
    case 'upper':
      return text(first).toUpperCase()
    default:
      return refuse(`the local server has no function named "${name}"`)
  }
}

function isMap(value: Value): value is ValueMap {
  return value instanceof Map
}

export function jsonOf(value: Value): Json {
  if (Array.isArray(value)) return (value as Value[]).map(jsonOf)
  if (isMap(value)) return objectFrom([...value].map(([key, item]): [string, Json] => [key, jsonOf(item)]))
  return value as Json
}

/** The members of objects and tuples are not checked: their type is `any`. */
export type Type =
  | { readonly kind: 'any' | 'string' | 'number' | 'bool' }
  | { readonly kind: 'map' | 'list'; readonly element: Type }

/** `value` as a `type`, which null is of any. `refuse` throws for a value that cannot be converted. */
export function convert(value: Value, type: Type, refuse: (detail: string) => never): Value {
  const mismatch = (): never => refuse(`a ${type.kind} is required`)
  if (value === null) return value
  switch (type.kind) {
    case 'any':
      return value
    case 'string':
      if (value instanceof JsonNumber) return value.text
      return typeof value === 'object' ? mismatch() : String(value)
    case 'number':
      if (isNumber(value)) return value
      return typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)
        ? numberFrom(value)
        : mismatch()
    case 'bool':
      if (typeof value === 'boolean') return value
      return value === 'true' || value === 'false' ? value === 'true' : mismatch()
    case 'map':
      if (!isMap(value)) return mismatch()
      return new Map([...value].map(([key, item]) => [key, convert(item, type.element, refuse)]))
    default:
      return Array.isArray(value) ? (value as Value[]).map((item) => convert(item, type.element, refuse)) : mismatch()
  }
}

/** The type that an expression such as `map(string)` names. */
export function typeFrom(expression: Expression): Type {
  const { kind, range } = expression
  const name = kind === 'variable' || kind === 'call' ? expression.name : ''
  const element = kind === 'call' ? expression.items[0] : undefined
  if (element === undefined && (name === 'string' || name === 'number' || name === 'bool' || name === 'any')) {
    return { kind: name }
  }
  if (element !== undefined && name === 'map') return { kind: 'map', element: typeFrom(element) }
  if (element !== undefined && (name === 'list' || name === 'set')) return { kind: 'list', element: typeFrom(element) }
  if (element !== undefined && (name === 'tuple' || name === 'object')) return { kind: 'any' }
  const detail = 'Types are string, number, bool, any, list(…), set(…), map(…), tuple([…]) and object({…}).'
  return fail('Invalid type specification', detail, range)
}
