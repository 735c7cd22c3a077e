import { usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { JsonNumber, entriesOf, isNumber, isObject, keysOf, objectFrom, parseJson, plainText } from '../core/json.ts'
import { grouped } from '../core/lists.ts'

/** Evaluates the expression behind `&` for one item. */
type Visit = (expression: unknown, value: Json) => Json

/** The type numbers of the JMESPath library. */
const types = { number: 0, string: 2, array: 3, object: 4, boolean: 5, expression: 6, null: 7 } as const

/** The library's number for the type of a value; undefined for what is not a JSON value. */
export function typeOf(value: unknown): number | undefined {
  if (value === null) return types.null
  if (isNumber(value)) return types.number
  if (typeof value === 'string') return types.string
  if (typeof value === 'boolean') return types.boolean
  if (Array.isArray(value)) return types.array
  if (typeof value !== 'object') return undefined
  return 'expref' in value && 'type' in value ? types.expression : types.object
}

/** Below 0, 0 or above 0. Integers that share a double are told apart by their digits. */
export function numberOrder(left: number | JsonNumber, right: number | JsonNumber): number {
  const difference = Number(left) - Number(right)
  if (difference !== 0 || typeof left === 'number' || typeof right === 'number') return difference
  if (!integer.test(left.text) || !integer.test(right.text)) return 0
  const exact = BigInt(left.text) - BigInt(right.text)
  return exact === 0n ? 0 : exact < 0n ? -1 : 1
}

const integer = /^-?\d+$/

/** Equal values, whatever the order of keys. */
export function sameJson(left: Json, right: Json): boolean {
  if (isNumber(left) && isNumber(right)) return numberOrder(left, right) === 0
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index] as Json))
  }
  if (!isObject(left) || !isObject(right)) return left === right
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key] as Json, right[key] as Json))
  )
}

/**
 * The functions that the library would do by doubles, in JavaScript's order of keys, or with the properties of JavaScript's own
 * objects. The library has checked number and types of the arguments before.
 */
export function queryFunctions(visit: Visit): Readonly<Record<string, (given: never) => Json>> {
  const by = (name: string, items: Json[], expression: Json, sign: 1 | -1): Json => {
    const keyed = withKeys(name, items, expression, visit)
    if (keyed.length === 0) return null
    return keyed.reduce((best, one) => (sign * keyOrder(one.key, best.key) > 0 ? one : best)).item
  }
  return {
    contains: ([searched, wanted]: [Json, Json]) => {
      if (Array.isArray(searched)) return searched.some((item) => sameJson(item, wanted))
      return typeof searched === 'string' && typeof wanted === 'string' ? searched.includes(wanted) : null
    },
    from_items: ([pairs]: [Json[][]]) => objectFrom(pairs.map(pairOf)),
    group_by: ([items, expression]: [Json[], Json]) => {
      const keyOf = (item: Json) => {
        const key = visit(expression, item)
        if (typeof key === 'string') return key
        throw usageError('--query: group_by() needs a string for each item')
      }
      return objectFrom(grouped(items, keyOf))
    },
    items: ([object]: [JsonObject]) => entriesOf(object),
    keys: ([object]: [JsonObject]) => keysOf(object),
    max: ([items]: [Json[]]) => extreme(items, 1),
    max_by: ([items, expression]: [Json[], Json]) => by('max_by', items, expression, 1),
    merge: (objects: JsonObject[]) => objectFrom(objects.flatMap(entriesOf)),
    min: ([items]: [Json[]]) => extreme(items, -1),
    min_by: ([items, expression]: [Json[], Json]) => by('min_by', items, expression, -1),
    sort: ([items]: [Json[]]) => items.toSorted((a, b) => keyOrder(a, b)),
    sort_by: ([items, expression]: [Json[], Json]) =>
      withKeys('sort_by', items, expression, visit)
        .toSorted((a, b) => keyOrder(a.key, b.key))
        .map(({ item }) => item),
    to_number: ([value]: [Json]) => (typeof value === 'string' ? readNumber(value) : isNumber(value) ? value : null),
    to_string: ([value]: [Json]) => plainText(value),
    values: ([object]: [JsonObject]) => keysOf(object).map((key) => object[key] as Json),
  }
}

interface Keyed {
  readonly item: Json
  readonly key: Json
}

function withKeys(name: string, items: Json[], expression: Json, visit: Visit): Keyed[] {
  const keyed = items.map((item) => ({ item, key: visit(expression, item) }))
  const wanted = keyed.every(({ key }) => isNumber(key)) || keyed.every(({ key }) => typeof key === 'string')
  if (!wanted) throw usageError(`--query: ${name}() needs a number for each item, or a string for each`)
  return keyed
}

function extreme(items: Json[], sign: 1 | -1): Json {
  return items.length === 0 ? null : items.reduce((best, one) => (sign * keyOrder(one, best) > 0 ? one : best))
}

/** Two numbers by value; two strings by their code points, in no locale. */
function keyOrder(left: Json, right: Json): number {
  if (isNumber(left) && isNumber(right)) return numberOrder(left, right)
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}

function pairOf(pair: Json[]): [string, Json] {
  const [key, value] = pair
  if (pair.length !== 2 || typeof key !== 'string')
    throw usageError('--query: from_items() needs pairs of name and value')
  return [key, value as Json]
}

function readNumber(text: string): Json {
  if (!/^-?\d/.test(text)) return null
  try {
    const value = parseJson(text)
    return isNumber(value) ? value : null
  } catch {
    return null
  }
}
