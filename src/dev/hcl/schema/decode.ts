/** Blocks → JSON, by their schema. */

import { objectFrom } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { rangeText, suggestion } from '../diagnostics.ts'
import type { Diagnostic } from '../diagnostics.ts'
import { headerRange } from '../syntax/tree.ts'
import type { Block, Body, RawBody } from '../syntax/tree.ts'
import { anyJson, argumentJson } from './arguments.ts'
import { attributesOf, bodyOf } from './body.ts'
import { expandDynamic } from './dynamic.ts'
import type { PlacedBlock } from './dynamic.ts'
import type { BlockSchema, Context, NamedMember } from './schema.ts'

/** The JSON of a block. Faults go to the context, and the members concerned stay empty. */
export function decodeBlock(block: Block, schema: BlockSchema, context: Context): JsonObject {
  const body = bodyOf(block.body, schema.blocks, context.diagnostics)
  const blocks = expandDynamic(body, schema.blocks, context.scope, context.diagnostics)
  reportUnexpected(body, blocks, schema, context.diagnostics)
  const decoded = new Map([...decodeArguments(body, schema, context), ...decodeNested(blocks, schema, context)])
  const entries = [...schema.members].map(([name, member]): [string, Json] => {
    if (member.kind === 'fixed') return [name, member.value]
    if (member.kind === 'label') return [name, block.labels[0]?.text ?? '']
    return [name, decoded.get(name) ?? (member.kind === 'argument' ? member.empty : null)]
  })
  const object = Object.fromEntries(entries)
  return schema.finish?.(object, { body, labels: block.labels, context }) ?? object
}

function decodeArguments(body: Body, schema: BlockSchema, context: Context): [string, Json][] {
  return [...body.attributes.values()].flatMap(({ name, value }): [string, Json][] => {
    const { json, member } = schema.named.get(name) ?? {}
    if (json === undefined || !isArgument(member)) return []
    const decoded = argumentJson(value, member.kind === 'map' ? 'text map' : member.type, context)
    return decoded === undefined ? [] : [[json, decoded]]
  })
}

function decodeNested(blocks: readonly PlacedBlock[], schema: BlockSchema, context: Context): Map<string, Json> {
  const decoded = new Map<string, Json>()
  const first = new Map<string, Block>()
  for (const { block, scope } of blocks) {
    const { json, member } = schema.named.get(block.type) ?? {}
    if (json === undefined || member === undefined || member.kind === 'argument') continue
    const inner = { ...context, scope }
    const isOne = member.kind === 'map' || member.shape === 'one'
    const earlier = first.get(block.type)
    if (
      hasLabels(block, member.kind === 'map' ? 0 : member.schema.labels, context.diagnostics) &&
      !(isOne && earlier)
    ) {
      const value =
        member.kind === 'map' ? decodeMap(block.body, member.values, inner) : decodeBlock(block, member.schema, inner)
      decoded.set(json, isOne ? value : added(decoded.get(json), value, member.shape === 'keyed' && block))
    }
    if (isOne && earlier !== undefined) {
      const detail = `Only one ${block.type} block is allowed. Another was defined at ${rangeText(headerRange(earlier))}.`
      context.diagnostics.push({ summary: `Duplicate ${block.type} block`, detail, range: headerRange(block) })
    }
    if (earlier === undefined) first.set(block.type, block)
  }
  return decoded
}

/** The list, or the object by labels, with one block more. */
function added(others: Json | undefined, value: JsonObject, keyed: Block | false): Json {
  if (keyed === false) return [...((others ?? []) as Json[]), value]
  return objectFrom([...Object.entries((others ?? {}) as JsonObject), [keyed.labels[0]?.text ?? '', value]])
}

/** Whether the block has as many labels as wanted; reports when not. */
export function hasLabels({ type, labels, open }: Block, wanted: number, diagnostics: Diagnostic[]): boolean {
  if (labels.length === wanted) return true
  const detail = wanted === 0 ? `A ${type} block takes no label.` : `A ${type} block takes ${wanted} label: its name.`
  const extra = labels[wanted]
  const summary = extra === undefined ? `Missing name for ${type}` : `Extraneous label for ${type}`
  diagnostics.push({ summary, detail, range: extra?.range ?? open })
  return false
}

function decodeMap(body: RawBody, values: 'text' | 'texts' | 'any', context: Context): JsonObject {
  const attributes = attributesOf(body, context.diagnostics)
  return objectFrom(
    attributes.map(({ name, value }): [string, Json] => {
      return [name, values === 'any' ? anyJson(value, context) : (argumentJson(value, values, context) ?? null)]
    }),
  )
}

function reportUnexpected(
  body: Body,
  blocks: readonly PlacedBlock[],
  schema: BlockSchema,
  diagnostics: Diagnostic[],
): void {
  for (const { member } of schema.named.values()) {
    if (member.kind !== 'argument' || !member.required || body.attributes.has(member.name)) continue
    const detail = `The argument "${member.name}" is required, but no definition was found.`
    diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  }
  const wanted = [...schema.named.values()].filter(({ member }) => isArgument(member)).map(({ member }) => member.name)
  for (const { name, nameRange } of body.attributes.values()) {
    if (wanted.includes(name)) continue
    const asBlock = schema.blocks.has(name) ? ` Did you mean to define a block of type "${name}"?` : ''
    const hint = suggestion(name, wanted.filter((other) => !body.attributes.has(other)).toSorted()) || asBlock
    const detail = `An argument named "${name}" is not expected here.${hint}`
    diagnostics.push({ summary: 'Unsupported argument', detail, range: nameRange })
  }
  for (const { type, typeRange } of blocks.map(({ block }) => block)) {
    if (schema.blocks.has(type)) continue
    const asArgument = wanted.includes(type)
      ? ` Did you mean to define argument "${type}"? If so, use the equals sign.`
      : ''
    const hint = suggestion(type, [...schema.blocks.keys()].toSorted()) || asArgument
    const detail = `Blocks of type "${type}" are not expected here.${hint}`
    diagnostics.push({ summary: 'Unsupported block type', detail, range: typeRange })
  }
}

function isArgument(member: NamedMember | undefined): member is Exclude<NamedMember, { kind: 'block' }> {
  return member?.kind === 'argument' || (member?.kind === 'map' && member.asArgument)
}
