/** The text of a job file or of variables → its syntax tree. */

import { fail, rangeText, type Range, type Source } from '../diagnostics.ts'
import { parseExpression, parseQuoted } from './expressions.ts'
import { Reader, identifier } from './reader.ts'
import { literalText, type Attribute, type Block, type Body, type Label } from './tree.ts'

/** A whole file. Throws {@link HclError}. */
export function parseFile(source: Source): Body {
  return body(new Reader(source), undefined)
}

/** The arguments and blocks up to the brace that closes `open`, or up to the end of the file. */
function body(reader: Reader, open: Range | undefined): Body {
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  for (;;) {
    while (reader.match(/\r?\n/y) !== undefined);
    if (open === undefined ? reader.ended : reader.take('}')) break
    if (open !== undefined && reader.ended) reader.fail('The closing brace of this block is missing.', open)
    item(reader, attributes, blocks)
    if (reader.source.legacy === true) reader.take(',')
    else if (!reader.atLineEnd) reader.fail('Start the next argument or block on a line of its own.')
  }
  const { start } = open ?? reader.range(0)
  return { attributes, blocks, start: reader.range(start, start) }
}

function item(reader: Reader, attributes: Map<string, Attribute>, blocks: Block[]): void {
  const start = reader.skip()
  const quoted = reader.source.legacy === true ? reader.match(/"[^"\\\n]+"/y) : undefined
  const name =
    quoted?.slice(1, -1) ?? reader.expectName('An argument or block is required here. Its name takes no quotes.')
  const nameRange = reader.range(start)
  const earlier = attributes.get(name)
  if (reader.sees('=')) {
    if (earlier !== undefined) {
      const detail = `The argument "${name}" was already set at ${rangeText(earlier.nameRange)}.`
      fail('Attribute redefined', detail, nameRange)
    }
    attributes.set(name, attribute(reader, name, nameRange))
  } else if (/["{\p{ID_Start}_]/u.test(reader.source.text[reader.skip()] ?? '')) {
    blocks.push(reader.nested(() => block(reader, name, nameRange)))
  } else reader.fail('An argument or block is required here. Set an argument with "=".', nameRange)
}

function attribute(reader: Reader, name: string, nameRange: Range): Attribute {
  reader.take('=')
  return { name, nameRange, value: parseExpression(reader) }
}

function block(reader: Reader, type: string, typeRange: Range): Block {
  const labels: Label[] = []
  while (!reader.sees('{')) labels.push(label(reader))
  const start = reader.skip()
  reader.take('{')
  const open = reader.range(start)
  const oneLine = reader.source.legacy !== true && !reader.atLineEnd && !reader.sees('}')
  return { type, typeRange, labels, body: oneLine ? singleArgument(reader) : body(reader, open) }
}

function label(reader: Reader): Label {
  const start = reader.skip()
  const name = reader.scan(identifier)
  if (name !== undefined) return { text: name, range: reader.range(start) }
  reader.expect('"', 'A label in quotes or "{" is required here.')
  const quoted = parseQuoted(reader, start)
  const { range } = quoted
  return { text: literalText(quoted) ?? reader.fail('A label cannot contain "${…}".', range), range }
}

/** `name { argument = value }`: the one argument and the brace share a line. */
function singleArgument(reader: Reader): Body {
  const start = reader.skip()
  const name = reader.expectName('An argument or the end of the block is required here.')
  const nameRange = reader.range(start)
  if (!reader.sees('=')) {
    reader.fail('A block on one line takes only one argument. Put a nested block on lines of its own.', nameRange)
  }
  const only = attribute(reader, name, nameRange)
  reader.expect('}', 'A block on one line takes only one argument and ends on that line.')
  return { attributes: new Map([[name, only]]), blocks: [], start: reader.range(start, start) }
}
