import { between, type Range } from '../diagnostics.ts'
import type { JsonNumber } from '../../../core/json.ts'
import { numberFrom } from '../evaluation/evaluate.ts'
import { identifier, type Reader } from './reader.ts'
import type { Expression, ObjectItem } from './tree.ts'

const mostSteps = 100

/** Reads one expression. */
export function parseExpression(reader: Reader): Expression {
  return reader.nested(() => {
    const expression = parseSteps(reader, parseTerm(reader))
    refuse(reader, /(?:[=!<>]=|&&|\|\||[-+*/%<>?])/y, 'operators')
    return expression
  })
}

/** Refuses what real servers know and this one doesn't, if it comes next. */
function refuse(reader: Reader, pattern: RegExp, name: string): void {
  const found = reader.match(pattern)
  if (found === undefined) return
  reader.fail(`The local server has no ${name} such as "${found}".`, reader.range(reader.at - found.length))
}

/** `.name` and `[key]` behind a term. */
function parseSteps(reader: Reader, from: Expression): Expression {
  let of = from
  for (let steps = 0; reader.sees('.') || reader.sees('['); steps += 1) {
    if (steps === mostSteps) reader.fail(`At most ${mostSteps} names and indexes are supported in a row.`)
    const start = reader.skip()
    const inner = of
    if (reader.take('[')) of = reader.withNewlines(false, () => bracketed(reader, inner, start))
    else of = reader.take('.') ? member(reader, of) : of
  }
  return of
}

function member(reader: Reader, of: Expression): Expression {
  refuse(reader, /\*/y, 'splat expressions')
  const start = reader.skip()
  const name = reader.scan(identifier) ?? reader.scan(/\d+/y) ?? reader.fail('A name is required after a dot.')
  const key = literal(/^\d/.test(name) ? Number(name) : name, reader.range(start))
  return { kind: 'index', of, key, dot: true, range: between(of.range, key.range) }
}

function bracketed(reader: Reader, of: Expression, start: number): Expression {
  refuse(reader, /\*/y, 'splat expressions')
  const key = parseExpression(reader)
  reader.expect(']', 'The index must end with a closing bracket.')
  return { kind: 'index', of, key, dot: false, range: between(of.range, reader.range(start)) }
}

function parseTerm(reader: Reader): Expression {
  const start = reader.skip()
  const within = (parse: (reader: Reader, start: number) => Expression): Expression =>
    reader.withNewlines(false, () => parse(reader, start))
  if (reader.take('[')) return within(tuple)
  if (reader.take('{')) return within(object)
  if (reader.take('(')) return within(parenthesized)
  if (reader.take('"')) return parseQuoted(reader, start)
  const heredoc = reader.scan(heredocStart)
  if (heredoc !== undefined) return parseHeredoc(reader, start, heredoc)
  const number = reader.scan(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return literal(numberFrom(number), reader.range(start))
  refuse(reader, /[-!]/y, 'operators')
  const name = reader.scan(identifier)
  if (name !== undefined) return named(reader, name, start)
  return reader.fail(`An expression is required here.${reader.sees("'") ? ' Texts are in double quotes.' : ''}`)
}

function literal(value: null | boolean | number | JsonNumber | string, range: Range): Expression {
  return { kind: 'literal', value, range }
}

function named(reader: Reader, name: string, start: number): Expression {
  const range = reader.range(start)
  if (reader.take('(')) return reader.withNewlines(false, () => call(reader, name, start))
  if (name === 'true' || name === 'false') return literal(name === 'true', range)
  return name === 'null' ? literal(null, range) : { kind: 'variable', name, range }
}

function call(reader: Reader, name: string, start: number): Expression {
  const items = list(reader, ')', () => parseExpression(reader))
  return { kind: 'call', name, items, range: reader.range(start) }
}

function parenthesized(reader: Reader, start: number): Expression {
  const inner = parseExpression(reader)
  reader.expect(')', 'A closing parenthesis is required here.')
  return { kind: 'interpolation', inner, range: reader.range(start) }
}

const forStart = /for\s+[\p{ID_Start}_][\p{ID_Continue}-]*\s*(?:,|in\b)/uy

function tuple(reader: Reader, start: number): Expression {
  refuse(reader, forStart, 'expressions')
  const items = list(reader, ']', () => parseExpression(reader))
  return { kind: 'tuple', items, range: reader.range(start) }
}

/** Comma-separated items up to `close`, with a comma allowed behind the last. */
function list<Item>(reader: Reader, close: string, parse: () => Item): Item[] {
  const items: Item[] = []
  while (!reader.take(close)) {
    items.push(parse())
    if (!reader.take(',') && !reader.sees(close)) reader.fail(`A comma or "${close}" is required here.`)
  }
  return items
}

function object(reader: Reader, start: number): Expression {
  refuse(reader, forStart, 'expressions')
  const items: ObjectItem[] = []
  while (!reader.take('}')) {
    const key = parseExpression(reader)
    if (!reader.take('=')) reader.expect(':', 'An equals sign is required between a key and its value.')
    items.push({ key, value: reader.withNewlines(true, () => parseExpression(reader)) })
    if (reader.take(',') || reader.sees('}') || startsLine(reader) || reader.source.legacy === true) continue
    reader.fail('A newline or comma is required between the members of an object.')
  }
  return { kind: 'object', items, range: reader.range(start) }
}

/** Whether the next token is on another line. */
function startsLine(reader: Reader): boolean {
  const before = reader.at
  return reader.source.text.slice(before, reader.skip()).includes('\n')
}

/** `<<EOT` or `<<-EOT` up to the end of its line. */
const heredocStart = /<<-?[\p{ID_Start}_][\p{ID_Continue}-]*\r?\n/uy

/** In HCL 1, `${…}` is part of the text, and may contain quotes. */
const legacyText = /(?:\$\{(?:[^{}"\n]|"[^"\n]*")*\}|\\[^\n]|[^"\\\n])+/uy
const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const lineText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy

/** A text in double quotes, the first of which is read. */
export function parseQuoted(reader: Reader, start: number): Expression {
  const next = (): string => {
    const from = reader.at
    const text = reader.scan(reader.source.legacy === true ? legacyText : quotedText)
    if (text !== undefined) return unescaped(reader, text, from)
    refuseEnd(reader, start)
    return reader.fail('Use \\n, or a heredoc such as <<EOT, for several lines.', reader.range(from, from + 1))
  }
  return parseTemplate(reader, start, () => reader.scan(/"/y) !== undefined, next)
}

/** A heredoc whose first line is read. `<<-` removes the indentation that its lines share. */
function parseHeredoc(reader: Reader, start: number, opening: string): Expression {
  const { text } = reader.source
  const end = String.raw`[ \t]*${opening.replace(/^<<-?/, '').trim()}[ \t\r]*(?=\n|$)`
  const [lines = ''] = text.slice(reader.at).split(new RegExp(`^${end}`, 'mu'))
  // A blank line keeps its blanks.
  const indent = new RegExp(`(?![^\\S\\n]*\\n)[^\\S\\n]{0,${opening.startsWith('<<-') ? sharedIndent(lines) : 0}}`, 'y')
  const atLineStart = (): boolean => text[reader.at - 1] === '\n'
  const next = (): string => {
    refuseEnd(reader, start)
    if (atLineStart()) reader.scan(indent)
    if (reader.source.legacy === true) return reader.scan(/[^\n]*\n?/y) ?? ''
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
    const opening = reader.source.legacy === true ? undefined : reader.scan(/[$%]\{/y)
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
    if (letter === undefined && long === undefined) return reader.source.legacy === true ? sequence : sequence.slice(1)
    const place = reader.range(start + Number(offset), start + Number(offset) + sequence.length)
    return escapes[letter ?? ''] ?? reader.fail(`"${sequence}" is not an escape sequence.`, place)
  })
}
