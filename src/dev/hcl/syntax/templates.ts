/** Quoted texts and heredocs, with their interpolations and directives. */

import type { Range } from '../diagnostics.ts'
import { parseExpression, parseForHead } from './expressions.ts'
import { Reader, identifier } from './reader.ts'
import { outdent, unescapedMarkers, unescapedText } from './text.ts'
import type { TextPart } from './text.ts'
import type { Expression } from './tree.ts'

/** `<<EOT` or `<<-EOT` up to the end of its line. */
export const heredocStart = /<<-?[\p{ID_Start}_][\p{ID_Continue}-]*\r?\n/uy

const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const lineText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy
const anyText = /(?:\$\$\{|%%\{|(?![$%]\{)[^])+/uy

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

/** A string of JSON is a template once its own escapes are resolved; faults inside it are placed within the string. */
export function parseJsonText(reader: Reader, start: number): Expression {
  const rest = reader.scan(/(?:[^"\\\n]|\\.)*"/y)
  const range = reader.range(start)
  let text: string
  try {
    text = JSON.parse(`"${rest ?? ''}`) as string
  } catch {
    return reader.fail(
      'Invalid JSON string',
      'The string is unterminated, or has an invalid character or escape.',
      range,
    )
  }
  if (!/[$%]\{/.test(text))
    return { kind: 'template', parts: [{ kind: 'literal', value: text, range, at: range }], range, at: range }
  const inner = new Reader({ file: reader.source.file, text }, false)
  return { ...new TemplateParser(inner, 0, anyText, () => inner.at >= text.length).parse(false), range }
}

class TemplateParser {
  private readonly reader: Reader
  private readonly start: number
  private readonly pattern: RegExp
  private readonly ends: () => boolean
  private readonly texts: TextPart[] = []
  /** The text right before the position, which `~` may trim. */
  private previous: TextPart | undefined
  private trims = false
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
    const { parts, stop } = this.parts()
    if (stop !== undefined) this.unexpected(stop)
    if (outdents) outdent(this.texts)
    const range = this.reader.range(this.start)
    const filled = parts.filter((part) => part.kind !== 'literal' || part.value !== '')
    const [only] = filled
    if (only !== undefined && filled.length === 1 && only.kind !== 'literal') {
      return { kind: 'parentheses', inner: only, range, at: range }
    }
    return { kind: 'template', parts: filled, range, at: only?.at ?? range }
  }

  /** Up to the end, or to a directive that closes or divides another. */
  private parts(): { parts: Expression[]; stop?: Directive } {
    const parts: Expression[] = []
    for (;;) {
      if (this.ends()) return { parts }
      const start = this.reader.at
      const opening = this.reader.scan(/[$%]\{~?/y)
      if (opening === undefined) {
        parts.push(this.text())
        continue
      }
      if (this.startsLine) parts.push(this.added('', start))
      this.startsLine = false
      if (opening.endsWith('~') && this.previous !== undefined) this.previous.value = this.previous.value.trimEnd()
      this.previous = undefined
      if (opening.startsWith('$')) parts.push(this.sequence(start, () => parseExpression(this.reader)))
      else {
        const directive = this.directive(start)
        if (!('expression' in directive)) return { parts, stop: directive }
        parts.push(directive.expression)
      }
    }
  }

  private text(): Expression {
    const start = this.reader.at
    const text = this.reader.scan(this.pattern)
    if (!text) {
      const { source } = this.reader
      const place = this.reader.range(start, Math.min(start + 1, source.text.length))
      if (start < source.text.length) {
        this.reader.fail('Invalid multi-line string', 'Use \\n, or a heredoc such as <<EOT, for several lines.', place)
      }
      this.reader.fail(
        'Unterminated template string',
        'The end of the string is missing.',
        this.reader.range(this.start),
      )
    }
    const value = this.pattern === quotedText ? unescapedText(this.reader, text, start) : unescapedMarkers(text)
    return this.added(value, start, text.endsWith('\n') && this.pattern === lineText)
  }

  private added(value: string, start: number, endsLine = false): Expression {
    const range = this.reader.range(start)
    const part: TextPart = {
      kind: 'literal',
      value: this.trims ? value.trimStart() : value,
      range,
      at: range,
      startsLine: this.startsLine,
    }
    this.trims = false
    this.startsLine = endsLine
    this.texts.push(part)
    this.previous = part
    return part
  }

  /** Runs `parse` up to the closing brace, which may ask to trim what follows. */
  private sequence<Result>(start: number, parse: () => Result): Result {
    return this.reader.withNewlines(false, () => {
      const result = parse()
      const closing = this.reader.match(/~?\}/y)
      if (closing === undefined) {
        const place = this.reader.ended ? this.reader.range(start) : undefined
        const detail = 'A closing brace is required here. Write "$${" for a literal "${".'
        this.reader.fail(
          place ? 'Unclosed template interpolation sequence' : 'Extra characters after interpolation expression',
          detail,
          place,
        )
      }
      this.trims = closing === '~}'
      return result
    })
  }

  private directive(start: number): { expression: Expression } | Directive {
    let name = ''
    const head = this.sequence(start, () => {
      const wordStart = this.reader.skip()
      name = this.reader.scan(identifier) ?? ''
      if (name === 'if') return parseExpression(this.reader)
      if (name === 'for') return parseForHead(this.reader, "Invalid 'for' directive")
      if (name === 'else' || name === 'endif' || name === 'endfor') return undefined
      this.reader.at = wordStart
      return this.reader.fail('Invalid template directive', 'Directives are "if", "else", "endif", "for" and "endfor".')
    })
    const range = this.reader.range(start)
    if (head === undefined) return { name, range }
    const expression = this.reader.nested(() => ('kind' in head ? this.if(head, range) : this.for(head, range)))
    return { expression }
  }

  private if(condition: Expression, open: Range): Expression {
    const yes = this.parts()
    const no = yes.stop?.name === 'else' ? this.parts() : { parts: [], stop: yes.stop }
    const range = this.closed('endif', no.stop, open)
    return {
      kind: 'conditional',
      condition,
      yes: template(yes.parts, open),
      no: template(no.parts, range),
      range,
      at: condition.at,
    }
  }

  private for(head: ReturnType<typeof parseForHead>, open: Range): Expression {
    const body = this.parts()
    const range = this.closed('endfor', body.stop, open)
    const value = template(body.parts, open)
    const items: Expression = {
      kind: 'for',
      ...head,
      key: undefined,
      value,
      condition: undefined,
      group: false,
      range,
      at: open,
    }
    return { kind: 'join', items, range, at: open }
  }

  private closed(name: string, stop: Directive | undefined, open: Range): Range {
    if (stop === undefined) {
      this.reader.fail('Unexpected end of template', `The directive needs a matching "%{ ${name} }".`, open)
    }
    if (stop.name !== name) this.unexpected(stop)
    return { ...open, end: stop.range.end }
  }

  private unexpected({ name, range }: Directive): never {
    return this.reader.fail(`Unexpected ${name} directive`, 'The directives of this template do not match.', range)
  }
}

interface Directive {
  readonly name: string
  readonly range: Range
}

function template(parts: readonly Expression[], range: Range): Expression {
  return { kind: 'template', parts, range, at: range }
}
