import { compareBytes } from '../../go.ts'
/** What expressions evaluate to. */

/** A value that cannot be used: it does not fit the type wanted, or a function cannot take it. */
export class ValueError extends Error {}

/** The keys of a map are in byte order, in which the server iterates over them. */
export type Value = null | boolean | number | string | readonly Value[] | ValueMap

export type ValueMap = ReadonlyMap<string, Value>

/** Whether a value is a map or object. */
export function isMap(value: Value): value is ValueMap {
  return value instanceof Map
}

/** The items of a list or tuple; undefined for everything else. */
export function itemsIn(value: Value): readonly Value[] | undefined {
  return Array.isArray(value) ? (value as readonly Value[]) : undefined
}

/** A map of these entries; of entries with the same key the last one counts. */
export function mapOf(entries: Iterable<readonly [string, Value]>): ValueMap {
  return new Map([...new Map(entries)].toSorted(([a], [b]) => compareBytes(a, b)))
}

/** Deep equality; `1` and `"1"` differ. */
export function equal(a: Value, b: Value): boolean {
  if (isMap(a) && isMap(b)) {
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && equal(item, b.get(key) as Value))
  }
  const [left, right] = [itemsIn(a), itemsIn(b)]
  if (left === undefined || right === undefined) return a === b
  return left.length === right.length && left.every((item, index) => equal(item, right[index] as Value))
}

/** A number in decimals, never with an exponent. */
export function numberText(number: number): string {
  if (Number.isInteger(number)) return BigInt(number).toString()
  const text = String(number)
  return text.includes('e') ? number.toFixed(20).replace(/0+$/, '') : text
}

/** The name of a value's type. */
export function typeOf(value: Value): string {
  if (value === null) return 'dynamic'
  if (isMap(value)) return 'object'
  if (typeof value === 'object') return 'tuple'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
