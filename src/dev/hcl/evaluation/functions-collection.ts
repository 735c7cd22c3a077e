/** Functions on lists, sets and maps. */

import { compareBytes } from '../../go.ts'
import { define, listed, mapped } from './function-types.ts'
import type { HclFunction } from './function-types.ts'
import { ValueError, ValueSet, distinct, equal, isMap, itemsIn, mapOf, typeOf } from './values.ts'
import type { Value } from './values.ts'

const mostRows = 10_000

export const collectionFunctions: Readonly<Record<string, HclFunction>> = {
  chunklist: define('any number', chunks),
  coalesce: define('any?...', (...values: Value[]) => first(values, (value) => value !== null)),
  coalescelist: define('any?...', (...values: Value[]) =>
    first(values, (value) => value !== null && listed(value).length > 0),
  ),
  compact: define('texts', (items: Value[]) => items.filter((item) => item !== '' && item !== null)),
  concat: define('any...', (...lists: Value[]) => lists.flatMap(listed)),
  contains: define('any any', has),
  distinct: define('any', (list: Value) => distinct(listed(list))),
  element: define('any number', element),
  flatten: define('any', (list: Value) => flattened(listed(list))),
  index: define('any any', indexOf),
  keys: define('any', (map: Value) => [...mapped(map).keys()]),
  length: define('any', length),
  lookup: define('any text any?', (map: Value, key: string, otherwise: Value) => {
    return mapped(map).has(key) ? (mapped(map).get(key) as Value) : otherwise
  }),
  merge: define('any?...', (...maps: Value[]) =>
    mapOf(maps.filter((map) => map !== null).flatMap((map) => [...mapped(map)])),
  ),
  setintersection: define('any any...', (list: Value, ...others: Value[]) => {
    return new ValueSet(listed(list).filter((item) => others.every((other) => has(other, item))))
  }),
  setproduct: define('any any any...', (...lists: Value[]) => product(lists.map(listed))),
  setsubtract: define('any any', (a: Value, b: Value) => new ValueSet(listed(a).filter((item) => !has(b, item)))),
  setunion: define('any any...', (...lists: Value[]) => new ValueSet(lists.flatMap(listed))),
  slice: define('any number number', slice),
  sort: define('texts', (items: string[]) => items.toSorted(compareBytes)),
  values: define('any', (map: Value) => [...mapped(map).values()]),
  zipmap: define('texts any', zip),
}

function has(list: Value, wanted: Value): boolean {
  return listed(list).some((item) => equal(item, wanted))
}

function first(values: readonly Value[], suits: (value: Value) => boolean): Value {
  const found = values.find(suits)
  if (found === undefined) throw new ValueError('no non-null arguments')
  return found
}

function flattened(items: readonly Value[]): Value[] {
  return items.flatMap((item) => {
    const inner = itemsIn(item)
    return inner === undefined ? [item] : flattened(inner)
  })
}

function chunks(list: Value, size: number): Value {
  const items = listed(list)
  if (size < 0) throw new ValueError('the size must be positive')
  if (size === 0) return [items]
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

function element(list: Value, index: number): Value {
  const items = listed(list)
  if (items.length === 0) throw new ValueError('the list is empty')
  if (index < 0) throw new ValueError('the index is negative')
  return items[Math.trunc(index) % items.length] as Value
}

function indexOf(list: Value, wanted: Value): Value {
  const index = listed(list).findIndex((item) => equal(item, wanted))
  if (index < 0) throw new ValueError('item not found')
  return index
}

function length(value: Value): Value {
  const size = isMap(value) ? value.size : itemsIn(value)?.length
  if (size === undefined) throw new ValueError(`a list or a map is required, but have ${typeOf(value)}`)
  return size
}

function product(lists: readonly (readonly Value[])[]): Value {
  let rows: Value[][] = [[]]
  for (const items of lists) {
    if (rows.length * items.length > mostRows) throw new ValueError(`more than ${mostRows} combinations`)
    rows = rows.flatMap((row) => items.map((item): Value[] => [...row, item]))
  }
  return rows
}

function slice(list: Value, start: number, end: number): Value {
  const items = listed(list)
  if (start < 0 || start > end || end > items.length) {
    throw new ValueError(`the indexes must be in order and within 0 and ${items.length}`)
  }
  return items.slice(start, end)
}

function zip(keys: string[], values: Value): Value {
  const items = listed(values)
  if (keys.length === items.length) return mapOf(keys.map((key, index) => [key, items[index] as Value]))
  throw new ValueError(`number of keys (${keys.length}) does not match number of values (${items.length})`)
}
