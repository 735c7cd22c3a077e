/** Functions on numbers, and conversions between types. */

import { define } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { anyType, boolType, convert, numberType, textType } from './types.ts'
import { ValueError } from './values.ts'
import type { Value } from './values.ts'

const most = 1024

export const numberFunctions: Readonly<Record<string, HclFunction>> = {
  abs: define('number', (number: number) => Math.abs(number)),
  ceil: define('number', (number: number) => Math.ceil(number)),
  floor: define('number', (number: number) => Math.floor(number)),
  log: define('number number', (number: number, base: number) => Math.log(number) / Math.log(base)),
  max: define('number number...', (...numbers: number[]) => Math.max(...numbers)),
  min: define('number number...', (...numbers: number[]) => Math.min(...numbers)),
  parseint: define('text number', parseInteger),
  pow: define('number number', (number: number, power: number) => number ** power),
  range: define('number number...', range),
  signum: define('number', (number: number) => Math.sign(number)),
  tobool: define('any?', (value: Value) => convert(value, boolType)),
  tonumber: define('any?', (value: Value) => convert(value, numberType)),
  tostring: define('any?', (value: Value) => convert(value, textType)),
  tolist: define('any', (value: Value) => convert(value, { kind: 'list', element: anyType })),
  toset: define('any', (value: Value) => convert(value, { kind: 'set', element: anyType })),
  tomap: define('any', (value: Value) => convert(value, { kind: 'map', element: anyType })),
}

function parseInteger(digits: string, base: number): number {
  if (!Number.isInteger(base) || base < 2 || base > 36) throw new ValueError('the base must be 2 to 36')
  const value = /^[+-]?[0-9a-z]+$/i.test(digits) ? Number.parseInt(digits, base) : Number.NaN
  const isWhole = Array.from(digits.replace(/^[+-]/, '')).every((digit) => Number.parseInt(digit, base) >= 0)
  if (Number.isNaN(value) || !isWhole) throw new ValueError(`"${digits}" is not an integer in base ${base}`)
  return value
}

/** `range(end)`, `range(start, end)`, `range(start, end, step)`. */
function range(...parameters: number[]): Value {
  const [start, end] = parameters.length === 1 ? [0, parameters[0] as number] : (parameters as [number, number])
  const step = parameters[2] ?? (start < end ? 1 : -1)
  const steps = Math.ceil((end - start) / step)
  if (!Number.isFinite(steps) || steps < 0 || parameters.length > 3) {
    throw new ValueError('one to three numbers are required, and a step that leads from start to end')
  }
  if (steps > most) throw new ValueError(`more than ${most} values were generated`)
  return Array.from({ length: steps }, (_, index) => start + index * step)
}
