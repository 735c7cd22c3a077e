/** Functions on numbers, and conversions between scalars. */

import { FunctionError, any, number, nullable, text } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { ConversionError, boolType, convert, numberType, textType } from './types.ts'
import type { Type } from './types.ts'
import { list } from './values.ts'
import type { Value } from './values.ts'

const most = 1024

export const numberFunctions: Readonly<Record<string, HclFunction>> = {
  abs: { parameters: [number('num')], run: (value: number) => Math.abs(value) },
  ceil: { parameters: [number('num')], run: (value: number) => Math.ceil(value) },
  floor: { parameters: [number('num')], run: (value: number) => Math.floor(value) },
  log: {
    parameters: [number('num'), number('base')],
    run: (value: number, base: number) => Math.log(value) / Math.log(base),
  },
  max: { parameters: [], rest: number('numbers'), run: (...values: number[]) => extreme(values, Math.max) },
  min: { parameters: [], rest: number('numbers'), run: (...values: number[]) => extreme(values, Math.min) },
  parseint: { parameters: [text('number'), number('base')], run: parseInteger },
  pow: { parameters: [number('num'), number('power')], run: (value: number, power: number) => value ** power },
  range: { parameters: [], rest: number('params'), run: range },
  signum: { parameters: [number('num')], run: (value: number) => Math.sign(value) },
  tobool: { parameters: [nullable('v')], run: (value: Value) => to(value, boolType) },
  tonumber: { parameters: [nullable('v')], run: (value: Value) => to(value, numberType) },
  tostring: { parameters: [nullable('v')], run: (value: Value) => to(value, textType) },
  tolist: { parameters: [any('v')], run: (value: Value) => to(value, { kind: 'list', element: { kind: 'any' } }) },
  toset: { parameters: [any('v')], run: (value: Value) => to(value, { kind: 'set', element: { kind: 'any' } }) },
  tomap: { parameters: [any('v')], run: (value: Value) => to(value, { kind: 'map', element: { kind: 'any' } }) },
}

function to(value: Value, type: Type): Value {
  try {
    return convert(value, type)
  } catch (error) {
    if (error instanceof ConversionError) throw new FunctionError(error.message)
    throw error
  }
}

function extreme(values: readonly number[], choose: (...values: number[]) => number): number {
  if (values.length === 0) throw new FunctionError('must pass at least one number')
  return choose(...values)
}

function parseInteger(digits: string, base: number): number {
  if (!Number.isInteger(base) || base < 2 || base > 36) {
    throw new FunctionError('base must be a whole number between 2 and 62 inclusive')
  }
  const value = /^[+-]?[0-9a-z]+$/i.test(digits) ? Number.parseInt(digits, base) : Number.NaN
  const reach = Number.parseInt(digits.at(-1) ?? '', base)
  if (Number.isNaN(value) || Number.isNaN(reach)) {
    throw new FunctionError(`cannot parse "${digits}" as a base ${base} integer`)
  }
  return value
}

/** `range(end)`, `range(start, end)`, `range(start, end, step)`. */
function range(...parameters: number[]): Value {
  if (parameters.length < 1 || parameters.length > 3) throw new FunctionError('must have one, two, or three arguments')
  const [start, end] = parameters.length === 1 ? [0, parameters[0] as number] : (parameters as [number, number])
  const step = parameters[2] ?? (start < end ? 1 : -1)
  if (step === 0) throw new FunctionError('step must not be zero')
  if (end > start !== step > 0 && end !== start) {
    throw new FunctionError(
      step > 0
        ? 'end must be greater than start when step is positive'
        : 'end must be less than start when step is negative',
    )
  }
  const items: number[] = []
  for (let value = start; step > 0 ? value < end : value > end; value += step) {
    if (items.length >= most) {
      throw new FunctionError(
        `more than ${most} values were generated; either decrease the difference between start and end or use a smaller step`,
      )
    }
    items.push(value)
  }
  return list(items, numberType)
}
