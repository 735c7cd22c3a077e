import { entriesOf, isNumber, isObject, objectFrom, parseJson, type Json, type JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { GoJsonError, firstJsonValue } from '../action/json.ts'
import { Refusal } from './refusal.ts'
import { requestTypes } from './request-types.ts'
import { productWords } from './dialect.ts'

/**
 * A request's body as the server reads it (contract b.0): the first JSON value counts, keys match in any case, unknown ones
 * are dropped, and a wrong type is refused with the server's words. The spec's words are taken for the scheduler's own. Throws {@link Refusal} (400).
 */
export function decodeBody(body: Buffer, type: string, dialect: Dialect): JsonObject {
  if (body.length === 0) throw new Refusal(400, 'Request body is empty')
  const value = parseBody(body.toString())
  return decodeStruct(dialect === 'neutral' ? productWords(value) : value, type, { type, path: [] })
}

function parseBody(source: string): Json {
  try {
    return parseJson(firstJsonValue(source))
  } catch (error) {
    throw error instanceof GoJsonError ? new Refusal(400, error.message) : error
  }
}

interface Place {
  /** The innermost type, and the names that lead to the member. */
  readonly type: string
  readonly path: readonly string[]
}

function decodeStruct(value: Json, type: string, place: Place): JsonObject {
  const fields = requestTypes.get(type)
  if (value === null) return {}
  if (!isObject(value) || fields === undefined) throw mismatch(value, place, goType(type))
  const entries: [string, Json][] = []
  for (const [key, item] of entriesOf(value)) {
    const field = fields.get(key.toLowerCase())
    if (field === undefined) continue
    entries.push([field.name, decodeValue(item, field.type, { type, path: [...place.path, field.name] })])
  }
  return objectFrom(entries)
}

function decodeValue(value: Json, type: string, place: Place): Json {
  if (value === null || type === 'any') return value
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) throw mismatch(value, place, `[]${goType(type.slice(2))}`)
    return value.map((item) => decodeValue(item, type.slice(2), place))
  }
  if (requestTypes.has(type)) return decodeStruct(value, type, place)
  if (!fits(value, type)) throw mismatch(value, place, goType(type))
  return value
}

function fits(value: Json, type: string): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'map':
      return isObject(value)
    default:
      return isNumber(value) && /^-?\d+$/.test(String(value)) && !(type === 'uint64' && String(value).startsWith('-'))
  }
}

function mismatch(value: Json, { type, path }: Place, wanted: string): Refusal {
  const kind = isNumber(value) ? `number${wanted.includes('int') ? ` ${String(value)}` : ''}` : kindOf(value)
  const field =
    path.length === 0 ? `value of type ${wanted}` : `struct field ${type}.${path.join('.')} of type ${wanted}`
  return new Refusal(400, `json: cannot unmarshal ${kind} into Go ${field}`)
}

function kindOf(value: Json): string {
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}

const goTypes: Readonly<Record<string, string>> = { duration: 'time.Duration', map: 'map[string]string' }

function goType(type: string): string {
  return goTypes[type] ?? (requestTypes.has(type) ? `api.${type}` : type)
}
