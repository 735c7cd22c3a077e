import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context, Io } from '../../../core/context.ts'
import { cacheFolder, cachePlace } from '../../../core/environment.ts'
import { shellQuote } from '../../../core/shell.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom, parseJson } from '../../../core/json.ts'
import { argument, flag, readInteger } from '../../../core/param.ts'
import { fileText, fileWords, refuseLarge, withoutMark } from '../../../core/words.ts'
import { looksSecret } from '../../../output/redact.ts'
import { checkValues } from './check.ts'
import { registerSecrets } from './values.ts'
import { parseUniqueJson } from './unique-json.ts'

export const dataArguments = argument.texts(
  'key=value, key:=json, key=@file, key=-, key (asks for the value), @file.json, @file.yaml, @.env or -',
  { placeholder: 'data', required: false },
)

/** How to pass data, for the descriptions of commands. */
export const dataDescription = `Data: key=value is text, key:=json any JSON, key=@file the text of a file and key=- standard input, every byte. A bare key asks for its value. @file.json, @file.yaml, @.env or - is the whole map; of a response (kv get -o json, vault kv get -format=json) its data is used, unless --literal. key=\\@x and key=\\- are literal.`

export const literalFlag = flag.boolean('store a response of the server or a request as it is, not the data in it')

/** A value to generate: its key and its number of characters. */
interface Generated {
  readonly key: string
  readonly length: number
}

const usualLength = 32
const longest = 4096

/** The flags of commands that can generate values. */
export const generateFlags = {
  generate: flag.each(
    `set this key to a random value (default: ${usualLength} characters)`,
    (text): Generated => {
      const equals = text.lastIndexOf('=')
      const key = equals === -1 ? text : text.slice(0, equals)
      if (key === '') throw new RangeError(`'${text}' has no key; use key or key=length`)
      return { key, length: equals === -1 ? usualLength : readInteger(text.slice(equals + 1), 1, longest) }
    },
    { placeholder: 'key[=length]' },
  ),
  symbols: flag.boolean('generated values contain symbols too', { needs: ['generate'] }),
}

/** A secret's data, and the version that it must replace, if one is named. */
interface Data {
  readonly data: JsonObject
  readonly cas: number | undefined
}

/**
 * The data of a write to the secret at `path`: its data arguments, in their order, then the generated values. Reads files, standard input
 * and, for a bare key, the terminal. Registers every value as a secret. Throws usage errors that never contain a value.
 */
export async function readData(
  context: Context,
  path: string,
  words: readonly string[],
  flags: {
    readonly literal: boolean | undefined
    readonly cas: number | undefined
    readonly generate?: readonly Generated[]
    readonly symbols?: boolean | undefined
  },
): Promise<Data> {
  const { io } = context
  const loose = words.findIndex((word, index) => index > 0 && isBareKey(word))
  if (loose !== -1) {
    // The word may be a secret, so only the one before it is repeated.
    const previous = words[loose - 1] as string
    const meant = isBareKey(previous) ? `; did you mean ${previous}=…?` : ''
    throw usageError(`only the first word can be a key without a value${meant}`, 'write key=value for each key')
  }
  const entries = new Map<string, Json>()
  const add = (key: string, value: Json, options = {}) => {
    registerSecrets(io, value, path, options)
    if (entries.has(key)) throw usageError(`the key '${key}' is repeated`)
    entries.set(key, value)
  }
  let { cas } = flags
  let isSecretTyped = false
  for (const word of words) {
    const found = await readWord(io, word, { path, isLiteral: flags.literal === true })
    if (found.isTyped === true)
      isSecretTyped ||= found.entries.some(([key, value]) => typeof value === 'string' && looksSecret(value, key))
    if (cas !== undefined && found.cas !== undefined && cas !== found.cas)
      throw usageError(`--cas ${cas} contradicts options.cas ${found.cas} of the data`, 'omit one of them')
    cas ??= found.cas
    for (const [key, value] of found.entries) add(key, value)
  }
  checkValues(io, [['', objectFrom(entries)]])
  if (isSecretTyped && io.terminal.stdin && io.terminal.stderr && (await isFirstToday(context, 'shell-history')))
    io.hint('a value on the command line stays in the shell history; key alone asks for it, key=- reads it from a pipe')
  for (const { key, length } of flags.generate ?? []) {
    add(key, await randomText(length, flags.symbols === true), { name: key })
  }
  return { data: objectFrom(entries), cas }
}

function isBareKey(word: string): boolean {
  return /^[^=:@[{-][^=:]*$/.test(word)
}

/** The data in one word. */
interface Found {
  readonly entries: readonly (readonly [string, Json])[]
  /** True if the value itself was on the command line. */
  readonly isTyped?: boolean
  readonly cas?: number | undefined
}

async function readWord(io: Io, word: string, options: { path: string; isLiteral: boolean }): Promise<Found> {
  if (word === '-' || word.startsWith('@')) return readMap(io, word.replace(/^@/, ''), options.isLiteral)
  if (isJson(word))
    throw usageError('JSON on the command line is not data', 'pass it with @file.json, or pipe it in and write -')
  if (word === '') throw usageError('an empty argument is not data', 'give key=value, @file.json or -')
  const equals = word.indexOf('=')
  if (equals === -1) return { entries: [[word, await askFor(io, word, options.path)]] }
  const isTypedJson = word[equals - 1] === ':'
  const key = word.slice(0, isTypedJson ? equals - 1 : equals)
  if (key === '') throw usageError('a key is missing before the = sign')
  const text = word.slice(equals + 1)
  const source = text === '-' ? '-' : text.startsWith('@') ? text.slice(1) : undefined
  if (isTypedJson) {
    const value = parseValue(key, source === undefined ? text : await readValue(io, source, key))
    return { entries: [[key, value]], isTyped: source === undefined }
  }
  if (text === '-') return { entries: [[key, await readPiped(io, key)]] }
  if (source !== undefined) {
    const content = await readValue(io, source, key)
    hintNewline(io, key, content, `printf %s "$(cat file)" | tug … ${key}=-`)
    return { entries: [[key, content]] }
  }
  const value = text === String.raw`\-` || text.startsWith(String.raw`\@`) ? text.slice(1) : text
  return { entries: [[key, value]], isTyped: value !== '' }
}

/** True for a JSON object or list, which would be taken for a key, and shown as one, although it may be secret. */
function isJson(word: string): boolean {
  if (!/^\s*[[{]/.test(word)) return false
  try {
    parseJson(word)
    return true
  } catch {
    return false
  }
}

async function askFor(io: Io, key: string, path: string): Promise<string> {
  // A path, as on Windows, or a file's name is no secret.
  if (/^[a-z]:[\\/]|^[\w.-]+:[\w.-]+\.[a-z]{2,5}$/i.test(key) && !looksSecret(key.slice(key.indexOf(':') + 1), key))
    throw usageError(`${key}: not key=value`, 'to read a file, write @ before its path')
  const colon = key.indexOf(':')
  if (colon !== -1)
    throw usageError(`${key.slice(0, colon)}: not key=value`, 'write key=value for text, key:=json for JSON')
  const otherwise = `use '${key}=-' for standard input, '${key}=@file' or '${key}=value'`
  return io.ask(`value for ${key} of ${path} (not shown): `, { hidden: true, otherwise })
}

function parseValue(key: string, text: string): Json {
  try {
    return parseUniqueJson(withoutMark(text))
  } catch (error) {
    throw usageError(`${key}: ${(error as Error).message}`, `for text, write '${key}=…' without the colon`)
  }
}

/** Standard input. If it is empty, the program that should have written it failed. On a terminal, the last newline is Enter. */
async function readPiped(io: Io, key: string): Promise<string> {
  const text = await readValue(io, '-', key)
  if (text === '') throw usageError(`${key}: standard input is empty`, `for an empty value write '${key}='`)
  if (io.terminal.stdin) return text.replace(/\r?\n$/, '')
  hintNewline(io, key, text, 'printf %s')
  return text
}

/** A newline at the end of a value of one line is rarely meant. */
function hintNewline(io: Io, key: string, text: string, remedy: string): void {
  if (/^[^\n]*\n$/.test(text)) io.hint(`the value of ${key} ends with a newline; ${remedy} writes one without it`)
}

/** A file as text: every byte of it, with a byte order mark. */
async function readValue(io: Io, file: string, key: string): Promise<string> {
  const bytes = await readNamed(io, file)
  refuseLarge(bytes, fileWords(file))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw usageError(
      `${key}: ${fileWords(file)} is not UTF-8 text`,
      io.platform === 'win32'
        ? `encode it first, for example as Base64`
        : `encode it first: base64 < ${file === '-' ? 'file' : shellQuote(file)} | tug … ${key}=-`,
    )
  }
}

async function readNamed(io: Io, file: string): Promise<Uint8Array> {
  if (file === '') throw usageError("a file's name is missing after the @ sign")
  return io.readFile(file)
}

/** A file with the whole map, or with a response or request that contains it. */
async function readMap(io: Io, file: string, isLiteral: boolean): Promise<Found> {
  const label = fileWords(file)
  const text = fileText(await readNamed(io, file), label)
  const { formatToRead, readMapText, unwrap } = await import('./document.ts')
  const map = await readMapText(text, label, formatToRead(file))
  const found = isLiteral ? undefined : unwrap(map, label)
  if (found === undefined) return { entries: entriesOf(map) }
  io.note(`using the data of the ${found.kind}; --literal stores the whole document`)
  return { entries: entriesOf(found.data), cas: found.cas }
}

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

async function randomText(length: number, withSymbols: boolean): Promise<string> {
  const { randomInt } = await import('node:crypto')
  const alphabet = withSymbols ? `${lettersAndDigits}!#$%&()*+,-./:;<=>?@[]^_{|}~` : lettersAndDigits
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** True if this was not printed yet today, which is then recorded in the cache folder. */
async function isFirstToday({ io, now }: Context, name: string): Promise<boolean> {
  const place = cachePlace(io.env, io.home, io.platform)
  if (place === undefined || !(place.isCreated || existsSync(place.base))) return true
  const today = now().toISOString().slice(0, 10)
  try {
    const folder = cacheFolder(place, ['hints'], { uid: io.uid, creates: true })
    if (folder === undefined) return true
    const file = join(folder, name)
    if (existsSync(file) && readFileSync(file, 'utf8') === today) return false
    const { writeFileWhole } = await import('../../../output/files.ts')
    await writeFileWhole(file, today, { replace: true, private: true })
  } catch {
    // Printed again next time.
  }
  return true
}
