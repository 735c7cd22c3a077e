/** Expressions → values. All functions here throw {@link HclError}. */

import { fail } from '../diagnostics.ts'
import type { Range } from '../diagnostics.ts'
import { splatItem } from '../syntax/tree.ts'
import type { Expression, ForExpression } from '../syntax/tree.ts'
import { callFunction } from './calls.ts'
import { evaluateBinary, evaluateUnary } from './operators.ts'
import { convert } from './types.ts'
import { ValueError, ValueSet, isMap, itemsIn, mapOf, pairsOf, typeOf } from './values.ts'
import type { Value } from './values.ts'

const longestText = 4 * 1024 * 1024

/** The names that an expression may use. Without a scope it may use none, and call no function. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>
  readonly outer?: Scope | undefined
}

/** The value of an expression. Names that the scope does not know are left to the scheduler as `${…}`. */
export function evaluate(expression: Expression, scope: Scope | undefined): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'parentheses':
      return evaluate(expression.inner, scope)
    case 'template':
      return template(expression.parts, scope)
    case 'variable':
      return variable(expression, scope)
    case 'index':
      return index(expression, scope)
    case 'splat':
      return splat(expression, scope)
    case 'call':
      return callFunction(expression, scope)
    case 'tuple':
      return expression.items.map((item) => evaluate(item, scope))
    case 'object':
      return mapOf(expression.items.map(({ key, value }) => [keyOf(key, scope), evaluate(value, scope)]))
    case 'for':
      return forValue(expression, scope)
    case 'join':
      return (itemsIn(evaluate(expression.items, scope)) ?? []).join('')
    case 'conditional':
      return conditional(expression, scope)
    case 'binary':
      return evaluateBinary(expression, scope)
    default:
      return evaluateUnary(expression, scope)
  }
}

interface Primitives {
  readonly string: string
  readonly number: number
  readonly bool: boolean
}

/** The value of an expression that must be of this kind and not null; `summary` is what is wrong otherwise. */
export function evaluateAs<Kind extends keyof Primitives>(
  kind: Kind,
  expression: Expression,
  scope: Scope | undefined,
  summary: string,
): Primitives[Kind] {
  return valueAs(kind, evaluate(expression, scope), expression.range, summary)
}

function valueAs<Kind extends keyof Primitives>(
  kind: Kind,
  value: Value,
  range: Range,
  summary: string,
): Primitives[Kind] {
  if (value === null) return fail(summary, `A ${kind} is required here, not null.`, range)
  return placed(range, summary, '', () => convert(value, { kind }) as Primitives[Kind])
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

/** A scope within another, with these names on top. */
export function innerScope(outer: Scope | undefined, names: Iterable<readonly [string, Value]>): Scope {
  return { variables: new Map(names), outer }
}

function find(name: string, scope: Scope | undefined): Value | undefined {
  for (let each = scope; each !== undefined; each = each.outer) {
    const value = each.variables.get(name)
    if (value !== undefined) return value
  }
  return undefined
}

function variable({ name, range }: Expression & { kind: 'variable' }, scope: Scope | undefined): Value {
  if (scope === undefined) return fail('Variables not allowed', 'Variables may not be used here.', range)
  return find(name, scope) ?? (name === splatItem ? null : late(range))
}

/** A text that the scheduler resolves when it runs the job. */
function late({ source, start, end }: Range): string {
  return `\${${source.text.slice(start, end)}}`
}

function template(parts: readonly Expression[], scope: Scope | undefined): string {
  const summary = 'Invalid template interpolation value'
  const text = parts.map((part) => evaluateAs('string', part, scope, summary)).join('')
  if (text.length <= longestText) return text
  return fail('Text too long', `At most ${longestText} characters are supported.`, parts[0]?.range)
}

/** `value.name` or `value[key]`. A member of a name that only the scheduler knows stays a text as a whole. */
function index(expression: Expression & { kind: 'index' }, scope: Scope | undefined): Value {
  let root: Expression = expression
  while (root.kind === 'index') root = root.of
  const { range } = expression
  if (scope !== undefined && root.kind === 'variable' && find(root.name, scope) === undefined) return late(range)
  const value = evaluate(expression.of, scope)
  const key = evaluate(expression.key, scope)
  const summary = expression.dot && typeof key === 'string' ? 'Unsupported attribute' : 'Invalid index'
  if (isMap(value)) {
    const name = valueAs('string', key, range, summary)
    if (value.has(name)) return value.get(name) ?? null
    return fail(summary, `This object does not have an attribute named "${name}".`, range)
  }
  if (value instanceof ValueSet) return fail(summary, 'A set has no indexes; convert it with tolist.', range)
  const items = itemsIn(value)
  if (items === undefined) return fail(summary, `A value of type ${typeOf(value)} does not have any elements.`, range)
  const place = valueAs('number', key, range, summary)
  return items[place] ?? (place in items ? null : fail(summary, `The list of ${items.length} has no ${place}.`, range))
}

function splat({ of, each }: Expression & { kind: 'splat' }, scope: Scope | undefined): Value {
  const value = evaluate(of, scope)
  const items = value === null ? [] : (itemsIn(value) ?? [value])
  return items.map((item) => evaluate(each, innerScope(scope, [[splatItem, item]])))
}

/** A bare word is the key itself. */
function keyOf(key: Expression, scope: Scope | undefined): string {
  if (key.kind === 'variable') return key.name
  if (key.kind !== 'index') return evaluateAs('string', key, scope, 'Invalid object key')
  return fail('Ambiguous attribute key', 'Put a reference in parentheses, and a key with dots in quotes.', key.range)
}

/** A list, or an object when there are keys, of the items that the condition lets through. */
function forValue(expression: ForExpression, scope: Scope | undefined): Value {
  const { collection, condition, key, value, keyName, valueName } = expression
  const iterated = evaluate(collection, scope)
  const pairs = pairsOf(iterated)
  if (pairs === undefined) {
    const detail = `A value of type ${typeOf(iterated)} is not a collection that 'for' can iterate over.`
    return fail('Iteration over non-iterable value', detail, collection.range)
  }
  const scopes = pairs.map(([itemKey, item]) =>
    innerScope(scope, [...(keyName === undefined ? [] : [[keyName, itemKey] as const]), [valueName, item]]),
  )
  const kept = scopes.filter(
    (inner) => condition === undefined || evaluateAs('bool', condition, inner, "Invalid 'for' condition"),
  )
  if (key === undefined) return kept.map((inner) => evaluate(value, inner))
  const groups = new Map<string, Value[]>()
  for (const inner of kept) {
    const name = evaluateAs('string', key, inner, 'Invalid object key')
    const group = groups.get(name) ?? []
    if (group.length > 0 && expression.group !== true) {
      const detail = `Two items have the key "${name}". Put "..." behind the value to group them.`
      return fail('Duplicate object key', detail, key.range)
    }
    groups.set(name, [...group, evaluate(value, inner)])
  }
  return mapOf([...groups].map(([name, items]) => [name, expression.group === true ? items : (items[0] ?? null)]))
}

/** Only the branch that is taken must have a value. */
function conditional({ condition, yes, no }: Expression & { kind: 'conditional' }, scope: Scope | undefined): Value {
  return evaluate(evaluateAs('bool', condition, scope, 'Incorrect condition type') ? yes : no, scope)
}
