import Box from 'cli-table3'
import { largest } from '../core/lists.ts'
import type { Cell, Paint, Table } from '../core/output.ts'
import type { Field, TableOptions } from './table.ts'
import { shrink } from './table.ts'
import { escapeControl } from './safe.ts'
import { cells, wrapCells } from './width.ts'

/** Minimum cell widths: while that is enough to make the box fit, and otherwise. Even narrower boxes exceed the terminal. */
const readable = 10
const narrowest = 4

/** The library takes quadratic time in the number of rows. */
const batchSize = 500

/**
 * A bordered table for reading: lists have one item per line, and long text is wrapped in its cell, never truncated. Numbers and
 * identifiers are broken only as a last resort.
 */
export function renderBox(table: Table, { width, paint, headers }: TableOptions): string {
  const head = headers ? [table.headers.map((text) => linesOf({ text: text.toUpperCase(), tone: 'heading' }))] : []
  const isWhole = (column: number) => table.whole[column] === true || table.align[column] === 'right'
  return draw({ head, rows: table.rows.map((row) => row.map(linesOf)), isWhole, align: table.align }, width, paint)
}

/** An object as a box of names and values. */
export function renderBoxRecord(
  fields: readonly Field[],
  options: { readonly width: number | undefined; readonly paint: Paint },
): string {
  const rows = fields.map(({ name, cell }) => [linesOf({ text: name, tone: 'dim' }), linesOf(cell)])
  const isWhole = (column: number) => column === 0
  return draw({ head: [], rows, isWhole, align: [] }, options.width, options.paint)
}

interface Content {
  /** A row, or none. */
  readonly head: readonly (readonly Lines[])[]
  readonly rows: readonly (readonly Lines[])[]
  readonly isWhole: (column: number) => boolean
  readonly align: Table['align']
}

interface Lines {
  readonly lines: readonly string[]
  readonly tone: Cell['tone']
}

function linesOf({ text, items, tone }: Cell): Lines {
  const parts = items ?? text.replace(/\n$/, '').split('\n')
  return { lines: parts.map((part) => escapeControl(part)), tone }
}

function draw({ head, rows, isWhole, align }: Content, width: number | undefined, paint: Paint): string {
  const all = [...head, ...rows]
  const widths = widthsOf(all, width, isWhole)
  if (widths.length === 0) return ''
  const wrapped = all.map((row) => linesOfRow(row, widths, paint))
  const { top, lines, bottom } = bordered(wrapped.flat(), widths, align)
  const separator = top.replace('┌', '├').replaceAll('┬', '┼').replace('┐', '┤')
  const isSeparated = wrapped.some(({ length }, row) => row >= head.length && length > 1)
  let line = 0
  const shown = wrapped.flatMap(({ length }, row) => {
    const isNext = row > 0 && (row === head.length || isSeparated)
    line += length
    return [...(isNext ? [separator] : []), ...lines.slice(line - length, line)]
  })
  return `${[top, ...shown, bottom].join('\n')}\n`
}

/** Lines between borders. Each of the library's rows is one line here, because it is very slow with multi-line cells. */
function bordered(
  rows: string[][],
  widths: readonly number[],
  align: Table['align'],
): { top: string; lines: string[]; bottom: string } {
  const boxes: string[][] = []
  for (let start = 0; start < rows.length; start += batchSize) {
    const box = new Box({
      colWidths: widths.map((each) => each + 2),
      colAligns: [...align],
      style: { head: [], border: [], compact: true },
    })
    box.push(...rows.slice(start, start + batchSize))
    boxes.push(box.toString().split('\n'))
  }
  const [first] = boxes as [string[]]
  return {
    top: first[0] as string,
    lines: boxes.flatMap((lines) => lines.slice(1, -1)),
    bottom: first.at(-1) as string,
  }
}

/** The lines of a row, with its cells side by side. */
function linesOfRow(row: readonly Lines[], widths: readonly number[], paint: Paint): string[][] {
  const cellLines = row.map(({ lines, tone }, column) => {
    const parts = lines.flatMap((line) => wrapCells(line, widths[column] as number))
    return parts.map((part) => (tone === undefined ? part : paint(tone, part)))
  })
  const height = Math.max(...cellLines.map(({ length }) => length))
  return Array.from({ length: height }, (_, index) => cellLines.map((parts) => parts[index] ?? ''))
}

/** The columns' widths without borders and blanks. */
function widthsOf(
  rows: readonly (readonly Lines[])[],
  width: number | undefined,
  isWhole: (column: number) => boolean,
): readonly number[] {
  const longest = (size: (line: string) => number) =>
    (rows[0] ?? []).map((_, column) => {
      const lines = rows.flatMap((row) => (row[column] as Lines).lines)
      return largest(lines.map(size), 1)
    })
  const natural = longest(cells)
  if (width === undefined) return natural
  // A border and two blanks per column, plus the last border.
  const room = width - (3 * natural.length + 1)
  const floor = (least: number) => natural.map((wanted) => Math.min(wanted, least))
  const words = longest((line) => Math.max(...line.split(' ').map(cells)))
  const spared = floor(readable).map((least, column) => (isWhole(column) ? (words[column] as number) : least))
  const steps = [words, spared, floor(readable), floor(narrowest)]
  return steps.reduce((widths: readonly number[], lowest) => shrink(widths, lowest, room), natural)
}
