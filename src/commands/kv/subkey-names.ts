import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'

/** Every key of the structure, a map before its members. */
export function namesIn(value: Json, above: readonly string[]): { keys: readonly string[]; leaf: boolean }[] {
  if (!isObject(value)) return []
  return entriesOf(value).flatMap(([key, item]) => {
    const keys = [...above, key]
    const inner = namesIn(item, keys)
    return [{ keys, leaf: inner.length === 0 }, ...inner]
  })
}
