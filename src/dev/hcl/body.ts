/** Bodies of JSON as bodies of HCL, and `dynamic` blocks as the blocks that they stand for. */

import { similarName } from './diagnostics.ts'
import type { Diagnostic } from './diagnostics.ts'
import { evaluate, innerScope } from './evaluate.ts'
import type { Scope } from './evaluate.ts'
import { pairsOf } from './lookup.ts'
import { startRange } from './tree.ts'
import type { Attribute, Block, Body, Expression, Label, RawBody } from './tree.ts'
import { ConversionError, convert, textType } from './types.ts'
import { Mapping, unknown } from './values.ts'
import type { Value } from './values.ts'

/** Block types that are expected, with the number of their labels. */
export type Wanted = ReadonlyMap<string, number>

/** A body whose `wanted` names are blocks and whose other names are arguments. */
export function bodyOf(raw: RawBody, wanted: Wanted, diagnostics: Diagnostic[]): Body {
  if (!('json' in raw)) return raw
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  for (const { key, value } of jsonItems(raw.json, 'body', diagnostics)) {
    const label = jsonKey(key)
    if (label === undefined || label.text === '//') continue
    const labels = label.text === 'dynamic' ? 1 : wanted.get(label.text)
    if (labels === undefined) attributes.set(label.text, { name: label.text, nameRange: label.range, value })
    else blocks.push(...jsonBlocks(label, labels, value, [], diagnostics))
  }
  return { attributes, blocks, start: { ...raw.json.range, end: raw.json.range.start } }
}

/** The names and expressions of a block of arbitrary names. Nested blocks become lists of objects. */
export function attributesOf(raw: RawBody, diagnostics: Diagnostic[]): Attribute[] {
  const body = bodyOf(raw, new Map(), diagnostics)
  if ('json' in raw) return [...body.attributes.values()]
  const attributes = [...body.attributes.values()].map((attribute) => ({
    ...attribute,
    value: listed(attribute.value),
  }))
  const types = new Set(body.blocks.map((block) => block.type))
  const nested = [...types].map((type): Attribute => {
    const blocks = body.blocks.filter((block) => block.type === type)
    const [first] = blocks as [Block]
    return { name: type, nameRange: first.typeRange, value: blockList(blocks, diagnostics) }
  })
  return [...attributes, ...nested]
}

/** An object stands for a list of one, just as a nested block does. */
function listed(value: Expression): Expression {
  return value.kind === 'object' ? { kind: 'tuple', items: [value], open: value.open, range: value.range } : value
}

function blockList(blocks: readonly Block[], diagnostics: Diagnostic[]): Expression {
  const [first] = blocks as [Block]
  const items = blocks.map((block): Expression => {
    const content = attributesOf(block.body, diagnostics).map(({ name, nameRange, value }) => ({
      key: { kind: 'literal', value: name, range: nameRange } as const,
      value,
    }))
    const object: Expression = { kind: 'object', items: content, open: block.open, range: block.open }
    return block.labels.reduceRight<Expression>((inner, { text, range }) => {
      const key: Expression = { kind: 'literal', value: text, range }
      const value: Expression = { kind: 'tuple', items: [inner], open: block.open, range: block.open }
      return { kind: 'object', items: [{ key, value }], open: block.open, range: block.open }
    }, object)
  })
  return { kind: 'tuple', items, open: first.open, range: first.open }
}

function jsonItems(
  json: Expression,
  type: string,
  diagnostics: Diagnostic[],
): readonly { key: Expression; value: Expression }[] {
  if (json.kind === 'object') return json.items
  if (json.kind === 'tuple') return json.items.flatMap((item) => jsonItems(item, type, diagnostics))
  if (json.kind === 'literal' && json.value === null) return []
  const detail = `Either a JSON object or a JSON array is required, representing the contents of one or more "${type}" blocks.`
  diagnostics.push({ summary: 'Incorrect JSON value type', detail, range: startRange(json) })
  return []
}

function jsonKey(key: Expression): Label | undefined {
  const value = evaluate(key, undefined, [])
  return typeof value === 'string' ? { text: value, range: key.range } : undefined
}

function jsonBlocks(
  type: Label,
  missing: number,
  value: Expression,
  labels: readonly Label[],
  diagnostics: Diagnostic[],
): Block[] {
  if (missing > 0) {
    return jsonItems(value, type.text, diagnostics).flatMap((item) => {
      const label = jsonKey(item.key)
      return label === undefined ? [] : jsonBlocks(type, missing - 1, item.value, [...labels, label], diagnostics)
    })
  }
  const bodies = value.kind === 'tuple' ? value.items : [value]
  return bodies
    .filter((body) => !(body.kind === 'literal' && body.value === null))
    .map((json) => ({ type: type.text, typeRange: type.range, labels, open: json.range, body: { json } }))
}

/** A block with the names that it sees: `dynamic` binds its iterator. */
export interface PlacedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** All blocks of a body, with each `dynamic` one replaced by those that it makes. */
export function expandDynamic(body: Body, wanted: Wanted, scope: Scope, diagnostics: Diagnostic[]): PlacedBlock[] {
  return body.blocks.flatMap((block) => {
    if (block.type !== 'dynamic') return [{ block, scope }]
    const [type] = block.labels
    if (type === undefined || !wanted.has(type.text)) {
      const suggestion = type && similarName(type.text, [...wanted.keys()])
      const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
      const detail = `Blocks of type "${type?.text ?? ''}" are not expected here.${hint}`
      diagnostics.push({ summary: 'Unsupported block type', detail, range: type?.range ?? block.typeRange })
      return []
    }
    return dynamicBlocks(block, type, scope, diagnostics)
  })
}

function dynamicBlocks(block: Block, type: Label, scope: Scope, diagnostics: Diagnostic[]): PlacedBlock[] {
  const body = bodyOf(block.body, new Map([['content', 0]]), diagnostics)
  const each = body.attributes.get('for_each')?.value
  const content = body.blocks.find((inner) => inner.type === 'content')
  if (each === undefined) {
    const detail = 'The argument "for_each" is required, but no definition was found.'
    diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  }
  if (content === undefined) {
    const detail =
      'A dynamic block must have a nested block of type "content" to describe the body of each generated block.'
    diagnostics.push({ summary: 'Missing dynamic content block', detail, range: body.start })
  }
  if (each === undefined || content === undefined) return []
  const collection = evaluate(each, scope, diagnostics)
  if (collection === unknown) return []
  const pairs = pairsOf(collection)
  if (pairs === undefined) {
    const reason =
      collection === null
        ? 'Cannot use a null value in for_each.'
        : 'Cannot use a value of this type in for_each. An iterable collection is required.'
    diagnostics.push({ summary: 'Invalid dynamic for_each value', detail: reason, range: each.range })
    return []
  }
  const iterator = body.attributes.get('iterator')?.value
  const name = iterator?.kind === 'variable' ? iterator.name : type.text
  return pairs.map(([key, value]) => {
    const entries: [string, Value][] = [
      ['key', key],
      ['value', value],
    ]
    const inner = innerScope(scope, [[name, new Mapping('object', entries)]])
    const labels = dynamicLabels(body.attributes.get('labels')?.value, inner, diagnostics)
    return { block: { ...content, type: type.text, typeRange: type.range, labels }, scope: inner }
  })
}

function dynamicLabels(labels: Expression | undefined, scope: Scope, diagnostics: Diagnostic[]): Label[] {
  if (labels === undefined) return []
  const value = evaluate(labels, scope, diagnostics)
  const items = pairsOf(value) ?? []
  return items.flatMap(([, item]) => {
    try {
      const text = convert(item, textType)
      if (typeof text === 'string') return [{ text, range: labels.range }]
      const detail = 'Cannot use a null value as a dynamic block label.'
      if (text === null) diagnostics.push({ summary: 'Invalid dynamic block label', detail, range: labels.range })
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      const detail = `Cannot use this value as a dynamic block label: ${error.message}.`
      diagnostics.push({ summary: 'Invalid dynamic block label', detail, range: labels.range })
    }
    return []
  })
}
