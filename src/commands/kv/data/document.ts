import { number, text as textAt } from '../../../core/answer.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isObject, keysOf } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { refuseEncrypted } from './forms.ts'
import { parseUniqueJson } from './unique-json.ts'

const fileFormats = ['json', 'yaml', 'dotenv'] as const

/** The formats of a file of secrets. */
export type FileFormat = (typeof fileFormats)[number]

/** The format of a file to read. */
export const formatFlag = flag.choice('format of the file', fileFormats, { meant: { env: 'dotenv', yml: 'yaml' } })

/** The format of an export. */
export const exportFormatFlag = flag.choice('format of the export', [...fileFormats, 'docker-env', 'shell'], {
  meant: { env: 'dotenv', yml: 'yaml', sh: 'shell' },
})

/** How deep `kv export` and `kv import` go. */
export const depthOptions = { min: 1, defaultText: 'all' }

/** The format that a file's name implies. */
export function formatOfFile(path: string): FileFormat | undefined {
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  if (/\.json$/i.test(path)) return 'json'
  const name = /[^/\\]*$/.exec(path)?.[0] ?? ''
  return /^\.?(?:dot)?env(?:rc)?(?:[.-].*)?$|\.(?:dot)?env$/i.test(name) ? 'dotenv' : undefined
}

/** The format of a file to read. Refuses a file that another format's name says it is. */
export function formatToRead(path: string): FileFormat | undefined {
  const other = /\.(toml|ini)$/i.exec(path)?.[1]
  if (other !== undefined)
    throw usageError(`${path} is ${other.toUpperCase()}, which is not read`, 'convert it to JSON or YAML first')
  return formatOfFile(path)
}

/** The key of the message in an incomplete export. The message is not a map, so an import refuses the file. */
export const incompleteKey = '# incomplete'

/**
 * A text that must be one map. Without a format, a text that begins with a brace or bracket is JSON, any other YAML. Throws a usage
 * error naming `label`, never with a value.
 */
export async function readMapText(text: string, label: string, format?: FileFormat): Promise<JsonObject> {
  if (text.trim() === '') throw usageError(`${label} is empty`)
  const isDotenv = format === undefined && /^[ \t]*(?:export[ \t]+)?\w+=/m.test(text)
  const hints = isDotenv ? ['if these are dotenv lines: tug kv import <file> <path> --format dotenv'] : []
  const value = await parse(text, label, format ?? (/^\s*[[{"]/.test(text) ? 'json' : 'yaml'), hints)
  if (isObject(value)) refuseEncrypted(value, label)
  // Such a file has no way to write an empty map.
  const isBlank = format === 'dotenv' && isObject(value) && keysOf(value).length === 0
  if (isObject(value) && !isBlank) return value
  const kind = Array.isArray(value) ? 'a list' : value === null || isBlank ? 'no data' : 'a single value'
  throw usageError(`${label} contains ${kind}; a secret is a map of keys and values`, ...hints)
}

async function parse(text: string, label: string, format: FileFormat, hints: readonly string[]): Promise<Json> {
  try {
    if (format === 'json') return parseUniqueJson(text)
    if (format === 'dotenv') {
      const { parseDotenv } = await import('./dotenv.ts')
      return parseDotenv(text)
    }
    const { parseYaml } = await import('./yaml.ts')
    return parseYaml(text)
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof SyntaxError)) throw error
    const names = { json: 'JSON', yaml: 'YAML', dotenv: 'dotenv' }
    throw usageError(`${label} cannot be read as ${names[format]}: ${error.message}`, ...hints)
  }
}

/** The data of a secret that a document contained, and the version that it must replace, if the document named one. */
export interface Unwrapped {
  readonly data: JsonObject
  readonly cas: number | undefined
}

/** The members of every response of the server. */
const envelope = ['request_id', 'lease_id', 'renewable', 'lease_duration', 'data']
const optional = new Set([...envelope, 'wrap_info', 'warnings', 'auth', 'mount_type'])

/**
 * A secret's data from an API request (`{"data", "options"}`), from the output of `kv get -o json` (`{"data", "metadata"}`), or from a
 * whole response, as `kv get --raw` and `vault kv get -format=json` print it. Undefined for any other map. Throws a usage error for a
 * version without data.
 */
export function unwrap(map: JsonObject, label: string): (Unwrapped & { readonly kind: string }) | undefined {
  const { data, options } = map
  const isRequest = isObject(data) && isObject(options) && keysOf(map).length === 2
  if (isRequest && keysOf(options).every((key) => key === 'cas' && Number.isSafeInteger(options[key])))
    return { data, cas: number(options, 'cas'), kind: 'request' }
  const isResponse = envelope.every((key) => Object.hasOwn(map, key)) && keysOf(map).every((key) => optional.has(key))
  const body = isResponse ? data : map
  const found = isVersion(body) ? body['data'] : isResponse ? body : undefined
  if (found === undefined) return undefined
  if (isObject(found)) return { data: found, cas: undefined, kind: 'response' }
  throw usageError(`${label} is a response without data`, 'pass --literal to store it as it is')
}

/** True for a secret's version: its data, perhaps null, and its metadata. */
function isVersion(value: Json | undefined): value is JsonObject {
  if (!isObject(value) || keysOf(value).length !== 2) return false
  const { data, metadata } = value
  const isDated = number(metadata, 'version') !== undefined && textAt(metadata, 'created_time') !== undefined
  return isDated && (isObject(data) || data === null)
}
