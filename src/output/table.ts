import type { Cell, Paint } from '../core/output.ts'
import { escapeControl } from './safe.ts'
import { cells, cut } from './width.ts'

/** A list as people read it. Every array but `rows` has one item a column, and so has each row. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  readonly align: readonly ('left' | 'right')[]
  /** Columns of identifiers, which are never cut. */
  readonly whole: readonly boolean[]
}

export interface TableOptions {
  /** Cells of a terminal line; undefined where nothing has to fit. */
  readonly width: number | undefined
  readonly paint: Paint
  readonly headers: boolean
}

/** Blanks between two columns, and where that does not fit. */
const gap = 2
const narrowGap = 1

/** Narrower than this a text says nothing any more. */
const readable = 8

/** Pieces of headers up to this length are never cut. */
const readableHeader = 12

/**
 * Plain columns under upper-case headers; each line ends with a line feed and none with padding. To fit `width` headers take
 * several lines, parted behind a `_`; then the widest columns are cut, but no identifier, no number and nothing below a
 * readable minimum; then the gaps get narrower where that helps, else the line is longer than asked.
 */
export function renderTable(table: Table, options: TableOptions): string {
  const headers = options.headers ? table.headers.map((header) => measured(header.toUpperCase())) : []
  const rows = table.rows.map((row) => row.map((cell) => measured(cell.text)))
  const widths = fittingWidths(table, headers, rows, options.width)
  const blanks = gapFor(widths, options.width ?? Infinity)
  let out = ''
  for (const part of headerLines(headers, widths)) {
    out += line(part, widths, blanks, table.align, (text) => options.paint('heading', text))
  }
  for (const [index, row] of rows.entries()) {
    const source = table.rows[index] as readonly Cell[]
    out += line(row, widths, blanks, table.align, (text, column) => {
      const tone = source[column]?.tone
      return tone === undefined ? text : options.paint(tone, text)
    })
  }
  return out
}

/** The usual blanks between columns, unless only fewer make the lines fit. */
function gapFor(widths: readonly number[], width: number): number {
  const taken = (blanks: number) => total(widths) + blanks * (widths.length - 1)
  return taken(gap) > width && taken(narrowGap) <= width ? narrowGap : gap
}

/** A text ready for the terminal and the cells it takes there. */
interface Measured {
  readonly text: string
  readonly taken: number
}

function measured(source: string): Measured {
  const text = escapeControl(source)
  return { text, taken: cells(text) }
}

function shortened(source: string, width: number): Measured {
  const text = cut(source, width)
  return { text, taken: cells(text) }
}

function fittingWidths(
  table: Table,
  headers: readonly Measured[],
  rows: readonly (readonly Measured[])[],
  width: number | undefined,
): readonly number[] {
  /** The widest value of each column, and what must not be cut of its values. */
  const values = table.headers.map(() => 0)
  const uncut = table.headers.map(() => 0)
  for (const [index, row] of rows.entries()) {
    for (const [column, { taken }] of row.entries()) {
      if (taken > (values[column] as number)) values[column] = taken
      const whole = table.align[column] === 'right' || table.rows[index]?.[column]?.whole === true
      if (whole && taken > (uncut[column] as number)) uncut[column] = taken
    }
  }
  const natural = values.map((wanted, column) => Math.max(wanted, headers[column]?.taken ?? 0))
  if (width === undefined) return natural
  const room = width - gap * (natural.length - 1)
  const pieces = natural.map((_, column) => Math.max(0, ...headerParts(headers[column]?.text ?? '').map(cells)))
  const parted = values.map((wanted, column) => Math.max(wanted, pieces[column] as number))
  if (total(parted) <= room) return shrink(natural, parted, room)
  const floors = parted.map((wanted, column) =>
    table.whole[column] === true
      ? wanted
      : Math.max(
          uncut[column] as number,
          Math.min(values[column] as number, readable),
          Math.min(pieces[column] as number, readableHeader),
        ),
  )
  return shrink(parted, floors, room)
}

/** The pieces that a header may be parted into: `CURRENT_RUN_STATUS` → `CURRENT_`, `RUN_`, `STATUS`. */
function headerParts(header: string): readonly string[] {
  return header.match(/[^_ ]*[_ ]+|[^_ ]+$/g) ?? [header]
}

/** The lines of the headers, as many as the one with the most needs; a shorter one stands in the last lines. */
function headerLines(headers: readonly Measured[], widths: readonly number[]): readonly (readonly Measured[])[] {
  const parted = headers.map(({ text, taken }, column) => {
    const width = widths[column] as number
    if (taken <= width) return [text]
    const lines: string[] = []
    for (const part of headerParts(text)) {
      const last = lines.at(-1)
      if (last !== undefined && cells(last + part) <= width) lines[lines.length - 1] = last + part
      else lines.push(part)
    }
    return lines
  })
  const height = Math.max(0, ...parted.map(({ length }) => length))
  return Array.from({ length: height }, (_, index) =>
    parted.map((lines) => measured(lines[index - height + lines.length] ?? '')),
  )
}

/** Lowers the widest columns to a common width, the greatest one with which all fit; none goes below its floor. */
function shrink(natural: readonly number[], floors: readonly number[], room: number): readonly number[] {
  const capped = (cap: number) =>
    natural.map((wanted, column) => Math.max(floors[column] as number, Math.min(wanted, cap)))
  if (total(natural) <= room) return natural
  let fits = 0
  let exceeds = Math.max(...natural)
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if (total(capped(middle)) <= room) fits = middle
    else exceeds = middle
  }
  const widths = capped(fits)
  const wider = capped(exceeds)
  let spare = room - total(widths)
  return widths.map((width, column) => {
    if (spare <= 0 || (wider[column] as number) === width) return width
    spare -= 1
    return width + 1
  })
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0)
}

function line(
  row: readonly Measured[],
  widths: readonly number[],
  blanks: number,
  align: readonly ('left' | 'right')[],
  painted: (text: string, column: number) => string,
): string {
  let out = ''
  /** Blanks that are due only if something follows. */
  let due = 0
  for (const [column, cell] of row.entries()) {
    const width = widths[column] as number
    const { text, taken } = cell.taken > width ? shortened(cell.text, width) : cell
    const right = align[column] === 'right'
    if (right) due += width - taken
    if (text !== '') {
      out += ' '.repeat(due) + painted(text, column)
      due = 0
    }
    due += right ? blanks : width - taken + blanks
  }
  return `${out}\n`
}
