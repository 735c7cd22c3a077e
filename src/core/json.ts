/**
 * Lossless JSON. Integers beyond 2^53, spellings such as `1.0` or `1e400`, the order of keys and a key named `__proto__`
 * all survive reading, showing and sending back. Ordinary documents go through the native parser.
 */

/** A number whose spelling a double would lose; every other number is a plain `number`. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double, for comparing and computing. */
  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }
}

export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

/** Thrown by {@link parseJson}; `offset` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends SyntaxError {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Where JavaScript would reorder keys (they look like integers) the order of the source is kept beside them. */
const keyOrder = Symbol('order of keys')

/** What a double may not keep as it is spelt: sixteen digits and more, whether or not a point is among them, and tiny fractions. */
const lossy = /\d{16}|\d[\d.]{16}|\.0{6}|\d[eE]|(?:^|[[:,\s])-0|\.\d*0[\s,\]}]|\.\d*0$|"\s*\d+"\s*:|^-?\d+\.|__proto__/
const integerKey = /^(?:0|[1-9]\d*)$/

/**
 * Text → value. Throws {@link JsonSyntaxError} when the text is no JSON document. Of a key that is there twice the last
 * counts, unless `uniqueKeys` refuses it.
 */
export function parseJson(text: string, options: { readonly uniqueKeys?: boolean } = {}): Json {
  const { uniqueKeys = false } = options
  if (!uniqueKeys && !lossy.test(text)) {
    try {
      return JSON.parse(text) as Json
    } catch {
      // The reader below finds the same fault and knows where it stands.
    }
  }
  return new Reader(text, uniqueKeys).document()
}

/** True for an object that is neither null, an array nor a {@link JsonNumber}. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** True for a number in either representation. */
export function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** The keys of an object in the order of its source. */
export function keysOf(object: JsonObject): string[] {
  const ordered = (object as { [keyOrder]?: string[] })[keyOrder]
  if (ordered === undefined) return Object.keys(object)
  const known = new Set(ordered)
  const added = Object.keys(object).filter((key) => !known.has(key))
  return [...ordered.filter((key) => Object.hasOwn(object, key)), ...added]
}

/** Key and value pairs in the order of the source. */
export function entriesOf(object: JsonObject): [string, Json][] {
  return keysOf(object).map((key) => [key, object[key] as Json])
}

/** An object with these entries in this order; keys such as `__proto__` and `10` are keys like any other. */
export function objectFrom(entries: Iterable<readonly [string, Json]>): JsonObject {
  const object = Object.create(null) as JsonObject
  const order: string[] = []
  let integers = false
  for (const [key, value] of entries) {
    if (!Object.hasOwn(object, key)) order.push(key)
    if (integerKey.test(key)) integers = true
    object[key] = value
  }
  if (integers) Object.defineProperty(object, keyOrder, { value: order })
  return object
}

/** `object` with some entries replaced, added, or (where undefined) removed, in the order of the source. */
export function withEntries(object: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  const merged = new Map<string, Json>(entriesOf(object))
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) merged.delete(key)
    else merged.set(key, value)
  }
  return objectFrom(merged)
}

/**
 * Value → text. `indent` 0 gives the compact form. Undefined members are left out. Values with a `toJSON` (dates) use it;
 * bigints are written as integers.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const out: string[] = []
  write(value, indent, '\n', out)
  return out.join('')
}

function write(value: unknown, indent: number, newline: string, out: string[]): void {
  if (value === null || value === undefined) {
    out.push('null')
  } else if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    out.push(JSON.stringify(value))
  } else if (typeof value === 'bigint' || value instanceof JsonNumber) {
    out.push(value.toString())
  } else if (typeof value === 'object') {
    if ('toJSON' in value && typeof value.toJSON === 'function') write(value.toJSON(), indent, newline, out)
    else if (Array.isArray(value)) writeItems(value, indent, newline, out)
    else writeEntries(value as JsonObject, indent, newline, out)
  } else {
    throw new TypeError(`a ${typeof value} is no JSON value`)
  }
}

function writeItems(items: readonly unknown[], indent: number, newline: string, out: string[]): void {
  if (items.length === 0) {
    out.push('[]')
    return
  }
  const inner = newline + ' '.repeat(indent)
  out.push('[')
  for (const [index, item] of items.entries()) {
    if (index > 0) out.push(',')
    if (indent > 0) out.push(inner)
    write(item, indent, inner, out)
  }
  if (indent > 0) out.push(newline)
  out.push(']')
}

function writeEntries(object: JsonObject, indent: number, newline: string, out: string[]): void {
  const inner = newline + ' '.repeat(indent)
  let written = 0
  out.push('{')
  for (const key of keysOf(object)) {
    const item = object[key]
    if (item === undefined) continue
    if (written > 0) out.push(',')
    written += 1
    if (indent > 0) out.push(inner)
    out.push(JSON.stringify(key), indent > 0 ? ': ' : ':')
    write(item, indent, inner, out)
  }
  if (indent > 0 && written > 0) out.push(newline)
  out.push('}')
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const plainStringPattern = /"[^"\\\u0000-\u001f]*"/y
const deepest = 10_000

/** A recursive-descent reader for the documents that the native parser would change. */
class Reader {
  private readonly text: string
  private at = 0
  private depth = 0
  private readonly uniqueKeys: boolean

  constructor(text: string, uniqueKeys: boolean) {
    this.text = text
    this.uniqueKeys = uniqueKeys
  }

  document(): Json {
    const value = this.value()
    this.space()
    if (this.at < this.text.length) this.fail('text after the end of the JSON document')
    return value
  }

  private value(): Json {
    this.space()
    const start = this.text[this.at]
    if (start === '"') return this.string()
    if (start === '{') return this.object()
    if (start === '[') return this.array()
    if (this.text.startsWith('true', this.at)) return this.skip(4, true)
    if (this.text.startsWith('false', this.at)) return this.skip(5, false)
    if (this.text.startsWith('null', this.at)) return this.skip(4, null)
    return this.number()
  }

  private skip<T>(length: number, value: T): T {
    this.at += length
    return value
  }

  private number(): number | JsonNumber {
    const text = this.match(numberPattern)
    if (text === undefined) return this.fail('no JSON value')
    const number = Number(text)
    return String(number) === text ? number : new JsonNumber(text)
  }

  private string(): string {
    const plain = this.match(plainStringPattern)
    if (plain !== undefined) return plain.slice(1, -1)
    const text = this.match(stringPattern)
    if (text === undefined) return this.fail('a string that does not end, or holds a control character or a bad escape')
    return JSON.parse(text) as string
  }

  private array(): Json[] {
    const items: Json[] = []
    this.enter()
    if (this.taken(']')) return this.leave(items)
    do items.push(this.value())
    while (this.taken(','))
    if (!this.taken(']')) this.fail('an array that does not end')
    return this.leave(items)
  }

  private object(): JsonObject {
    const entries: [string, Json][] = []
    this.enter()
    if (this.taken('}')) return this.leave(objectFrom(entries))
    do {
      this.space()
      if (this.text[this.at] !== '"') this.fail('a key that is no string')
      const key = this.string()
      if (!this.taken(':')) this.fail('a key without a value')
      entries.push([key, this.value()])
    } while (this.taken(','))
    if (!this.taken('}')) this.fail('an object that does not end')
    const object = objectFrom(entries)
    if (this.uniqueKeys && Object.keys(object).length < entries.length)
      throw new JsonSyntaxError(`a key is there twice in the object that ends at offset ${this.at}`, this.at)
    return this.leave(object)
  }

  private enter(): void {
    this.at += 1
    this.depth += 1
    if (this.depth > deepest) this.fail('nested too deeply')
  }

  private leave<T>(value: T): T {
    this.depth -= 1
    return value
  }

  private taken(character: string): boolean {
    this.space()
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private space(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text[this.at] as string)) this.at += 1
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private fail(reason: string): never {
    const ended = this.at >= this.text.length
    throw new JsonSyntaxError(ended ? 'the JSON ends too early' : `${reason} at offset ${this.at}`, this.at)
  }
}
