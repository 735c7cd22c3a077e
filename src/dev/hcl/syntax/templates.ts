/** Quoted texts and heredocs, with their interpolations. */

import { parseExpression } from './expressions.ts'
import type { Reader } from './reader.ts'
import type { Expression } from './tree.ts'

/** `<<EOT` or `<<-EOT` up to the end of its line. */
export const heredocStart = /<<-?[\p{ID_Start}_][\p{ID_Continue}-]*\r?\n/uy

const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const lineText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy

/** A text in double quotes, the first of which is read. */
export function parseQuoted(reader: Reader, start: number): Expression {
  const next = (): string => {
    const from = reader.at
    const text = reader.scan(quotedText)
    if (text !== undefined) return unescaped(reader, text, from)
    refuseEnd(reader, start)
    return reader.fail('Use \\n, or a heredoc such as <<EOT, for several lines.', reader.range(from, from + 1))
  }
  return parseTemplate(reader, start, () => reader.scan(/"/y) !== undefined, next)
}

/** A heredoc whose first line is read. `<<-` removes the indentation that its lines share. */
export function parseHeredoc(reader: Reader, start: number, opening: string): Expression {
  const { text } = reader.source
  const end = String.raw`[ \t]*${opening.replace(/^<<-?/, '').trim()}[ \t\r]*(?=\n|$)`
  const [lines = ''] = text.slice(reader.at).split(new RegExp(`^${end}`, 'mu'))
  const indent = new RegExp(`[^\\S\\n]{0,${opening.startsWith('<<-') ? sharedIndent(lines) : 0}}`, 'y')
  const atLineStart = (): boolean => text[reader.at - 1] === '\n'
  const next = (): string => {
    refuseEnd(reader, start)
    if (atLineStart()) reader.scan(indent)
    return (reader.scan(lineText) ?? '').replaceAll(/([$%])\1\{/g, '$1{')
  }
  return parseTemplate(reader, start, () => atLineStart() && reader.scan(new RegExp(end, 'uy')) !== undefined, next)
}

/** Blank lines do not count. */
function sharedIndent(lines: string): number {
  const filled = lines.split('\n').filter((line) => line.trim() !== '')
  return Math.min(1000, ...filled.map((line) => line.length - line.trimStart().length))
}

/** `ends` moves past the end of the template if it is here; `next` reads text up to the next interpolation at most. */
function parseTemplate(reader: Reader, start: number, ends: () => boolean, next: () => string): Expression {
  const parts: Expression[] = []
  while (!ends()) {
    const from = reader.at
    const opening = reader.scan(/[$%]\{/y)
    if (opening === '%{') reader.fail('The local server has no directives such as "%{ if".')
    if (opening !== undefined) parts.push(interpolation(reader))
    else parts.push({ kind: 'literal', value: next(), range: reader.range(from) })
  }
  const range = reader.range(start)
  const filled = parts.filter((part) => part.kind !== 'literal' || part.value !== '')
  const [only] = filled
  // A template that is one interpolation and nothing else keeps the type of its value.
  if (only === undefined || filled.length > 1 || only.kind === 'literal') {
    return { kind: 'template', parts: filled, range }
  }
  return { kind: 'interpolation', inner: only, range }
}

function interpolation(reader: Reader): Expression {
  return reader.withNewlines(false, () => {
    const expression = parseExpression(reader)
    reader.expect('}', 'A closing brace is required here. Write "$${" for a literal "${".')
    return expression
  })
}

function refuseEnd(reader: Reader, start: number): void {
  if (reader.at >= reader.source.text.length) reader.fail('The end of this text is missing.', reader.range(start))
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
