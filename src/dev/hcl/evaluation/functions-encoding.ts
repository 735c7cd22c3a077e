/** Functions that encode, decode and digest. */

import { createHash, randomUUID } from 'node:crypto'
import { JsonNumber, JsonSyntaxError, entriesOf, isObject, parseJson } from '../../../core/json.ts'
import type { Json } from '../../../core/json.ts'
import { define } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { ValueError, isMap, itemsIn, mapOf, numberText } from './values.ts'
import type { Value } from './values.ts'

const digest = (algorithm: string): HclFunction =>
  define('text', (text: string) => createHash(algorithm).update(text).digest('hex'))

export const encodingFunctions: Readonly<Record<string, HclFunction>> = {
  base64decode: define('text', decodeBase64),
  base64encode: define('text', (text: string) => Buffer.from(text).toString('base64')),
  jsondecode: define('text', decodeJson),
  jsonencode: define('any?', encodeJson),
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
  sha512: digest('sha512'),
  urlencode: define('text', (text: string) => {
    return encodeURIComponent(text)
      .replaceAll('%20', '+')
      .replaceAll(/[!'()*]/g, percent)
  }),
  uuidv4: define('', () => randomUUID()),
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function decodeBase64(text: string): Value {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new ValueError(`'${text}' is not base64`)
  return bytes.toString()
}

/** A value as compact JSON, with the characters escaped that matter in HTML, as Go does. */
export function encodeJson(value: Value): string {
  const items = itemsIn(value)
  if (items !== undefined) return `[${items.map(encodeJson).join(',')}]`
  if (isMap(value)) return `{${[...value].map(([key, item]) => `${encodeJson(key)}:${encodeJson(item)}`).join(',')}}`
  if (typeof value === 'number') return numberText(value)
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function decodeJson(text: string): Value {
  try {
    return fromJson(parseJson(text))
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new ValueError(error.message) : error
  }
}

function fromJson(json: Json): Value {
  if (Array.isArray(json)) return json.map(fromJson)
  if (json instanceof JsonNumber) return json.valueOf()
  return isObject(json) ? mapOf(entriesOf(json).map(([key, item]) => [key, fromJson(item)])) : json
}
