/** Arithmetic, comparison and logic. */

import type { Evaluation } from './evaluate.ts'
import type { Expression } from './tree.ts'
import { boolType, numberType } from './types.ts'
import type { Type } from './types.ts'
import { equal, unknown } from './values.ts'
import type { Value } from './values.ts'

interface Operation {
  readonly type: Type
  readonly run: (left: never, right: never) => Value
}

const arithmetic = (run: (left: number, right: number) => Value): Operation => ({ type: numberType, run })
const logic = (run: (left: boolean, right: boolean) => Value): Operation => ({ type: boolType, run })

const operations: Readonly<Record<string, Operation>> = {
  '+': arithmetic((left, right) => left + right),
  '-': arithmetic((left, right) => left - right),
  '*': arithmetic((left, right) => left * right),
  '/': arithmetic((left, right) => left / right),
  '%': arithmetic((left, right) => left % right),
  '<': arithmetic((left, right) => left < right),
  '<=': arithmetic((left, right) => left <= right),
  '>': arithmetic((left, right) => left > right),
  '>=': arithmetic((left, right) => left >= right),
  '&&': logic((left, right) => left && right),
  '||': logic((left, right) => left || right),
}

/** `left operator right`. Operands are converted; equality alone takes values of any type. */
export function evaluateBinary(expression: Expression & { kind: 'binary' }, evaluation: Evaluation): Value {
  const { operator, left, right } = expression
  const operation = operations[operator]
  if (operation === undefined) {
    const a = evaluation.value(left)
    const b = evaluation.value(right)
    if (a === unknown || b === unknown) return unknown
    return equal(a, b) === (operator === '==')
  }
  const a = operand(left, 'left operand', operation.type, evaluation)
  const b = operand(right, 'right operand', operation.type, evaluation)
  if (a === unknown || b === unknown) return unknown
  if (b === 0 && (operator === '/' || operator === '%')) {
    return evaluation.fail('Division by zero', 'Cannot divide by zero.', right.range)
  }
  return operation.run(a as never, b as never)
}

/** `-operand` and `!operand`. */
export function evaluateUnary(expression: Expression & { kind: 'unary' }, evaluation: Evaluation): Value {
  const negation = expression.operator === '-'
  const value = operand(expression.operand, 'unary operand', negation ? numberType : boolType, evaluation)
  if (value === unknown) return unknown
  return negation ? -(value as number) : !(value as boolean)
}

function operand(expression: Expression, role: string, type: Type, evaluation: Evaluation): Value {
  const value = evaluation.value(expression)
  const summary = 'Invalid operand'
  if (value === null) {
    return evaluation.fail(summary, `Unsuitable value for ${role}: argument must not be null.`, expression.range)
  }
  return evaluation.converted(value, type, expression.range, summary, (reason) => {
    return `Unsuitable value for ${role}: ${reason}.`
  })
}
