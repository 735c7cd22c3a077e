/** Expressions → values. A failure is reported once and makes the value unknown. */

import type { Diagnostic, Range } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import { callFunction } from './calls.ts'
import type { Evaluator, Scope } from './evaluator.ts'
import { evaluateFor } from './for.ts'
import { elementAt } from './lookup.ts'
import { evaluateBinary, evaluateUnary } from './operators.ts'
import { ConversionError, boolType, convert, textType } from './types.ts'
import type { Type } from './types.ts'
import { itemsIn, mapOf, typeOf, unknown } from './values.ts'
import type { Value } from './values.ts'

const itemName = '*'
const longestText = 4 * 1024 * 1024

/** The value of an expression. Names that the scope does not know are left to the scheduler as `${…}`. */
export function evaluate(expression: Expression, scope: Scope | undefined, diagnostics: Diagnostic[]): Value {
  return new Evaluation(scope, diagnostics).value(expression)
}

/** A scope within another, with these names on top. */
export function innerScope(outer: Scope | undefined, names: Iterable<readonly [string, Value]>): Scope {
  return { variables: new Map(names), ...(outer && { outer }) }
}

/** An expression's surroundings: the names it sees, and where to report what is wrong. */
export class Evaluation implements Evaluator {
  readonly scope: Scope | undefined
  readonly diagnostics: Diagnostic[]

  constructor(scope: Scope | undefined, diagnostics: Diagnostic[]) {
    this.scope = scope
    this.diagnostics = diagnostics
  }

  value(expression: Expression): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'parentheses':
        return this.value(expression.inner)
      case 'template':
        return this.template(expression.parts)
      case 'variable':
        return this.variable(expression)
      case 'index':
        return this.index(expression)
      case 'item':
        return this.find(itemName) as Value
      case 'splat':
        return this.splat(expression)
      case 'call':
        return callFunction(expression, this)
      case 'tuple':
        return expression.items.map((item) => this.value(item))
      case 'object':
        return this.object(expression)
      case 'for':
        return evaluateFor(expression, this)
      case 'join': {
        const items = itemsIn(this.value(expression.items))
        return items === undefined || items.includes(unknown) ? unknown : items.join('')
      }
      case 'conditional':
        return this.conditional(expression)
      case 'binary':
        return evaluateBinary(expression, this)
      default:
        return evaluateUnary(expression, this)
    }
  }

  /** Reports a failure; the value is then unknown. */
  fail(summary: string, detail: string, range: Range): typeof unknown {
    this.diagnostics.push({ summary, detail, range })
    return unknown
  }

  /** A value that must be a `type` and not null; otherwise reports what the `subject` is not. */
  required(value: Value, type: Type, range: Range, summary: string, subject: string): Value {
    if (value === null) return this.fail(summary, `${subject} must not be null.`, range)
    try {
      return convert(value, type)
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      return this.fail(summary, `${subject}: ${error.message}.`, range)
    }
  }

  /** The same evaluation with more names in scope. */
  trial(): Evaluation {
    return new Evaluation(this.scope, [])
  }

  with(names: Iterable<readonly [string, Value]>): Evaluation {
    return new Evaluation(innerScope(this.scope, names), this.diagnostics)
  }

  private find(name: string): Value | undefined {
    for (let scope = this.scope; scope !== undefined; scope = scope.outer) {
      const value = scope.variables.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }

  private variable({ name, range }: Expression & { kind: 'variable' }): Value {
    if (this.scope === undefined) {
      return this.fail('Variables not allowed', 'Variables may not be used here.', range)
    }
    return this.find(name) ?? late(range)
  }

  /** A member of a name that only the scheduler knows stays a text as a whole. */
  private index(expression: Expression & { kind: 'index' }): Value {
    let root: Expression = expression
    while (root.kind === 'index') root = root.of
    if (this.scope !== undefined && root.kind === 'variable' && this.find(root.name) === undefined) {
      return late(expression.range)
    }
    const value = this.value(expression.of)
    return value === unknown ? unknown : elementAt(value, this.value(expression.key), expression, this)
  }

  private template(parts: readonly Expression[]): Value {
    const summary = 'Invalid template interpolation value'
    const texts = parts.map((part) => this.required(this.value(part), textType, part.range, summary, 'The value'))
    if (texts.includes(unknown)) return unknown
    const text = texts.join('')
    const [first] = parts
    if (text.length <= longestText || first === undefined) return text
    return this.fail('Text too long', `At most ${longestText} characters are supported.`, first.range)
  }

  private splat({ of, each }: Expression & { kind: 'splat' }): Value {
    const value = this.value(of)
    if (value === unknown) return unknown
    const items = value === null ? [] : (itemsIn(value) ?? [value])
    return items.map((item) => this.with([[itemName, item]]).value(each))
  }

  private object({ items }: Expression & { kind: 'object' }): Value {
    const entries = items.map(({ key, value }) => [this.key(key), this.value(value)] as const)
    const known = entries.filter((entry): entry is [string, Value] => typeof entry[0] === 'string')
    return known.length === entries.length ? mapOf(known) : unknown
  }

  /** A bare word is the key itself. */
  private key(key: Expression): Value {
    if (key.kind === 'variable') return key.name
    if (key.kind !== 'index')
      return this.required(this.value(key), textType, key.range, 'Invalid object key', 'The key')
    const detail = 'Put a reference in parentheses, and a key with dots in quotes.'
    return this.fail('Ambiguous attribute key', detail, key.range)
  }

  /** Failures of the branch that is not taken do not count, but its type does. */
  private conditional({ condition, yes, no, range }: Expression & { kind: 'conditional' }): Value {
    const summary = 'Incorrect condition type'
    const decision = this.required(this.value(condition), boolType, condition.range, summary, 'The condition')
    if (decision === unknown) return unknown
    const value = this.value(decision === true ? yes : no)
    const other = new Evaluation(this.scope, []).value(decision === true ? no : yes)
    if (value === null || other === null || value === unknown || other === unknown) return value
    if (typeof value !== 'object' && typeof other !== 'object') {
      return typeof value === typeof other ? value : convert(value, textType)
    }
    if (typeof value === typeof other && Boolean(itemsIn(value)) === Boolean(itemsIn(other))) return value
    const detail = `The results have different types: ${typeOf(value)} and ${typeOf(other)}.`
    return this.fail('Inconsistent conditional result types', detail, range)
  }
}

/** A text that the scheduler resolves when it runs the job. */
function late({ source, start, end }: Range): string {
  return `\${${source.text.slice(start, end)}}`
}
