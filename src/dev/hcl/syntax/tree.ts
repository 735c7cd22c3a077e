import type { JsonNumber } from '../../../core/json.ts'
import { between, type Range } from '../diagnostics.ts'

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
  | Node<'literal', { value: null | boolean | number | JsonNumber | string }>
  | Node<'template', { parts: readonly Expression[] }>
  /** `"${inner}"`, whose value keeps its type. */
  | Node<'interpolation', { inner: Expression }>
  | Node<'variable', { name: string }>
  | Node<'index', { of: Expression; key: Expression; dot: boolean }>
  | Node<'call', { name: string; items: readonly Expression[] }>
  | Node<'tuple', { items: readonly Expression[] }>
  | Node<'object', { items: readonly ObjectItem[] }>

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
