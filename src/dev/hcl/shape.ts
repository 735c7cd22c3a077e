/** JSON that somebody else wrote → the members that a schema has, in its order. */

import { isNumber, isObject, keysOf, type Json, type JsonObject } from '../../core/json.ts'
import type { ArgumentType, BlockSchema, Member } from './schema.ts'

/** A value that does not have the type of its member. */
export class ShapeError extends Error {}

/**
 * Members are found by name without regard to case, as the server finds them; missing ones become null or empty, unknown
 * ones are dropped. Throws {@link ShapeError}.
 */
export function shaped(value: Json, schema: BlockSchema, path = ''): JsonObject {
  const object = expect<JsonObject>('map', value ?? {}, isObject, path)
  const given = new Map(keysOf(object).map((key) => [key.toLowerCase(), object[key] as Json]))
  return Object.fromEntries(
    [...schema.output].map(([name, member]): [string, Json] => {
      return [name, shapedMember(given.get(name.toLowerCase()) ?? null, member, path === '' ? name : `${path}.${name}`)]
    }),
  )
}

function shapedMember(value: Json, member: Member, path: string): Json {
  if (member.kind === 'fixed') return value ?? member.value
  if (member.kind === 'label') return expect('text', value ?? '', types.text, path)
  if (member.kind === 'argument')
    return value === null ? member.empty : expect(member.type, value, types[member.type], path)
  if (value === null) return null
  if (member.kind === 'map') return expect('map', value, isObject, path)
  if (member.shape === 'one') return shaped(value, member.schema, path)
  const items = expect<Json[]>('list', value, Array.isArray, path)
  return items.length === 0 ? null : items.map((item) => shaped(item, member.schema, path))
}

const isText = (value: Json): boolean => typeof value === 'string'
const isInteger = (value: Json): boolean => isNumber(value) && /^-?\d+$/.test(String(value))

const types: Readonly<Record<ArgumentType, (value: Json) => boolean>> = {
  text: isText,
  integer: isInteger,
  unsigned: (value) => isInteger(value) && !String(value).startsWith('-'),
  duration: isInteger,
  bool: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every(isText),
  'text map': isObject,
  any: () => true,
}

function expect<Wanted extends Json>(type: string, value: Json, fits: (value: Json) => boolean, path: string): Wanted {
  if (fits(value)) return value as Wanted
  const kind = isNumber(value) ? 'number' : Array.isArray(value) ? 'array' : typeof value
  throw new ShapeError(`${path === '' ? 'the body' : path} is not a ${type} but a ${kind}`)
}
