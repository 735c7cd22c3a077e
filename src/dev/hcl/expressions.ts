/** Tokens → expressions. */

import { between } from './diagnostics.ts'
import type { Range } from './diagnostics.ts'
import { textOf } from './lexer.ts'
import type { Token, TokenType } from './lexer.ts'
import { parseTemplate } from './syntax.ts'
import { TemplateParser } from './templates.ts'
import { TokenReader, fail } from './token-reader.ts'
import type { Expression, ForExpression, ObjectItem, Step } from './tree.ts'

/** From loosest to tightest. */
const precedence: readonly (readonly TokenType[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
]

const noItem = 'Expected the start of an expression, but found'

export class ExpressionParser {
  private readonly reader: TokenReader

  constructor(reader: TokenReader) {
    this.reader = reader
  }

  expression(): Expression {
    const condition = this.binary(0)
    if (!this.reader.taken('?')) return condition
    const then = this.expression()
    const colon = this.reader.read()
    if (colon.type !== ':') {
      const detail = 'The conditional operator (...?...:...) requires a false expression, delimited by a colon.'
      fail('Missing false expression in conditional', detail, colon)
    }
    const otherwise = this.expression()
    return { kind: 'conditional', condition, then, otherwise, range: between(condition.range, otherwise.range) }
  }

  /** A template up to the token that ends it, which is read. */
  template(open: Range, end: TokenType, flush: boolean): Expression {
    return new TemplateParser(this.reader, this).template(open, end, flush)
  }

  private binary(level: number): Expression {
    const operators = precedence[level]
    if (operators === undefined) return this.steps(this.term())
    let left = this.binary(level + 1)
    while (operators.includes(this.reader.peek().type)) {
      const operator = this.reader.read().type
      const right = this.binary(level + 1)
      left = { kind: 'binary', operator, left, right, range: between(left.range, right.range) }
    }
    return left
  }

  private steps(from: Expression): Expression {
    let of = from
    for (;;) {
      const next = this.reader.peek()
      if (next.type === '.') of = this.dot(of)
      else if (next.type === '[') of = this.brackets(of)
      else return of
    }
  }

  private dot(of: Expression): Expression {
    const dot = this.reader.read()
    const name = this.reader.read()
    if (name.type === '*') return this.attributeSplat(of, between(dot, name))
    return withStep(of, this.namedStep(dot, name))
  }

  private namedStep(dot: Token, name: Token): Step {
    const range = between(dot, name)
    if (name.type === 'identifier') return { kind: 'attribute', name: textOf(name), range }
    if (name.type !== 'number') fail('Invalid attribute name', 'An attribute name is required after a dot.', name)
    const [first, second] = textOf(name).split('.')
    if (second !== undefined) {
      const detail = `When using the legacy index syntax, chaining two indexes together is not permitted. Use the proper index syntax instead, like [${first}][${second}].`
      fail('Invalid legacy index syntax', detail, name)
    }
    return { kind: 'index', key: Number(first), range }
  }

  /** `list.*.name`: only attributes follow each item. */
  private attributeSplat(of: Expression, marker: Range): Expression {
    let each: Expression = { kind: 'item', range: marker }
    while (this.reader.peek().type === '.') {
      const dot = this.reader.read()
      each = withStep(each, this.namedStep(dot, this.reader.read()))
    }
    return { kind: 'splat', of, each, marker, range: between(of.range, each.range) }
  }

  private brackets(of: Expression): Expression {
    const open = this.reader.read()
    if (this.reader.taken('*')) {
      const close = this.reader.read()
      if (close.type !== ']') {
        const detail = 'The star for a full splat operator must be immediately followed by a closing bracket ("]").'
        fail('Missing close bracket on splat index', detail, close)
      }
      const marker = between(open, close)
      const each = this.steps({ kind: 'item', range: marker })
      return { kind: 'splat', of, each, marker, range: between(of.range, each.range) }
    }
    const { key, close } = this.reader.withNewlines(false, () => ({
      key: this.expression(),
      close: this.reader.read(),
    }))
    if (close.type !== ']') {
      fail('Missing close bracket on index', 'The index operator must end with a closing bracket ("]").', close)
    }
    const brackets = between(open, close)
    const literal = literalKey(key)
    if (literal !== undefined) return withStep(of, { kind: 'index', key: literal, range: brackets })
    return { kind: 'index', of, key, brackets, range: between(of.range, brackets) }
  }

  private term(): Expression {
    const token = this.reader.read()
    switch (token.type) {
      case '(':
        return this.parentheses(token)
      case 'number':
        return { kind: 'literal', value: Number(textOf(token)), range: token }
      case 'identifier':
        return this.name(token)
      case 'open quote':
        return this.template(token, 'close quote', false)
      case 'open heredoc':
        return this.template(token, 'close heredoc', textOf(token).startsWith('<<-'))
      case 'json string':
        return jsonText(token)
      case '-':
      case '!': {
        const operand = this.steps(this.term())
        return { kind: 'unary', operator: token.type, operand, symbol: token, range: between(token, operand.range) }
      }
      case '[':
        return this.reader.withNewlines(false, () => (this.reader.atWord('for') ? this.for(token) : this.tuple(token)))
      case '{':
        if (this.reader.withNewlines(false, () => this.reader.atWord('for'))) {
          return this.reader.withNewlines(false, () => this.for(token))
        }
        return this.reader.withNewlines(true, () => this.object(token))
      case 'end of file':
        return fail('Missing expression', `${noItem} the end of the file.`, token)
      default:
        return fail('Invalid expression', `${noItem} an invalid expression token.`, token)
    }
  }

  private parentheses(open: Token): Expression {
    return this.reader.withNewlines(false, () => {
      const inner = this.expression()
      const close = this.reader.read()
      if (close.type !== ')') {
        fail('Unbalanced parentheses', 'Expected a closing parenthesis to terminate the expression.', close)
      }
      return { kind: 'parentheses', inner, range: between(open, close) }
    })
  }

  private name(token: Token): Expression {
    const name = textOf(token)
    if (this.reader.peek().type === '(') return this.call(token)
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true', range: token }
    if (name === 'null') return { kind: 'literal', value: null, range: token }
    return { kind: 'variable', name, nameRange: token, steps: [], range: token }
  }

  private call(nameRange: Token): Expression {
    const open = this.reader.read()
    return this.reader.withNewlines(false, () => {
      const items: Expression[] = []
      let expand = false
      while (this.reader.peek().type !== ')') {
        items.push(this.expression())
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

  private tuple(open: Token): Expression {
    const items: Expression[] = []
    while (this.reader.peek().type !== ']') {
      items.push(this.expression())
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

  private object(open: Token): Expression {
    const items: ObjectItem[] = []
    for (;;) {
      while (this.reader.taken('newline'));
      if (this.reader.peek().type === '}') break
      const key = this.expression()
      this.objectEquals(open)
      items.push({ key, value: this.expression() })
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

  private for(open: Token): ForExpression {
    this.reader.read()
    const summary = "Invalid 'for' expression"
    const object = open.type === '{'
    const head = this.forHead(summary, 'For expression')
    const colon = this.reader.read()
    if (colon.type !== ':') fail(summary, 'For expression requires a colon after the collection expression.', colon)
    let value = this.expression()
    let key: Expression | undefined
    if (this.reader.taken('=>')) {
      key = value
      value = this.expression()
    }
    const ellipsis = this.reader.peek()
    const group = this.reader.taken('...')
    let condition: Expression | undefined
    if (this.reader.atWord('if')) {
      this.reader.read()
      condition = this.expression()
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
    const collection = this.expression()
    if (second === undefined) return { valueName: textOf(first), collection }
    return { keyName: textOf(first), valueName: textOf(second), collection }
  }
}

function withStep(of: Expression, step: Step): Expression {
  const range = between(of.range, step.range)
  if (of.kind === 'variable' || of.kind === 'access') return { ...of, steps: [...of.steps, step], range }
  return { kind: 'access', of, steps: [step], range }
}

function literalKey(key: Expression): string | number | undefined {
  if (key.kind === 'literal')
    return typeof key.value === 'number' || typeof key.value === 'string' ? key.value : undefined
  if (key.kind !== 'template' || key.parts.length > 1) return undefined
  const part = key.parts[0]
  if (part === undefined) return ''
  return part.kind === 'literal' && typeof part.value === 'string' ? part.value : undefined
}

/** A string of JSON is a template once its own escapes are read; faults inside it are placed within the string. */
function jsonText(token: Token): Expression {
  let text: string
  try {
    text = JSON.parse(textOf(token)) as string
  } catch {
    return fail(
      'Invalid JSON string',
      'The string holds a control character or an escape that JSON does not know.',
      token,
    )
  }
  if (!/[$%]\{/.test(text)) {
    return { kind: 'template', parts: [{ kind: 'literal', value: text, range: token }], range: token }
  }
  return { ...parseTemplate({ file: token.source.file, text }), range: token }
}
