import { entriesOf, isNumber, isObject, objectFrom, parseJson, type Json, type JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { productWords } from './dialect.ts'
import { Refusal } from './refusal.ts'
import { requestTypes } from './request-types.ts'

/**
 * Reads a request's body as real servers do: keys match in any case, unknown ones are dropped, and a wrong type is refused
 * with the path of the member. Names of the neutral dialect become the product's. Throws {@link Refusal} (400).
 */
export function decodeBody(body: Buffer, type: string, dialect: Dialect): JsonObject {
  if (body.length === 0) throw new Refusal(400, 'Request body is empty')
  const value = parsed(body.toString())
  return decodeStruct(dialect === 'neutral' ? productWords(value) : value, type, type)
}

function parsed(source: string): Json {
  try {
    return parseJson(source)
  } catch (error) {
    throw new Refusal(400, `the request body is not JSON: ${(error as Error).message}`)
  }
}

function decodeStruct(value: Json, type: string, path: string): JsonObject {
  if (value === null) return {}
  if (!isObject(value)) throw mismatch(value, path, type)
  const fields = requestTypes.get(type)
  const entries: [string, Json][] = []
  for (const [key, item] of entriesOf(value)) {
    const field = fields?.get(key.toLowerCase())
    if (field !== undefined) entries.push([field.name, decodeValue(item, field.type, `${path}.${field.name}`)])
  }
  return objectFrom(entries)
}

function decodeValue(value: Json, type: string, path: string): Json {
  if (value === null || type === 'any') return value
  if (requestTypes.has(type)) return decodeStruct(value, type, path)
  if (!fits(value, type)) throw mismatch(value, path, type)
  return Array.isArray(value) ? value.map((item) => decodeValue(item, type.slice(2), path)) : value
}

function fits(value: Json, type: string): boolean {
  if (type.startsWith('[]')) return Array.isArray(value)
  if (type === 'string') return typeof value === 'string'
  if (type === 'bool') return typeof value === 'boolean'
  if (type === 'map') return isObject(value)
  return isNumber(value) && (type === 'uint64' ? /^\d+$/ : /^-?\d+$/).test(String(value))
}

function mismatch(value: Json, path: string, wanted: string): Refusal {
  const kind = isNumber(value) ? 'number' : Array.isArray(value) ? 'array' : typeof value
  return new Refusal(400, `json: cannot unmarshal ${kind} into Go struct field ${path} of type ${wanted}`)
}
