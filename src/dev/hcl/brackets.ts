/** Forms in brackets: calls, tuples, objects and `for`. */

import { between } from './diagnostics.ts'
import type { ExpressionParser } from './expressions.ts'
import { textOf } from './lexer.ts'
import type { Token } from './lexer.ts'
import { fail } from './token-reader.ts'
import type { TokenReader } from './token-reader.ts'
import type { Expression, ForExpression, ObjectItem } from './tree.ts'

export class BracketParser {
  private readonly reader: TokenReader
  private readonly expressions: ExpressionParser

  constructor(reader: TokenReader, expressions: ExpressionParser) {
    this.reader = reader
    this.expressions = expressions
  }

  call(nameRange: Token): Expression {
    const open = this.reader.read()
    return this.reader.withNewlines(false, () => {
      const items: Expression[] = []
      let expand = false
      while (this.reader.peek().type !== ')') {
        items.push(this.expressions.expression())
        const separator = this.reader.peek()
        if (separator.type === ')') break
        this.reader.read()
        if (separator.type === '...') {
          expand = true
          if (this.reader.peek().type === ')') break
          const detail = 'An expanded function argument (with ...) must be immediately followed by closing parentheses.'
          fail('Missing closing parenthesis', detail, separator)
        }
        if (separator.type === 'end of file') {
          const detail =
            'There is no closing parenthesis for this function call before the end of the file. This may be caused by incorrect parenthesis nesting elsewhere in this file.'
          fail('Unterminated function call', detail, between(nameRange, open))
        }
        if (separator.type !== ',') {
          const detail = 'A comma is required to separate each function argument from the next.'
          fail('Missing argument separator', detail, separator)
        }
      }
      const close = this.reader.read()
      const name = textOf(nameRange)
      return { kind: 'call', name, nameRange, open, close, items, expand, range: between(nameRange, close) }
    })
  }

  tuple(open: Token): Expression {
    const items: Expression[] = []
    while (this.reader.peek().type !== ']') {
      items.push(this.expressions.expression())
      const separator = this.reader.peek()
      if (separator.type === ']') break
      if (separator.type === 'end of file') {
        const detail =
          'There is no corresponding closing bracket before the end of the file. This may be caused by incorrect bracket nesting elsewhere in this file.'
        fail('Unterminated tuple constructor expression', detail, open)
      }
      if (separator.type !== ',') {
        fail('Missing item separator', 'Expected a comma to mark the beginning of the next item.', separator)
      }
      this.reader.read()
    }
    return { kind: 'tuple', items, open, range: between(open, this.reader.read()) }
  }

  object(open: Token): Expression {
    const items: ObjectItem[] = []
    for (;;) {
      while (this.reader.taken('newline'));
      if (this.reader.peek().type === '}') break
      const key = this.expressions.expression()
      this.objectEquals(open)
      items.push({ key, value: this.expressions.expression() })
      const separator = this.reader.peek()
      if (separator.type === '}') break
      if (separator.type === 'end of file') this.unterminatedObject(open)
      if (separator.type !== ',' && separator.type !== 'newline') {
        const detail = 'Expected a newline or comma to mark the beginning of the next attribute.'
        fail('Missing attribute separator', detail, separator)
      }
      this.reader.read()
    }
    return { kind: 'object', items, open, range: between(open, this.reader.read()) }
  }

  private objectEquals(open: Token): void {
    const token = this.reader.read()
    if (token.type === '=' || token.type === ':') return
    if (token.type === 'end of file') this.unterminatedObject(open)
    if (token.type === 'newline' || token.type === ',') {
      fail('Missing attribute value', 'Expected an attribute value, introduced by an equals sign ("=").', token)
    }
    const hint =
      ' If you intended to given an attribute name containing periods or spaces, write the name in quotes to create a string literal.'
    const detail = 'Expected an equals sign ("=") to mark the beginning of the attribute value.'
    fail('Missing key/value separator', token.type === 'identifier' ? detail + hint : detail, token)
  }

  private unterminatedObject(open: Token): never {
    const detail =
      'There is no corresponding closing brace before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.'
    return fail('Unterminated object constructor expression', detail, open)
  }

  for(open: Token): ForExpression {
    this.reader.read()
    const summary = "Invalid 'for' expression"
    const object = open.type === '{'
    const head = this.forHead(summary, 'For expression')
    const colon = this.reader.read()
    if (colon.type !== ':') fail(summary, 'For expression requires a colon after the collection expression.', colon)
    let value = this.expressions.expression()
    let key: Expression | undefined
    if (this.reader.taken('=>')) {
      key = value
      value = this.expressions.expression()
    }
    const ellipsis = this.reader.peek()
    const group = this.reader.taken('...')
    let condition: Expression | undefined
    if (this.reader.atWord('if')) {
      this.reader.read()
      condition = this.expressions.expression()
    }
    const close = this.reader.read()
    if (close.type !== (object ? '}' : ']'))
      fail(summary, "Extra characters after the end of the 'for' expression.", close)
    if (!object && key !== undefined) fail(summary, 'Key expression is not valid when building a tuple.', key.range)
    if (!object && group) fail(summary, 'Grouping ellipsis (...) cannot be used when building a tuple.', ellipsis)
    if (object && key === undefined) fail(summary, 'Key expression is required when building an object.', value.range)
    return {
      kind: 'for',
      ...head,
      ...(key && { key }),
      value,
      ...(condition && { condition }),
      group,
      object,
      open,
      range: between(open, close),
    }
  }

  /** `key, value in collection`, after the word `for`. */
  forHead(summary: string, subject: string): { keyName?: string; valueName: string; collection: Expression } {
    const first = this.reader.read()
    if (first.type !== 'identifier') fail(summary, `${subject} requires variable name after 'for'.`, first)
    let second: Token | undefined
    if (this.reader.taken(',')) {
      second = this.reader.read()
      if (second.type !== 'identifier') fail(summary, `${subject} requires value variable name after comma.`, second)
    }
    if (!this.reader.atWord('in')) {
      fail(summary, `${subject} requires the 'in' keyword after its name declarations.`, this.reader.peek())
    }
    this.reader.read()
    const collection = this.expressions.expression()
    if (second === undefined) return { valueName: textOf(first), collection }
    return { keyName: textOf(first), valueName: textOf(second), collection }
  }
}
