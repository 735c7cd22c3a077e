import { usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'

/** `key=value` as a pair. Throws RangeError for anything else. */
export function readMeta(typed: string): [key: string, value: string] {
  const end = typed.indexOf('=')
  if (end === -1) throw new RangeError(`'${typed}' has no value: write ${typed}=<value>`)
  if (end === 0) throw new RangeError(`'${typed}' has no key before the =`)
  return [typed.slice(0, end), typed.slice(end + 1)]
}

/** Pairs as an object. Throws a usage error for a duplicate key. */
export function metaOf(pairs: readonly (readonly [string, string])[]): JsonObject {
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) < index)
  if (twice !== undefined) throw usageError(`--meta: duplicate key '${twice[0]}'`)
  return objectFrom(pairs)
}
