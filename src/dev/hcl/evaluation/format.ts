/** `format`: the verbs of Go's fmt that job files use. */

import { encodeJson } from './functions-encoding.ts'
import { boolType, convert, numberType, textType } from './types.ts'
import type { Type } from './types.ts'
import { ValueError } from './values.ts'
import type { Value } from './values.ts'

const verb = /%([-+ #0]*)(\d+)?(?:\.(\d+))?(?:\[(\d+)\])?([a-zA-Z%])/g

/** `format` with each verb replaced by the next argument, or by the one that `[n]` names. */
export function formatText(format: string, ...values: Value[]): string {
  let next = 0
  let highest = 0
  const text = format.replaceAll(
    verb,
    (all, flags: string, width = '0', precision?: string, place?: string, letter = '') => {
      if (letter === '%') return '%'
      const index = place === undefined ? next : Number(place) - 1
      next = index + 1
      highest = Math.max(highest, next)
      if (index >= values.length) throw new ValueError(`not enough arguments for "${all}"`)
      return padded(written(letter, flags, precision, values[index] as Value), flags, Number(width))
    },
  )
  if (highest < values.length && !/\[\d+\]/.test(format))
    throw new ValueError(`too many arguments; only ${highest} used`)
  return text
}

function written(letter: string, flags: string, precision: string | undefined, value: Value): string {
  switch (letter) {
    case 'v':
      return flags.includes('#') || value === null || typeof value === 'object'
        ? encodeJson(value)
        : String(as(value, textType))
    case 's':
      return String(as(value, textType)).slice(0, precision === undefined ? undefined : Number(precision))
    case 'q':
      return JSON.stringify(as(value, textType))
    case 't':
      return String(as(value, boolType))
    default: {
      const number = Number(as(value, numberType))
      return (flags.includes('+') && number >= 0 ? '+' : '') + numeral(letter, Number(precision ?? 6), number)
    }
  }
}

function numeral(letter: string, precision: number, value: number): string {
  switch (letter) {
    case 'd':
      return BigInt(Math.trunc(value)).toString()
    case 'f':
      return value.toFixed(precision)
    case 'e':
      return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2')
    case 'g':
      return String(value)
    case 'b':
      return Math.trunc(value).toString(2)
    case 'o':
      return Math.trunc(value).toString(8)
    case 'x':
      return Math.trunc(value).toString(16)
    case 'X':
      return Math.trunc(value).toString(16).toUpperCase()
    default:
      throw new ValueError(`unsupported format verb '${letter}'`)
  }
}

function padded(text: string, flags: string, width: number): string {
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0')) return text.padStart(width)
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}

function as(value: Value, type: Type): Value {
  if (value === null) throw new ValueError('a null value cannot be formatted')
  return convert(value, type)
}
