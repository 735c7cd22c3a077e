import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom, parseJson, plainText, stringifyJson } from '../../../core/json.ts'

/**
 * Secrets as lines `NAME='value'` for shells and dotenv libraries. What such lines cannot express (which secret, a key
 * that isn't a name, a value that isn't text) is in a comment `#: {…}` before them, so that nothing is lost.
 */
const mark = '#: '

/** One secret's lines; `path` is undefined for a single secret. */
export function toDotenv(path: string | undefined, data: JsonObject | null): string {
  const head =
    path === undefined ? '' : `${mark}${stringifyJson({ secret: path, ...(data === null ? { null: true } : {}) })}\n`
  const lines = entriesOf(data ?? {}).map(([key, value]) => {
    const name = variableName(key)
    const facts = {
      ...(name === key ? {} : { key }),
      ...(typeof value === 'string' ? {} : { json: true }),
    }
    const note = Object.keys(facts).length === 0 ? '' : `${mark}${stringifyJson(facts)}\n`
    return `${note}${name}=${quoted(plainText(value))}\n`
  })
  return head + lines.join('')
}

/** The line that says that an export misses something; reading it back fails. */
export function incompleteDotenv(words: string): string {
  return `${mark}${stringifyJson({ incomplete: words })}\n`
}

function variableName(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : key.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_')
}

/** Single quotes allow everything but themselves and a carriage return, which readers drop. */
function quoted(value: string): string {
  if (/^[\w./:@%+,-]+$/.test(value)) return value
  if (!/['\r]/.test(value)) return `'${value}'`
  return `"${value.replace(/[\\"$`]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)}"`
}

/**
 * Parses lines into secrets by path; those before any path are under ''. Understands `export`, comments, and bare, single and
 * double quoted values. Throws RangeError with the line and the reason, never with a value.
 */
export function parseDotenv(text: string): Map<string, JsonObject | null> {
  const secrets = new Map<string, Map<string, Json> | null>()
  let secret = ''
  let facts: JsonObject = {}
  let at = 0
  const fail = (reason: string): never => {
    throw new RangeError(`line ${text.slice(0, at).split('\n').length}: ${reason}`)
  }
  while (at < text.length) {
    const end = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at)
    const line = text.slice(at, end).replace(/\r$/, '')
    if (line.startsWith(mark)) {
      facts = factsOf(line) ?? fail('the comment after #: is not a JSON map')
      if (typeof facts['incomplete'] === 'string') fail(`the export is incomplete: ${facts['incomplete']}`)
      if (typeof facts['secret'] === 'string') {
        secret = facts['secret']
        if (secrets.has(secret)) fail(`duplicate secret '${secret}'`)
        secrets.set(secret, facts['null'] === true ? null : new Map())
        facts = {}
      }
      at = end + 1
      continue
    }
    if (/^\s*(?:#|$)/.test(line)) {
      at = end + 1
      continue
    }
    const name = /^\s*(?:export\s+)?([^\s=#]+)\s*=[ \t]*/.exec(line) ?? fail('not NAME=value')
    const value = valueAt(text, at + name[0].length) ?? fail('a quotation mark is not closed')
    if (value.more) fail('something follows the closing quotation mark')
    const key = typeof facts['key'] === 'string' ? facts['key'] : (name[1] as string)
    const map = secrets.get(secret) ?? new Map<string, Json>()
    if (map.has(key)) fail(`duplicate key '${key}'`)
    map.set(key, facts['json'] === true ? jsonOf(value.text, fail) : value.text)
    secrets.set(secret, map)
    facts = {}
    at = value.end
  }
  return new Map([...secrets].map(([path, map]) => [path, map === null ? null : objectFrom(map)]))
}

function factsOf(line: string): JsonObject | undefined {
  try {
    const facts = parseJson(line.slice(mark.length))
    return isObject(facts) ? facts : undefined
  } catch {
    return undefined
  }
}

function jsonOf(text: string, fail: (reason: string) => never): Json {
  try {
    return parseJson(text)
  } catch {
    return fail('the value is not JSON, although the line before declares it')
  }
}

interface Value {
  readonly text: string
  /** The start of the next line. */
  readonly end: number
  /** True if a quoted value is followed by more than a comment: a shell would join them. */
  readonly more?: boolean
}

/** The value that starts at a position; undefined if its quotation mark isn't closed. */
function valueAt(text: string, start: number): Value | undefined {
  const lineEnd = (from: number) => {
    const end = text.indexOf('\n', from)
    return end === -1 ? text.length : end + 1
  }
  const closed = (value: string, behind: number): Value => {
    const end = lineEnd(behind)
    return { text: value, end, more: !/^(?:\s+#.*|\s*)$/s.test(text.slice(behind, end)) }
  }
  const quote = text[start]
  if (quote === "'") {
    const end = text.indexOf("'", start + 1)
    return end === -1 ? undefined : closed(text.slice(start + 1, end), end + 1)
  }
  if (quote === '"') {
    const found = /"((?:[^"\\]|\\[^])*)"/y
    found.lastIndex = start
    const inner = found.exec(text)?.[1]
    if (inner === undefined) return undefined
    return closed(
      inner.replace(/\\([^])/g, (_, letter: string) => escapes[letter] ?? letter),
      found.lastIndex,
    )
  }
  const end = lineEnd(start)
  const bare = text.slice(start, end).replace(/\s+#.*$/s, '')
  return { text: bare.trim(), end }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
