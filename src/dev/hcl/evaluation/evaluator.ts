import type { Diagnostic, Range } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import type { Type } from './types.ts'
import type { Value, unknown } from './values.ts'

/** The names that an expression may use. Without a scope it may use none, and call no function. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>
  readonly outer?: Scope
}

/** An expression's surroundings, as the kinds of expressions see them: names, other expressions, and where to report. */
export interface Evaluator {
  readonly scope: Scope | undefined
  readonly diagnostics: Diagnostic[]
  value(expression: Expression): Value
  /** The same with more names. */
  with(names: Iterable<readonly [string, Value]>): Evaluator
  /** The same names, with its own list of diagnostics. */
  trial(): Evaluator
  /** Reports and gives the unknown value. */
  fail(summary: string, detail: string, range: Range): typeof unknown
  /** A value that must be a `type` and not null; otherwise reports what the `subject` is not. */
  required(value: Value, type: Type, range: Range, summary: string, subject: string): Value
}
