import {
  JsonNumber,
  entriesOf,
  isNumber,
  isObject,
  objectFrom,
  type Json,
  type JsonObject,
} from '../../../core/json.ts'
import { collect, fail, rangeText, type Diagnostic } from '../diagnostics.ts'
import { headerRange, type Block, type Body, type Expression } from '../syntax/tree.ts'
import type { ArgumentType, BlockSchema, Context, NamedMember } from './schema.ts'
import { durationNanoseconds } from '../../go.ts'
import { evaluate, placed, convert, jsonOf, typeOf, ValueError } from '../evaluation/evaluate.ts'
import type { Scope, Type, Value } from '../evaluation/evaluate.ts'
import { nearest } from '../../../core/words.ts'

/** Blocks → JSON, by their schema. */

/** The JSON of a block. Faults go to the context, and the members concerned stay empty. */
export function decodeBlock(block: Block, schema: BlockSchema, context: Context): JsonObject {
  const { body, labels } = block
  const { diagnostics } = context
  const named = [...schema.named.values()].map(({ member }) => member)
  for (const member of named) {
    if (member.kind === 'argument' && member.required) collect(diagnostics, () => required(body, member.name))
  }
  const names = named.filter(isArgument).map(({ name }) => name)
  diagnostics.push(...unexpected(body, names, [...schema.blocks.keys()], schema.unsupported))
  const decoded = new Map([...decodeArguments(body, schema, context), ...decodeNested(body.blocks, schema, context)])
  const entries = [...schema.members].map(([name, member]): [string, Json] => {
    if (member.kind === 'fixed') return [name, member.value]
    if (member.kind === 'label') return [name, labels[0]?.text ?? '']
    return [name, decoded.get(name) ?? (member.kind === 'argument' ? member.empty : null)]
  })
  const object = Object.fromEntries(entries)
  return schema.finish?.(object, labels[0]?.text ?? '') ?? object
}

function decodeArguments(body: Body, schema: BlockSchema, { scope, diagnostics }: Context): [string, Json][] {
  return [...body.attributes.values()].flatMap(({ name, value }): [string, Json][] => {
    const { json, member } = schema.named.get(name) ?? {}
    if (json === undefined || !isArgument(member)) return []
    const type = member.kind === 'map' ? 'text map' : member.type
    const decoded = collect(diagnostics, () => argumentJson(value, type, scope)) ?? null
    return decoded === null ? [] : [[json, decoded]]
  })
}

function decodeNested(blocks: readonly Block[], schema: BlockSchema, context: Context): Map<string, Json> {
  const decoded = new Map<string, Json>()
  const first = new Map<string, Block>()
  for (const block of blocks) {
    const { json, member } = schema.named.get(block.type) ?? {}
    if (json === undefined || member === undefined || member.kind === 'argument') continue
    collect(context.diagnostics, () => {
      const isMap = member.kind === 'map'
      hasLabels(block, isMap ? 0 : member.schema.labels)
      const earlier = isMap || member.shape === 'one' ? first.get(block.type) : undefined
      first.set(block.type, block)
      if (earlier !== undefined) {
        const detail = `Only one ${block.type} block is allowed. Another was defined at ${rangeText(headerRange(earlier))}.`
        fail(`Duplicate ${block.type} block`, detail, headerRange(block))
      }
      if (isMap) decoded.set(json, decodeMap(block.body, member.values, context))
      else {
        const value = decodeBlock(block, member.schema, context)
        const others = (decoded.get(json) ?? []) as Json[]
        decoded.set(json, member.shape === 'one' ? value : [...others, value])
      }
    })
  }
  return decoded
}

/** The arguments of a block of free names. Objects and nested blocks become lists of objects, and so does each label of a block. */
function decodeMap(body: Body, values: 'text' | 'texts' | 'any', context: Context): JsonObject {
  const { scope, diagnostics } = context
  if (values !== 'any') diagnostics.push(...unexpected(body, [...body.attributes.keys()]))
  const members = new Map<string, Json>()
  for (const { name, value } of body.attributes.values()) {
    const json = collect(diagnostics, () => argumentJson(value, values, scope)) ?? null
    members.set(name, value.kind === 'object' ? [json] : json)
  }
  for (const { type, labels, body: inner } of body.blocks) {
    const others = (members.get(type) ?? []) as Json[]
    const labelled = labels.reduceRight(
      (value, { text }) => objectFrom([[text, [value]]]),
      decodeMap(inner, values, context),
    )
    members.set(type, [...others, labelled])
  }
  return objectFrom(members)
}

function isArgument(member: NamedMember | undefined): member is Exclude<NamedMember, { kind: 'block' }> {
  return member?.kind === 'argument' || (member?.kind === 'map' && member.asArgument)
}

const string: Type = { kind: 'string' }

const types: Readonly<Record<Exclude<ArgumentType, 'duration' | 'any'>, Type>> = {
  text: string,
  integer: { kind: 'number' },
  unsigned: { kind: 'number' },
  bool: { kind: 'bool' },
  texts: { kind: 'list', element: string },
  'text map': { kind: 'map', element: string },
}

/** The JSON of an argument. Durations are nanoseconds. Throws {@link HclError}. */
function argumentJson(expression: Expression, type: ArgumentType, scope: Scope | undefined): Json {
  const value = evaluate(expression, scope)
  return placed(expression.range, 'Unsuitable value type', 'Unsuitable value: ', () => {
    if (type === 'any') return rounded(jsonOf(value))
    return type === 'duration' ? duration(value) : jsonOf(whole(convert(value, types[type])))
  })
}

function whole(value: Value): Value {
  if (isNumber(value) && !isInteger(value)) throw new ValueError('value must be a whole number of at most 64 bits')
  return value
}

function isInteger(value: number | JsonNumber): boolean {
  if (typeof value === 'number') return Number.isInteger(value)
  return /^-?\d+$/.test(value.text) && BigInt.asIntN(64, BigInt(value.text)) === BigInt(value.text)
}

/** As real servers read values of any type: numbers that are no integers of 64 bits pass through a double. */
function rounded(value: Json): Json {
  if (Array.isArray(value)) return value.map(rounded)
  if (isObject(value)) return objectFrom(entriesOf(value).map(([key, item]) => [key, rounded(item)]))
  if (!(value instanceof JsonNumber) || isInteger(value)) return value
  const double = Number(value.text)
  return Number.isInteger(double) ? new JsonNumber(`${BigInt(double)}.0`) : double
}

function duration(value: Value): Json {
  if (value === null || isNumber(value)) return jsonOf(whole(value))
  if (typeof value !== 'string') throw new ValueError(`expected a duration but found ${typeOf(value)}`)
  const nanoseconds = durationNanoseconds(value)
  if (nanoseconds !== undefined) return nanoseconds
  const unit = /^[+-]?[\d.]+$/.test(value) ? 'its unit is missing' : 'write it like "30s" or "1h30m"'
  throw new ValueError(`invalid duration ${JSON.stringify(value)}; ${unit}`)
}

/** The arguments and blocks that nobody expects, or that the local server doesn't have. */
export function unexpected(
  body: Body,
  names: readonly string[],
  blocks: readonly string[] = [],
  unsupported: readonly string[] = [],
): Diagnostic[] {
  const isUnsupported = (name: string): boolean => name === 'dynamic' || unsupported.includes(name)
  const unknownArguments = [...body.attributes.values()].filter(({ name }) => !names.includes(name))
  const unknownBlocks = body.blocks.filter(({ type }) => !blocks.includes(type))
  return [
    ...unknownArguments.map(({ name, nameRange }) => {
      const unused = names.filter((other) => !body.attributes.has(other))
      const detail = isUnsupported(name)
        ? `The local server has no argument "${name}".`
        : `An argument named "${name}" is not expected here.${suggestion(name, unused, blocks)}`
      return { summary: 'Unsupported argument', detail, range: nameRange }
    }),
    ...unknownBlocks.map(({ type, typeRange }) => {
      const detail = isUnsupported(type)
        ? `The local server has no blocks of type "${type}".`
        : `Blocks of type "${type}" are not expected here.${suggestion(type, blocks, names)}`
      return { summary: 'Unsupported block type', detail, range: typeRange }
    }),
  ]
}

/** A hint at a similar name, or at the other kind of member. */
function suggestion(given: string, names: readonly string[], others: readonly string[]): string {
  const [similar] = nearest(given, names)
  if (similar !== undefined) return ` Did you mean "${similar}"?`
  return others.includes(given) ? ' An argument has an equals sign, a block has none.' : ''
}

/** The expression of an argument. Throws {@link HclError} if it is missing. */
function required(body: Body, name: string): Expression {
  const detail = `The argument "${name}" is required, but no definition was found.`
  return body.attributes.get(name)?.value ?? fail('Missing required argument', detail, body.start)
}

/** Throws {@link HclError} unless the block has as many labels as wanted. */
export function hasLabels(block: Block, wanted: number): void {
  const { type, labels } = block
  if (labels.length === wanted) return
  const detail = wanted === 0 ? `A ${type} block takes no label.` : `A ${type} block takes ${wanted} label: its name.`
  const summary = labels.length > wanted ? `Extraneous label for ${type}` : `Missing name for ${type}`
  fail(summary, detail, headerRange(block))
}
