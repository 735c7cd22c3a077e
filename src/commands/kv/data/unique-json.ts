import type { Json } from '../../../core/json.ts'
import { parseJson } from '../../../core/json.ts'
import { fault, isKey, JsonWalk } from '../../../core/json-syntax.ts'

/** Parses without loss, and throws a `JsonSyntaxError` also if an object has the same key twice. */
export function parseUniqueJson(text: string): Json {
  const value = parseJson(text)
  /** The keys of each object that is open, by its depth. */
  const keys: Set<string>[] = []
  const walk = new JsonWalk({
    opened: (depth) => void (keys[depth] = new Set()),
    string(start, end, depth) {
      if (!isKey(text, end + 1)) return
      const spelled = text.slice(start, end)
      const key = spelled.includes('\\') ? (JSON.parse(`"${spelled}"`) as string) : spelled
      const earlier = keys[depth] as Set<string>
      if (earlier.has(key)) throw fault('duplicate key', start - 1)
      earlier.add(key)
    },
  })
  walk.through(text)
  return value
}
