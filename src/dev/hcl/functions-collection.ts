/** Functions on lists, sets, maps and objects. */

import { FunctionError, any, entriesOf, itemsOf, nullable, number, text, texts } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { textType, valueTypeName } from './types.ts'
import { Mapping, Sequence, compareText, equal, list, set, tuple } from './values.ts'
import type { Value } from './values.ts'

export const collectionFunctions: Readonly<Record<string, HclFunction>> = {
  chunklist: { parameters: [any('list'), number('size')], run: chunks },
  coalesce: { parameters: [], rest: nullable('vals'), run: coalesce },
  coalescelist: { parameters: [], rest: nullable('vals'), run: coalesceList },
  compact: {
    parameters: [texts('list')],
    run: (value: Sequence) =>
      list(
        value.items.filter((item) => item !== '' && item !== null),
        textType,
      ),
  },
  concat: { parameters: [], rest: any('seqs'), run: (...values: Value[]) => tuple(values.flatMap(itemsOf)) },
  contains: {
    parameters: [any('list'), any('value')],
    run: (value: Value, wanted: Value) => itemsOf(value).some((item) => equal(item, wanted)),
  },
  distinct: { parameters: [any('list')], run: (value: Value) => list(distinct(itemsOf(value))) },
  element: { parameters: [any('list'), number('index')], run: element },
  flatten: { parameters: [any('list')], run: (value: Value) => tuple(flattened(itemsOf(value))) },
  index: { parameters: [any('list'), any('value')], run: indexOf },
  keys: { parameters: [any('inputMap')], run: (value: Value) => list([...entriesOf(value).keys()], textType) },
  length: { parameters: [any('value')], run: length },
  lookup: { parameters: [any('inputMap'), text('key'), nullable('default')], run: lookup },
  merge: { parameters: [], rest: nullable('maps'), run: merge },
  setintersection: {
    parameters: [any('first_set')],
    rest: any('other_sets'),
    run: (first: Value, ...others: Value[]) => {
      return set(itemsOf(first).filter((item) => others.every((other) => has(other, item))))
    },
  },
  setproduct: { parameters: [], rest: any('sets'), run: product },
  setsubtract: {
    parameters: [any('a'), any('b')],
    run: (a: Value, b: Value) => set(itemsOf(a).filter((item) => !has(b, item))),
  },
  setunion: {
    parameters: [any('first_set')],
    rest: any('other_sets'),
    run: (...values: Value[]) => set(values.flatMap(itemsOf)),
  },
  slice: { parameters: [any('list'), number('start_index'), number('end_index')], run: slice },
  sort: {
    parameters: [texts('list')],
    run: (value: Sequence) => list((value.items as string[]).toSorted(compareText), textType),
  },
  values: { parameters: [any('mapping')], run: (value: Value) => tuple([...entriesOf(value).values()]) },
  zipmap: { parameters: [texts('keys'), any('values')], run: zip },
}

function has(value: Value, wanted: Value): boolean {
  return itemsOf(value).some((item) => equal(item, wanted))
}

function distinct(items: readonly Value[]): Value[] {
  return items.filter((item, index) => items.findIndex((other) => equal(item, other)) === index)
}

function flattened(items: readonly Value[]): Value[] {
  return items.flatMap((item) => (item instanceof Sequence ? flattened(item.items) : [item]))
}

function chunks(value: Value, size: number): Value {
  const items = itemsOf(value)
  if (size < 0) throw new FunctionError('the size argument must be positive')
  if (size === 0) return list([list(items)])
  const count = Math.ceil(items.length / size)
  return list(Array.from({ length: count }, (_, index) => list(items.slice(index * size, (index + 1) * size))))
}

function coalesce(...values: Value[]): Value {
  const found = values.find((value) => value !== null)
  if (found === undefined) throw new FunctionError('no non-null arguments')
  return found
}

function coalesceList(...values: Value[]): Value {
  const found = values.find((value) => value !== null && itemsOf(value).length > 0)
  if (found === undefined) throw new FunctionError('no non-null arguments')
  return found
}

function element(value: Value, index: number): Value {
  const items = itemsOf(value)
  if (items.length === 0) throw new FunctionError('cannot use element function with an empty list')
  if (index < 0) throw new FunctionError('cannot use element function with a negative index')
  return items[Math.trunc(index) % items.length] as Value
}

function indexOf(value: Value, wanted: Value): Value {
  const items = itemsOf(value)
  if (items.length === 0) throw new FunctionError('cannot search an empty list')
  const index = items.findIndex((item) => equal(item, wanted))
  if (index < 0) throw new FunctionError('item not found')
  return index
}

function length(value: Value): Value {
  if (value instanceof Sequence) return value.items.length
  if (value instanceof Mapping) return value.entries.size
  throw new FunctionError(`collection must be a list, a map or a tuple, but have ${valueTypeName(value)}`)
}

function lookup(value: Value, key: string, otherwise: Value): Value {
  const found = entriesOf(value).get(key)
  return found === undefined ? otherwise : found
}

function merge(...values: Value[]): Value {
  const maps = values.filter((value) => value !== null)
  const allMaps = maps.length > 0 && maps.every((value) => value instanceof Mapping && value.kind === 'map')
  const entries = maps.flatMap((value) => [...entriesOf(value)])
  return allMaps ? new Mapping('map', entries, (maps[0] as Mapping).element) : new Mapping('object', entries)
}

function product(...values: Value[]): Value {
  if (values.length < 2) throw new FunctionError('at least two arguments are required')
  let rows: Value[][] = [[]]
  for (const items of values.map(itemsOf)) {
    rows = rows.flatMap((row) => items.map((item): Value[] => [...row, item]))
  }
  return list(rows.map((row) => tuple(row)))
}

function slice(value: Value, start: number, end: number): Value {
  const items = itemsOf(value)
  if (start < 0) throw new FunctionError('start index must not be less than zero')
  if (end > items.length) throw new FunctionError('end index must not be greater than the length of the list')
  if (start > end) throw new FunctionError('start index must not be greater than end index')
  return list(items.slice(start, end))
}

function zip(keys: Sequence, values: Value): Value {
  const items = itemsOf(values)
  if (keys.items.length !== items.length) {
    throw new FunctionError(`number of keys (${keys.items.length}) does not match number of values (${items.length})`)
  }
  return new Mapping(
    'object',
    keys.items.map((key, index): [string, Value] => [String(key), items[index] as Value]),
  )
}
