/** Changing members of the objects that a job is made of, whose names are those of the schema. */

import type { Json, JsonObject } from '../../../core/json.ts'

/** `object` with these members replaced or added, and those that are undefined removed. */
export function withMembers(object: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  const changed = { ...object, ...changes } as JsonObject
  for (const [name, value] of Object.entries(changes)) if (value === undefined) delete changed[name]
  return changed
}

/** `object` with these values where it has null, an empty text or nothing. */
export function withDefaults(object: JsonObject, defaults: Readonly<Record<string, Json>>): JsonObject {
  const missing = Object.entries(defaults).filter(([name]) => (object[name] ?? '') === '')
  return missing.length === 0 ? object : withMembers(object, Object.fromEntries(missing))
}
