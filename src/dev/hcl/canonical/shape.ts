/** JSON that somebody else wrote → the members that a schema has, in its order. */

import { isObject, keysOf, objectFrom } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { BlockSchema, Member } from '../schema/schema.ts'

/** Members are found by name without regard to case, as the server finds them; missing ones become null or empty. */
export function shaped(object: JsonObject, schema: BlockSchema): JsonObject {
  const given = new Map(keysOf(object).map((key) => [key.toLowerCase(), object[key] as Json]))
  const members = [...schema.output]
  return Object.fromEntries(
    members.map(([name, member]): [string, Json] => [name, shapedMember(given.get(name.toLowerCase()), member)]),
  )
}

function shapedMember(value: Json | undefined, member: Member): Json {
  if (member.kind === 'fixed') return value ?? member.value
  if (member.kind === 'argument') return value ?? member.empty
  if (member.kind !== 'block') return value ?? (member.kind === 'label' ? '' : null)
  if (member.shape === 'many') {
    const items = Array.isArray(value) ? value.filter(isObject) : []
    return items.length === 0 ? null : items.map((item) => shaped(item, member.schema))
  }
  if (!isObject(value)) return null
  if (member.shape === 'one') return shaped(value, member.schema)
  return objectFrom(
    keysOf(value).map((key): [string, Json] => {
      const item = value[key]
      return [key, isObject(item) ? shaped(item, member.schema) : null]
    }),
  )
}
