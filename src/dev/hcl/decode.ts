/** Blocks → JSON, as their schema says. */

import { objectFrom } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { attributesOf, bodyOf, expandDynamic } from './body.ts'
import type { PlacedBlock } from './body.ts'
import { rangeText, similarName } from './diagnostics.ts'
import type { Diagnostic } from './diagnostics.ts'
import { decodeArgument, plainJson } from './decode-argument.ts'
import type { BlockSchema, Context, Member } from './schema.ts'
import { headerRange } from './tree.ts'
import type { Attribute, Block, Body, RawBody } from './tree.ts'

/** The JSON of a block. Faults go to the context, and the members concerned stay empty. */
export function decodeBlock(block: Block, schema: BlockSchema, context: Context): JsonObject {
  const body = bodyOf(block.body, schema.blocks, context.diagnostics)
  const blocks = expandDynamic(body, schema.blocks, context.scope, context.diagnostics)
  reportUnexpected(body, blocks, block.body, schema, context)
  const plain = decodeArguments(body, schema, context)
  const nested = decodeNested(blocks, schema, context)
  const [label] = block.labels
  const entries = [...schema.members].map(([name, member]): [string, Json] => {
    if (member.kind === 'fixed') return [name, member.value]
    if (member.kind === 'label') return [name, label?.text ?? '']
    if (member.kind === 'argument') return [name, plain.get(name) ?? member.empty]
    return [name, plain.get(name) ?? nested.get(name) ?? null]
  })
  const object = Object.fromEntries(entries)
  return schema.finish?.(object, { body, labels: block.labels, context }) ?? object
}

function decodeArguments(body: Body, schema: BlockSchema, context: Context): Map<string, Json> {
  const decoded = new Map<string, Json>()
  for (const { name, value } of body.attributes.values()) {
    const found = schema.named.get(name)
    if (found === undefined) continue
    const { json, member } = found
    if (member.kind === 'argument') decoded.set(json, decodeArgument(value, member.type, context) ?? member.empty)
    else if (member.kind === 'map' && member.asArgument) {
      decoded.set(json, decodeArgument(value, 'text map', context) ?? null)
    }
  }
  return decoded
}

function decodeNested(blocks: readonly PlacedBlock[], schema: BlockSchema, context: Context): Map<string, Json> {
  const decoded = new Map<string, Json>()
  const first = new Map<string, Block>()
  for (const { block, scope } of blocks) {
    const found = schema.named.get(block.type)
    if (found === undefined) continue
    const { json, member } = found
    const earlier = first.get(block.type)
    const inner = { ...context, scope }
    if (member.kind === 'map') {
      const sound = labelled(block, { labels: 0 }, inner)
      if (sound && earlier === undefined) decoded.set(json, decodeMap(block.body, member.values, inner))
    } else if (member.kind === 'block' && labelled(block, member.schema, inner)) {
      const object = decodeBlock(block, member.schema, inner)
      if (member.shape === 'many') decoded.set(json, [...((decoded.get(json) as Json[] | undefined) ?? []), object])
      else if (member.shape === 'keyed') {
        const others = Object.entries((decoded.get(json) as JsonObject | undefined) ?? {})
        decoded.set(json, objectFrom([...others, [block.labels[0]?.text ?? '', object]]))
      } else if (earlier === undefined) decoded.set(json, object)
    }
    if (earlier !== undefined && (member.kind === 'map' || (member.kind === 'block' && member.shape === 'one'))) {
      const detail = `Only one ${block.type} block is allowed. Another was defined at ${rangeText(headerRange(earlier))}.`
      context.diagnostics.push({ summary: `Duplicate ${block.type} block`, detail, range: headerRange(block) })
    }
    if (earlier === undefined) first.set(block.type, block)
  }
  return decoded
}

/** Whether the block has as many labels as its schema wants; reports when not. */
export function labelled(
  block: Block,
  { labels }: Pick<BlockSchema, 'labels'>,
  { diagnostics }: Pick<Context, 'diagnostics'>,
): boolean {
  if (block.labels.length === labels) return true
  const { type } = block
  const extra = block.labels[labels]
  if (extra !== undefined) {
    const detail =
      labels === 0
        ? `No labels are expected for ${type} blocks.`
        : `Only ${labels} labels (name) are expected for ${type} blocks.`
    diagnostics.push({ summary: `Extraneous label for ${type}`, detail, range: extra.range })
  } else {
    const detail = `All ${type} blocks must have ${labels} labels (name).`
    diagnostics.push({ summary: `Missing name for ${type}`, detail, range: block.open })
  }
  return false
}

function decodeMap(body: RawBody, values: 'text' | 'texts' | 'plain', context: Context): JsonObject {
  const attributes = attributesOf(body, context.diagnostics)
  const decode = ({ value }: Attribute): Json => {
    if (values === 'plain') return plainJson(value, context)
    return decodeArgument(value, values, context) ?? null
  }
  return objectFrom(attributes.map((attribute): [string, Json] => [attribute.name, decode(attribute)]))
}

function reportUnexpected(
  body: Body,
  blocks: readonly PlacedBlock[],
  raw: RawBody,
  schema: BlockSchema,
  { diagnostics }: Context,
): void {
  for (const { member } of schema.named.values()) {
    if (member.kind !== 'argument' || !member.required || body.attributes.has(member.name)) continue
    const detail = `The argument "${member.name}" is required, but no definition was found.`
    diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  }
  for (const attribute of body.attributes.values()) {
    if (isArgument(schema.named.get(attribute.name)?.member)) continue
    const report = 'json' in raw ? unexpectedProperty : unexpectedArgument
    diagnostics.push(report(attribute, body, schema))
  }
  for (const { block } of blocks) {
    if (!schema.blocks.has(block.type)) diagnostics.push(unexpectedBlock(block, schema))
  }
}

function isArgument(member: Member | undefined): boolean {
  return member?.kind === 'argument' || (member?.kind === 'map' && member.asArgument)
}

/** The argument that the author may have meant: one like it that the block does not have yet. */
function similarArgument(name: string, body: Body, schema: BlockSchema): string | undefined {
  const names = [...schema.named.values()].filter(({ member }) => isArgument(member)).map(({ member }) => member.name)
  return similarName(name, names.filter((other) => !body.attributes.has(other)).toSorted())
}

function unexpectedProperty({ name, nameRange }: Attribute, body: Body, schema: BlockSchema): Diagnostic {
  const similar = similarArgument(name, body, schema)
  const hint = similar === undefined ? '' : ` Did you mean "${similar}"?`
  const detail = `No argument or block type is named "${name}".${hint}`
  return { summary: 'Extraneous JSON object property', detail, range: nameRange }
}

function unexpectedArgument({ name, nameRange }: Attribute, body: Body, schema: BlockSchema): Diagnostic {
  const similar = similarArgument(name, body, schema)
  const asBlock = schema.blocks.has(name) ? ` Did you mean to define a block of type "${name}"?` : ''
  const hint = similar === undefined ? asBlock : ` Did you mean "${similar}"?`
  const detail = `An argument named "${name}" is not expected here.${hint}`
  return { summary: 'Unsupported argument', detail, range: nameRange }
}

function unexpectedBlock({ type, typeRange }: Block, schema: BlockSchema): Diagnostic {
  const similar = similarName(type, [...schema.blocks.keys()].toSorted())
  const asArgument = isArgument(schema.named.get(type)?.member)
    ? ` Did you mean to define argument "${type}"? If so, use the equals sign to assign it a value.`
    : ''
  const hint = similar === undefined ? asArgument : ` Did you mean "${similar}"?`
  return {
    summary: 'Unsupported block type',
    detail: `Blocks of type "${type}" are not expected here.${hint}`,
    range: typeRange,
  }
}
