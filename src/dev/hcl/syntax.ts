/** Text of HCL, or of JSON with the meaning of HCL → syntax tree. */

import { SyntaxFailure, between, rangeText } from './diagnostics.ts'
import type { Diagnostic, Range, Source } from './diagnostics.ts'
import { ExpressionParser } from './expressions.ts'
import { readTokens, textOf } from './lexer.ts'
import type { Token } from './lexer.ts'
import { TokenReader, fail } from './token-reader.ts'
import type { Attribute, Block, Body, Expression, Label, RawBody } from './tree.ts'
import { unescapeQuoted } from './strings.ts'

/**
 * A whole file. A text whose first character after blanks is `{` is JSON. Errors of syntax are added to `diagnostics`;
 * what could not be read is then missing from the tree. (contract b.3)
 */
export function parseFile(source: Source, diagnostics: Diagnostic[]): RawBody {
  const json = /^ *\{/.test(source.text)
  const reader = new TokenReader(readTokens(source, json, diagnostics))
  const start = { source, start: 0, end: 0 }
  try {
    if (!json) return new BodyParser(reader, diagnostics).file()
    return { json: onlyExpression(reader) }
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    diagnostics.push(error.diagnostic)
    return { attributes: new Map(), blocks: [], start }
  }
}

/** A text that is one expression, such as the value of a variable given on a command line. */
export function parseExpression(source: Source, diagnostics: Diagnostic[]): Expression | undefined {
  try {
    return onlyExpression(new TokenReader(readTokens(source, false, diagnostics)))
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    diagnostics.push(error.diagnostic)
    return undefined
  }
}

function onlyExpression(reader: TokenReader): Expression {
  const expression = reader.withNewlines(false, () => new ExpressionParser(reader).expression())
  const rest = reader.withNewlines(false, () => reader.peek())
  if (rest.type !== 'end of file') {
    fail(
      'Extra characters after expression',
      'An expression was successfully parsed, but extra characters were found after it.',
      rest,
    )
  }
  return expression
}

const unclosedBlock =
  'There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.'
const itemRequired = 'An argument or block definition is required here.'
const equalsRequired = `${itemRequired} To set an argument, use the equals sign "=" to introduce the argument value.`

class BodyParser {
  private readonly reader: TokenReader
  private readonly expressions: ExpressionParser
  private readonly diagnostics: Diagnostic[]

  constructor(reader: TokenReader, diagnostics: Diagnostic[]) {
    this.reader = reader
    this.expressions = new ExpressionParser(reader)
    this.diagnostics = diagnostics
  }

  file(): Body {
    return this.body('end of file', this.reader.peek())
  }

  private body(end: 'end of file' | '}', start: Range): Body {
    const attributes = new Map<string, Attribute>()
    const blocks: Block[] = []
    for (;;) {
      const token = this.reader.read()
      if (token.type === end) return { attributes, blocks, start: { ...start, end: start.start } }
      if (token.type === 'newline') continue
      if (token.type !== 'identifier') this.noItem(token, start)
      const next = this.reader.peek()
      if (next.type === '=') this.define(attributes, this.attribute(token))
      else if (['open quote', '{', 'identifier'].includes(next.type)) blocks.push(this.block(token))
      else fail('Argument or block definition required', equalsRequired, token)
    }
  }

  private noItem(token: Token, start: Range): never {
    if (token.type === 'open quote') fail('Invalid argument name', 'Argument names must not be quoted.', token)
    if (token.type === 'end of file') fail('Unclosed configuration block', unclosedBlock, start)
    return fail('Argument or block definition required', itemRequired, token)
  }

  private define(attributes: Map<string, Attribute>, attribute: Attribute): void {
    const { name, nameRange } = attribute
    const earlier = attributes.get(name)
    if (earlier === undefined) {
      attributes.set(name, attribute)
    } else {
      const detail = `The argument "${name}" was already set at ${rangeText(earlier.nameRange)}. Each argument may be set only once.`
      this.diagnostics.push({ summary: 'Attribute redefined', detail, range: nameRange })
    }
    const end = this.reader.peek()
    if (end.type === 'newline' || end.type === 'end of file') return
    if (end.type === ',') {
      fail(
        'Unexpected comma after argument',
        'Argument definitions must be separated by newlines, not commas. An argument definition must end with a newline.',
        end,
      )
    }
    fail('Missing newline after argument', 'An argument definition must end with a newline.', end)
  }

  private attribute(name: Token): Attribute {
    this.reader.read()
    return { name: textOf(name), nameRange: name, value: this.expressions.expression() }
  }

  private block(type: Token): Block {
    const labels: Label[] = []
    while (this.reader.peek().type !== '{') labels.push(this.label())
    const open = this.reader.read()
    const oneLine = !['newline', 'end of file', '}'].includes(this.reader.peek().type)
    const body = oneLine ? this.oneLine(open) : this.body('}', open)
    const end = this.reader.peek()
    if (end.type !== 'newline' && end.type !== 'end of file') {
      fail('Missing newline after block definition', 'A block definition must end with a newline.', end)
    }
    return { type: textOf(type), typeRange: type, labels, open, body }
  }

  private label(): Label {
    const token = this.reader.read()
    if (token.type === 'identifier') return { text: textOf(token), range: token }
    if (token.type === 'open quote') return this.quotedLabel(token)
    const summary = 'Invalid block definition'
    if (token.type === '=') {
      fail(
        summary,
        'The equals sign "=" indicates an argument definition, and must not be used when defining a block.',
        token,
      )
    }
    if (token.type === 'newline') {
      fail(
        summary,
        'A block definition must have block content delimited by "{" and "}", starting on the same line as the block header.',
        token,
      )
    }
    return fail(summary, 'Either a quoted string block label or an opening brace ("{") is expected here.', token)
  }

  private quotedLabel(open: Token): Label {
    let text = ''
    for (;;) {
      const token = this.reader.read()
      if (token.type === 'close quote') return { text, range: between(open, token) }
      if (token.type === 'quoted text') {
        text += unescapeQuoted(textOf(token), token)
      } else if (token.type === '${' || token.type === '%{') {
        const mark = token.type[0] as string
        const detail = `Template sequences are not allowed in this string. To include a literal "${mark}", double it (as "${mark}${mark}") to escape it.`
        fail('Invalid string literal', detail, token)
      } else {
        fail('Unterminated string literal', 'Unable to find the closing quote mark before the end of the file.', token)
      }
    }
  }

  /** `name { argument = value }`: the one argument and the brace share a line. */
  private oneLine(open: Token): Body {
    const name = this.reader.read()
    if (name.type !== 'identifier') fail('Argument or block definition required', itemRequired, name)
    const next = this.reader.peek()
    if (['open quote', '{', 'identifier'].includes(next.type)) {
      const detail = `A single-line block definition can contain only a single argument. If you meant to define argument "${textOf(name)}", use an equals sign to assign it a value. To define a nested block, place it on a line of its own within its parent block.`
      fail('Argument definition required', detail, between(name, next))
    }
    if (next.type !== '=') fail('Argument or block definition required', equalsRequired, name)
    const attribute = this.attribute(name)
    const end = this.reader.read()
    if (end.type !== '}') this.oneLineUnclosed(end, open)
    return { attributes: new Map([[attribute.name, attribute]]), blocks: [], start: { ...name, end: name.start } }
  }

  private oneLineUnclosed(end: Token, open: Token): never {
    if (end.type === 'end of file') fail('Unclosed configuration block', unclosedBlock, open)
    const summary = 'Invalid single-argument block definition'
    if (end.type === ',') {
      fail(
        summary,
        'Single-line block syntax can include only one argument definition. To define multiple arguments, use the multi-line block syntax with one argument definition per line.',
        end,
      )
    }
    if (end.type === 'newline') {
      fail(
        summary,
        "An argument definition on the same line as its containing block creates a single-line block definition, which must also be closed on the same line. Place the block's closing brace immediately after the argument definition.",
        end,
      )
    }
    return fail(
      summary,
      'A single-line block definition must end with a closing brace immediately after its single argument definition.',
      end,
    )
  }
}
