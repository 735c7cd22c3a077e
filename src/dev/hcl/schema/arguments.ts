/** The value of an argument → JSON of the type that its place wants. */

import type { Json } from '../../../core/json.ts'
import { durationNanoseconds } from '../../go.ts'
import { evaluate, placed } from '../evaluation/evaluate.ts'
import type { Scope } from '../evaluation/evaluate.ts'
import { ValueError, convert, jsonOf, typeOf } from '../evaluation/values.ts'
import type { Type, Value } from '../evaluation/values.ts'
import type { Expression } from '../syntax/tree.ts'
import type { ArgumentType } from './schema.ts'

const string: Type = { kind: 'string' }

const types: Readonly<Record<Exclude<ArgumentType, 'duration' | 'any'>, Type>> = {
  text: string,
  integer: { kind: 'number' },
  unsigned: { kind: 'number' },
  bool: { kind: 'bool' },
  texts: { kind: 'list', element: string },
  'text map': { kind: 'map', element: string },
}

/** The JSON of an argument. Durations are nanoseconds. Throws {@link HclError}. */
export function argumentJson(expression: Expression, type: ArgumentType, scope: Scope): Json {
  const value = evaluate(expression, scope)
  return placed(expression.range, 'Unsuitable value type', 'Unsuitable value: ', () => {
    if (type === 'any') return jsonOf(value)
    return type === 'duration' ? duration(value) : jsonOf(whole(convert(value, types[type])))
  })
}

function whole(value: Value): Value {
  if (typeof value === 'number' && !Number.isInteger(value)) throw new ValueError('value must be a whole number')
  return value
}

function duration(value: Value): Json {
  if (value === null || typeof value === 'number') return jsonOf(whole(value))
  if (typeof value !== 'string') throw new ValueError(`expected a duration but found ${typeOf(value)}`)
  const nanoseconds = durationNanoseconds(value)
  if (nanoseconds !== undefined) return nanoseconds
  const unit = /^[+-]?[\d.]+$/.test(value) ? 'its unit is missing' : 'write it like "30s" or "1h30m"'
  throw new ValueError(`invalid duration ${JSON.stringify(value)}; ${unit}`)
}
