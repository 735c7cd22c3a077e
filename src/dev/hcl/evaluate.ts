/** Expressions → values. A failure is reported once and makes the value unknown. */

import type { Diagnostic, Range } from './diagnostics.ts'
import { callFunction } from './calls.ts'
import { evaluateFor } from './evaluate-for.ts'
import { elementAt, memberOf } from './lookup.ts'
import { evaluateBinary, evaluateUnary } from './operators.ts'
import type { Expression, Step } from './tree.ts'
import { ConversionError, boolType, convert, textType, valueTypeName } from './types.ts'
import type { Type } from './types.ts'
import { Mapping, Sequence, tuple, unknown } from './values.ts'
import type { Value } from './values.ts'

/** The names that an expression may use. Without a scope it may use none, and call no function. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>
  readonly outer?: Scope
}

const itemName = '*'

/** The value of an expression. Names that the scope does not know are left to the scheduler as `${…}`. */
export function evaluate(expression: Expression, scope: Scope | undefined, diagnostics: Diagnostic[]): Value {
  return new Evaluation(scope, diagnostics).value(expression)
}

/** A scope within another, with these names on top. */
export function innerScope(outer: Scope | undefined, names: Iterable<readonly [string, Value]>): Scope {
  return { variables: new Map(names), ...(outer && { outer }) }
}

export class Evaluation {
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
      case 'wrap':
      case 'parentheses':
        return this.value(expression.inner)
      case 'template':
        return this.template(expression.parts)
      case 'variable':
        return this.variable(expression)
      case 'access':
        return this.steps(this.value(expression.of), expression.steps)
      case 'item':
        return this.find(itemName) as Value
      case 'index':
        return elementAt(this.value(expression.of), this.value(expression.key), expression.brackets, this.diagnostics)
      case 'splat':
        return this.splat(expression)
      case 'call':
        return callFunction(expression, this)
      case 'tuple':
        return tuple(expression.items.map((item) => this.value(item)))
      case 'object':
        return this.object(expression)
      case 'for':
        return evaluateFor(expression, this)
      case 'join':
        return this.join(this.value(expression.items))
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

  /** `value` as a `type`; when it is none, reports with the reason that the conversion gives. */
  converted(value: Value, type: Type, range: Range, summary: string, detail: (reason: string) => string): Value {
    try {
      return convert(value, type)
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      return this.fail(summary, detail(error.message), range)
    }
  }

  /** The same evaluation with more names in scope. */
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

  private variable(expression: Expression & { kind: 'variable' }): Value {
    if (this.scope === undefined) {
      return this.fail('Variables not allowed', 'Variables may not be used here.', expression.nameRange)
    }
    const value = this.find(expression.name)
    if (value !== undefined) return this.steps(value, expression.steps)
    const { source, start, end } = expression.range
    return `\${${source.text.slice(start, end)}}`
  }

  private steps(from: Value, steps: readonly Step[]): Value {
    let value = from
    for (const step of steps) {
      if (value === unknown) break
      value =
        step.kind === 'attribute'
          ? memberOf(value, step.name, step.range, this.diagnostics)
          : elementAt(value, step.key, step.range, this.diagnostics)
    }
    return value
  }

  private template(parts: readonly Expression[]): Value {
    let text = ''
    let known = true
    for (const part of parts) {
      const value = this.value(part)
      const summary = 'Invalid template interpolation value'
      if (value === null) {
        const detail = 'The expression result is null. Cannot include a null value in a string template.'
        this.fail(summary, detail, part.range)
        known = false
        continue
      }
      const piece = this.converted(value, textType, part.range, summary, (reason) => {
        return `Cannot include the given value in a string template: ${reason}.`
      })
      if (typeof piece === 'string') text += piece
      else known = false
    }
    return known ? text : unknown
  }

  private join(items: Value): Value {
    if (!(items instanceof Sequence)) return unknown
    return items.items.includes(unknown) ? unknown : items.items.join('')
  }

  private splat({ of, each }: Expression & { kind: 'splat' }): Value {
    const value = this.value(of)
    if (value === unknown) return unknown
    if (value === null) return tuple([])
    const items = value instanceof Sequence ? value.items : [value]
    return tuple(items.map((item) => this.with([[itemName, item]]).value(each)))
  }

  private object({ items }: Expression & { kind: 'object' }): Value {
    const entries = new Map<string, Value>()
    let known = true
    for (const item of items) {
      const key = this.key(item.key)
      const value = this.value(item.value)
      if (typeof key === 'string') entries.set(key, value)
      else known = false
    }
    return known ? new Mapping('object', entries) : unknown
  }

  private key(key: Expression): Value {
    if (key.kind === 'variable') {
      if (key.steps.length === 0) return key.name
      const detail =
        "If this expression is intended to be a reference, wrap it in parentheses. If it's instead intended as a literal name containing periods, wrap it in quotes to create a string literal."
      return this.fail('Ambiguous attribute key', detail, key.range)
    }
    if (key.kind === 'literal' && typeof key.value === 'boolean') return String(key.value)
    const value = this.value(key)
    if (value === null) return this.fail('Null value as key', "Can't use a null value as a key.", key.range)
    return this.converted(value, textType, key.range, 'Incorrect key type', (reason) => {
      return `Can't use this value as a key: ${reason}.`
    })
  }

  private conditional({ condition, yes, no, range }: Expression & { kind: 'conditional' }): Value {
    const test = this.value(condition)
    if (test === null) {
      const detail = 'The condition value is null. Conditions must either be true or false.'
      return this.fail('Null condition', detail, condition.range)
    }
    const detail = 'The condition expression must be of type bool.'
    const decision = this.converted(test, boolType, condition.range, 'Incorrect condition type', () => detail)
    // Failures of the branch that is not taken do not count, but its type does.
    const branches = [yes, no].map((branch, index) => {
      const taken = (index === 0) === decision
      return (taken ? this : new Evaluation(this.scope, [])).value(branch)
    }) as [Value, Value]
    if (decision === unknown) return unknown
    return this.unified(branches, decision === true ? 0 : 1, range)
  }

  /** The chosen branch as the type that both have in common. */
  private unified(branches: readonly [Value, Value], chosen: 0 | 1, range: Range): Value {
    const value = branches[chosen]
    const other = branches[1 - chosen] as Value
    if (value === null || other === null || value === unknown || other === unknown) return value
    if (typeof value === typeof other && value instanceof Sequence === other instanceof Sequence) return value
    if (typeof value !== 'object' && typeof other !== 'object') return convert(value, textType)
    const [first, second] = branches.map(valueTypeName)
    const detail = `The true and false result expressions must have consistent types. The 'true' value is ${first}, but the 'false' value is ${second}.`
    return this.fail('Inconsistent conditional result types', detail, range)
  }
}
