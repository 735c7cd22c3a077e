import type { Cell, Paint, Table } from '../core/output.ts'
import { wrap } from '../core/words.ts'
import { escapeControl } from './safe.ts'
import { cells, cut } from './width.ts'
import { largest } from '../core/lists.ts'

export interface TableOptions {
  /** Terminal width in cells; undefined for no limit. */
  readonly width: number | undefined
  readonly paint: Paint
  readonly headers: boolean
}

/** Blanks between columns: normally, and if that doesn't fit. */
const gap = 2
const narrowGap = 1

/** Minimum width of truncated text: less is useless. */
const readable = 8

/** Headers up to this length are never truncated. */
const readableHeader = 12

/** A `truncateFirst` column is truncated to this first, and to `readable` before other columns are truncated. */
const readableList = 20

/**
 * Plain columns below a line of upper-case headers, without trailing blanks; each line ends with a line feed. To fit `width`,
 * `truncateFirst` columns are truncated first, then headers wider than their column, then the widest columns, but no identifiers or
 * numbers, and nothing below a readable minimum. Gaps are narrowed if that avoids truncation or makes the lines fit. Columns that still
 * don't fit are in a line below each row. Lines are separate, because large tables make large strings.
 */
export function tableLines(table: Table, options: TableOptions): Iterable<string> {
  const { folded } = table
  const isFolded = folded !== undefined && (folded.always || !suitsWidth(table, options))
  return isFolded ? foldedLines(table, folded, options) : linesOf(table, options)
}

/** Formats rows with the column widths of the rows that it was made with. */
export interface Layout {
  /** The header line; '' without headers. */
  readonly headers: string
  /** The line of a row. In other rows, a value that must not be truncated shifts the rest of its line. */
  line(row: readonly Cell[]): string
}

/** Lays out a table from its rows; more rows may follow. */
export function layOut(table: Table, { headers, width, paint }: TableOptions): Layout {
  const head = table.headers.map((header): Cell =>
    headers ? { text: header.toUpperCase(), tone: 'heading' } : { text: '' },
  )
  const measures = measured(table)
  const headerWidths = head.map(({ text }) => cells(escapeControl(text)))
  const count = fittingColumns(floorsOf(measures, headerWidths), width)
  const widths = fittingWidths(table, headerWidths, measures, { width, count })
  const blanks = gapFor(widths, width ?? Infinity)
  const form: Form = { widths, blanks, align: table.align, whole: table.whole, lineWidth: width, paint }
  const below = (row: readonly Cell[]) =>
    table.headers.flatMap((header, column) => {
      const { text = '' } = row[column] ?? {}
      return column < count || text === '' ? [] : [`${header} ${text.trimEnd()}`]
    })
  return {
    headers: headers && head.length > 0 ? line(head, form, true) : '',
    line: (row) => {
      const more = count === head.length ? [] : below(row)
      const joined = more.join(', ')
      const isShort = cells(escapeControl(joined)) <= (width ?? Infinity) - indent.length
      const lines = joined === '' ? [] : isShort ? [joined] : more
      return line(row, form) + lines.map((text) => linesBelow(text, width)).join('')
    },
  }
}

/** How many columns fit a line at their minimum widths; at least one. */
function fittingColumns(floors: readonly number[], width = Infinity): number {
  let count = floors.length
  while (count > 1 && total(floors.slice(0, count)) + narrowGap * (count - 1) > width) count -= 1
  return count
}

function* foldedLines(table: Table, folded: NonNullable<Table['folded']>, options: TableOptions): Generator<string> {
  const first = <T>(list: readonly T[]) => list.slice(0, folded.columns)
  const { headers, rows, align, whole, truncateFirst } = table
  const kept = {
    headers: first(headers),
    rows: rows.map(first),
    align: first(align),
    whole: first(whole),
    truncateFirst: first(truncateFirst),
  }
  let row = options.headers ? -1 : 0
  for (const text of linesOf(kept, options)) {
    yield text
    for (const below of folded.below[row] ?? []) yield linesBelow(below, options.width)
    row += 1
  }
}

const indent = '    '

/** A line below a row, wrapped with deeper indentation. */
function linesBelow(text: string, width: number | undefined): string {
  const whole = escapeControl(text)
  if (width === undefined || cells(whole) <= width - indent.length) return `${indent}${whole}\n`
  const [first, ...rest] = wrap(whole, width - indent.length - 2, cells) as [string, ...string[]]
  return [`${indent}${first}\n`, ...rest.map((part) => `${indent}  ${part}\n`)].join('')
}

/** Whether the table fits without truncation. */
function suitsWidth(table: Table, { headers, width }: TableOptions): boolean {
  if (width === undefined) return true
  for (const text of linesOf(table, { headers, width: undefined, paint: (_, plain) => plain }))
    if (cells(text.trimEnd()) > width) return false
  return true
}

function* linesOf(table: Table, options: TableOptions): Generator<string> {
  const layout = layOut(table, options)
  if (layout.headers !== '') yield layout.headers
  for (const row of table.rows) yield layout.line(row)
}

/** Widths in terminal cells. */
interface Measures {
  /** Of each column's widest value, and of its widest value that must not be truncated. */
  readonly values: readonly number[]
  readonly uncut: readonly number[]
}

function measured(table: Table): Measures {
  const { headers, rows } = table
  const values = headers.map(() => 0)
  const uncut = [...values]
  for (const row of rows) {
    for (let column = 0; column < headers.length; column += 1) {
      const cell = row[column] as Cell
      const needed = cells(escapeControl(column === headers.length - 1 ? cell.text.trimEnd() : cell.text))
      values[column] = Math.max(values[column] as number, needed)
      if (isWhole(cell, column, table)) uncut[column] = Math.max(uncut[column] as number, needed)
    }
  }
  return { values, uncut }
}

/** True for values that must not be truncated: identifiers and numbers. */
function isWhole(cell: Cell, column: number, { align, whole }: Pick<Table, 'align' | 'whole'>): boolean {
  return cell.whole === true || whole[column] === true || align[column] === 'right'
}

/** The normal gap between columns, unless only a smaller one makes the lines fit. */
function gapFor(widths: readonly number[], width: number): number {
  const taken = (blanks: number) => total(widths) + blanks * (widths.length - 1)
  return taken(gap) > width && taken(narrowGap) <= width ? narrowGap : gap
}

/** Minimum column widths. */
function floorsOf({ values, uncut }: Measures, headers: readonly number[]): readonly number[] {
  return values.map((wanted, column) =>
    Math.max(uncut[column] as number, Math.min(wanted, readable), Math.min(headers[column] as number, readableHeader)),
  )
}

/** The widths of the first `count` columns. */
function fittingWidths(
  table: Table,
  headers: readonly number[],
  measures: Measures,
  { width, count }: { readonly width: number | undefined; readonly count: number },
): readonly number[] {
  const values = measures.values.slice(0, count)
  const natural = values.map((wanted, column) => Math.max(wanted, headers[column] as number))
  if (width === undefined || total(natural) + narrowGap * (natural.length - 1) <= width) return natural
  const cutTo = (widths: readonly number[], least: number) =>
    widths.map((wanted, column) =>
      table.truncateFirst[column] === true ? Math.max(Math.min(wanted, least), headers[column] as number) : wanted,
    )
  /** Minimum widths for each step; a step is taken only if the previous one is not enough. */
  const listsCut = cutTo(natural, readableList)
  const headersCut = listsCut.map((wanted, column) =>
    Math.min(wanted, Math.max(values[column] as number, readableHeader)),
  )
  const listsCutMore = cutTo(headersCut, readable)
  const floors = floorsOf(measures, headers).slice(0, count)
  const usual = width - gap * (natural.length - 1)
  const narrow = width - narrowGap * (natural.length - 1)
  const room = total(listsCutMore) > usual && total(listsCutMore) <= narrow ? narrow : usual
  let widths: readonly number[] = natural
  for (const lowest of [listsCut, headersCut, listsCutMore, floors]) widths = shrink(widths, lowest, room)
  return widths
}

/** Narrows the widest columns to the largest common width that fits; none goes below its minimum. */
export function shrink(natural: readonly number[], floors: readonly number[], room: number): readonly number[] {
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

/** Shared by all lines of a table. */
interface Form {
  readonly widths: readonly number[]
  readonly blanks: number
  readonly align: readonly ('left' | 'right')[]
  readonly whole: readonly boolean[]
  /** Undefined for no limit. */
  readonly lineWidth: number | undefined
  readonly paint: Paint
}

function line(row: readonly Cell[], form: Form, isHeader = false): string {
  const { widths, blanks, align, lineWidth = Infinity, paint } = form
  const parts: string[] = []
  /** Pending blanks, written only if something follows. */
  let due = 0
  let left = lineWidth
  for (let column = 0; column < widths.length; column += 1) {
    const cell = row[column] as Cell
    const width = widths[column] as number
    const isRight = align[column] === 'right'
    // The last column may use the rest of the line.
    const isLast = column === widths.length - 1
    const room = isLast || lineWidth === Infinity ? Math.max(width, left) : width
    const source = escapeControl(isLast ? cell.text.trimEnd() : cell.text)
    const text = isHeader || !isWhole(cell, column, form) ? cut(source, room) : source
    const rest = Math.max(0, width - cells(text))
    if (isRight) due += rest
    if (text !== '') {
      parts.push(' '.repeat(due), cell.tone === undefined ? text : paint(cell.tone, text))
      due = 0
    }
    due += isRight ? blanks : rest + blanks
    left -= width + blanks
  }
  parts.push('\n')
  // Unlike a concatenated string, this one doesn't keep its parts in memory.
  return parts.join('')
}

/** A table in GitHub-flavoured Markdown; cells are escaped, so nothing in them is markup or HTML. */
export function renderMarkdownTable(table: Pick<Table, 'headers' | 'rows' | 'align'>): string {
  if (table.headers.length === 0) return ''
  return [
    table.headers.map(escapeMarkdown),
    table.headers.map((_, column) => (table.align[column] === 'right' ? '---:' : '---')),
    ...table.rows.map((row) => row.map((cell) => escapeMarkdown(cell.text))),
  ]
    .map((texts) => `| ${texts.join(' | ')} |\n`)
    .join('')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeMarkdown(text: string): string {
  return (
    escapeControl(text.replaceAll('\r\n', '\n'), { newlines: true })
      // Underscores inside words aren't markup and stay readable.
      .replace(/[\\|`*~[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`)
      .replace(/[&<>]/g, (character) => entities[character] as string)
      .replaceAll('\n', '<br>')
  )
}

export interface Field {
  readonly name: string
  readonly cell: Cell
}

/**
 * An object as lines of name and value. Values are never truncated: multi-line values, and those too long for the line, are indented
 * below their name.
 */
export function renderRecord(
  fields: readonly Field[],
  options: { readonly width: number | undefined; readonly paint: Paint },
): string {
  const names = fields.map((field) => escapeControl(field.name))
  const nameWidth = largest(names.map(cells))
  const room = (options.width ?? Infinity) - nameWidth - gap
  const lines = fields.flatMap(({ cell: { text: source, tone } }, index) => {
    const name = names[index] as string
    const text = escapeControl(source, { newlines: true })
    const paint = (part: string) => (tone === undefined ? part : options.paint(tone, part))
    const values = text.replace(/\n$/, '').split('\n').map(paint)
    const shown = options.paint('dim', name)
    if (values.length > 1 || cells(text) > room)
      return [shown, ...values.map((part) => (part === '' ? '' : `  ${part}`))]
    return [`${shown}${' '.repeat(nameWidth - cells(name) + gap)}${values[0] as string}`.trimEnd()]
  })
  return lines.map((part) => `${part}\n`).join('')
}
