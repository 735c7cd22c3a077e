import type { Json, JsonObject } from '../core/json.ts'
import { entriesOf, isNumber, isObject, JsonNumber } from '../core/json.ts'
import { FilterError } from './jobs-filter-error.ts'

/** What the server holds a value to be; `invalid` is a pointer that points nowhere. */
export type Kind = 'struct' | 'map' | 'slice' | 'string' | 'bool' | 'int' | 'int64' | 'uint64' | 'float64' | 'invalid'

export interface Found {
  readonly value: Json
  readonly kind: Kind
  /** Below free-form objects the server knows no types, so items are judged one by one. */
  readonly free: boolean
  /** The member under which it was found. */
  readonly name: string
}

/** Members with free keys. JSON alone does not tell them from structs, nor null maps from null pointers. */
const mapMembers = new Set([
  'CanaryMeta',
  'Config',
  'Env',
  'ExtraClaims',
  'GetterHeaders',
  'GetterOptions',
  'Header',
  'Meta',
  'Policy',
  'TaggedAddresses',
  'Target',
  'Volumes',
])
/** Maps whose values may be anything. */
const freeMembers = new Set(['Config', 'Policy'])
/** Lists that may be null and do not end in s, and pointers that do. */
const listMembers = new Set(['Audience', 'Payload'])
const pointerMembers = new Set(['Weights', 'DNS'])
const textLists = new Set([
  'Args',
  'Audience',
  'CanaryTags',
  'Datacenters',
  'MetaOptional',
  'MetaRequired',
  'MountFlags',
  'Options',
  'Policies',
  'Searches',
  'Servers',
  'Specs',
  'Tags',
])
const unsignedMembers = new Set(['CreateIndex', 'ModifyIndex', 'JobModifyIndex', 'Version'])
const longMembers =
  /^(?:SubmitTime|TTL|Splay|VaultGrace|Stagger|Interval|.*(?:Delay|Deadline|Timeout|Time|Disconnect|Duration|After))$/

export function root(job: JsonObject): Found {
  return { value: job, kind: 'struct', free: false, name: '' }
}

/** The value at `path`; undefined where only the last key of a map is missing. Throws {@link FilterError} otherwise. */
export function resolve(from: Found, path: readonly string[]): Found | undefined {
  const pointer = pathText(path)
  let found = from
  for (const [at, part] of path.entries()) {
    const next = stepInto(found, part, pointer, at)
    if (next === undefined) {
      if (at === path.length - 1 && at > 0) return undefined
      throw new FilterError(`error finding value in datum: ${pointer} at part ${at}: couldn't find key ${quoted(part)}`)
    }
    found = next
  }
  return found
}

/** A path as messages show it. */
export function pathText(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function stepInto(found: Found, part: string, pointer: string, at: number): Found | undefined {
  const { value, kind } = found
  if (kind === 'slice') {
    const list = Array.isArray(value) ? value : []
    return member(found, found.name, list[position(part, list.length, `${pointer} at part ${at}`)] ?? null)
  }
  if (kind !== 'map' && kind !== 'struct') {
    throw new FilterError(`error finding value in datum: ${pointer}: at part ${at}, invalid value kind: ${kind}`)
  }
  if (isObject(value) && Object.hasOwn(value, part)) return member(found, part, value[part] ?? null)
  if (kind === 'map') return undefined
  const problem = `couldn't find key: struct field with name ${quoted(part)}`
  throw new FilterError(`error finding value in datum: ${pointer} at part ${at}: ${problem}`)
}

function position(part: string, length: number, place: string): number {
  if (!/^[+-]?\d+$/.test(part)) {
    throw new FilterError(`error finding value in datum: ${place}: couldn't convert value ${quoted(part)} to type int`)
  }
  const index = Number(part)
  if (index >= 0 && index < length) return index
  throw new FilterError(`error finding value in datum: ${place}: index ${index} is out of range (length = ${length})`)
}

function member(parent: Found, name: string, value: Json): Found {
  const free = parent.free || (parent.kind === 'map' && freeMembers.has(parent.name))
  return { value, kind: free ? freeKind(value) : kindOf(name, value, parent), free, name }
}

function freeKind(value: Json): Kind {
  if (value === null) return 'invalid'
  if (isNumber(value)) return value instanceof JsonNumber && !/^-?\d+$/.test(value.text) ? 'float64' : 'int'
  if (typeof value === 'object') return Array.isArray(value) ? 'slice' : 'map'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

function kindOf(name: string, value: Json, parent: Found): Kind {
  const isMap = mapMembers.has(name) && parent.kind === 'struct'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (isNumber(value)) {
    if (unsignedMembers.has(name)) return 'uint64'
    return longMembers.test(name) ? 'int64' : 'int'
  }
  if (Array.isArray(value)) return 'slice'
  if (value !== null) return isMap ? 'map' : 'struct'
  if (isMap) return 'map'
  return listMembers.has(name) || (name.endsWith('s') && !pointerMembers.has(name)) ? 'slice' : 'invalid'
}

/** The items of a list or the entries of a map, with what each is called: position or key. */
export function itemsOf(found: Found): { readonly label: string; readonly item: Found }[] {
  const { value, name } = found
  if (Array.isArray(value)) {
    return value.map((item, index) => ({ label: String(index), item: member(found, name, item) }))
  }
  if (!isObject(value)) return []
  return entriesOf(value).map(([key, item]) => ({ label: key, item: member(found, key, item) }))
}

/** Whether a list holds plain texts: only those can be searched. */
export function isTextList(found: Found): boolean {
  return found.free || textLists.has(found.name)
}

/** Whether the text of an expression equals a value; the text is read as what the value is. */
export function equals(text: string, kind: Kind, value: Json): boolean {
  if (kind === 'string') return text === value
  if (kind === 'bool') return parsedBoolean(text) === value
  if (kind === 'int' || kind === 'int64' || kind === 'uint64') {
    return parsedInteger(text, kind === 'uint64') === BigInt(String(value))
  }
  if (kind === 'float64') return parsedFloat(text) === Number(value)
  throw new FilterError('unable to find suitable primitive comparison function for matching')
}

const truths = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const untruths = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

export function parsedBoolean(text: string): boolean {
  if (truths.has(text)) return true
  if (untruths.has(text)) return false
  throw unreadable('ParseBool', text, 'invalid syntax')
}

/** An integer by the rules of Go: sign, `0x`, `0o`, `0b`, a leading 0 for octal. */
export function parsedInteger(text: string, unsigned: boolean): bigint {
  const name = unsigned ? 'ParseUint' : 'ParseInt'
  const [, sign, digits] = /^([+-]?)(0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9]\d*)$/.exec(text) ?? []
  if (digits === undefined || (unsigned && sign !== '')) throw unreadable(name, text, 'invalid syntax')
  const magnitude = BigInt(digits.replace(/^0(?=\d)/, '0o'))
  const number = sign === '-' ? -magnitude : magnitude
  const fits = unsigned ? BigInt.asUintN(64, number) === number : BigInt.asIntN(64, number) === number
  if (!fits) throw unreadable(name, text, 'value out of range')
  return number
}

function parsedFloat(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw unreadable('ParseFloat', text, 'invalid syntax')
  return number
}

function unreadable(name: string, text: string, problem: string): FilterError {
  return new FilterError(
    `error getting match value in expression: strconv.${name}: parsing ${quoted(text)}: ${problem}`,
  )
}

export function quoted(text: string): string {
  return JSON.stringify(text)
}
