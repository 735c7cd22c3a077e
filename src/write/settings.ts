import { createHash } from 'node:crypto'
import type { Json } from '../core/json.ts'
import { isObject, plainText, sameJson, stringifyJson } from '../core/json.ts'
import type { Decision } from './work.ts'
import { unseen } from './work.ts'

/** Settings to write, by their names in the API. */
export type Settings = readonly (readonly [name: string, value: Json])[]

/** A setting to write; `before` is undefined if the server doesn't show it. */
export interface SettingChange {
  readonly name: string
  readonly before: Json | undefined
  readonly after: Json
}

/** Formats a setting's value. */
export type ShowSetting = (name: string, value: Json) => string

/**
 * Decides about writing settings. `present` is what the server shows: null if nothing exists yet, undefined if it may not be read.
 * `isEqual` compares values that the server may spell differently.
 */
export function decideSettings(
  present: Json | undefined,
  settings: Settings,
  {
    apply,
    isEqual = (_, before, after) => sameJson(before, after),
    show = (_, value) => plainText(value),
    words = (changes) => changes.map((change) => changeWords(change, show)).join('   '),
  }: {
    readonly apply: NonNullable<Decision['apply']>
    readonly isEqual?: (name: string, before: Json, after: Json) => boolean
    readonly show?: ShowSetting
    /** Describes the changes. */
    readonly words?: (changes: readonly SettingChange[]) => string
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
  const changes = settings
    .map(([name, after]): SettingChange => ({ name, before: shown[name], after }))
    .filter(({ name, before, after }) => before === undefined || !isEqual(name, before, after))
  if (changes.length === 0) return { action: 'unchanged', words: 'unchanged', facts, guard }
  // A setting that the server doesn't show may be equal already.
  const isHidden = changes.some(({ before }) => before === undefined)
  return { action: isHidden ? 'set' : 'change', words: words(changes), facts, guard, apply }
}

/** `max_versions: 5 → 7`. */
export function changeWords({ name, before, after }: SettingChange, show: ShowSetting): string {
  return `${name}: ${before === undefined ? '' : `${show(name, before)} → `}${show(name, after)}`
}

/** A guard for a whole document. */
export function digestOf(document: Json): string {
  return createHash('sha256').update(stringifyJson(document)).digest('hex').slice(0, 16)
}
