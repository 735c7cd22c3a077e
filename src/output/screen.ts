import type { OutputStream } from '../process/host.ts'
import { cells, cut } from './width.ts'
import { writable } from './streams.ts'

/** A screen that replaces its content, for `--watch` on a terminal. */
export interface Screen {
  /** Replaces the content by these lines, already escaped for the terminal and each ending with a line feed. */
  draw(text: string): void
  /** Keeps the last content, moves the cursor below it and shows the cursor again. May be called more than once. */
  close(): void
}

export interface ScreenOptions {
  /** Registers an exit handler; returns a function that cancels it. */
  readonly onExit: (call: () => void) => () => void
}

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const home = '\x1b[H'
const eraseLine = '\x1b[K'
const eraseBelow = '\x1b[J'

/**
 * Redraws without flicker: one write from the top left corner, erasing the rest of each line. Previous output is scrolled up, not lost;
 * the alternate screen is not used. The last line counts the lines that don't fit.
 */
export function createScreen(terminal: OutputStream, { onExit }: ScreenOptions): Screen {
  const stream = writable(terminal)
  let forgetExit: (() => void) | undefined
  let isFull = false

  const close = () => {
    if (forgetExit === undefined) return
    forgetExit()
    forgetExit = undefined
    stream.write(`${isFull ? '\n' : ''}${showCursor}`)
  }

  return {
    draw(text) {
      if (forgetExit === undefined) {
        forgetExit = onExit(close)
        stream.write(hideCursor + '\n'.repeat(terminal.rows || 24))
      }
      const [columns, rows] = [terminal.columns || 80, terminal.rows || 24]
      const lines = fitting(text.replace(/\n$/, '').split('\n'), columns, rows)
      isFull = heightOf(lines, columns) >= rows
      // The cursor stays on its own line, where a message may follow, unless the last row is in use.
      const shown = lines.map((line) => (isFilled(line, columns) ? line : line + eraseLine)).join('\n')
      stream.write(`${home}${shown}${eraseBelow}${isFull ? '' : '\n'}`)
    },
    close,
  }
}

/** True if a line ends in the last column, where the cursor stays on the last character: erasing would remove that. */
function isFilled(line: string, columns: number): boolean {
  const taken = cells(line)
  return taken > 0 && taken % columns === 0
}

/** The lines that fit, counting wrapped lines by their rows; the last one shows how many don't. */
function fitting(lines: readonly string[], columns: number, rows: number): readonly string[] {
  if (heightOf(lines, columns) <= rows) return lines
  let used = 1
  let count = 0
  for (const line of lines) {
    used += heightOf([line], columns)
    if (used > rows) break
    count += 1
  }
  return [...lines.slice(0, count), cut(`… ${lines.length - count} more lines`, columns)]
}

/** The terminal rows of lines, including wrapped ones. */
function heightOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line) / columns)), 0)
}
