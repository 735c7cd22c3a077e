/** Functions on text. */

import { formatText } from './format.ts'
import { FunctionError, any, itemsOf, number, text, texts } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { textType } from './types.ts'
import { Sequence, list } from './values.ts'
import type { Value } from './values.ts'

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const textFunctions: Readonly<Record<string, HclFunction>> = {
  chomp: { parameters: [text('str')], run: (value: string) => value.replace(/[\r\n]+$/, '') },
  endswith: { parameters: [text('str'), text('suffix')], run: (value: string, end: string) => value.endsWith(end) },
  format: { parameters: [text('format')], rest: { ...any('args'), nullable: true }, run: formatText },
  formatlist: { parameters: [text('format')], rest: any('args'), run: formatList },
  indent: {
    parameters: [number('spaces'), text('str')],
    run: (spaces: number, value: string) => value.replaceAll('\n', `\n${' '.repeat(spaces)}`),
  },
  join: { parameters: [text('separator'), texts('lists')], rest: texts('lists'), run: join },
  lower: { parameters: [text('str')], run: (value: string) => value.toLowerCase() },
  regex_replace: { parameters: [text('str'), text('pattern'), text('replace')], run: replacePattern },
  replace: {
    parameters: [text('str'), text('substr'), text('replace')],
    run: (value: string, old: string, replacement: string) => value.replaceAll(old, () => replacement),
  },
  reverse: { parameters: [any('str')], run: reverse },
  split: {
    parameters: [text('separator'), text('str')],
    run: (separator: string, value: string) => list(value.split(separator), textType),
  },
  startswith: {
    parameters: [text('str'), text('prefix')],
    run: (value: string, start: string) => value.startsWith(start),
  },
  strcontains: {
    parameters: [text('str'), text('substr')],
    run: (value: string, part: string) => value.includes(part),
  },
  strlen: { parameters: [text('str')], run: (value: string) => split(value).length },
  strrev: { parameters: [text('str')], run: (value: string) => split(value).toReversed().join('') },
  substr: { parameters: [text('str'), number('offset'), number('length')], run: substring },
  title: {
    parameters: [text('str')],
    run: (value: string) => value.replaceAll(/(?<![\p{L}\p{N}_'])\p{L}/gu, (letter) => letter.toUpperCase()),
  },
  trim: { parameters: [text('str'), text('cutset')], run: trim },
  trimprefix: {
    parameters: [text('str'), text('prefix')],
    run: (value: string, start: string) => (value.startsWith(start) ? value.slice(start.length) : value),
  },
  trimspace: { parameters: [text('str')], run: (value: string) => value.trim() },
  trimsuffix: {
    parameters: [text('str'), text('suffix')],
    run: (value: string, end: string) => (value.endsWith(end) ? value.slice(0, value.length - end.length) : value),
  },
  upper: { parameters: [text('str')], run: (value: string) => value.toUpperCase() },
}

function split(value: string): string[] {
  return [...characters.segment(value)].map(({ segment }) => segment)
}

function join(separator: string, ...lists: Sequence[]): Value {
  const items = lists.flatMap(({ items: all }) => all)
  const missing = items.indexOf(null)
  if (missing >= 0) throw new FunctionError(`element ${missing} is null; cannot concatenate null values`)
  return items.join(separator)
}

function formatList(format: string, ...values: Value[]): Value {
  const lengths = values.filter((value) => value instanceof Sequence).map((value) => value.items.length)
  const length = lengths[0] ?? 1
  if (lengths.some((other) => other !== length)) throw new FunctionError('all list arguments must have the same length')
  const rows = Array.from({ length }, (_, index) => {
    return values.map((value) => (value instanceof Sequence ? (itemsOf(value)[index] as Value) : value))
  })
  return list(
    rows.map((row) => formatText(format, ...row)),
    textType,
  )
}

/** Go's spelling of groups, `$0`, `${1}` and `(?P<name>…)`, in JavaScript's. */
function replacePattern(value: string, pattern: string, replacement: string): Value {
  const template = replacement.replaceAll(/\$(?:\{(\w+)\}|(\d+))/g, (_, name?: string, place = '') => {
    const group = name ?? String(place)
    if (group === '0') return '$&'
    return /^\d+$/.test(group) ? `$${group}` : `$<${group}>`
  })
  try {
    return value.replaceAll(new RegExp(pattern.replaceAll('(?P<', '(?<'), 'gu'), template)
  } catch {
    throw new FunctionError(`invalid regexp pattern: ${pattern}`)
  }
}

function reverse(value: Value): Value {
  if (value instanceof Sequence) return list(value.items.toReversed(), value.element)
  return split(String(value)).toReversed().join('')
}

function substring(value: string, offset: number, length: number): Value {
  const letters = split(value)
  const start = offset < 0 ? Math.max(letters.length + offset, 0) : offset
  return letters.slice(start, length < 0 ? undefined : start + length).join('')
}

function trim(value: string, cut: string): Value {
  const letters = Array.from(value)
  const kept = (letter: string): boolean => !cut.includes(letter)
  const first = letters.findIndex(kept)
  return first < 0 ? '' : letters.slice(first, letters.findLastIndex(kept) + 1).join('')
}
