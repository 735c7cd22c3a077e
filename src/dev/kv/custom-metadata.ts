import { JsonNumber, entriesOf } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { FieldError, field, goType, toMap } from './fields.ts'
import type { EngineReply } from '../secrets/engine.ts'
import { isPrintable } from '../secrets/path.ts'
import { faultList } from '../secrets/reply.ts'

/** The map of texts that people attach to a secret, and its limits (contract b.13). */

const mostKeys = 64
const longestKey = 128
const longestValue = 512

/** What a body says about custom metadata: undefined nothing, null that all goes; a null value that this one goes. */
export function readCustomMetadata(body: JsonObject): Map<string, string | null> | null | undefined {
  const given = field(body, 'custom_metadata', toMap)
  return given && new Map(entriesOf(given).map(([key, value]) => [key, toText(value)]))
}

function toText(value: Json): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
  const fault = `'' expected type 'string', got unconvertible type '${goType(value)}'`
  throw new FieldError(`custom_metadata validation failed: ${fault}`)
}

/** The reply that names everything wrong with these entries; undefined when all is well. */
export function refusalOf(entries: ReadonlyMap<string, string>): EngineReply | undefined {
  const faults = entries.size > mostKeys ? [`payload must contain at most 64 keys, provided ${entries.size}`] : []
  for (const [key, value] of entries) {
    faults.push(...lengthFault(`key "${key}"`, 'key', key, longestKey))
    if (!isPrintable(key)) faults.push(`key "${key}" contains unprintable characters`)
    faults.push(...lengthFault(`value for key "${key}"`, 'value', value, longestValue))
    if (!isPrintable(value)) faults.push(`value for key "${key}" contains unprintable characters`)
  }
  if (faults.length === 0) return undefined
  return { status: 400, errors: [faultList(faults.map((fault) => `custom_metadata validation failed: ${fault}`))] }
}

function lengthFault(what: string, word: string, text: string, longest: number): string[] {
  const bytes = Buffer.byteLength(text)
  if (bytes > 0 && bytes <= longest) return []
  return [`length of ${what} is ${bytes} but must be 0 < len(${word}) <= ${longest}`]
}
