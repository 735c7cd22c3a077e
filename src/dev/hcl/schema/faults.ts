/** What may be wrong with the names in a body. */

import { nearest } from '../../../core/nearest.ts'
import { fail } from '../diagnostics.ts'
import type { Diagnostic } from '../diagnostics.ts'
import { headerRange } from '../syntax/tree.ts'
import type { Block, Body, Expression } from '../syntax/tree.ts'

/** The arguments and blocks that nobody expects. */
export function unexpected(body: Body, names: readonly string[], blocks: readonly string[] = []): Diagnostic[] {
  const unknownArguments = [...body.attributes.values()].filter(({ name }) => !names.includes(name))
  const unknownBlocks = body.blocks.filter(({ type }) => !blocks.includes(type))
  return [
    ...unknownArguments.map(({ name, nameRange }) => {
      const unused = names.filter((other) => !body.attributes.has(other))
      const detail = `An argument named "${name}" is not expected here.${suggestion(name, unused, blocks)}`
      return { summary: 'Unsupported argument', detail, range: nameRange }
    }),
    ...unknownBlocks.map(({ type, typeRange }) => {
      const detail = `Blocks of type "${type}" are not expected here.${suggestion(type, blocks, names)}`
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
export function required(body: Body, name: string): Expression {
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
