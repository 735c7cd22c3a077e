/** Expressions → values. All functions here throw {@link HclError}. */

import { fail } from '../diagnostics.ts'
import type { Range } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import { call } from './functions.ts'
import { convert } from './types.ts'
import { ValueError, equal, isMap, itemsIn, mapOf, typeOf } from './values.ts'
import type { Value } from './values.ts'

const longestText = 4 * 1024 * 1024

/** The names that an expression may use. Without a scope it may use none, and call no function. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>
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
    case 'call':
      return called(expression, scope)
    case 'tuple':
      return expression.items.map((item) => evaluate(item, scope))
    case 'object':
      return mapOf(expression.items.map(({ key, value }) => [keyOf(key, scope), evaluate(value, scope)]))
    case 'conditional':
      return conditional(expression, scope)
    case 'binary':
      return binary(expression, scope)
    default:
      if (expression.operator === '!') return !evaluateAs('bool', expression.operand, scope, invalidOperand)
      return -evaluateAs('number', expression.operand, scope, invalidOperand)
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

function variable({ name, range }: Expression & { kind: 'variable' }, scope: Scope | undefined): Value {
  if (scope === undefined) return fail('Variables not allowed', 'Variables may not be used here.', range)
  return scope.variables.get(name) ?? late(range)
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
  if (root.kind === 'variable' && scope?.variables.has(root.name) === false) return late(range)
  const value = evaluate(expression.of, scope)
  const key = evaluate(expression.key, scope)
  const summary = expression.dot && typeof key === 'string' ? 'Unsupported attribute' : 'Invalid index'
  if (isMap(value)) {
    const name = valueAs('string', key, range, summary)
    if (value.has(name)) return value.get(name) ?? null
    return fail(summary, `This object does not have an attribute named "${name}".`, range)
  }
  const items = itemsIn(value)
  if (items === undefined) return fail(summary, `A value of type ${typeOf(value)} does not have any elements.`, range)
  const place = valueAs('number', key, range, summary)
  return items[place] ?? (place in items ? null : fail(summary, `The list of ${items.length} has no ${place}.`, range))
}

/** A bare word is the key itself. */
function keyOf(key: Expression, scope: Scope | undefined): string {
  if (key.kind === 'variable') return key.name
  if (key.kind !== 'index') return evaluateAs('string', key, scope, 'Invalid object key')
  return fail('Ambiguous attribute key', 'Put a reference in parentheses, and a key with dots in quotes.', key.range)
}

/** Only the branch that is taken must have a value. */
function conditional({ condition, yes, no }: Expression & { kind: 'conditional' }, scope: Scope | undefined): Value {
  return evaluate(evaluateAs('bool', condition, scope, 'Incorrect condition type') ? yes : no, scope)
}

const invalidOperand = 'Invalid operand'

const arithmetic: Readonly<Record<string, (left: number, right: number) => Value>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

/** `left operator right`. Operands are converted, except for `==` and `!=`. */
function binary(expression: Expression & { kind: 'binary' }, scope: Scope | undefined): Value {
  const { operator, left, right } = expression
  if (operator === '==' || operator === '!=') {
    return equal(evaluate(left, scope), evaluate(right, scope)) === (operator === '==')
  }
  const calculate = arithmetic[operator]
  if (calculate === undefined) {
    const a = evaluateAs('bool', left, scope, invalidOperand)
    const b = evaluateAs('bool', right, scope, invalidOperand)
    return operator === '&&' ? a && b : a || b
  }
  const b = evaluateAs('number', right, scope, invalidOperand)
  if (b === 0 && (operator === '/' || operator === '%')) {
    return fail('Division by zero', 'Cannot divide by zero.', right.range)
  }
  return calculate(evaluateAs('number', left, scope, invalidOperand), b)
}

/** A call of one of the few functions that the local server has; none of them reads files. */
function called({ name, items, range }: Expression & { kind: 'call' }, scope: Scope | undefined): Value {
  if (scope === undefined) return fail('Function calls not allowed', 'Functions may not be called here.', range)
  const values = items.map((item) => evaluate(item, scope))
  const result = placed(range, 'Error in function call', `Call to function "${name}" failed: `, () =>
    call(name, values),
  )
  return result ?? fail('Call to unknown function', `The local server has no function named "${name}".`, range)
}
