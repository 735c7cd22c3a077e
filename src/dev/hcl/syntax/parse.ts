/** The text of a job file or of variables → its syntax tree. */

import { SyntaxFailure, rangeText } from '../diagnostics.ts'
import type { Diagnostic, Range, Source } from '../diagnostics.ts'
import { parseExpression } from './expressions.ts'
import { Reader, identifier } from './reader.ts'
import { parseQuoted } from './templates.ts'
import type { Attribute, Block, Body, Expression, Label, RawBody } from './tree.ts'
import { expressionsIn, literalText } from './tree.ts'

const longest = 4 * 1024 * 1024
const deepest = 1000

/**
 * A whole file; one that starts with `{`, perhaps behind spaces, is JSON. Gives the diagnostic of a file that cannot be
 * read.
 */
export function parseFile(source: Source): RawBody | Diagnostic {
  const reader = new Reader(source, /^ *\{/.test(source.text))
  return attempt(() => {
    if (source.text.length > longest) reader.fail('File too large', `At most ${longest} characters are supported.`)
    if (!reader.json) return body(reader, undefined)
    return { json: wholeExpression(reader) }
  })
}

/** A text that is one expression, such as the value of a variable given on a command line. */
export function parseExpressionText(source: Source): Expression | Diagnostic {
  const reader = new Reader(source, false)
  return attempt(() => reader.withNewlines(false, () => wholeExpression(reader)))
}

function attempt<Result>(parse: () => Result): Result | Diagnostic {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SyntaxFailure) return error.diagnostic
    throw error
  }
}

function wholeExpression(reader: Reader): Expression {
  const expression = checked(reader, parseExpression(reader))
  if (!reader.ended) reader.fail('Extra characters after expression', 'The expression ends before this.')
  return expression
}

/** Long chains of operators nest without brackets. */
function checked(reader: Reader, root: Expression): Expression {
  for (const { expression, depth } of expressionsIn(root)) {
    if (depth > deepest) reader.fail('Expression too long', 'Break the expression up with locals.', expression.range)
  }
  return root
}

const itemRequired = 'An argument or block is required here.'

/** The arguments and blocks up to the brace that closes `open`, or up to the end of the file. */
function body(reader: Reader, open: Range | undefined): Body {
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  const start = open ?? reader.range(0, 0)
  for (;;) {
    while (reader.match(/\r?\n/y) !== undefined);
    if (open !== undefined && reader.take('}')) break
    if (reader.ended) {
      if (open === undefined) break
      reader.fail('Unclosed configuration block', 'The closing brace of this block is missing.', open)
    }
    item(reader, attributes, blocks)
    if (reader.sees(',')) reader.fail('Unexpected comma after argument', 'Arguments are separated by newlines.')
    if (reader.atLineEnd) continue
    reader.fail(
      `Missing newline after ${reader.source.text[reader.at - 1] === '}' ? 'block definition' : 'argument'}`,
      'Start the next argument or block on a line of its own.',
    )
  }
  return { attributes, blocks, start: { ...start, end: start.start } }
}

function item(reader: Reader, attributes: Map<string, Attribute>, blocks: Block[]): void {
  const start = reader.skip()
  const name = reader.scan(identifier)
  if (name === undefined)
    reader.fail('Argument or block definition required', `${itemRequired} Its name takes no quotes.`)
  const nameRange = reader.range(start)
  if (reader.sees('=')) define(reader, attributes, attribute(reader, name, nameRange))
  else if (/["{\p{ID_Start}_]/u.test(reader.source.text[reader.skip()] ?? '')) {
    blocks.push(reader.nested(() => block(reader, name, nameRange)))
  } else reader.fail('Argument or block definition required', `${itemRequired} Set an argument with "=".`, nameRange)
}

function define(reader: Reader, attributes: Map<string, Attribute>, added: Attribute): void {
  const earlier = attributes.get(added.name)
  if (earlier !== undefined) {
    const detail = `The argument "${added.name}" was already set at ${rangeText(earlier.nameRange)}.`
    reader.fail('Attribute redefined', detail, added.nameRange)
  }
  attributes.set(added.name, added)
}

function attribute(reader: Reader, name: string, nameRange: Range): Attribute {
  reader.take('=')
  return { name, nameRange, value: checked(reader, parseExpression(reader)) }
}

function block(reader: Reader, type: string, typeRange: Range): Block {
  const labels: Label[] = []
  while (!reader.sees('{')) labels.push(label(reader))
  const start = reader.skip()
  reader.take('{')
  const open = reader.range(start)
  const oneLine = !reader.atLineEnd && !reader.sees('}')
  return { type, typeRange, labels, open, body: oneLine ? singleArgument(reader, open) : body(reader, open) }
}

function label(reader: Reader): Label {
  const start = reader.skip()
  const name = reader.scan(identifier)
  if (name !== undefined) return { text: name, range: reader.range(start) }
  if (!reader.take('"')) reader.fail('Invalid block definition', 'A label in quotes or "{" is required here.')
  const quoted = parseQuoted(reader, start)
  const { range } = quoted
  const text = literalText(quoted)
  return { text: text ?? reader.fail('Invalid string literal', 'A label cannot contain "${…}".', range), range }
}

/** `name { argument = value }`: the one argument and the brace share a line. */
function singleArgument(reader: Reader, open: Range): Body {
  const start = reader.skip()
  const name = reader.scan(identifier)
  if (name === undefined) reader.fail('Argument or block definition required', itemRequired)
  const nameRange = reader.range(start)
  if (!reader.sees('=')) {
    reader.fail(
      'Argument definition required',
      'A block on one line takes only one argument. Put a nested block on lines of its own.',
      nameRange,
    )
  }
  const only = attribute(reader, name, nameRange)
  if (reader.ended) reader.fail('Unclosed configuration block', 'The closing brace of this block is missing.', open)
  reader.expect(
    '}',
    'Invalid single-argument block definition',
    'A block on one line takes only one argument and ends on that line.',
  )
  return { attributes: new Map([[name, only]]), blocks: [], start: { ...nameRange, end: nameRange.start } }
}
