/** `dynamic` blocks → the blocks that they stand for. */

import { suggestion } from '../diagnostics.ts'
import type { Diagnostic } from '../diagnostics.ts'
import { Evaluation, evaluate, innerScope } from '../evaluation/evaluate.ts'
import type { Scope } from '../evaluation/evaluator.ts'
import { textType } from '../evaluation/types.ts'
import { itemsIn, mapOf, pairsOf, unknown } from '../evaluation/values.ts'
import type { Block, Body, Expression, Label } from '../syntax/tree.ts'
import { bodyOf } from './body.ts'
import type { Wanted } from './body.ts'

const most = 10_000

/** A block with the names that it sees: `dynamic` binds its iterator. */
export interface PlacedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** All blocks of a body, with each `dynamic` one replaced by those that it makes. */
export function expandDynamic(body: Body, wanted: Wanted, scope: Scope, diagnostics: Diagnostic[]): PlacedBlock[] {
  return body.blocks.flatMap((block) => {
    if (block.type !== 'dynamic') return [{ block, scope }]
    const type = block.labels[0] ?? { text: '', range: block.typeRange }
    if (wanted.has(type.text)) return generated(block, type, scope, diagnostics)
    const detail = `Blocks of type "${type.text}" are not expected here.${suggestion(type.text, [...wanted.keys()])}`
    diagnostics.push({ summary: 'Unsupported block type', detail, range: type.range })
    return []
  })
}

function generated(block: Block, type: Label, scope: Scope, diagnostics: Diagnostic[]): PlacedBlock[] {
  const body = bodyOf(block.body, new Map([['content', 0]]), diagnostics)
  const each = body.attributes.get('for_each')?.value
  const content = body.blocks.find((inner) => inner.type === 'content')
  if (each === undefined || content === undefined) {
    const detail = 'A dynamic block needs the argument "for_each" and a block "content".'
    diagnostics.push({
      summary: each === undefined ? 'Missing required argument' : 'Missing dynamic content block',
      detail,
      range: body.start,
    })
    return []
  }
  const collection = evaluate(each, scope, diagnostics)
  if (collection === unknown) return []
  const pairs = pairsOf(collection)
  if (pairs === undefined || pairs.length > most) {
    const detail = `A list, set or map of at most ${most} elements is required for for_each.`
    diagnostics.push({ summary: 'Invalid dynamic for_each value', detail, range: each.range })
    return []
  }
  const iterator = body.attributes.get('iterator')?.value
  const name = iterator?.kind === 'variable' ? iterator.name : type.text
  return pairs.map(([key, value]) => {
    const inner = innerScope(scope, [
      [
        name,
        mapOf([
          ['key', key],
          ['value', value],
        ]),
      ],
    ])
    const labels = labelsOf(body.attributes.get('labels')?.value, inner, diagnostics)
    return { block: { ...content, type: type.text, typeRange: type.range, labels }, scope: inner }
  })
}

function labelsOf(labels: Expression | undefined, scope: Scope, diagnostics: Diagnostic[]): Label[] {
  if (labels === undefined) return []
  const evaluation = new Evaluation(scope, diagnostics)
  return (itemsIn(evaluation.value(labels)) ?? []).flatMap((item) => {
    const text = evaluation.required(item, textType, labels.range, 'Invalid dynamic block label', 'The label')
    return typeof text === 'string' ? [{ text, range: labels.range }] : []
  })
}
