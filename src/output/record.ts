import CliTable from 'cli-table3'
import type { Cell, Paint } from '../core/output.ts'
import { escapeControl } from './safe.ts'
import { cells, pad } from './width.ts'

export interface Field {
  readonly name: string
  readonly cell: Cell
}

/** The table package takes time by the square of the rows. */
const atOnce = 50

/**
 * One object as names and values, a line each. Values are never cut: one of several lines, or one too long for the rest of
 * the line, is indented below its name. Loads cli-table3, so this module itself is imported where it is used.
 */
export function renderRecord(
  fields: readonly Field[],
  options: { readonly width: number | undefined; readonly paint: Paint },
): string {
  const names = fields.map((field) => escapeControl(field.name))
  const nameWidth = names.reduce((widest, name) => Math.max(widest, cells(name)), 0)
  const room = (options.width ?? Infinity) - nameWidth - 2
  const entries = fields.map(({ cell }, index) => {
    const text = escapeControl(cell.text, { newlines: true })
    const lines = text.replace(/\n$/, '').split('\n')
    const painted = lines.map((part) =>
      cell.tone === undefined || part === '' ? part : options.paint(cell.tone, part),
    )
    const name = pad(options.paint('dim', names[index] as string), nameWidth, 'left')
    const fits = lines.length === 1 && cells(text) <= room
    return { name, value: fits ? painted.join('') : '', below: fits ? [] : painted }
  })
  const out: string[] = []
  for (let start = 0; start < entries.length; start += atOnce) {
    const part = entries.slice(start, start + atOnce)
    const beside = aligned(part.map((entry) => [entry.name, entry.value]))
    for (const [index, entry] of part.entries()) {
      out.push(beside[index] as string, ...entry.below.map((text) => (text === '' ? '' : `  ${text}`)))
    }
  }
  return out.map((text) => `${text}\n`).join('')
}

/** The rows with their second column aligned, one line each, without blanks at the end. */
function aligned(rows: string[][]): string[] {
  const table = new CliTable({
    chars: invisible,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  return table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
}

const invisible = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}
