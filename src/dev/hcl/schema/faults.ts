/** What may be wrong with the names in a body. */

import { fail, suggestion } from '../diagnostics.ts'
import type { Diagnostic } from '../diagnostics.ts'
import { headerRange } from '../syntax/tree.ts'
import type { Block, Body, Expression } from '../syntax/tree.ts'

/** The arguments and blocks that nobody expects. */
export function unexpected(body: Body, names: readonly string[], blocks: readonly string[] = []): Diagnostic[] {
  const unknownArguments = [...body.attributes.values()].filter(({ name }) => !names.includes(name))
  const unknownBlocks = body.blocks.filter(({ type }) => !blocks.includes(type))
  return [
    ...unknownArguments.map(({ name, nameRange }) => {
      const asBlock = blocks.includes(name) ? ` Did you mean to define a block of type "${name}"?` : ''
      const unused = names.filter((other) => !body.attributes.has(other)).toSorted()
      const detail = `An argument named "${name}" is not expected here.${suggestion(name, unused) || asBlock}`
      return { summary: 'Unsupported argument', detail, range: nameRange }
    }),
    ...unknownBlocks.map(({ type, typeRange }) => {
      const asArgument = ` Did you mean to define argument "${type}"? If so, use the equals sign.`
      const hint = suggestion(type, blocks.toSorted()) || (names.includes(type) ? asArgument : '')
      const detail = `Blocks of type "${type}" are not expected here.${hint}`
      return { summary: 'Unsupported block type', detail, range: typeRange }
    }),
  ]
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
