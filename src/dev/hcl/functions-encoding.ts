/** Functions that encode, decode and digest. */

import { createHash, randomUUID } from 'node:crypto'
import { JsonNumber, JsonSyntaxError, entriesOf, isObject, parseJson } from '../../core/json.ts'
import type { Json } from '../../core/json.ts'
import { FunctionError, nullable, text } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { Mapping, Sequence, numberText, tuple } from './values.ts'
import type { Value } from './values.ts'

const digest = (algorithm: string): HclFunction => ({
  parameters: [text('str')],
  run: (value: string) => createHash(algorithm).update(value).digest('hex'),
})

export const encodingFunctions: Readonly<Record<string, HclFunction>> = {
  base64decode: { parameters: [text('str')], run: decodeBase64 },
  base64encode: { parameters: [text('str')], run: (value: string) => Buffer.from(value).toString('base64') },
  jsondecode: { parameters: [text('str')], run: decodeJson },
  jsonencode: { parameters: [nullable('val')], run: encodeJson },
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
  sha512: digest('sha512'),
  urlencode: {
    parameters: [text('str')],
    run: (value: string) =>
      encodeURIComponent(value)
        .replaceAll('%20', '+')
        .replaceAll(/[!'()*]/g, percent),
  },
  uuidv4: { parameters: [], run: () => randomUUID() },
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function decodeBase64(value: string): Value {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.toString('base64') !== value) throw new FunctionError(`failed to decode base64 data '${value}'`)
  return bytes.toString()
}

/** A value as compact JSON, with the characters that matter in HTML escaped, as Go does. */
export function encodeJson(value: Value): string {
  if (value instanceof Sequence) return `[${value.items.map(encodeJson).join(',')}]`
  if (value instanceof Mapping) {
    return `{${[...value.entries].map(([key, item]) => `${encodeJson(key)}:${encodeJson(item)}`).join(',')}}`
  }
  if (typeof value === 'number') return numberText(value)
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function decodeJson(value: string): Value {
  try {
    return fromJson(parseJson(value))
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new FunctionError(error.message)
    throw error
  }
}

function fromJson(json: Json): Value {
  if (Array.isArray(json)) return tuple(json.map(fromJson))
  if (json instanceof JsonNumber) return json.valueOf()
  if (!isObject(json)) return json
  return new Mapping(
    'object',
    entriesOf(json).map(([key, item]): [string, Value] => [key, fromJson(item)]),
  )
}
