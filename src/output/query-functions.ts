import { usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import {
  JsonNumber,
  decimalOf,
  entriesOf,
  isNumber,
  keysOf,
  objectFrom,
  parseJson,
  plainText,
  sameJson,
} from '../core/json.ts'
import { grouped } from '../core/lists.ts'

/** Evaluates the expression behind `&` for one item. */
type Visit = (expression: unknown, value: Json) => Json

/** The type numbers of the JMESPath library. */
const types = { number: 0, string: 2, array: 3, object: 4, boolean: 5, expression: 6, null: 7 } as const

/** The library's number for a value's type; undefined if it isn't a JSON value. */
export function typeOf(value: unknown): number | undefined {
  if (value === null) return types.null
  if (isNumber(value)) return types.number
  if (typeof value === 'string') return types.string
  if (typeof value === 'boolean') return types.boolean
  if (Array.isArray(value)) return types.array
  if (typeof value !== 'object') return undefined
  return 'expref' in value && 'type' in value ? types.expression : types.object
}

/** Negative, 0 or positive, by the decimal values: 0 if they are the same, as `sameNumber` compares them. */
export function numberOrder(left: number | JsonNumber, right: number | JsonNumber): number {
  // The difference of two numbers beyond a double's range is not a number.
  const difference = Number(left) - Number(right) || 0
  if (difference !== 0 || (typeof left === 'number' && typeof right === 'number')) return difference
  const [one, other] = [decimalParts(left), decimalParts(right)]
  if (one.sign !== other.sign) return one.sign - other.sign
  if (one.size !== other.size) return one.size < other.size ? -one.sign : one.sign
  return one.digits < other.digits ? -one.sign : one.digits > other.digits ? one.sign : 0
}

/** A number as `sign` × 0.`digits` × 10^`size`. */
function decimalParts(number: number | JsonNumber) {
  const [, minus = '', digits = '', exponent = '0'] = /^(-?)(\d+)e(.+)$/.exec(decimalOf(String(number))) ?? []
  return { sign: digits === '' ? 0 : minus === '' ? 1 : -1, digits, size: BigInt(exponent) + BigInt(digits.length) }
}

/**
 * Replacements for functions in which the library rounds numbers, reorders keys or reads inherited properties. It has already checked
 * the number and types of the arguments.
 */
export function queryFunctions(visit: Visit): Readonly<Record<string, (given: never) => Json>> {
  return {
    contains: ([searched, wanted]: [Json[] | string, Json]) => {
      if (typeof searched !== 'string') return searched.some((item) => sameJson(item, wanted))
      return typeof wanted === 'string' ? searched.includes(wanted) : null
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
    max: ([items]: [Json[]]) => first(unkeyed(items), isGreater),
    max_by: ([items, expression]: [Json[], Json]) => first(withKeys('max_by', items, expression, visit), isGreater),
    merge: (objects: JsonObject[]) => objectFrom(objects.flatMap(entriesOf)),
    min: ([items]: [Json[]]) => first(unkeyed(items), isLess),
    min_by: ([items, expression]: [Json[], Json]) => first(withKeys('min_by', items, expression, visit), isLess),
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

function unkeyed(items: Json[]): Keyed[] {
  return items.map((item) => ({ item, key: item }))
}

/** The first smallest item; null if there are no items. */
function first([start, ...rest]: Keyed[], precedes: (key: Json, other: Json) => boolean): Json {
  return start === undefined ? null : rest.reduce((best, one) => (precedes(one.key, best.key) ? one : best), start).item
}

const isGreater = (key: Json, other: Json) => keyOrder(key, other) > 0
const isLess = (key: Json, other: Json) => isGreater(other, key)

/** Compares numbers by value and strings by code points, without a locale. */
function keyOrder(left: Json, right: Json): number {
  if (isNumber(left)) return numberOrder(left, right as number)
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}

function pairOf(pair: Json[]): [string, Json] {
  const [key, value] = pair
  if (pair.length !== 2 || typeof key !== 'string')
    throw usageError('--query: from_items() needs pairs of name and value')
  return [key, value as Json]
}

function readNumber(text: string): Json {
  try {
    return /^-?\d\S*$/.test(text) ? parseJson(text) : null
  } catch {
    return null
  }
}
