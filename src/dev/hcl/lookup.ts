/** Members and elements of values. */

import type { Diagnostic, Range } from './diagnostics.ts'
import { ConversionError, convert, numberType, textType, valueTypeName } from './types.ts'
import type { Type } from './types.ts'
import { Mapping, Sequence, unknown } from './values.ts'
import type { Value } from './values.ts'

const noElement = 'The given key does not identify an element in this collection value'

/** `value.name`; reports when there is no such member. */
export function memberOf(value: Value, name: string, range: Range, diagnostics: Diagnostic[]): Value {
  const fail = (summary: string, detail: string): Value => {
    diagnostics.push({ summary, detail, range })
    return unknown
  }
  if (value === null) {
    return fail('Attempt to get attribute from null value', 'This value is null, so it does not have any attributes.')
  }
  if (value === unknown) return unknown
  if (value instanceof Mapping) {
    const member = value.entries.get(name)
    if (member !== undefined) return member
    return value.kind === 'map'
      ? fail('Missing map element', `This map does not have an element with the key "${name}".`)
      : fail('Unsupported attribute', `This object does not have an attribute named "${name}".`)
  }
  if (value instanceof Sequence) return fail('Unsupported attribute', 'This value does not have any attributes.')
  const type = valueTypeName(value)
  return fail('Unsupported attribute', `Can't access attributes on a primitive-typed value (${type}).`)
}

/** `value[key]`; reports when there is no such element. */
export function elementAt(value: Value, key: Value, range: Range, diagnostics: Diagnostic[]): Value {
  const fail = (detail: string, summary = 'Invalid index'): Value => {
    diagnostics.push({ summary, detail, range })
    return unknown
  }
  if (value === null) {
    return fail('This value is null, so it does not have any indices.', 'Attempt to index null value')
  }
  if (key === null) return fail("Can't use a null value as an indexing key.")
  if (value === unknown || key === unknown) return unknown
  const converted = (type: Type): Value => {
    try {
      return convert(key, type)
    } catch (error) {
      if (error instanceof ConversionError) return fail(`${noElement}: ${error.message}.`)
      throw error
    }
  }
  if (value instanceof Mapping) {
    const name = converted(textType)
    if (typeof name !== 'string') return unknown
    const hint = ' An object only supports looking up attributes by name, not by numeric index.'
    const numbered = value.kind === 'object' && typeof key === 'number'
    const element = value.entries.get(name)
    return element === undefined ? fail(`${noElement}.${numbered ? hint : ''}`) : element
  }
  if (!(value instanceof Sequence)) return fail('This value does not have any indices.')
  if (value.kind === 'set') {
    return fail(
      "Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.",
    )
  }
  const index = converted(numberType)
  if (typeof index !== 'number') return unknown
  const item = value.items[index]
  return item === undefined ? fail(`${noElement}: ${outside(index, value.items.length)}.`) : item
}

function outside(index: number, length: number): string {
  if (!Number.isInteger(index)) {
    return 'indexing a sequence requires a whole number, but the given index has a fractional part'
  }
  if (index < 0) return 'a negative number is not a valid index for a sequence'
  if (length === 0) return 'the collection has no elements'
  return 'the given index is greater than or equal to the length of the collection'
}

/** Keys and values of what can be walked; a set's keys are its values. Undefined for everything else. */
export function pairsOf(collection: Value): [Value, Value][] | undefined {
  if (collection instanceof Mapping) return [...collection.entries]
  if (!(collection instanceof Sequence)) return undefined
  return collection.items.map((item, index) => [collection.kind === 'set' ? item : index, item])
}
