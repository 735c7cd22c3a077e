/** Quoted texts and heredocs, with their interpolations. */

import type { Range } from '../diagnostics.ts'
import { parseExpression } from './expressions.ts'
import type { Reader } from './reader.ts'
import type { Expression } from './tree.ts'

/** `<<EOT` or `<<-EOT` up to the end of its line. */
export const heredocStart = /<<-?[\p{ID_Start}_][\p{ID_Continue}-]*\r?\n/uy

const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const lineText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy

/** A text in double quotes, the first of which is read. */
export function parseQuoted(reader: Reader, start: number): Expression {
  return new TemplateParser(reader, start, quotedText, () => reader.scan(/"/y) !== undefined).parse(false)
}

/** A heredoc whose first line is read. `<<-` removes the indentation that its lines share. */
export function parseHeredoc(reader: Reader, start: number, opening: string): Expression {
  const marker = opening.replace(/^<<-?/, '').trim()
  const { text } = reader.source
  const end = (): boolean => {
    if (text[reader.at - 1] !== '\n') return false
    const newline = text.indexOf('\n', reader.at)
    const line = text.slice(reader.at, newline < 0 ? undefined : newline)
    if (line.trim() !== marker) return false
    reader.at += line.trimEnd().length
    return true
  }
  return new TemplateParser(reader, start, lineText, end).parse(opening.startsWith('<<-'))
}

interface TextPart {
  readonly kind: 'literal'
  value: string
  readonly range: Range
  readonly startsLine: boolean
}

class TemplateParser {
  private readonly reader: Reader
  private readonly start: number
  private readonly pattern: RegExp
  private readonly ends: () => boolean
  private readonly texts: TextPart[] = []
  private startsLine: boolean

  /** `ends` moves past the end of the template if it is here. */
  constructor(reader: Reader, start: number, pattern: RegExp, ends: () => boolean) {
    this.reader = reader
    this.start = start
    this.pattern = pattern
    this.ends = ends
    this.startsLine = pattern === lineText
  }

  /** A template that is one interpolation and nothing else keeps the type of its value. */
  parse(outdents: boolean): Expression {
    const parts: Expression[] = []
    while (!this.ends()) {
      const start = this.reader.at
      const opening = this.reader.scan(/[$%]\{/y)
      if (opening === undefined) parts.push(this.text())
      else {
        if (this.startsLine) parts.push(this.added('', start))
        this.startsLine = false
        if (opening === '%{') this.reader.fail('The local server has no directives such as "%{ if".')
        parts.push(this.interpolation())
      }
    }
    if (outdents) outdent(this.texts)
    const range = this.reader.range(this.start)
    const filled = parts.filter((part) => part.kind !== 'literal' || part.value !== '')
    const [only] = filled
    if (only === undefined || filled.length > 1 || only.kind === 'literal') {
      return { kind: 'template', parts: filled, range }
    }
    return { kind: 'interpolation', inner: only, range }
  }

  private text(): Expression {
    const start = this.reader.at
    const text = this.reader.scan(this.pattern)
    if (!text) {
      if (start >= this.reader.source.text.length) {
        this.reader.fail('The end of this text is missing.', this.reader.range(this.start))
      }
      this.reader.fail('Use \\n, or a heredoc such as <<EOT, for several lines.', this.reader.range(start, start + 1))
    }
    const value = this.pattern === quotedText ? unescaped(this.reader, text, start) : withoutDoubled(text)
    return this.added(value, start, text.endsWith('\n') && this.pattern === lineText)
  }

  private added(value: string, start: number, endsLine = false): Expression {
    const part: TextPart = { kind: 'literal', value, range: this.reader.range(start), startsLine: this.startsLine }
    this.startsLine = endsLine
    this.texts.push(part)
    return part
  }

  private interpolation(): Expression {
    return this.reader.withNewlines(false, () => {
      const expression = parseExpression(this.reader)
      this.reader.expect('}', 'A closing brace is required here. Write "$${" for a literal "${".')
      return expression
    })
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }
const escape = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))|\$\$\{|%%\{/gu

/** Text between quotes, which starts at `start`, with its escapes resolved. */
function unescaped(reader: Reader, text: string, start: number): string {
  return text.replaceAll(escape, (sequence, short?: string, long?: string, letter?: string, offset = 0) => {
    const code = Number.parseInt(short ?? long ?? '', 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    if (letter === undefined && long === undefined) return sequence.slice(1)
    const place = reader.range(start + Number(offset), start + Number(offset) + sequence.length)
    return escapes[letter ?? ''] ?? reader.fail(`"${sequence}" is not an escape sequence.`, place)
  })
}

/** Text of a heredoc, where only `$${` and `%%{` are special. */
function withoutDoubled(text: string): string {
  return text.replaceAll(/([$%])\1\{/g, '$1{')
}

/** Removes the indentation that all lines share; blank lines do not count. */
function outdent(texts: readonly TextPart[]): void {
  const starts = texts.filter((part) => part.startsLine)
  const lines = starts.filter((part) => !/^\s*\n$/.test(part.value))
  const shared = Math.min(...lines.map((part) => part.value.length - part.value.trimStart().length))
  for (const part of starts) {
    const blank = part.value.length - part.value.replace(/^[^\S\n]+/, '').length
    part.value = part.value.slice(Math.min(shared, blank))
  }
}
