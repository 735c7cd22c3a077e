/** Tokens of a quoted text or heredoc → one expression. */

import { between } from './diagnostics.ts'
import type { Range } from './diagnostics.ts'
import type { ExpressionParser } from './expressions.ts'
import { textOf } from './lexer.ts'
import type { Token, TokenType } from './lexer.ts'
import { outdent, templateExpressions, unescapePlain, unescapeQuoted } from './strings.ts'
import type { TemplatePart } from './strings.ts'
import { fail } from './token-reader.ts'
import type { TokenReader } from './token-reader.ts'
import type { Expression } from './tree.ts'

export class TemplateParser {
  private readonly reader: TokenReader
  private readonly expressions: ExpressionParser

  constructor(reader: TokenReader, expressions: ExpressionParser) {
    this.reader = reader
    this.expressions = expressions
  }

  /**
   * Reads up to and including the `end` token. `flush` takes off the indentation that the lines share. A template that is
   * nothing but one interpolation keeps the type of its value.
   */
  template(open: Range, end: TokenType, flush: boolean): Expression {
    const { parts, close } = this.parts(open, end)
    if (flush) outdent(parts)
    const range = between(open, close)
    const only = parts.filter((part) => part.kind !== 'text' || part.value !== '')
    if (only.length === 1 && only[0]?.kind === 'expression') return { kind: 'wrap', inner: only[0].value, range }
    return { kind: 'template', parts: templateExpressions(parts, close), range }
  }

  private parts(open: Range, end: TokenType): { parts: TemplatePart[]; close: Token } {
    const parts: TemplatePart[] = []
    let trimNext = false
    let startsLine = end === 'close heredoc'
    for (;;) {
      const token = this.reader.withNewlines(true, () => this.reader.read())
      if (token.type === end) return { parts, close: token }
      if (token.type === 'quoted text' || token.type === 'heredoc text') {
        const text = textOf(token)
        const value = token.type === 'quoted text' ? unescapeQuoted(text, token) : unescapePlain(text)
        parts.push({ kind: 'text', value: trimNext ? value.trimStart() : value, range: token, startsLine })
        startsLine = token.type === 'heredoc text' && text.endsWith('\n')
        trimNext = false
        continue
      }
      if (token.type !== '${' && token.type !== '%{') {
        fail('Unterminated template string', 'No closing marker was found for the string.', between(open, token))
      }
      if (startsLine) parts.push({ kind: 'text', value: '', range: token, startsLine })
      startsLine = false
      const previous = parts.at(-1)
      if (textOf(token).endsWith('~') && previous?.kind === 'text') previous.value = previous.value.trimEnd()
      trimNext = this.sequence(token, open, parts)
    }
  }

  /** `${…}` or `%{…}`; true when its closing brace asks to trim what follows. */
  private sequence(start: Token, open: Range, parts: TemplatePart[]): boolean {
    return this.reader.withNewlines(false, () => {
      if (start.type === '${') {
        const value = this.expressions.expression()
        const close = this.reader.peek()
        if (close.type !== 'template end') this.unclosed(close, open)
        parts.push({ kind: 'expression', value, range: between(start, close) })
      } else {
        this.directive(start, parts)
      }
      return textOf(this.reader.read()).startsWith('~')
    })
  }

  private directive(start: Token, parts: TemplatePart[]): void {
    const keyword = this.reader.read()
    const name = keyword.type === 'identifier' ? textOf(keyword) : ''
    if (name === 'if') {
      const condition = this.expressions.expression()
      parts.push({ kind: 'if', condition, range: between(start, this.reader.peek()) })
    } else if (name === 'for') {
      const head = this.expressions.forHead("Invalid 'for' directive", 'For directive')
      parts.push({ kind: 'for', head, range: between(start, this.reader.peek()) })
    } else if (name === 'else' || name === 'endif' || name === 'endfor') {
      parts.push({ kind: name, range: between(start, this.reader.peek()) })
    } else if (name === '') {
      const detail = 'A template directive keyword ("if", "for", etc) is expected at the beginning of a %{ sequence.'
      fail('Invalid template directive', detail, keyword)
    } else {
      fail('Invalid template control keyword', `"${name}" is not a valid template control keyword.`, keyword)
    }
    const close = this.reader.peek()
    if (close.type === 'template end') return
    fail(
      'Extra characters in ' + name + ' marker',
      'Expected a closing brace to end the ' + name + ' marker, but found extra characters.',
      close,
    )
  }

  private unclosed(close: Token, open: Range): never {
    const unclosed = 'Unclosed template interpolation sequence'
    const nesting = 'This might be caused by incorrect nesting inside the given expression.'
    if (close.type === 'end of file') {
      fail(
        unclosed,
        `There is no closing brace for this interpolation sequence before the end of the file. ${nesting}`,
        open,
      )
    }
    if (close.type === 'open quote' || close.type === 'close quote') {
      const detail = `There is no closing brace for this interpolation sequence before the end of the quoted template. ${nesting}`
      fail(unclosed, detail, open)
    }
    const extra = 'Extra characters after interpolation expression'
    if (close.type === ':') {
      const detail =
        'Template interpolation doesn\'t expect a colon at this location. Did you intend this to be a literal sequence to be processed as part of another language? If so, you can escape it by starting with "$${" instead of just "${".'
      fail(extra, detail, close)
    }
    const detail =
      'Expected a closing brace to end the interpolation expression, but found extra characters.\n\nThis can happen when you include interpolation syntax for another language, such as shell scripting, but forget to escape the interpolation start token. If this is an embedded sequence for another language, escape it by starting with "$${" instead of just "${".'
    return fail(extra, detail, close)
  }
}
