import { number, text as textAt } from '../../../core/answer.ts'
import type { Context, Io } from '../../../core/context.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { JsonNumber, entriesOf, isObject, keysOf, objectFrom, parseJson } from '../../../core/json.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileText, fileWords, withoutMark } from '../../../core/words.ts'
import { keyRepeated } from '../messages.ts'
import { registerSecrets } from '../values.ts'
import * as messages from './messages.ts'

export const dataArguments = argument.texts(
  'key=value, key:=json, key=@file, key=-, key (asks for the value), @file.json, @file.yaml or -',
  { placeholder: 'data', required: false },
)

/** How to pass data, for the descriptions of commands. */
export const dataDescription = `Data: key=value is text and key:=json any JSON value. key=@file is the content of a file as text, key=- standard input without its final newline. A bare key asks for the value without showing it. @file.json, @file.yaml or - is the whole map. key=\\@x and key=\\- are literal.`

/**
 * The map that the data arguments make for the secret at `path`, in their order. Reads files, standard input and, for bare
 * keys, the terminal. Registers every value as a secret. Throws usage errors that never contain a value.
 */
async function readData(context: Context, path: string, words: readonly string[]): Promise<JsonObject> {
  const { io } = context
  const entries = new Map<string, Json>()
  let typed = false
  for (const word of words) {
    const found = await readWord(io, word)
    typed ||= found.typed
    for (const [key, value] of found.entries) {
      registerSecrets(io, value, path)
      if (entries.has(key)) throw keyRepeated(key)
      entries.set(key, value)
    }
  }
  const data = objectFrom(entries)
  checkValues(io, entriesOf(data))
  if (typed && io.terminal.stdin && io.terminal.stderr) io.hint(messages.inShellHistory)
  return data
}

interface Found {
  readonly entries: readonly (readonly [string, Json])[]
  /** True if the value itself was on the command line. */
  readonly typed: boolean
}

async function readWord(io: Io, word: string): Promise<Found> {
  if (word === '-') return whole(await readMap(io, '-'))
  if (word.startsWith('@')) return whole(await readMap(io, word.slice(1)))
  if (isMap(word)) throw messages.mapOnCommandLine()
  const equals = word.indexOf('=')
  if (equals === -1 && word.includes(':')) throw messages.notKeyValue(word.slice(0, word.indexOf(':')))
  if (equals === -1)
    return one(checkKey(word), await io.ask(`${word}: `, { hidden: true, otherwise: messages.waysToPass(word) }))
  const value = word.slice(equals + 1)
  if (word[equals - 1] === ':') {
    const key = checkKey(word.slice(0, equals - 1))
    return one(key, await readTyped(io, key, value), !isReference(value))
  }
  const key = checkKey(word.slice(0, equals))
  if (value === '-') return one(key, await readPiped(io, key))
  if (value.startsWith('@')) return one(key, await readValue(io, value.slice(1), key))
  const literal = value === String.raw`\-` || value.startsWith(String.raw`\@`) ? value.slice(1) : value
  return one(key, literal, literal !== '')
}

/** Whether a word is a JSON object or array, which would be taken for a key, and shown as one, though it may be secret. */
function isMap(word: string): boolean {
  if (!/^\s*[[{]/.test(word)) return false
  try {
    parseJson(word)
    return true
  } catch {
    return false
  }
}

function one(key: string, value: Json, typed = false): Found {
  return { entries: [[key, value]], typed }
}

function whole(map: JsonObject): Found {
  return { entries: entriesOf(map), typed: false }
}

function checkKey(key: string): string {
  if (key === '') throw messages.missingKey()
  return key
}

function isReference(text: string): boolean {
  return text === '-' || text.startsWith('@')
}

async function readTyped(io: Io, key: string, value: string): Promise<Json> {
  const source = isReference(value) ? await readValue(io, value === '-' ? '-' : value.slice(1), key) : value
  try {
    return parseJson(withoutMark(source), { uniqueKeys: true })
  } catch (error) {
    throw messages.notJsonValue(key, (error as Error).message)
  }
}

/** Standard input without its last newline. Empty input is refused: the program that should have written it failed. */
async function readPiped(io: Io, key: string): Promise<string> {
  const piped = await readValue(io, '-', key)
  if (piped === '') throw messages.nothingPiped(key)
  return piped.replace(/\r?\n$/, '')
}

/** A file's bytes as text, all of them. */
async function readValue(io: Io, path: string, key: string): Promise<string> {
  const text = utf8Text(await readNamed(io, path))
  if (text !== undefined) return text
  throw messages.notTextValue(key, path)
}

/** Bytes as text, with a byte order mark kept; undefined if they aren't UTF-8. */
function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function readNamed(io: Io, path: string): Promise<Uint8Array> {
  if (path === '') throw messages.missingFile()
  return io.readFile(path)
}

async function readMap(io: Io, path: string): Promise<JsonObject> {
  const label = fileWords(path)
  const text = fileText(await readNamed(io, path), label)
  return readMapText(text, label, /\.ya?ml$/i.test(path) ? 'yaml' : undefined)
}

/** A JSON or YAML text that must be one map; a text that begins with a brace or bracket is JSON. Throws a usage error naming `label`. */
export async function readMapText(text: string, label: string, format?: 'json' | 'yaml'): Promise<JsonObject> {
  if (text.trim() === '') throw messages.emptyText(label)
  const isJson = format === 'json' || (format === undefined && /^\s*(?:[[{"]|$)/.test(text))
  const value = isJson ? readJson(text, label) : await readYaml(text, label)
  if (isObject(value)) return value
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : 'a single value'
  throw messages.notMap(label, kind)
}

function readJson(text: string, label: string): Json {
  try {
    return parseJson(text, { uniqueKeys: true })
  } catch (error) {
    throw messages.notFormat(label, 'JSON', (error as Error).message)
  }
}

async function readYaml(text: string, label: string): Promise<Json> {
  const { parseYaml } = await import('./yaml.ts')
  try {
    return parseYaml(text)
  } catch (error) {
    if (error instanceof RangeError) throw messages.notFormat(label, 'a YAML map', error.message)
    throw error
  }
}

const mostNamed = 20

/**
 * Checks a map's entries for what servers would change: numbers, because they use 64-bit floats (docs/servers.md, Secrets
 * numbers), and texts that UTF-8 cannot hold. Warns about keys with numbers that would be rounded; throws a usage error for
 * numbers that no server accepts and for such texts.
 */
export function checkValues(io: Io, entries: Iterable<readonly [key: string, value: Json]>): void {
  const lossy: string[] = []
  for (const [key, value] of entries) {
    if (isTorn(key) || hasValue(value, isTorn)) throw messages.tornText(key)
    if (hasValue(value, isTooLarge)) throw messages.tooLargeNumber(key)
    if (hasValue(value, isLossy)) lossy.push(key)
  }
  if (lossy.length === 0) return
  const more = lossy.length > mostNamed ? ` and ${lossy.length - mostNamed} more` : ''
  io.doubt(messages.roundedNumbers(lossy.slice(0, mostNamed).join(', ') + more))
}

function hasValue(value: Json, test: (value: Json) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasValue(item, test))
  return isObject(value) ? entriesOf(value).some(([key, item]) => test(key) || hasValue(item, test)) : test(value)
}

/** True for text with half of a surrogate pair, in whose place servers store another character. */
function isTorn(value: Json): boolean {
  return typeof value === 'string' && /\p{Cs}/u.test(value)
}

export const literalFlag = flag.boolean(
  'take a file with the keys data and options, or data and metadata, as the secret itself',
)

/** A secret's data, and the version that it must replace, if one is named. */
interface Document {
  readonly data: JsonObject
  readonly cas: number | undefined
}

/**
 * The data of the arguments. A whole map that is a request of the API (`{"options", "data"}`) or what `kv get -o json` prints
 * (`{"data", "metadata"}`) means the data in it, which a note says, unless `literal`.
 */
export async function readDocument(
  context: Context,
  path: string,
  words: readonly string[],
  { literal, cas }: { literal: boolean | undefined; cas: number | undefined },
): Promise<Document> {
  const data = await readData(context, path, words)
  const isWhole = words.length === 1 && /^[@-]/.test(words[0] ?? '')
  const found = isWhole && literal !== true ? wrapped(data) : undefined
  if (found === undefined) return { data, cas }
  if (cas !== undefined && found.cas !== undefined && cas !== found.cas) throw messages.twoCas(cas, found.cas)
  context.io.note(messages.usingDataOf(found.kind))
  return { data: found.data, cas: cas ?? found.cas }
}

function wrapped(map: JsonObject): (Document & { readonly kind: string }) | undefined {
  const { data, options, metadata } = map
  if (!isObject(data) || keysOf(map).length !== 2) return undefined
  if (isOptions(options)) return { data, cas: number(options, 'cas'), kind: 'a request of the API' }
  const isAnswer = number(metadata, 'version') !== undefined && textAt(metadata, 'created_time') !== undefined
  return isAnswer ? { data, cas: undefined, kind: 'an answer of kv get' } : undefined
}

function isOptions(options: Json | undefined): boolean {
  return isObject(options) && keysOf(options).every((key) => key === 'cas' && Number.isSafeInteger(options[key]))
}

/** True for a number that a 64-bit float cannot hold: servers would change it (docs/servers.md, Secrets numbers). */
export function isLossy(value: Json): boolean {
  return value instanceof JsonNumber && digitsOf(value.text) !== digitsOf(String(Number(value.text)))
}

/** A number's significant digits and exponent, so that `1.0` equals `1` and `1e3` equals `1000`. */
function digitsOf(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (integer === '') return text
  const digits = (integer + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** True for a number beyond the range of a 64-bit float (`1e400`), which servers refuse. */
function isTooLarge(value: Json): boolean {
  return value instanceof JsonNumber && !Number.isFinite(Number(value.text))
}
