/** Bodies of JSON as bodies of HCL, and blocks of free names as attributes. */

import type { Diagnostic } from '../diagnostics.ts'
import type { Attribute, Block, Body, Expression, Label, RawBody } from '../syntax/tree.ts'
import { literalText } from '../syntax/tree.ts'

/** Block types that are expected, with the number of their labels. */
export type Wanted = ReadonlyMap<string, number>

/** A body whose `wanted` names are blocks and whose other names are arguments. */
export function bodyOf(raw: RawBody, wanted: Wanted, diagnostics: Diagnostic[]): Body {
  if (!('json' in raw)) return raw
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  for (const { label, value } of jsonItems(raw.json, 'body', diagnostics)) {
    if (label.text === '//') continue
    const labels = label.text === 'dynamic' ? 1 : wanted.get(label.text)
    if (labels === undefined) attributes.set(label.text, { name: label.text, nameRange: label.range, value })
    else blocks.push(...jsonBlocks(label, labels, value, [], diagnostics))
  }
  return { attributes, blocks, start: { ...raw.json.range, end: raw.json.range.start } }
}

function jsonItems(json: Expression, type: string, diagnostics: Diagnostic[]): { label: Label; value: Expression }[] {
  if (json.kind === 'tuple') return json.items.flatMap((item) => jsonItems(item, type, diagnostics))
  if (json.kind === 'object') {
    return json.items.map(({ key, value }) => ({ label: { text: literalText(key) ?? '', range: key.range }, value }))
  }
  if (json.kind === 'literal' && json.value === null) return []
  const detail = `A JSON object or array is required for "${type}" blocks.`
  diagnostics.push({ summary: 'Incorrect JSON value type', detail, range: json.at })
  return []
}

/** Each label that is missing is a key of the object. */
function jsonBlocks(
  type: Label,
  missing: number,
  value: Expression,
  labels: readonly Label[],
  diagnostics: Diagnostic[],
): Block[] {
  if (missing > 0) {
    return jsonItems(value, type.text, diagnostics).flatMap((item) => {
      return jsonBlocks(type, missing - 1, item.value, [...labels, item.label], diagnostics)
    })
  }
  const bodies = value.kind === 'tuple' ? value.items : [value]
  return bodies
    .filter((body) => !(body.kind === 'literal' && body.value === null))
    .map((json) => ({ type: type.text, typeRange: type.range, labels, open: json.at, body: { json } }))
}

/** The names and expressions of a block of free names. Nested blocks, and objects, become lists of objects. */
export function attributesOf(raw: RawBody, diagnostics: Diagnostic[]): Attribute[] {
  const { attributes, blocks } = bodyOf(raw, new Map(), diagnostics)
  if ('json' in raw) return [...attributes.values()]
  const plain = [...attributes.values()].map(({ value, ...rest }) => {
    return { ...rest, value: value.kind === 'object' ? listOf([value]) : value }
  })
  const nested = [...new Set(blocks.map(({ type }) => type))].map((name): Attribute => {
    const same = blocks.filter(({ type }) => type === name)
    const { typeRange: nameRange } = same[0] as Block
    return { name, nameRange, value: listOf(same.map((block) => objectOf(block, diagnostics))) }
  })
  return [...plain, ...nested]
}

function listOf(items: readonly Expression[]): Expression {
  const [{ range, at }] = items as [Expression]
  return { kind: 'tuple', items, range, at }
}

/** A block as an object, within a list for each of its labels. */
function objectOf(block: Block, diagnostics: Diagnostic[]): Expression {
  const place = { range: block.open, at: block.open }
  const literal = (value: string): Expression => ({ kind: 'literal', value, ...place })
  const items = attributesOf(block.body, diagnostics).map(({ name, value }) => ({ key: literal(name), value }))
  return block.labels.reduceRight<Expression>(
    (inner, { text }) => ({ kind: 'object', items: [{ key: literal(text), value: listOf([inner]) }], ...place }),
    { kind: 'object', items, ...place },
  )
}
