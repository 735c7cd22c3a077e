/** The syntax tree of HCL. */

import { between } from '../diagnostics.ts'
import type { Range } from '../diagnostics.ts'

export interface Body {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly blocks: readonly Block[]
  /** Where the body starts: a missing argument is reported here. */
  readonly start: Range
}

export interface Attribute {
  readonly name: string
  readonly nameRange: Range
  readonly value: Expression
}

export interface Block {
  readonly type: string
  readonly typeRange: Range
  readonly labels: readonly Label[]
  readonly body: Body
}

export interface Label {
  readonly text: string
  readonly range: Range
}

type Node<Kind extends string, Members> = Readonly<Members> & { readonly kind: Kind; readonly range: Range }

export type Expression =
  | Node<'literal', { value: null | boolean | number | string }>
  | Node<'template', { parts: readonly Expression[] }>
  | Node<'parentheses', { inner: Expression }>
  | Node<'variable', { name: string }>
  | Node<'index', { of: Expression; key: Expression; dot: boolean }>
  | Node<'call', { name: string; items: readonly Expression[] }>
  | Node<'tuple', { items: readonly Expression[] }>
  | Node<'object', { items: readonly ObjectItem[] }>
  | Node<'conditional', { condition: Expression; yes: Expression; no: Expression }>
  | Node<'binary', { operator: string; left: Expression; right: Expression }>
  | Node<'unary', { operator: '-' | '!'; operand: Expression }>

export interface ObjectItem {
  readonly key: Expression
  readonly value: Expression
}

/** From type to last label: how a block is pointed at. */
export function headerRange(block: Block): Range {
  return between(block.typeRange, block.labels.at(-1)?.range ?? block.typeRange)
}

/** The text of a quoted expression without interpolation. */
export function literalText(expression: Expression): string | undefined {
  if (expression.kind === 'literal' && typeof expression.value === 'string') return expression.value
  if (expression.kind !== 'template') return undefined
  const texts = expression.parts.map((part) => (part.kind === 'literal' ? String(part.value) : undefined))
  return texts.includes(undefined) ? undefined : texts.join('')
}

/** All expressions within one, itself included, with their depth. Walks without recursion. */
export function* expressionsIn(root: Expression): Generator<{ expression: Expression; depth: number }> {
  const open: { node: unknown; depth: number }[] = [{ node: root, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    if (typeof node !== 'object' || node === null || 'source' in node) continue
    const isExpression = 'kind' in node
    if (isExpression) yield { expression: node as Expression, depth }
    for (const child of Object.values(node)) open.push({ node: child, depth: isExpression ? depth + 1 : depth })
  }
}
