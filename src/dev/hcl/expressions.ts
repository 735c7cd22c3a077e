/** Tokens → expressions. */

import { BracketParser } from './brackets.ts'
import { SyntaxFailure, between } from './diagnostics.ts'
import type { Diagnostic, Range, Source } from './diagnostics.ts'
import { readTemplateTokens, textOf } from './lexer.ts'
import type { Token, TokenType } from './lexer.ts'
import { TemplateParser } from './templates.ts'
import { TokenReader, fail } from './token-reader.ts'
import type { Expression, Step } from './tree.ts'

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
  private readonly brackets: BracketParser
  private readonly templates: TemplateParser

  constructor(reader: TokenReader) {
    this.reader = reader
    this.brackets = new BracketParser(reader, this)
    this.templates = new TemplateParser(reader, this)
  }

  expression(): Expression {
    const condition = this.binary(0)
    if (!this.reader.taken('?')) return condition
    const yes = this.expression()
    const colon = this.reader.read()
    if (colon.type !== ':') {
      const detail = 'The conditional operator (...?...:...) requires a false expression, delimited by a colon.'
      fail('Missing false expression in conditional', detail, colon)
    }
    const no = this.expression()
    return { kind: 'conditional', condition, yes, no, range: between(condition.range, no.range) }
  }

  /** A template up to the token that ends it, which is read. */
  template(open: Range, end: TokenType, flush: boolean): Expression {
    return this.templates.template(open, end, flush)
  }

  /** `key, value in collection`, after the word `for`. */
  forHead(summary: string, subject: string): ReturnType<BracketParser['forHead']> {
    return this.brackets.forHead(summary, subject)
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
      else if (next.type === '[') of = this.bracketed(of)
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

  private bracketed(of: Expression): Expression {
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
        return this.reader.withNewlines(false, () =>
          this.reader.atWord('for') ? this.brackets.for(token) : this.brackets.tuple(token),
        )
      case '{':
        if (this.reader.withNewlines(false, () => this.reader.atWord('for'))) {
          return this.reader.withNewlines(false, () => this.brackets.for(token))
        }
        return this.reader.withNewlines(true, () => this.brackets.object(token))
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
    if (this.reader.peek().type === '(') return this.brackets.call(token)
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true', range: token }
    if (name === 'null') return { kind: 'literal', value: null, range: token }
    return { kind: 'variable', name, nameRange: token, steps: [], range: token }
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

/** A text that is all template, such as a string of JSON; throws {@link SyntaxFailure}. */
function parseTemplate(source: Source): Expression {
  const diagnostics: Diagnostic[] = []
  const reader = new TokenReader(readTemplateTokens(source, diagnostics))
  const expression = new ExpressionParser(reader).template(reader.peek(), 'end of file', false)
  if (diagnostics[0] !== undefined) throw new SyntaxFailure(diagnostics[0])
  return expression
}
