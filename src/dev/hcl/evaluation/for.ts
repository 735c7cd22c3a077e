/** `for` expressions. */

import type { ForExpression } from '../syntax/tree.ts'
import type { Evaluator } from './evaluator.ts'
import { boolType, textType } from './types.ts'
import { mapOf, pairsOf, typeOf, unknown } from './values.ts'
import type { Value } from './values.ts'

/** A list, or an object when there are keys, of the items that the condition lets through. */
export function evaluateFor(expression: ForExpression, evaluation: Evaluator): Value {
  const { collection, condition, key, value, keyName, valueName } = expression
  const iterated = evaluation.value(collection)
  if (iterated === unknown) return unknown
  const pairs = pairsOf(iterated)
  if (pairs === undefined) {
    const detail = `A value of type ${typeOf(iterated)} is not a collection that 'for' can iterate over.`
    return evaluation.fail('Iteration over non-iterable value', detail, collection.range)
  }
  const inner = pairs.map(([itemKey, item]) => {
    return evaluation.with([...(keyName === undefined ? [] : [[keyName, itemKey] as const]), [valueName, item]])
  })
  const kept = inner.filter((each) => {
    if (condition === undefined) return true
    const summary = "Invalid 'for' condition"
    return each.required(each.value(condition), boolType, condition.range, summary, "The 'if' clause") === true
  })
  if (key === undefined) return kept.map((each) => each.value(value))
  const entries = kept.map((each) => {
    const name = each.required(each.value(key), textType, key.range, 'Invalid object key', 'The key')
    return [name, each.value(value)] as const
  })
  return objectOf(entries, expression, evaluation)
}

function objectOf(
  entries: readonly (readonly [Value, Value])[],
  expression: ForExpression,
  evaluation: Evaluator,
): Value {
  const groups = new Map<string, Value[]>()
  for (const [name, item] of entries) {
    if (typeof name !== 'string') return unknown
    const group = groups.get(name)
    if (group !== undefined && !expression.group) {
      const detail = `Two items have the key "${name}". Put "..." behind the value to group them.`
      return evaluation.fail('Duplicate object key', detail, (expression.key ?? expression).range)
    }
    groups.set(name, [...(group ?? []), item])
  }
  return mapOf([...groups].map(([name, items]) => [name, expression.group ? items : (items[0] as Value)]))
}
