/** `dynamic` blocks → the blocks that they stand for. */

import { fail, suggestion } from '../diagnostics.ts'
import { evaluate, innerScope, placed } from '../evaluation/evaluate.ts'
import type { Scope } from '../evaluation/evaluate.ts'
import { convert, textType } from '../evaluation/types.ts'
import { ValueError, itemsIn, mapOf, pairsOf } from '../evaluation/values.ts'
import type { Block, Body, Expression, Label } from '../syntax/tree.ts'
import { required } from './faults.ts'

const most = 10_000

/** A block with the names that it sees: `dynamic` binds its iterator. */
export interface PlacedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** All blocks of a body, with each `dynamic` one replaced by those that it makes. Throws {@link HclError}. */
export function expandDynamic(body: Body, wanted: ReadonlyMap<string, number>, scope: Scope): PlacedBlock[] {
  return body.blocks.flatMap((block) => {
    if (block.type !== 'dynamic') return [{ block, scope }]
    const { text, range } = block.labels[0] ?? { text: '', range: block.typeRange }
    if (wanted.has(text)) return generated(block, text, scope)
    const detail = `Blocks of type "${text}" are not expected here.${suggestion(text, [...wanted.keys()])}`
    return fail('Unsupported block type', detail, range)
  })
}

function generated({ body }: Block, type: string, scope: Scope): PlacedBlock[] {
  const each = required(body, 'for_each')
  const content = body.blocks.find((inner) => inner.type === 'content')
  if (content === undefined) {
    return fail('Missing dynamic content block', 'A dynamic block needs a block "content".', body.start)
  }
  const pairs = pairsOf(evaluate(each, scope))
  if (pairs === undefined || pairs.length > most) {
    const detail = `A list, set or map of at most ${most} elements is required for for_each.`
    return fail('Invalid dynamic for_each value', detail, each.range)
  }
  const iterator = body.attributes.get('iterator')?.value
  const name = iterator?.kind === 'variable' ? iterator.name : type
  return pairs.map(([key, value]) => {
    const item = mapOf(Object.entries({ key, value }))
    const inner = innerScope(scope, [[name, item]])
    const labels = labelsOf(body.attributes.get('labels')?.value, inner)
    return { block: { ...content, type, labels }, scope: inner }
  })
}

function labelsOf(labels: Expression | undefined, scope: Scope): Label[] {
  if (labels === undefined) return []
  return (itemsIn(evaluate(labels, scope)) ?? []).map((item) =>
    placed(labels.range, 'Invalid dynamic block label', 'The label: ', () => {
      if (item === null) throw new ValueError('a text is required')
      return { text: convert(item, textType) as string, range: labels.range }
    }),
  )
}
