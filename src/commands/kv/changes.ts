import { escapeControl } from '../../output/safe.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Present } from './read.ts'
import type { KeyChanges } from './values.ts'
import { same } from './values.ts'

/** What an import does to a secret. */
export type Action = 'create' | 'change' | 'unchanged' | 'delete'

/** What writing the data over what is present would be. */
export function actionOf({ state, data: before }: Present, data: JsonObject | null): Action {
  if (state === 'none') return 'create'
  return same(before, data) ? 'unchanged' : 'change'
}

/** What happened to which keys: `changed: password`, `kept: host, port`; nothing for what happened to none. */
export function changeWords(
  { added, changed, removed, kept }: KeyChanges,
  generated: readonly string[] = [],
): string[] {
  const named = (keys: readonly string[]) =>
    keys.map((key) => escapeControl(key) + (generated.includes(key) ? ' (generated)' : '')).join(', ')
  return Object.entries({ added, changed, removed, kept }).flatMap(([what, keys]) =>
    keys.length === 0 ? [] : [`${what}: ${named(keys)}`],
  )
}
