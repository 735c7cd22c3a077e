/** Arithmetic, comparison and logic. */

import type { Expression } from '../syntax/tree.ts'
import type { Evaluator } from './evaluator.ts'
import { boolType, numberType } from './types.ts'
import type { Type } from './types.ts'
import { equal, unknown } from './values.ts'
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
export function evaluateBinary(expression: Expression & { kind: 'binary' }, evaluation: Evaluator): Value {
  const { operator, left, right } = expression
  if (operator === '==' || operator === '!=') {
    const a = evaluation.value(left)
    const b = evaluation.value(right)
    return a === unknown || b === unknown ? unknown : equal(a, b) === (operator === '==')
  }
  const calculate = arithmetic[operator]
  const type = calculate === undefined ? boolType : numberType
  const a = operand(left, 'The left operand', type, evaluation)
  const b = operand(right, 'The right operand', type, evaluation)
  if (a === unknown || b === unknown) return unknown
  if (calculate === undefined) return operator === '&&' ? a === true && b === true : a === true || b === true
  if (b === 0 && (operator === '/' || operator === '%')) {
    return evaluation.fail('Division by zero', 'Cannot divide by zero.', right.range)
  }
  return calculate(a as number, b as number)
}

/** `-operand` and `!operand`. */
export function evaluateUnary(expression: Expression & { kind: 'unary' }, evaluation: Evaluator): Value {
  const negation = expression.operator === '-'
  const value = operand(expression.operand, 'The operand', negation ? numberType : boolType, evaluation)
  if (value === unknown) return unknown
  return negation ? -(value as number) : value !== true
}

function operand(expression: Expression, subject: string, type: Type, evaluation: Evaluator): Value {
  return evaluation.required(evaluation.value(expression), type, expression.range, 'Invalid operand', subject)
}
