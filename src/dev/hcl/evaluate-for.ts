/** `for` expressions. */

import type { Evaluation } from './evaluate.ts'
import { pairsOf } from './lookup.ts'
import type { Expression, ForExpression } from './tree.ts'
import { boolType, textType, valueTypeName } from './types.ts'
import { Mapping, tuple, unknown } from './values.ts'
import type { Value } from './values.ts'

/** A list, or an object when it has keys: of what the collection holds and the condition lets through. */
export function evaluateFor(expression: ForExpression, evaluation: Evaluation): Value {
  const collection = evaluation.value(expression.collection)
  if (collection === unknown) return unknown
  const { range } = expression.collection
  if (collection === null) {
    const detail = "A null value cannot be used as the collection in a 'for' expression."
    return evaluation.fail('Iteration over null value', detail, range)
  }
  const pairs = pairsOf(collection)
  if (pairs === undefined) {
    const detail = `A value of type ${valueTypeName(collection)} cannot be used as the collection in a 'for' expression.`
    return evaluation.fail('Iteration over non-iterable value', detail, range)
  }
  const inner = pairs.map(([key, value]): Evaluation => {
    const names: [string, Value][] = [[expression.valueName, value]]
    if (expression.keyName !== undefined) names.unshift([expression.keyName, key])
    return evaluation.with(names)
  })
  const kept = inner.filter((each) => included(expression.condition, each))
  return expression.key === undefined
    ? tuple(kept.map((each) => each.value(expression.value)))
    : objectOf(expression, expression.key, kept)
}

function included(condition: Expression | undefined, evaluation: Evaluation): boolean {
  if (condition === undefined) return true
  const value = evaluation.value(condition)
  if (value === null) {
    evaluation.fail('Condition is null', "The value of the 'if' clause must not be null.", condition.range)
    return false
  }
  const summary = "Invalid 'for' condition"
  const passes = evaluation.converted(value, boolType, condition.range, summary, (reason) => {
    return `The 'if' clause value is invalid: ${reason}.`
  })
  return passes === true
}

function objectOf(expression: ForExpression, keyExpression: Expression, inner: readonly Evaluation[]): Value {
  const groups = new Map<string, Value[]>()
  for (const evaluation of inner) {
    const summary = 'Invalid object key'
    const value = evaluation.value(keyExpression)
    if (value === null) {
      return evaluation.fail(
        summary,
        "Key expression in 'for' expression must not produce a null value.",
        keyExpression.range,
      )
    }
    const key = evaluation.converted(value, textType, keyExpression.range, summary, (reason) => {
      return `The key expression produced an invalid result: ${reason}.`
    })
    if (typeof key !== 'string') return unknown
    const group = groups.get(key)
    if (group !== undefined && !expression.group) {
      const detail = `Two different items produced the key "${key}" in this 'for' expression. If duplicates are expected, use the ellipsis (...) after the value expression to enable grouping by key.`
      return evaluation.fail('Duplicate object key', detail, keyExpression.range)
    }
    groups.set(key, [...(group ?? []), evaluation.value(expression.value)])
  }
  const entries = [...groups].map(([key, items]): [string, Value] => {
    return [key, expression.group ? tuple(items) : (items[0] as Value)]
  })
  return new Mapping('object', entries)
}
