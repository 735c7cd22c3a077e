import { escapeControl } from '../../output/safe.ts'
import type { KeyChanges } from './values.ts'

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
