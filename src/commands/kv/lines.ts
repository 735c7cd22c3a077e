import { readableTime } from '../../core/duration.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, plainText } from '../../core/json.ts'
import type { Paint } from '../../core/output.ts'
import { escapeControl } from '../../output/safe.ts'
import { cells, pad } from '../../output/width.ts'
import { mapOf } from './values.ts'

/** `owner=amy, team=pay`; '' for none. */
export function customMetadataWords(custom: Json | undefined): string {
  return entriesOf(mapOf(custom ?? null))
    .map(([key, value]) => `${key}=${plainText(value ?? null)}`)
    .join(', ')
}

/** A version's metadata, one member per line. */
export function factLines(metadata: Json, paint: Paint): string {
  const facts = entriesOf(mapOf(metadata)).map(([key, value]): [string, string] => [key, factText(key, value)])
  return aligned(facts, paint)
}

function factText(key: string, value: Json | undefined): string {
  if (key === 'custom_metadata') return customMetadataWords(value)
  return key.endsWith('_time') && typeof value === 'string' ? readableTime(value) : plainText(value ?? '')
}

/** Keys and values in two columns; values of several lines are printed below their key, unchanged. */
export function aligned(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const shown = entries.map(([key, value]) => ({
    key: escapeControl(key),
    lines: escapeControl(value, { newlines: true }).replace(/\n$/, '').split('\n'),
  }))
  const width = shown.reduce((widest, { key }) => Math.max(widest, cells(key)), 0)
  return shown
    .map(({ key, lines }) => {
      const name = paint('heading', key)
      if (lines.length > 1) return [name, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), ''].join('\n')
      return `${pad(name, width, 'left')}  ${lines[0]}`.trimEnd() + '\n'
    })
    .join('')
}
