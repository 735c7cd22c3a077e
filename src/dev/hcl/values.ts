/** What expressions evaluate to. */

import type { Type } from './types.ts'

/** The result of an expression that failed: the failure is reported already. */
export const unknown: unique symbol = Symbol('unknown value')

export type Value = null | boolean | number | string | Sequence | Mapping | typeof unknown

/** A tuple as written in brackets, or a list or set, whose elements share a type. */
export class Sequence {
  readonly kind: 'tuple' | 'list' | 'set'
  readonly items: readonly Value[]
  readonly element: Type | undefined

  constructor(kind: 'tuple' | 'list' | 'set', items: readonly Value[], element?: Type) {
    this.kind = kind
    this.items = items
    this.element = element
  }
}

/** An object as written in braces, or a map, whose elements share a type. Keys are in byte order, as the server walks them. */
export class Mapping {
  readonly kind: 'object' | 'map'
  readonly entries: ReadonlyMap<string, Value>
  readonly element: Type | undefined

  constructor(kind: 'object' | 'map', entries: Iterable<readonly [string, Value]>, element?: Type) {
    this.kind = kind
    this.entries = new Map([...new Map(entries)].toSorted(([a], [b]) => compareText(a, b)))
    this.element = element
  }
}

export function tuple(items: readonly Value[]): Sequence {
  return new Sequence('tuple', items)
}

export function list(items: readonly Value[], element: Type = { kind: 'any' }): Sequence {
  return new Sequence('list', items, element)
}

/** A set of these values, each once; sets are walked in order of their values. */
export function set(items: readonly Value[], element: Type = { kind: 'any' }): Sequence {
  const distinct = items.filter((item, index) => items.findIndex((other) => equal(item, other)) === index)
  return new Sequence('set', distinct.toSorted(compareValues), element)
}

/** Byte order of UTF-8, which is the order of code points. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return typeof a === 'number' && typeof b === 'number' ? a - b : 0
}

/** Deep equality of values of the same type; `1` and `"1"` differ. */
export function equal(a: Value, b: Value): boolean {
  if (a instanceof Sequence && b instanceof Sequence) {
    return a.items.length === b.items.length && a.items.every((item, index) => equal(item, b.items[index] as Value))
  }
  if (a instanceof Mapping && b instanceof Mapping) {
    if (a.entries.size !== b.entries.size) return false
    return [...a.entries].every(([key, item]) => b.entries.has(key) && equal(item, b.entries.get(key) as Value))
  }
  return a === b
}

/** A number in decimals, never with an exponent. */
export function numberText(number: number): string {
  if (Number.isInteger(number)) return BigInt(number).toString()
  const text = String(number)
  return text.includes('e') ? number.toFixed(20).replace(/0+$/, '') : text
}
