import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom, plainText } from '../../../core/json.ts'

/**
 * A secret as lines `NAME=value`, which shells and dotenv libraries read alike; a value that isn't text is written as JSON, null
 * as nothing. Throws RangeError for a key that cannot be a name.
 */
export function toDotenv(data: JsonObject): string {
  return linesOf(data, /^[^\s=#'"`]+$/, (name, value) => `${name}=${quoted(value)}`)
}

/** A secret as lines `NAME=value` for `docker run --env-file`, which knows neither quotes nor escapes; like {@link toDotenv}. */
export function toDockerEnv(data: JsonObject): string {
  return linesOf(data, /^[^\s=#]+$/, (name, value) => {
    if (/[\r\n]/.test(value))
      throw new RangeError(`the value of '${name}' has several lines, which docker-env cannot express`)
    return `${name}=${value}`
  })
}

/** A secret as `export NAME='value'` lines for a shell's `eval`; like {@link toDotenv}. */
export function toShell(data: JsonObject): string {
  return linesOf(data, /^[A-Za-z_]\w*$/, (name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`)
}

function linesOf(data: JsonObject, names: RegExp, line: (name: string, value: string) => string): string {
  const lines = entriesOf(data).map(([key, value]) => {
    if (!names.test(key)) throw new RangeError(`the key '${key}' cannot be the name of a variable`)
    const text = value === null ? '' : plainText(value)
    if (text.includes('\0')) throw new RangeError(`the value of '${key}' contains a NUL character`)
    return `${line(key, text)}\n`
  })
  return lines.join('')
}

/** Single quotes allow everything but themselves and a carriage return, which readers drop. */
function quoted(value: string): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return value
  if (!/['\r]/.test(value)) return `'${value}'`
  return `"${value.replace(/[\\"$`]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)}"`
}

/**
 * Parses lines `NAME=value`, as dotenv libraries read them: `export`, comments, and values that are bare or in single, double or
 * back quotes. Throws RangeError with the line and the reason, never with a value.
 */
export function parseDotenv(text: string): JsonObject {
  const entries = new Map<string, Json>()
  let at = 0
  const fail = (reason: string): never => {
    throw new RangeError(`line ${text.slice(0, at).split('\n').length}: ${reason}`)
  }
  while (at < text.length) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (!/^\s*(?:#|$)/.test(line)) {
      const [start, key] = /^\s*(?:export\s+)?([^\s=#]+)\s*=/.exec(line) ?? fail('not NAME=value')
      if (entries.has(key as string)) fail(`duplicate key '${key}'`)
      const value = valueAt(text, at + start.length) ?? fail('a quotation mark is not closed')
      const rest = text.slice(value.end, lineEnd(text, value.end))
      if (!/^\s*(?:$|(?<=\s)#)/.test(rest)) fail('something follows the closing quotation mark')
      entries.set(key as string, value.text)
      at = value.end
    }
    at = lineEnd(text, at)
  }
  return objectFrom(entries)
}

/** The start of the next line. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

/** The value that starts at a position, and where it ends; undefined if its quotation mark isn't closed. */
function valueAt(text: string, start: number): { text: string; end: number } | undefined {
  const line = text.slice(start, lineEnd(text, start)).replace(/\n$/, '')
  const first = start + line.length - line.trimStart().length
  const quote = text[first] ?? ''
  if (!['"', "'", '`'].includes(quote)) {
    const comment = line.search(/\s#/)
    return { text: (comment === -1 ? line : line.slice(0, comment)).trim(), end: start + line.length }
  }
  let end = first + 1
  while (end < text.length && text[end] !== quote) end += quote === '"' && text[end] === '\\' ? 2 : 1
  if (end >= text.length) return undefined
  const inner = text.slice(first + 1, end)
  // Every other backslash is one: in `C:\Users` and `^\d+$`.
  const unescaped = () => inner.replace(/\\([nrt"\\$`])/g, (_, letter: string) => escapes[letter] ?? letter)
  return { text: quote === '"' ? unescaped() : inner, end: end + 1 }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
