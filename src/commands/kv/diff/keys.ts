import { cell, list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf } from '../../../core/json.ts'
import type { Tone } from '../../../core/output.ts'
import { cellText } from '../../../output/columns.ts'
import { cellValue, mapOf, same } from '../data/values.ts'

const noDifferences = 'no differences'

/** A key whose value differs; with the values only if they were asked for. */
export interface KeyDifference {
  readonly change: 'added' | 'removed' | 'changed'
  /** `a.b` for a key inside a map. */
  readonly key: string
  readonly from?: Json
  readonly to?: Json
}

const tones: Readonly<Record<KeyDifference['change'], Tone>> = { added: 'good', removed: 'bad', changed: 'change' }

function valueColumn(name: 'from' | 'to') {
  return {
    name,
    value: (row: KeyDifference) => cellValue(row[name]),
    show: (row: KeyDifference) => ({ text: cellText(cellValue(row[name])), whole: true }),
  }
}

const change = {
  name: 'change',
  value: (row: KeyDifference) => row.change,
  show: (row: KeyDifference) => cell(row.change, tones[row.change]),
}
const key = { name: 'key', value: (row: KeyDifference) => row.key, whole: true }
const named = (row: KeyDifference) => row.key
/** The view of key differences. */
export const maskedView = list<KeyDifference>([change, key], named, { empty: noDifferences })
/** The same with values. */
export const openView = list<KeyDifference>([change, key, valueColumn('from'), valueColumn('to')], named, {
  empty: noDifferences,
})

/** The keys that differ, maps compared key by key (`a.b`). Values are not part of it unless they are asked for. */
export function keyDifferences(older: Json, newer: Json, withValues: boolean, above = ''): KeyDifference[] {
  const [a, b] = [mapOf(older), mapOf(newer)]
  const keys = [...new Set([...keysOf(a), ...keysOf(b)])]
  return keys.flatMap((name) => {
    const [from, to] = [a[name], b[name]]
    const place = above + name
    if (same(from, to)) return []
    if (isObject(from) && isObject(to)) return keyDifferences(from, to, withValues, `${place}.`)
    const word = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
    return [
      {
        change: word,
        key: place,
        ...(withValues && from !== undefined ? { from } : {}),
        ...(withValues && to !== undefined ? { to } : {}),
      },
    ]
  })
}
