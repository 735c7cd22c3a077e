import { wrap } from '../core/words.ts'

/** A description, a line for each paragraph and for each row of columns, below an empty line. */
export function paragraphs(text: string | undefined, width: number): string[] {
  if (text === undefined) return []
  return [
    '',
    ...text
      .trim()
      .split('\n')
      .flatMap((line) => within(line, width)),
  ]
}

/** A text of paragraphs and lines with columns, wrapped to a terminal's width; unchanged if it fits. */
export function fitted(text: string, width: number | undefined): string {
  if (width === undefined || text.split('\n').every((line) => line.length <= width)) return text
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const margin = line.search(/\S/)
    const before = lines.at(-1) ?? ''
    // The rest of a paragraph, or of the last column of the line above.
    const isRest = margin === 0 ? /^\S/.test(before) : margin > 2 && headOf(before).length === margin
    if (isRest) lines[lines.length - 1] = `${before} ${line.trim()}`
    else lines.push(line)
  }
  return lines.flatMap((line) => within(line, width)).join('\n')
}

/** What comes before the last column of an indented line; '' if it has no columns. */
function headOf(line: string): string {
  // The widest gap comes before the last column.
  return (/^ +\S.*? {3,}(?=\S)/.exec(line) ?? /^ +\S.*? {2}(?=\S)/.exec(line))?.[0] ?? ''
}

/** A line in as many as it takes: prose is wrapped, and of columns the last one. */
function within(line: string, width: number): string[] {
  return line.startsWith('  ') ? indented(line, width) : wrap(line, width)
}

/** A line of a description that has columns: the last one is wrapped. */
function indented(line: string, width: number): string[] {
  const head = headOf(line)
  if (head === '' || line.length <= width) return [line]
  return wrap(line.slice(head.length), width - head.length).map(
    (part, at) => (at === 0 ? head : ' '.repeat(head.length)) + part,
  )
}

/** Two columns; the right one is wrapped, and begins on a line of its own where the left one is long. */
export function twoColumns(rows: readonly (readonly string[])[], width: number): string[] {
  const left = Math.min(34, Math.max(...rows.map(([word = '']) => word.length)) + 2)
  return rows.flatMap(([word = '', meaning = '']) => {
    const lines = wrap(meaning, Math.max(30, width - left - 2))
    const first = word.length + 2 > left ? [`  ${word}`] : []
    const head = first.length === 0 ? `  ${word.padEnd(left)}` : ' '.repeat(left + 2)
    return [...first, ...lines.map((line, index) => (index === 0 ? head : ' '.repeat(left + 2)) + line)]
  })
}
