/** The value of an argument → JSON of the type that its place wants. */

import { objectFrom } from '../../core/json.ts'
import type { Json } from '../../core/json.ts'
import { durationError, durationNanoseconds } from './durations.ts'
import { evaluate } from './evaluate.ts'
import type { ArgumentType, Context } from './schema.ts'
import { startRange } from './tree.ts'
import type { Expression } from './tree.ts'
import { ConversionError, boolType, convert, numberType, textType, textsType, valueTypeName } from './types.ts'
import type { Type } from './types.ts'
import { Mapping, Sequence, unknown } from './values.ts'
import type { Value } from './values.ts'

const types: Readonly<Record<Exclude<ArgumentType, 'duration'>, Type>> = {
  text: textType,
  integer: numberType,
  bool: boolType,
  texts: textsType,
  'text map': { kind: 'map', element: textType },
}

const wholeNumber = 'value must be a whole number, between -9223372036854775808 and 9223372036854775807 inclusive'

/** The JSON of an argument; undefined for null, and after a fault, which is reported. Durations are nanoseconds. */
export function decodeArgument(expression: Expression, type: ArgumentType, context: Context): Json | undefined {
  const value = evaluate(expression, context.scope, context.diagnostics)
  try {
    const json = type === 'duration' ? duration(value) : ofType(value, type)
    return json ?? undefined
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const range = startRange(expression)
    context.diagnostics.push({ summary: 'Unsuitable value type', detail: `Unsuitable ${error.message}`, range })
    return undefined
  }
}

/** Any value as JSON, for blocks whose content the server does not know. */
export function plainJson(expression: Expression, { scope, late }: Context): Json {
  const value = evaluate(expression, scope, late)
  if (!holdsUnknown(value)) return toJson(value)
  late.push({
    summary: 'unsuitable value type',
    detail: 'Unsuitable value: value is not known',
    range: startRange(expression),
  })
  return null
}

function ofType(value: Value, type: Exclude<ArgumentType, 'duration'>): Json {
  let converted: Value
  try {
    converted = convert(value, types[type])
  } catch (error) {
    if (error instanceof ConversionError) throw new ConversionError(`value: ${error.message}`)
    throw error
  }
  if (holdsUnknown(converted)) throw new ConversionError('value: value must be known')
  if (typeof converted === 'number' && !Number.isInteger(converted)) throw new ConversionError(`value: ${wholeNumber}`)
  return toJson(converted)
}

function duration(value: Value): Json {
  if (value === null) return null
  if (value === unknown) throw new ConversionError('value: value must be known')
  if (typeof value === 'number') {
    if (Number.isInteger(value)) return value
    throw new ConversionError(`value: ${wholeNumber}`)
  }
  if (typeof value !== 'string') throw new ConversionError(`value: expected a string but found ${valueTypeName(value)}`)
  const nanoseconds = durationNanoseconds(value)
  if (nanoseconds === undefined) throw new ConversionError(`duration value: ${durationError(value)}`)
  return nanoseconds
}

function holdsUnknown(value: Value): boolean {
  if (value instanceof Sequence) return value.items.some(holdsUnknown)
  if (value instanceof Mapping) return [...value.entries.values()].some(holdsUnknown)
  return value === unknown
}

function toJson(value: Value): Json {
  if (value instanceof Sequence) return value.items.map(toJson)
  if (value instanceof Mapping) {
    return objectFrom([...value.entries].map(([key, item]): [string, Json] => [key, toJson(item)]))
  }
  return value === unknown ? null : value
}
