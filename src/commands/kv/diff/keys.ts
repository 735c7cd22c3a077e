import { at, text } from '../../../core/answer.ts'
import { cell, list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, objectFrom } from '../../../core/json.ts'
import type { Tone } from '../../../core/output.ts'
import { cellText } from '../../../output/columns.ts'
import { mapOf, same } from '../values.ts'

const tones: Readonly<Record<string, Tone>> = { added: 'good', removed: 'bad', changed: 'change' }

function valueColumn(name: 'from' | 'to') {
  return {
    name,
    value: (row: Json) => at(row, name),
    show: (row: Json) =>
      isObject(row) && Object.hasOwn(row, name) ? { text: cellText(at(row, name)), whole: true } : '',
  }
}

const change = {
  name: 'change',
  value: (row: Json) => at(row, 'change'),
  show: (row: Json) => {
    const word = text(row, 'change') ?? ''
    return cell(word, tones[word])
  },
}
const key = { name: 'key', value: (row: Json) => at(row, 'key'), whole: true }
const named = (row: Json) => text(row, 'key') ?? ''
const maskedView = list<Json>([change, key], named, { empty: 'no differences' })
const openView = list<Json>([change, key, valueColumn('from'), valueColumn('to')], named, { empty: 'no differences' })

/** The view of key differences, with or without values. */
export function keysView(withValues: boolean) {
  return withValues ? openView : maskedView
}

/** The keys that differ, maps compared key by key (`a.b`). Values are not part of it unless they are asked for. */
export function keyDifferences(older: Json, newer: Json, withValues: boolean, above = ''): Json[] {
  const [a, b] = [mapOf(older), mapOf(newer)]
  const keys = [...new Set([...keysOf(a), ...keysOf(b)])]
  return keys.flatMap((name) => {
    const [from, to] = [a[name], b[name]]
    const place = above + name
    if (same(from, to)) return []
    if (isObject(from) && isObject(to)) return keyDifferences(from, to, withValues, `${place}.`)
    const word = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
    const values: [string, Json][] = []
    if (withValues && from !== undefined) values.push(['from', from])
    if (withValues && to !== undefined) values.push(['to', to])
    return [objectFrom([['change', word], ['key', place], ...values])]
  })
}
