import type { DoneResult } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { JsonObject } from '../../core/json.ts'
import { escapeControl } from '../../output/safe.ts'
import type { Secret } from './read.ts'
import type { KeyChanges } from './values.ts'
import { keyChanges, mapOf, same } from './values.ts'
import { unchangedResult, writeSecret, writtenResult } from './write.ts'

/** The version that was read, and what to write on top of it. */
export interface Change {
  readonly current: Secret | undefined
  readonly data: JsonObject
  readonly generated?: readonly string[]
  readonly cas?: number
}

/** Writes a new value on top of the version that was read, guarded by check-and-set. Writes nothing if nothing changed. */
export async function writeChange(
  context: Context,
  path: string,
  { current, data, generated = [], cas }: Change,
): Promise<DoneResult> {
  const before = mapOf(current?.data ?? null)
  const from = current?.version ?? 0
  if (current !== undefined && current.data !== null && same(before, data))
    return unchangedResult(context.commandPath.at(-1) ?? '', path, from)
  const done = await writeSecret(context, path, data, cas ?? from)
  const changes = changeWords(keyChanges(before, data), generated)
  return writtenResult(done, [`${path} ${String(from)} → ${String(done.version)}`, ...changes].join('   '))
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
