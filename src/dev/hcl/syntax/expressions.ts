/** Expressions of HCL. */

import { between } from '../diagnostics.ts'
import type { Range } from '../diagnostics.ts'
import { identifier } from './reader.ts'
import type { Reader } from './reader.ts'
import { heredocStart, parseHeredoc, parseQuoted } from './templates.ts'
import type { Expression, ObjectItem } from './tree.ts'

const mostSteps = 100

/** Reads one expression. The local server has no operators: `1 + 2` ends after the 1. */
export function parseExpression(reader: Reader): Expression {
  return reader.nested(() => parseSteps(reader, parseTerm(reader)))
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
  const start = reader.skip()
  const name = reader.scan(identifier) ?? reader.scan(/\d+/y) ?? reader.fail('A name is required after a dot.')
  const key = literal(/^\d/.test(name) ? Number(name) : name, reader.range(start))
  return { kind: 'index', of, key, dot: true, range: between(of.range, key.range) }
}

function bracketed(reader: Reader, of: Expression, start: number): Expression {
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
  if (reader.take('"')) return parseQuoted(reader, start)
  const heredoc = reader.scan(heredocStart)
  if (heredoc !== undefined) return parseHeredoc(reader, start, heredoc)
  const number = reader.scan(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return literal(Number(number), reader.range(start))
  const name = reader.scan(identifier)
  if (name !== undefined) return named(reader, name, start)
  return reader.fail(`An expression is required here.${reader.sees("'") ? ' Texts are in double quotes.' : ''}`)
}

function literal(value: null | boolean | number | string, range: Range): Expression {
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

function tuple(reader: Reader, start: number): Expression {
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
  const items: ObjectItem[] = []
  while (!reader.take('}')) {
    const key = parseExpression(reader)
    if (!reader.take('=')) reader.expect(':', 'An equals sign is required between a key and its value.')
    items.push({ key, value: reader.withNewlines(true, () => parseExpression(reader)) })
    if (reader.take(',') || reader.sees('}') || startsLine(reader)) continue
    reader.fail('A newline or comma is required between the members of an object.')
  }
  return { kind: 'object', items, range: reader.range(start) }
}

/** Whether the next token is on another line. */
function startsLine(reader: Reader): boolean {
  const before = reader.at
  return reader.source.text.slice(before, reader.skip()).includes('\n')
}
