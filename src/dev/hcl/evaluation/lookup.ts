/** Members and elements of values. */

import type { Expression } from '../syntax/tree.ts'
import type { Evaluator } from './evaluator.ts'
import { numberType, textType } from './types.ts'
import { ValueSet, isMap, itemsIn, typeOf, unknown } from './values.ts'
import type { Value } from './values.ts'

/** `value.name` or `value[key]`; reports when there is no such element. */
export function elementAt(
  value: Value,
  key: Value,
  { dot, place }: Expression & { kind: 'index' },
  evaluation: Evaluator,
): Value {
  const summary = dot && typeof key === 'string' ? 'Unsupported attribute' : 'Invalid index'
  const fail = (detail: string): Value => evaluation.fail(summary, detail, place)
  if (key === unknown) return unknown
  if (value === null) return fail('This value is null.')
  if (isMap(value)) {
    const name = evaluation.required(key, textType, place, summary, 'The key')
    if (typeof name !== 'string') return unknown
    return value.get(name) ?? (value.has(name) ? null : fail(`This object does not have an attribute named "${name}".`))
  }
  if (value instanceof ValueSet) return fail('A set has no order and so no indexes; convert it with tolist.')
  const items = itemsIn(value)
  if (items === undefined) return fail(`A value of type ${typeOf(value)} does not have any elements.`)
  const index = evaluation.required(key, numberType, place, summary, 'The index')
  if (typeof index !== 'number') return unknown
  const item = items[index]
  return item === undefined ? fail(`There is no element ${index}; the list has ${items.length}.`) : item
}
