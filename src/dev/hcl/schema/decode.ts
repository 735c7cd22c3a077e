/** Blocks → JSON, by their schema. */

import { objectFrom } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { collect, fail, rangeText } from '../diagnostics.ts'
import { headerRange } from '../syntax/tree.ts'
import type { Attribute, Block, Body, Expression } from '../syntax/tree.ts'
import { argumentJson } from './arguments.ts'
import { hasLabels, required, unexpected } from './faults.ts'
import type { BlockSchema, Context, NamedMember } from './schema.ts'

/** The JSON of a block. Faults go to the context, and the members concerned stay empty. */
export function decodeBlock(block: Block, schema: BlockSchema, context: Context): JsonObject {
  const { body, labels } = block
  const { diagnostics } = context
  const named = [...schema.named.values()].map(({ member }) => member)
  for (const member of named) {
    if (member.kind === 'argument' && member.required) collect(diagnostics, () => required(body, member.name))
  }
  const names = named.filter(isArgument).map(({ name }) => name)
  diagnostics.push(...unexpected(body, names, [...schema.blocks.keys()]))
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
      else decoded.set(json, added(decoded.get(json), decodeBlock(block, member.schema, context), member.shape, block))
    })
  }
  return decoded
}

/** The one object, the list, or the object by labels, with one block more. */
function added(others: Json | undefined, value: JsonObject, shape: 'one' | 'many' | 'keyed', block: Block): Json {
  if (shape === 'one') return value
  if (shape === 'many') return [...((others ?? []) as Json[]), value]
  return objectFrom([...Object.entries((others ?? {}) as JsonObject), [block.labels[0]?.text ?? '', value]])
}

function decodeMap(body: Body, values: 'text' | 'texts' | 'any', { scope, diagnostics }: Context): JsonObject {
  return objectFrom(
    attributesOf(body).map(({ name, value }): [string, Json] => {
      return [name, collect(diagnostics, () => argumentJson(value, values, scope)) ?? null]
    }),
  )
}

/** The names and expressions of a block of free names. Nested blocks, whose labels are dropped, and objects become lists of objects. */
function attributesOf({ attributes, blocks }: Body): Attribute[] {
  const plain = [...attributes.values()].map(({ value, ...rest }) => {
    return { ...rest, value: value.kind === 'object' ? listOf([value]) : value }
  })
  const nested = [...new Set(blocks.map(({ type }) => type))].map((name): Attribute => {
    const same = blocks.filter(({ type }) => type === name)
    return { name, nameRange: (same[0] as Block).typeRange, value: listOf(same.map(objectOf)) }
  })
  return [...plain, ...nested]
}

function listOf(items: readonly Expression[]): Expression {
  const [{ range }] = items as [Expression]
  return { kind: 'tuple', items, range }
}

function objectOf(block: Block): Expression {
  const range = headerRange(block)
  const items = attributesOf(block.body).map(({ name, nameRange, value }) => {
    return { key: { kind: 'literal', value: name, range: nameRange } as const, value }
  })
  return { kind: 'object', items, range }
}

function isArgument(member: NamedMember | undefined): member is Exclude<NamedMember, { kind: 'block' }> {
  return member?.kind === 'argument' || (member?.kind === 'map' && member.asArgument)
}
