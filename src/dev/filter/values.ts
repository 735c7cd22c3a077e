/** The members of a job as the scheduler types them, which JSON alone does not show. */

import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isNumber, isObject } from '../../core/json.ts'
import { parseBoolean } from '../go.ts'
import { FilterError } from './error.ts'

/** `null` is a pointer to nothing; a list or map that is null keeps its own kind. */
export type Kind = 'struct' | 'map' | 'list' | 'string' | 'bool' | 'number' | 'null'

export interface Found {
  readonly value: Json
  readonly kind: Kind
  /** The member under which it was found. */
  readonly name: string
  /** Inside free-form objects nothing is typed. */
  readonly free: boolean
}

/** Members with free keys, which JSON does not tell from structs. */
const mapMembers = new Set(
  'CanaryMeta Config Env ExtraClaims GetterHeaders GetterOptions Header Meta Policy TaggedAddresses Target Volumes'.split(
    ' ',
  ),
)
/** Lists that may be null and do not end in s, and pointers that do. */
const listMembers = new Set(['Audience', 'Payload'])
const pointerMembers = new Set(['Weights', 'DNS'])

/** The job itself, where paths start. */
export function root(job: JsonObject): Found {
  return { value: job, kind: 'struct', name: '', free: false }
}

/** The value at `path`; undefined where only the last key of a map is missing. Throws {@link FilterError} otherwise. */
export function resolve(from: Found, path: readonly string[]): Found | undefined {
  let found = from
  for (const [at, part] of path.entries()) {
    const fail = (problem: string): never => {
      throw new FilterError(`error finding value in datum: ${pathText(path)} at part ${at}: ${problem}`)
    }
    const next = stepInto(found, part, fail)
    if (next === undefined)
      return at === path.length - 1 ? undefined : fail(`couldn't find key ${JSON.stringify(part)}`)
    found = next
  }
  return found
}

/** A path as messages show it. */
export function pathText(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function stepInto(found: Found, part: string, fail: (problem: string) => never): Found | undefined {
  const { value, kind } = found
  if (kind === 'list') {
    const list = Array.isArray(value) ? value : []
    if (!/^[+-]?\d+$/.test(part)) fail(`couldn't convert value ${JSON.stringify(part)} to type int`)
    const item = list[Number(part)]
    return item === undefined
      ? fail(`index ${part} is out of range (length = ${list.length})`)
      : member(found, found.name, item)
  }
  if (kind !== 'map' && kind !== 'struct') return fail(`invalid value kind: ${kind}`)
  if (isObject(value) && Object.hasOwn(value, part)) return member(found, part, value[part] ?? null)
  return kind === 'map' ? undefined : fail(`couldn't find key: struct field with name ${JSON.stringify(part)}`)
}

function member(parent: Found, name: string, value: Json): Found {
  const free = parent.free || (parent.kind === 'map' && (parent.name === 'Config' || parent.name === 'Policy'))
  return { value, kind: kindOf(name, value, free, parent.kind === 'map'), name, free }
}

function kindOf(name: string, value: Json, free: boolean, inMap: boolean): Kind {
  if (isNumber(value)) return 'number'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (Array.isArray(value)) return 'list'
  if (free) return value === null ? 'null' : 'map'
  if (mapMembers.has(name) && !inMap) return 'map'
  if (value !== null) return 'struct'
  return listMembers.has(name) || (name.endsWith('s') && !pointerMembers.has(name)) ? 'list' : 'null'
}

/** The items of a list or the entries of a map, each with its position or key. */
export function itemsOf(found: Found): { readonly label: string; readonly item: Found }[] {
  const { value, name } = found
  if (Array.isArray(value)) {
    return value.map((item, index) => ({ label: String(index), item: member(found, name, item) }))
  }
  return isObject(value) ? entriesOf(value).map(([key, item]) => ({ label: key, item: member(found, key, item) })) : []
}

/** Whether the text of a filter equals a value. The text is read as what the value is. */
export function equals(text: string, { kind, value }: Found): boolean {
  if (kind === 'string') return text === value
  if (kind === 'number') return equalsNumber(text, String(value))
  if (kind !== 'bool') throw new FilterError('unable to find suitable primitive comparison function for matching')
  return (parseBoolean(text) ?? unreadable(text, 'boolean')) === value
}

/** Whole numbers keep all their digits and compare with whole numbers only; `0x`, `0o` and `0b` count as in Go. */
function equalsNumber(text: string, value: string): boolean {
  if (!/^-?\d+$/.test(value)) return Number(text) === Number(value)
  const number = /^(?:[+-]?\d+|0[xob][\da-f]+)$/i.test(text) ? BigInt(text) : unreadable(text, 'whole number')
  return BigInt.asIntN(64, number) === number ? number === BigInt(value) : unreadable(text, '64-bit number')
}

function unreadable(text: string, kind: string): never {
  throw new FilterError(`error getting match value in expression: parsing ${JSON.stringify(text)}: not a ${kind}`)
}
