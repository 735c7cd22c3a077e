/** The syntax tree of HCL. */

import { between } from './diagnostics.ts'
import type { Range } from './diagnostics.ts'
import type { Value } from './values.ts'

export interface Body {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly blocks: readonly Block[]
  /** Where the body starts: a member that is missing is reported here. */
  readonly start: Range
}

/** A body as the text gives it: JSON tells arguments from blocks only once a schema is at hand. */
export type RawBody = Body | JsonBody

interface JsonBody {
  readonly json: Expression
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
  readonly open: Range
  readonly body: RawBody
}

export interface Label {
  readonly text: string
  readonly range: Range
}

export type Step =
  | { readonly kind: 'attribute'; readonly name: string; readonly range: Range }
  | { readonly kind: 'index'; readonly key: Value; readonly range: Range }

export interface ObjectItem {
  readonly key: Expression
  readonly value: Expression
}

type Node<Kind extends string, Members> = Readonly<Members> & { readonly kind: Kind; readonly range: Range }

export type Expression =
  | Node<'literal', { value: Value }>
  | Node<'template', { parts: readonly Expression[] }>
  | Node<'wrap', { inner: Expression }>
  | Node<'parentheses', { inner: Expression }>
  | Node<'variable', { name: string; nameRange: Range; steps: readonly Step[] }>
  | Node<'access', { of: Expression; steps: readonly Step[] }>
  | Node<'index', { of: Expression; key: Expression; brackets: Range }>
  | Node<'splat', { of: Expression; each: Expression; marker: Range }>
  | Node<'item', object>
  | Node<
      'call',
      { name: string; nameRange: Range; open: Range; close: Range; items: readonly Expression[]; expand: boolean }
    >
  | Node<'tuple', { open: Range; items: readonly Expression[] }>
  | Node<'object', { open: Range; items: readonly ObjectItem[] }>
  | ForExpression
  | Node<'join', { items: ForExpression }>
  | Node<'conditional', { condition: Expression; yes: Expression; no: Expression }>
  | Node<'binary', { operator: string; left: Expression; right: Expression }>
  | Node<'unary', { operator: string; operand: Expression; symbol: Range }>

export type ForExpression = Node<
  'for',
  {
    open: Range
    keyName?: string
    valueName: string
    collection: Expression
    key?: Expression
    value: Expression
    condition?: Expression
    group: boolean
    object: boolean
  }
>

/** The part of an expression by which the server points at it when its value does not suit. */
export function startRange(expression: Expression): Range {
  switch (expression.kind) {
    case 'template':
      return expression.parts[0] === undefined ? expression.range : startRange(expression.parts[0])
    case 'call':
      return between(expression.nameRange, expression.open)
    case 'tuple':
    case 'object':
    case 'for':
      return expression.open
    case 'join':
      return expression.items.open
    case 'conditional':
      return startRange(expression.condition)
    case 'binary':
      return startRange(expression.left)
    case 'unary':
      return expression.symbol
    case 'splat':
      return expression.marker
    default:
      return expression.range
  }
}

/** From type to last label: how a block is pointed at. */
export function headerRange(block: Block): Range {
  return between(block.typeRange, block.labels.at(-1)?.range ?? block.typeRange)
}

/** The variables that an expression names, in the order of the text; names bound within it are not among them. */
export function variablesIn(expression: Expression): Extract<Expression, { kind: 'variable' }>[] {
  const found: Extract<Expression, { kind: 'variable' }>[] = []
  const bound: (string | undefined)[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit)
    if (typeof node !== 'object' || node === null || !('kind' in node || 'value' in node)) return
    const inner = node as Expression
    if (inner.kind === 'variable' && !bound.includes(inner.name)) found.push(inner)
    if (inner.kind === 'for') bound.push(inner.keyName, inner.valueName)
    Object.values(inner).forEach(visit)
    if (inner.kind === 'for') bound.length -= 2
  }
  visit(expression)
  return found
}
