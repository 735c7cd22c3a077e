/** Functions on text. */

import { patternOf } from '../../filter/pattern.ts'
import { formatText } from './format.ts'
import { define } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { ValueError, itemsIn } from './values.ts'
import type { Value } from './values.ts'

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const textFunctions: Readonly<Record<string, HclFunction>> = {
  chomp: define('text', (text: string) => text.replace(/[\r\n]+$/, '')),
  endswith: define('text text', (text: string, end: string) => text.endsWith(end)),
  format: define('text any?...', formatText),
  formatlist: define('text any...', formatList),
  indent: define('number text', (spaces: number, text: string) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)),
  join: define('text texts texts...', join),
  lower: define('text', (text: string) => text.toLowerCase()),
  regex_replace: define('text text text', replacePattern),
  replace: define('text text text', (text: string, old: string, by: string) => text.replaceAll(old, () => by)),
  reverse: define('any', (value: Value) => itemsIn(value)?.toReversed() ?? split(String(value)).toReversed().join('')),
  split: define('text text', (separator: string, text: string) => text.split(separator)),
  startswith: define('text text', (text: string, start: string) => text.startsWith(start)),
  strcontains: define('text text', (text: string, part: string) => text.includes(part)),
  strlen: define('text', (text: string) => split(text).length),
  strrev: define('text', (text: string) => split(text).toReversed().join('')),
  substr: define('text number number', substring),
  title: define('text', (text: string) =>
    text.replaceAll(/(?<![\p{L}\p{N}_'])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  trim: define('text text', trim),
  trimprefix: define('text text', (text: string, start: string) => {
    return text.startsWith(start) ? text.slice(start.length) : text
  }),
  trimspace: define('text', (text: string) => text.trim()),
  trimsuffix: define('text text', (text: string, end: string) => {
    return text.endsWith(end) ? text.slice(0, text.length - end.length) : text
  }),
  upper: define('text', (text: string) => text.toUpperCase()),
}

function split(text: string): string[] {
  return [...characters.segment(text)].map(({ segment }) => segment)
}

function join(separator: string, ...lists: Value[][]): Value {
  const items = lists.flat()
  if (items.includes(null)) throw new ValueError(`element ${items.indexOf(null)} is null`)
  return items.join(separator)
}

function formatList(format: string, ...values: Value[]): Value {
  const lengths = values.flatMap((value) => itemsIn(value)?.length ?? [])
  const length = lengths[0] ?? 1
  if (lengths.some((other) => other !== length)) throw new ValueError('all lists must have the same length')
  return Array.from({ length }, (_, index) => {
    return formatText(format, ...values.map((value) => (itemsIn(value) ?? Array(length).fill(value))[index] as Value))
  })
}

/** Go's spelling of groups in the replacement: `$1`, `${1}` and `${name}`. */
function replacePattern(text: string, expression: string, replacement: string): Value {
  try {
    const pattern = patternOf(expression)
    const names = pattern.namedGroups()
    const template = replacement.replaceAll(/\$(?:\{(\w+)\}|(\d+))/g, (whole, name?: string, place?: string) => {
      const group = place ?? (/^\d+$/.test(name ?? '') ? name : names[name ?? ''])
      if (group === '0') return '$&'
      return group === undefined ? whole : `$${group}`
    })
    return pattern.matcher(text).replaceAll(template)
  } catch {
    throw new ValueError(`invalid regular expression or replacement: ${expression}`)
  }
}

function substring(text: string, offset: number, length: number): Value {
  const letters = split(text)
  const start = offset < 0 ? Math.max(letters.length + offset, 0) : offset
  return letters.slice(start, length < 0 ? undefined : start + length).join('')
}

function trim(text: string, cut: string): Value {
  const letters = Array.from(text)
  const kept = (letter: string): boolean => !cut.includes(letter)
  const first = letters.findIndex(kept)
  return first < 0 ? '' : letters.slice(first, letters.findLastIndex(kept) + 1).join('')
}
