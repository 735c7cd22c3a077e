/** Escapes in quoted text, and the shape of templates: directives, trimmed blanks, indented heredocs. */

import { SyntaxFailure, between, quoted, rangeText } from './diagnostics.ts'
import type { Range } from './diagnostics.ts'
import type { Expression, ForExpression } from './tree.ts'

/** A template before its directives are paired. */
export type TemplatePart =
  | TextPart
  | { kind: 'expression'; value: Expression; range: Range }
  | IfPart
  | ForPart
  | { kind: 'else' | 'endif' | 'endfor'; range: Range }

interface TextPart {
  kind: 'text'
  value: string
  range: Range
  startsLine: boolean
}

interface IfPart {
  kind: 'if'
  condition: Expression
  range: Range
}

interface ForPart {
  kind: 'for'
  head: Pick<ForExpression, 'valueName' | 'collection'> & { keyName?: string }
  range: Range
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }
const escape = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))|\$\$\{|%%\{/gu

/** Text between quotes → what it stands for. */
export function unescapeQuoted(text: string, range: Range): string {
  return text.replace(escape, (sequence, short?: string, long?: string, letter?: string, offset = 0) => {
    const code = short ?? long
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    if (letter === undefined) return sequence.slice(1)
    const plain = escapes[letter]
    if (plain !== undefined) return plain
    const start = range.start + Number(offset)
    throw new SyntaxFailure({
      summary: 'Invalid escape sequence',
      detail: escapeDetail(letter),
      range: { source: range.source, start, end: start + sequence.length },
    })
  })
}

function escapeDetail(letter: string): string {
  if (letter === 'u') return 'The \\u escape sequence must be followed by four hexadecimal digits.'
  if (letter === 'U') return 'The \\U escape sequence must be followed by eight hexadecimal digits.'
  return `The symbol ${quoted(letter)} is not a valid escape sequence selector.`
}

/** Text of a heredoc → what it stands for: only `$${` and `%%{` are special. */
export function unescapePlain(text: string): string {
  return text.replaceAll(/\$\$\{|%%\{/g, (sequence) => sequence.slice(1))
}

/** Takes the indentation that all lines share off each, as `<<-` asks; blank lines do not count. */
export function outdent(parts: TemplatePart[]): void {
  const lines = parts.filter((part) => part.kind === 'text' && part.startsLine && !/^\s*\n$/.test(part.value))
  const indents = lines.map((part) => (part.kind === 'text' ? part.value.length - part.value.trimStart().length : 0))
  const shared = Math.min(...indents)
  for (const part of parts) {
    if (part.kind !== 'text' || !part.startsLine || lines.length === 0) continue
    const blank = part.value.length - part.value.replace(/^[^\S\n]+/, '').length
    part.value = part.value.slice(Math.min(shared, blank))
  }
}

/** Pairs `if`, `else`, `endif`, `for` and `endfor`, and joins neighbouring texts. */
export function templateExpressions(parts: readonly TemplatePart[], end: Range): Expression[] {
  return new Pairing(parts, end).run()
}

class Pairing {
  private readonly parts: readonly TemplatePart[]
  private readonly end: Range
  private at = 0

  constructor(parts: readonly TemplatePart[], end: Range) {
    this.parts = parts
    this.end = end
  }

  run(): Expression[] {
    const expressions = this.until()
    const rest = this.parts[this.at]
    if (rest !== undefined) this.unbalanced(rest, 'The control directives within this template are unbalanced.')
    return expressions
  }

  private until(): Expression[] {
    const expressions: Expression[] = []
    for (;;) {
      const part = this.parts[this.at]
      if (part === undefined || part.kind === 'else' || part.kind === 'endif' || part.kind === 'endfor') break
      this.at += 1
      if (part.kind === 'text') expressions.push(this.text(part))
      else if (part.kind === 'expression') expressions.push(part.value)
      else if (part.kind === 'if') expressions.push(this.if(part))
      else if (part.kind === 'for') expressions.push(this.for(part))
    }
    return expressions
  }

  private text(first: TextPart): Expression {
    let { value, range } = first
    for (let next = this.parts[this.at]; next?.kind === 'text'; next = this.parts[this.at]) {
      value += next.value
      range = between(range, next.range)
      this.at += 1
    }
    return { kind: 'literal', value, range }
  }

  private if(open: IfPart): Expression {
    const where = rangeText(open.range)
    const yes = this.until()
    let no: Expression[] = []
    if (this.parts[this.at]?.kind === 'else') {
      this.at += 1
      no = this.until()
      const again = this.parts[this.at]
      if (again?.kind === 'else') this.unbalanced(again, `Already in the else clause for the if started at ${where}.`)
    }
    const close = this.close('if', open.range, `Expecting an endif directive for the if started at ${where}.`)
    return {
      kind: 'conditional',
      condition: open.condition,
      yes: { kind: 'template', parts: yes, range: open.range },
      no: { kind: 'template', parts: no, range: close },
      range: between(open.range, close),
    }
  }

  private for(open: ForPart): Expression {
    const where = rangeText(open.range)
    const parts = this.until()
    const wrong = this.parts[this.at]
    if (wrong?.kind === 'else') this.unbalanced(wrong, 'An else clause is not expected for a for directive.')
    const detail = `Expecting an endfor directive corresponding to the for directive at ${where}.`
    const close = this.close('for', open.range, detail)
    const range = between(open.range, close)
    const value: Expression = { kind: 'template', parts, range: open.range }
    const items: ForExpression = {
      kind: 'for',
      ...open.head,
      value,
      open: open.range,
      group: false,
      object: false,
      range,
    }
    return { kind: 'join', items, range }
  }

  private close(directive: 'if' | 'for', open: Range, detail: string): Range {
    const part = this.parts[this.at]
    if (part === undefined) {
      throw new SyntaxFailure({
        summary: 'Unexpected end of template',
        detail: `The ${directive} directive at ${rangeText(open)} is missing its corresponding end${directive} directive.`,
        range: this.end,
      })
    }
    if (part.kind !== `end${directive}`) this.unbalanced(part, detail)
    this.at += 1
    return part.range
  }

  private unbalanced(part: TemplatePart, detail: string): never {
    throw new SyntaxFailure({ summary: `Unexpected ${part.kind} directive`, detail, range: part.range })
  }
}
