import type { Cell, Paint } from '../core/output.ts'
import { largest } from '../core/lists.ts'
import { escapeControl } from './safe.ts'
import { cells } from './width.ts'

/** Blanks between a name and its value. */
const gap = 2

export interface Field {
  readonly name: string
  readonly cell: Cell
}

/**
 * One object as names and values, a line each. Values are never cut: one of several lines, or one too long for the rest of
 * the line, is indented below its name.
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
    const paint = (line: string) => (tone === undefined || line === '' ? line : options.paint(tone, line))
    const values = text.replace(/\n$/, '').split('\n').map(paint)
    const shown = options.paint('dim', name)
    if (values.length > 1 || cells(text) > room)
      return [shown, ...values.map((line) => (line === '' ? '' : `  ${line}`))]
    return [`${shown}${' '.repeat(nameWidth - cells(name) + gap)}${values.join('')}`.trimEnd()]
  })
  return lines.map((line) => `${line}\n`).join('')
}
