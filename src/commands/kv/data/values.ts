import type { Io } from '../../../core/context.ts'
import { exactTimeAndAge } from './times.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isNumber, isObject, keysOf, objectFrom, plainText, sameJson as same } from '../../../core/json.ts'
import type { Paint } from '../../../core/output.ts'
import { escapeControl } from '../../../output/safe.ts'
import { cells, pad } from '../../../output/width.ts'
import type { Facts } from '../../../write/work.ts'

export { same }

/** The value as a map; an empty one for null. */
export function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : objectFrom([])
}

/** A value of a secret for a cell. A list is JSON: joined by commas, its items could not be told apart. */
export function cellValue(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? plainText(value) : value
}

/** A secret's data to be written again. */
export function dataToWrite(data: Json): JsonObject | null {
  return data === null ? null : mapOf(data)
}

/** What a merge patch makes of a map (RFC 7396). */
export function patched(before: JsonObject, changes: JsonObject): JsonObject {
  const merged = new Map(entriesOf(before))
  for (const [key, value] of entriesOf(changes)) {
    if (value === null) merged.delete(key)
    else merged.set(key, isObject(value) ? patched(mapOf(merged.get(key)), value) : value)
  }
  return objectFrom(merged)
}

/** Which keys of a secret a write adds, changes, removes and keeps. */
export type KeyChanges = Readonly<Record<'added' | 'changed' | 'removed' | 'kept', string[]>>

/** Compares two values of a secret key by key. */
export function keyChanges(before: JsonObject, after: JsonObject): KeyChanges {
  const changes: KeyChanges = { added: [], changed: [], removed: [], kept: [] }
  for (const key of keysOf(after)) {
    if (!Object.hasOwn(before, key)) changes.added.push(key)
    else if (same(before[key], after[key])) changes.kept.push(key)
    else changes.changed.push(key)
  }
  for (const key of keysOf(before)) if (!Object.hasOwn(after, key)) changes.removed.push(key)
  return changes
}

/** Names of keys, as every row of a write of data has them. */
export function keyFacts({ added, changed, removed, kept }: KeyChanges): Facts {
  return { keys_added: added, keys_changed: changed, keys_removed: removed, keys_kept: kept }
}

/** Those names as columns. */
export const keyColumns = ['keys_added', 'keys_changed', 'keys_removed', 'keys_kept']

/** Keeps every leaf of the value off stderr from now on, but not the path and the keys, which messages need. */
export function registerSecrets(
  io: Io,
  value: Json | undefined,
  path: string,
  options: Parameters<Io['secret']>[1] = {},
): void {
  if (typeof value === 'string' || isNumber(value)) {
    const leaf = String(value)
    if (path.includes(leaf)) for (const name of [path, ...path.split('/')]) if (name.includes(leaf)) io.name(name)
    io.secret(leaf, options)
  } else if (Array.isArray(value)) for (const item of value) registerSecrets(io, item, path, options)
  else if (isObject(value))
    for (const key of keysOf(value)) {
      io.name(key)
      registerSecrets(io, value[key], path, { name: key, mask: options.mask })
    }
}

/** Every key of the structure, a map before its members. */
export function namesIn(value: Json, above: readonly string[]): { keys: readonly string[]; leaf: boolean }[] {
  if (!isObject(value)) return []
  return entriesOf(value).flatMap(([key, item]) => {
    const keys = [...above, key]
    const inner = namesIn(item, keys)
    return [{ keys, leaf: inner.length === 0 }, ...inner]
  })
}

/** What happened to which keys: `changed: password`, `kept: host, port`. */
export function changeWords(changes: KeyChanges, generated: readonly string[] = []): string[] {
  return (['added', 'changed', 'removed', 'kept'] as const).flatMap((what) =>
    changes[what].length === 0 ? [] : [`${what}: ${keyWords(changes[what], generated)}`],
  )
}

/** `host, password (generated)`. */
export function keyWords(keys: readonly string[], generated: readonly string[]): string {
  return keys.map((key) => escapeControl(key) + (generated.includes(key) ? ' (generated)' : '')).join(', ')
}

/** `owner=amy, team=pay`; '' for none. */
export function customMetadataWords(custom: Json | undefined): string {
  return entriesOf(mapOf(custom ?? null))
    .map(([key, value]) => escapeControl(`${key}=${plainText(value ?? null)}`))
    .join(', ')
}

/** A version's metadata, one member per line. */
export function factLines(metadata: Json, now: Date, paint: Paint): string {
  const facts = entriesOf(mapOf(metadata)).map(([key, value]): [string, string] => {
    if (key === 'custom_metadata') return [key, customMetadataWords(value)]
    const isTime = key.endsWith('_time') && typeof value === 'string'
    return [key, isTime ? exactTimeAndAge(value, now) : plainText(value ?? '')]
  })
  return aligned(facts, paint)
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
