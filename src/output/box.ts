import Box from 'cli-table3'
import type { Cell, Paint } from '../core/output.ts'
import type { Field } from './record.ts'
import { escapeControl } from './safe.ts'
import { shrink } from './table.ts'
import type { Table, TableOptions } from './table.ts'
import { cells, wrapCells } from './width.ts'

/** A border and two blanks for each column, and the last border. */
const borders = (columns: number) => 3 * columns + 1

/** Cells are not made narrower than this; then the box is wider than the terminal. */
const narrowest = 4
const readable = 10

/**
 * A table with borders, for reading: lists take a line for each item, and what is too long is wrapped inside its cell, never cut.
 * Numbers and identifiers are wrapped only if nothing else is left.
 */
export function renderBox(table: Table, { width, paint, headers }: TableOptions): string {
  const head = headers ? table.headers.map((text) => linesOf({ text: text.toUpperCase(), tone: 'heading' })) : []
  const isWhole = (column: number) => table.whole[column] === true || table.align[column] === 'right'
  return draw({ head, rows: table.rows.map((row) => row.map(linesOf)), isWhole, align: table.align }, width, paint)
}

/** One object as a box of names and values. */
export function renderBoxRecord(
  fields: readonly Field[],
  options: { readonly width: number | undefined; readonly paint: Paint },
): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, cell }) => [linesOf({ text: name, tone: 'dim' }), linesOf(cell)])
  const isWhole = (column: number) => column === 0
  return draw({ head: [], rows, isWhole, align: ['left', 'left'] }, options.width, options.paint)
}

interface Content {
  readonly head: readonly Lines[]
  readonly rows: readonly (readonly Lines[])[]
  readonly isWhole: (column: number) => boolean
  readonly align: Table['align']
}

interface Lines {
  readonly lines: readonly string[]
  readonly tone: Cell['tone']
}

function linesOf({ text, items, tone }: Cell): Lines {
  const parts = items ?? escapeControl(text.replace(/\n$/, ''), { newlines: true }).split('\n')
  return { lines: items === undefined ? parts : parts.map((part) => escapeControl(part)), tone }
}

function draw({ head, rows, isWhole, align }: Content, width: number | undefined, paint: Paint): string {
  const widths = widthsOf([head, ...rows], width, isWhole)
  const wrapped = (row: readonly Lines[]) =>
    row.map(({ lines, tone }, column) => {
      const parts = lines.flatMap((line) => wrapCells(line, widths[column] as number))
      return parts.map((part) => (tone === undefined || part === '' ? part : paint(tone, part))).join('\n')
    })
  const body = rows.map(wrapped)
  if (widths.length === 0) return ''
  const box = new Box({
    head: wrapped(head),
    colWidths: widths.map((each) => each + 2),
    colAligns: [...align],
    // Rows of one line each need no lines between them.
    style: { head: [], border: [], compact: !body.flat().some((text) => text.includes('\n')) },
  })
  box.push(...body)
  return `${box.toString()}\n`
}

/** The columns' widths without borders and blanks. */
function widthsOf(
  rows: readonly (readonly Lines[])[],
  width: number | undefined,
  isWhole: (column: number) => boolean,
): readonly number[] {
  const longest = (size: (line: string) => number) =>
    (rows.at(-1) ?? []).map((_, column) =>
      rows.reduce((widest, row) => Math.max(widest, ...(row[column]?.lines ?? []).map(size)), 1),
    )
  const natural = longest(cells)
  if (width === undefined) return natural
  const room = width - borders(natural.length)
  const floor = (least: number) => natural.map((wanted) => Math.min(wanted, least))
  const words = longest((line) => Math.max(...line.split(' ').map(cells)))
  const wholeOr = (widths: readonly number[]) =>
    natural.map((wanted, column) => (isWhole(column) ? wanted : (widths[column] as number)))
  const steps = [wholeOr(words), wholeOr(floor(readable)), floor(readable), floor(narrowest)]
  return steps.reduce((widths: readonly number[], lowest) => shrink(widths, lowest, room), natural)
}
