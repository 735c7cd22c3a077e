/** Arithmetic, comparison and logic. */

import { fail } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import { evaluate, evaluateAs } from './evaluate.ts'
import type { Scope } from './evaluate.ts'
import { equal } from './values.ts'
import type { Value } from './values.ts'

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
export function evaluateBinary(expression: Expression & { kind: 'binary' }, scope: Scope | undefined): Value {
  const { operator, left, right } = expression
  if (operator === '==' || operator === '!=') {
    return equal(evaluate(left, scope), evaluate(right, scope)) === (operator === '==')
  }
  const calculate = arithmetic[operator]
  if (calculate === undefined) {
    const [a, b] = [operand('bool', left, scope), operand('bool', right, scope)]
    return operator === '&&' ? a && b : a || b
  }
  const [a, b] = [operand('number', left, scope), operand('number', right, scope)]
  if (b === 0 && (operator === '/' || operator === '%')) {
    return fail('Division by zero', 'Cannot divide by zero.', right.range)
  }
  return calculate(a, b)
}

/** `-operand` and `!operand`. */
export function evaluateUnary(expression: Expression & { kind: 'unary' }, scope: Scope | undefined): Value {
  if (expression.operator === '-') return -operand('number', expression.operand, scope)
  return !operand('bool', expression.operand, scope)
}

function operand<Kind extends 'bool' | 'number'>(kind: Kind, expression: Expression, scope: Scope | undefined) {
  return evaluateAs(kind, expression, scope, 'Invalid operand')
}
