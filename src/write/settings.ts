import { createHash } from 'node:crypto'
import type { Json } from '../core/json.ts'
import { isObject, plainText, sameJson, stringifyJson } from '../core/json.ts'
import type { Decision } from './work.ts'
import { unseen } from './work.ts'

/** Settings to write, by their names in the API. */
export type Settings = readonly (readonly [name: string, value: Json])[]

/**
 * What writing settings would do. `present` is what the server shows, null if nothing exists yet, and undefined if it may not be
 * read. `isEqual` compares two values of a setting that the server writes in another form; `show` is a value in words.
 */
export function decideSettings(
  present: Json | undefined,
  settings: Settings,
  {
    apply,
    isEqual = (_, before, after) => sameJson(before, after),
    show = (_, value) => plainText(value),
  }: {
    readonly apply: NonNullable<Decision['apply']>
    readonly isEqual?: (name: string, before: Json, after: Json) => boolean
    readonly show?: (name: string, value: Json) => string
  },
): Decision {
  const facts = Object.fromEntries(settings)
  if (present === undefined) return { ...unseen, facts, apply }
  if (present === null) {
    const names = settings.map(([name]) => name).join(', ')
    return { action: 'create', words: names === '' ? 'new' : `new: ${names}`, facts, apply }
  }
  const shown = isObject(present) ? present : {}
  const guard = digestOf(present)
  const due = settings.filter(([name, value]) => {
    const before = shown[name]
    return before === undefined || !isEqual(name, before, value)
  })
  if (due.length === 0) return { action: 'unchanged', words: 'unchanged', facts, guard }
  const words = due.map(([name, value]) => {
    const before = shown[name]
    return `${name}: ${before === undefined ? '' : `${show(name, before)} → `}${show(name, value)}`
  })
  // What the server doesn't show may be equal already.
  const isHidden = due.some(([name]) => shown[name] === undefined)
  return { action: isHidden ? 'set' : 'change', words: words.join('   '), facts, guard, apply }
}

/** A guard that stands for a whole document. */
export function digestOf(document: Json): string {
  return createHash('sha256').update(stringifyJson(document)).digest('hex').slice(0, 16)
}
