/** The value of an argument → JSON of the type that its place wants. */

import { objectFrom } from '../../../core/json.ts'
import type { Json } from '../../../core/json.ts'
import { durationNanoseconds } from '../durations.ts'
import { evaluate } from '../evaluation/evaluate.ts'
import { ConversionError, boolType, convert, numberType, textType } from '../evaluation/types.ts'
import type { Type } from '../evaluation/types.ts'
import { isMap, itemsIn, typeOf, unknown } from '../evaluation/values.ts'
import type { Value } from '../evaluation/values.ts'
import type { Expression } from '../syntax/tree.ts'
import type { ArgumentType, Context } from './schema.ts'

const types: Readonly<Record<Exclude<ArgumentType, 'duration'>, Type>> = {
  text: textType,
  integer: numberType,
  bool: boolType,
  texts: { kind: 'list', element: textType },
  'text map': { kind: 'map', element: textType },
}

/** The JSON of an argument; undefined for null, and after a fault, which is reported. Durations are nanoseconds. */
export function argumentJson(expression: Expression, type: ArgumentType, context: Context): Json | undefined {
  const value = evaluate(expression, context.scope, context.diagnostics)
  try {
    return (type === 'duration' ? duration(value) : jsonOf(whole(convert(value, types[type])))) ?? undefined
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const detail = `Unsuitable ${type === 'duration' ? 'duration ' : ''}value: ${error.message}`
    context.diagnostics.push({ summary: 'Unsuitable value type', detail, range: expression.at })
    return undefined
  }
}

/** Any value as JSON, for blocks whose content the server does not know. */
export function anyJson(expression: Expression, { scope, late }: Context): Json {
  try {
    return jsonOf(evaluate(expression, scope, late))
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    late.push({ summary: 'Unsuitable value type', detail: `Unsuitable value: ${error.message}`, range: expression.at })
    return null
  }
}

function whole(value: Value): Value {
  if (typeof value === 'number' && !Number.isInteger(value)) throw new ConversionError('value must be a whole number')
  return value
}

function duration(value: Value): Json {
  if (value === null || typeof value === 'number') return jsonOf(whole(value))
  if (value === unknown) return jsonOf(value)
  if (typeof value !== 'string') throw new ConversionError(`expected a duration but found ${typeOf(value)}`)
  const nanoseconds = durationNanoseconds(value)
  if (nanoseconds !== undefined) return nanoseconds
  const unit = /^[+-]?[\d.]+$/.test(value) ? 'its unit is missing' : 'write it like "30s" or "1h30m"'
  throw new ConversionError(`invalid duration ${JSON.stringify(value)}; ${unit}`)
}

function jsonOf(value: Value): Json {
  const items = itemsIn(value)
  if (items !== undefined) return items.map(jsonOf)
  if (isMap(value)) return objectFrom([...value].map(([key, item]): [string, Json] => [key, jsonOf(item)]))
  if (value === unknown || (typeof value === 'number' && !Number.isFinite(value))) {
    throw new ConversionError('value must be known')
  }
  return value as Json
}
