/** Expressions of HCL, and of JSON with the meaning of HCL. */

import { between } from '../diagnostics.ts'
import type { Range } from '../diagnostics.ts'
import { identifier } from './reader.ts'
import type { Reader } from './reader.ts'
import { heredocStart, parseHeredoc, parseJsonText, parseQuoted } from './templates.ts'
import type { Expression, ForHead, ObjectItem } from './tree.ts'

const operator = /\|\||&&|==|!=|>=|<=|[<>+\-*/%]/y
const precedence: Readonly<Record<string, number>> = {
  '||': 0,
  '&&': 1,
  '==': 2,
  '!=': 2,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
}

/** Reads one expression. */
export function parseExpression(reader: Reader): Expression {
  return reader.nested(() => {
    const condition = parseBinary(reader, 0)
    if (!reader.take('?')) return condition
    const yes = parseExpression(reader)
    reader.expect(':', 'Missing false expression in conditional', 'A colon and the value for false are required.')
    const no = parseExpression(reader)
    return { kind: 'conditional', condition, yes, no, range: between(condition.range, no.range), at: condition.at }
  })
}

function parseBinary(reader: Reader, least: number): Expression {
  let left = parseSteps(reader, parseTerm(reader))
  for (;;) {
    const start = reader.at
    const symbol = reader.match(operator)
    const level = precedence[symbol ?? ''] ?? -1
    if (symbol === undefined || level < least) {
      reader.at = start
      return left
    }
    const right = parseBinary(reader, level + 1)
    left = { kind: 'binary', operator: symbol, left, right, range: between(left.range, right.range), at: left.at }
  }
}

/** `.name`, `[key]`, `.*` and `[*]` behind a term, or only those with dots. */
function parseSteps(reader: Reader, from: Expression, brackets = true): Expression {
  let of = from
  for (;;) {
    if (reader.sees('...') || !(reader.sees('.') || (brackets && reader.sees('[')))) return of
    const start = reader.skip()
    if (reader.take('[')) of = reader.withNewlines(false, () => bracketed(reader, of, start))
    else of = reader.take('.') && reader.take('*') ? splat(reader, of, start, false) : member(reader, of, start)
  }
}

function member(reader: Reader, of: Expression, start: number): Expression {
  const nameStart = reader.skip()
  const name = reader.scan(identifier) ?? reader.scan(/\d+/y)
  if (name === undefined) return reader.fail('Invalid attribute name', 'An attribute name is required after a dot.')
  const value = /^\d/.test(name) ? Number(name) : name
  return indexed(of, literal(value, reader.range(nameStart)), reader.range(start), true)
}

function bracketed(reader: Reader, of: Expression, start: number): Expression {
  const isSplat = reader.take('*')
  const key = isSplat ? undefined : parseExpression(reader)
  reader.expect(']', 'Missing close bracket on index', 'The index must end with a closing bracket.')
  return key === undefined ? splat(reader, of, start, true) : indexed(of, key, reader.range(start), false)
}

function indexed(of: Expression, key: Expression, place: Range, dot: boolean): Expression {
  const range = between(of.range, place)
  return { kind: 'index', of, key, place, dot, range, at: range }
}

/** Behind `[*]` every step applies to each item, behind `.*` only names do. */
function splat(reader: Reader, of: Expression, start: number, full: boolean): Expression {
  const at = reader.range(start)
  const each = parseSteps(reader, { kind: 'item', range: at, at }, full)
  return { kind: 'splat', of, each, range: between(of.range, each.range), at }
}

function parseTerm(reader: Reader): Expression {
  const start = reader.skip()
  if (reader.take('(')) return reader.withNewlines(false, () => parentheses(reader, start))
  if (reader.take('['))
    return reader.withNewlines(false, () =>
      reader.seesWord('for') ? forExpression(reader, start, ']') : tuple(reader, start),
    )
  if (reader.take('{'))
    return reader.withNewlines(false, () =>
      reader.seesWord('for') ? forExpression(reader, start, '}') : object(reader, start),
    )
  if (reader.take('"')) return reader.json ? parseJsonText(reader, start) : parseQuoted(reader, start)
  const heredoc = reader.scan(heredocStart)
  if (heredoc !== undefined) return parseHeredoc(reader, start, heredoc)
  const number = reader.scan(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return literal(Number(number), reader.range(start))
  const sign = reader.scan(/[-!]/y)
  if (sign !== undefined) return unary(reader, sign as '-' | '!', start)
  const name = reader.scan(identifier)
  if (name !== undefined) return named(reader, name, start)
  if (reader.ended) return reader.fail('Missing expression', 'An expression is required before the end of the file.')
  const hint = reader.sees("'") ? ' Strings are enclosed in double quotes.' : ''
  return reader.fail('Invalid expression', `This cannot start an expression.${hint}`)
}

function literal(value: null | boolean | number | string, range: Range): Expression {
  return { kind: 'literal', value, range, at: range }
}

function unary(reader: Reader, sign: '-' | '!', start: number): Expression {
  const at = reader.range(start)
  const operand = reader.nested(() => parseSteps(reader, parseTerm(reader)))
  return { kind: 'unary', operator: sign, operand, range: reader.range(start), at }
}

function named(reader: Reader, name: string, start: number): Expression {
  const range = reader.range(start)
  if (reader.take('(')) return reader.withNewlines(false, () => call(reader, name, start))
  if (name === 'true' || name === 'false') return literal(name === 'true', range)
  return name === 'null' ? literal(null, range) : { kind: 'variable', name, range, at: range }
}

function parentheses(reader: Reader, start: number): Expression {
  const inner = parseExpression(reader)
  reader.expect(')', 'Unbalanced parentheses', 'A closing parenthesis is required here.')
  const range = reader.range(start)
  return { kind: 'parentheses', inner, range, at: range }
}

function call(reader: Reader, name: string, start: number): Expression {
  const at = reader.range(start)
  let expand = false
  const items = list(reader, at, ')', 'function call', 'Missing argument separator', () => {
    if (expand) reader.fail('Missing closing parenthesis', 'Only the last argument may be expanded with "...".')
    const item = parseExpression(reader)
    expand = reader.take('...')
    return item
  })
  return { kind: 'call', name, items, expand, range: reader.range(start), at, close: reader.range(reader.at - 1) }
}

function tuple(reader: Reader, start: number): Expression {
  const at = reader.range(start)
  const items = list(reader, at, ']', 'list', 'Missing item separator', () => parseExpression(reader))
  return { kind: 'tuple', items, range: reader.range(start), at }
}

/** Comma-separated items up to `close`, with a comma allowed behind the last. */
function list<Item>(
  reader: Reader,
  open: Range,
  close: string,
  what: string,
  summary: string,
  parse: () => Item,
): Item[] {
  const items: Item[] = []
  while (!reader.take(close)) {
    items.push(parse())
    if (reader.take(',') || reader.sees(close)) continue
    if (reader.ended) unterminated(reader, open, close, what)
    reader.fail(summary, `A comma or "${close}" is required here.`)
  }
  return items
}

function unterminated(reader: Reader, open: Range, close: string, what: string): never {
  return reader.fail(`Unterminated ${what}`, `"${close}" is missing before the end of the file.`, open)
}

function object(reader: Reader, start: number): Expression {
  const at = reader.range(start)
  const items: ObjectItem[] = []
  while (!reader.take('}')) {
    if (reader.ended) unterminated(reader, at, '}', 'object')
    const key = parseExpression(reader)
    if (reader.sees('==') || !(reader.take('=') || reader.take(':'))) {
      if (reader.ended) unterminated(reader, at, '}', 'object')
      reader.fail('Missing key/value separator', 'An equals sign is required between a key and its value.')
    }
    items.push({ key, value: reader.withNewlines(true, () => parseExpression(reader)) })
    const { at: end } = reader
    if (reader.take(',') || reader.sees('}')) continue
    const isNewLine = /\n/.test(reader.source.text.slice(end, reader.at))
    if (!reader.ended && (reader.json || !isNewLine)) {
      reader.fail('Missing attribute separator', 'A newline or comma is required between the members of an object.')
    }
  }
  return { kind: 'object', items, range: reader.range(start), at }
}

function forExpression(reader: Reader, start: number, close: ']' | '}'): Expression {
  const summary = "Invalid 'for' expression"
  const at = reader.range(start)
  reader.match(identifier)
  const head = parseForHead(reader, summary)
  reader.expect(':', summary, 'A colon is required after the collection.')
  const first = parseExpression(reader)
  const keyed = reader.take('=>')
  const value = keyed ? parseExpression(reader) : first
  const group = reader.take('...')
  if (keyed !== (close === '}') || (group && !keyed)) {
    reader.fail(
      summary,
      close === '}' ? 'An object needs "key => value".' : 'A list takes neither "=>" nor "...".',
      first.range,
    )
  }
  const condition = reader.seesWord('if') && reader.match(identifier) ? parseExpression(reader) : undefined
  reader.expect(close, summary, `"${close}" is required to end the 'for' expression.`)
  return {
    kind: 'for',
    ...head,
    key: keyed ? first : undefined,
    value,
    condition,
    group,
    range: reader.range(start),
    at,
  }
}

/** `key, value in collection`, behind the word `for`. */
export function parseForHead(reader: Reader, summary: string): ForHead {
  const name = (): string =>
    reader.match(identifier) ?? reader.fail(summary, "A variable name is required after 'for'.")
  const first = name()
  const second = reader.take(',') ? name() : undefined
  if (!reader.seesWord('in')) reader.fail(summary, "The word 'in' is required after the names.")
  reader.match(identifier)
  const collection = parseExpression(reader)
  return { keyName: second === undefined ? undefined : first, valueName: second ?? first, collection }
}
