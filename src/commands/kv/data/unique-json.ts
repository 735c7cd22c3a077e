import type { Json } from '../../../core/json.ts'
import { JsonNumber, parseJson } from '../../../core/json.ts'
import { fault, isKey, stringEnd, token } from '../../../core/json-syntax.ts'

/** Parses without loss, and throws a `JsonSyntaxError` also if an object has the same key twice. */
export function parseUniqueJson(text: string): Json {
  const value = parseJson(text)
  // Counting keys is faster than comparing them.
  if (keysInText(text) > keysIn(value)) refuseDuplicateKeys(text)
  return value
}

/** The number of keys in all objects of a value. */
function keysIn(value: Json): number {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return 0
  const items = Object.values(value)
  let count = Array.isArray(value) ? 0 : items.length
  for (const item of items) count += keysIn(item)
  return count
}

/** The number of keys in all objects of a valid JSON text. Not with a pattern, which fails for a string with millions of escapes. */
function keysInText(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = stringEnd(text, start + 1)
    if (isKey(text, end + 1)) count += 1
    start = text.indexOf('"', end + 1)
  }
  return count
}

/** Throws if an object has the same key twice. */
function refuseDuplicateKeys(text: string): void {
  const keys: Set<string>[] = []
  token.lastIndex = 0
  for (;;) {
    const found = token.exec(text)?.[1]
    if (found === undefined) return
    if (found === '{' || found === '[') keys.push(new Set())
    else if (found === '}' || found === ']') keys.pop()
    else if (found[0] === '"' && isKey(text, token.lastIndex)) {
      const earlier = keys.at(-1)
      const key = found.includes('\\') ? (JSON.parse(found) as string) : found.slice(1, -1)
      if (earlier?.has(key) === true) throw fault('duplicate key', token.lastIndex - found.length)
      earlier?.add(key)
    }
  }
}
