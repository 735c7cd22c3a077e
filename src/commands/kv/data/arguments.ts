import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context, Io } from '../../../core/context.ts'
import { cachePlace, makeFolder } from '../../../core/environment.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom, parseJson } from '../../../core/json.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileText, fileWords, withoutMark } from '../../../core/words.ts'
import { looksSecret } from '../../../output/redact.ts'
import { checkValues } from './check.ts'
import type { Unwrapped } from './document.ts'
import { registerSecrets } from './values.ts'

export const dataArguments = argument.texts(
  'key=value, key:=json, key=@file, key=-, key (asks for the value), @file.json, @file.yaml, @.env or -',
  { placeholder: 'data', required: false },
)

/** How to pass data, for the descriptions of commands. */
export const dataDescription = `Data: key=value is text and key:=json any JSON value. key=@file is the content of a file as text and key=- standard input, every byte of it. A bare key asks for the value without showing it. @file.json, @file.yaml, @.env or - is the whole map. If that is a response of the server, such as the output of kv get -o json or vault kv get -format=json, its data is used, unless --literal is given. key=\\@x and key=\\- are literal.`

export const literalFlag = flag.boolean('store a response of the server or a request as it is, not the data in it')

/** A secret's data, and the version that it must replace, if one is named. */
interface Input {
  readonly data: JsonObject
  readonly cas: number | undefined
}

/**
 * The map that the data arguments make for the secret at `path`, in their order. Reads files, standard input and, for bare
 * keys, the terminal. Registers every value as a secret. Throws usage errors that never contain a value.
 */
export async function readDocument(
  { io, now }: Context,
  path: string,
  words: readonly string[],
  { literal, cas: expected }: { literal: boolean | undefined; cas: number | undefined },
): Promise<Input> {
  const entries = new Map<string, Json>()
  let cas = expected
  let typed = false
  const loose = words.findIndex((word, index) => index > 0 && isBareKey(word))
  if (loose !== -1) {
    // The word may be a secret, so only the one before it is repeated.
    const previous = words[loose - 1] as string
    const meant = isBareKey(previous) ? `; did you mean ${previous}=…?` : ''
    throw usageError(`only the first word can be a key without a value${meant}`, 'write key=value for each key')
  }
  for (const word of words) {
    const found = await readWord(io, word, { path, literal: literal === true })
    typed ||=
      found.typed === true && found.entries.some(([key, value]) => typeof value === 'string' && looksSecret(value, key))
    if (cas !== undefined && found.cas !== undefined && cas !== found.cas)
      throw usageError(`--cas ${cas} contradicts options.cas ${found.cas} of the data`, 'omit one of them')
    cas ??= found.cas
    for (const [key, value] of found.entries) {
      registerSecrets(io, value, path)
      if (entries.has(key)) throw usageError(`the key '${key}' is repeated`)
      entries.set(key, value)
    }
  }
  const data = objectFrom(entries)
  checkValues(io, entriesOf(data))
  if (typed && io.terminal.stdin && io.terminal.stderr && isFirstToday({ io, now }, 'shell-history'))
    io.hint('a value on the command line stays in the shell history; key alone asks for it, key=- reads it from a pipe')
  return { data, cas }
}

function isBareKey(word: string): boolean {
  return /^[^=:@[{-][^=:]*$/.test(word)
}

interface Found {
  readonly entries: readonly (readonly [string, Json])[]
  /** True if the value itself was on the command line. */
  readonly typed?: boolean
  readonly cas?: number | undefined
}

async function readWord(io: Io, word: string, { path, literal }: { path: string; literal: boolean }): Promise<Found> {
  if (word === '-' || word.startsWith('@')) {
    const { data, cas } = await readMap(io, word.replace(/^@/, ''), literal)
    return { entries: entriesOf(data), cas }
  }
  if (isMap(word))
    throw usageError('JSON on the command line is not data', 'pass it with @file.json, or pipe it in and write -')
  const equals = word.indexOf('=')
  if (equals === -1) return one(word, await askFor(io, word, path))
  const value = word.slice(equals + 1)
  const isReference = value === '-' || value.startsWith('@')
  if (word[equals - 1] === ':') {
    const key = word.slice(0, equals - 1)
    return one(key, await readTyped(io, key, value, isReference), !isReference)
  }
  const key = word.slice(0, equals)
  if (value === '-') return one(key, await readPiped(io, key))
  if (isReference) return one(key, await readValue(io, value.slice(1), key))
  const literalValue = value === String.raw`\-` || value.startsWith(String.raw`\@`) ? value.slice(1) : value
  return one(key, literalValue, literalValue !== '')
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
  if (key === '') throw usageError('a key is missing before the = sign')
  return { entries: [[key, value]], typed }
}

async function askFor(io: Io, key: string, path: string): Promise<string> {
  if (/^[a-z]:[\\/]/i.test(key)) throw usageError(`${key}: not key=value`, 'to read a file, write @ before its path')
  const colon = key.indexOf(':')
  if (colon !== -1)
    throw usageError(`${key.slice(0, colon)}: not key=value`, 'write key=value for text, key:=json for JSON')
  const otherwise = `use '${key}=-' for standard input, '${key}=@file' or '${key}=value'`
  return io.ask(`value for ${key} of ${path} (not shown): `, { hidden: true, otherwise })
}

async function readTyped(io: Io, key: string, value: string, isReference: boolean): Promise<Json> {
  const source = isReference ? await readValue(io, value.replace(/^@/, ''), key) : value
  try {
    return parseJson(withoutMark(source), { uniqueKeys: true })
  } catch (error) {
    throw usageError(`${key}: ${(error as Error).message}`, `for text, write '${key}=…' without the colon`)
  }
}

/** Standard input. If it is empty, the program that should have written it failed. On a terminal, the last newline is Enter. */
async function readPiped(io: Io, key: string): Promise<string> {
  const text = await readValue(io, '-', key)
  if (text === '') throw usageError(`${key}: standard input is empty`, `for an empty value write '${key}='`)
  if (io.terminal.stdin) return text.replace(/\r?\n$/, '')
  if (/^[^\n]*\n$/.test(text)) io.hint(`the value of ${key} ends with a newline; printf %s writes one without it`)
  return text
}

/** A file's bytes as text, all of them. */
async function readValue(io: Io, path: string, key: string): Promise<string> {
  const text = utf8Text(await readNamed(io, path))
  if (text !== undefined) return text
  throw usageError(
    `${key}: ${fileWords(path)} is not UTF-8 text`,
    `encode it first: base64 < ${path === '-' ? 'file' : path} | tug … ${key}=-`,
  )
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
  if (path === '') throw usageError("a file's name is missing after the @ sign")
  return io.readFile(path)
}

async function readMap(io: Io, path: string, literal: boolean): Promise<Unwrapped> {
  const label = fileWords(path)
  const text = fileText(await readNamed(io, path), label)
  const { formatOfFile, readMapText, unwrap } = await import('./document.ts')
  const map = await readMapText(text, label, formatOfFile(path))
  const found = literal ? undefined : unwrap(map, label)
  if (found === undefined) return { data: map, cas: undefined }
  io.note(`using the data of the ${found.kind}; --literal stores the whole document`)
  return found
}

/** Whether something has not been printed yet today. Records in the cache folder that it is printed now. */
function isFirstToday({ io, now }: Pick<Context, 'io' | 'now'>, name: string): boolean {
  const place = cachePlace(io.env, io.home, io.platform)
  if (place === undefined || !(place.isCreated || existsSync(place.base))) return true
  const today = now().toISOString().slice(0, 10)
  const folder = join(place.base, place.below, 'hints')
  const file = join(folder, name)
  try {
    if (readFileSync(file, 'utf8') === today) return false
  } catch {
    // Not printed before.
  }
  try {
    makeFolder(folder, 0o700)
    writeFileSync(file, today)
  } catch {
    // Printed again next time.
  }
  return true
}
