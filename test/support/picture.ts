import { createHash } from 'node:crypto'
import { cells } from '../../src/output/width.ts'
import type { DevClock } from '../../src/dev/http.ts'
import { startDevServer } from './dev.ts'
import { root } from './process.ts'
import { tug } from './run.ts'

/** The width of the terminal in a picture. */
const columns = 100

const [cellWidth, lineHeight, fontSize, margin] = [8.4, 20, 14, 16]

const themes = {
  light: {
    page: '#ffffff',
    edge: '#d0d7de',
    text: '#1f2328',
    dim: '#656d76',
    colours: '#cf222e #116329 #7d4e00 #0550ae #6639ba #1b7c83',
  },
  dark: {
    page: '#0d1117',
    edge: '#30363d',
    text: '#e6edf3',
    dim: '#8d96a0',
    colours: '#ff7b72 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd',
  },
}

export type Theme = keyof typeof themes

/** Runs lines against one local server, and returns what a terminal shows, with its colours. */
export async function terminalOutput(lines: readonly string[]): Promise<string> {
  const clock = steppedClock()
  const { env } = await startDevServer({ clock })
  let shown = ''
  for (const line of lines) {
    shown += `\u001b[1m$ tug ${line}\u001b[22m\n`
    const terminals = { stdout: columns, stderr: columns }
    // Progress would depend on how long a request takes.
    const world = { env: { ...env, CI: 'true' }, cwd: root, now: clock.now(), terminals }
    await tug(line, { ...world, onWrite: (_, text) => void (shown += text) })
    shown += '\n'
  }
  const ids = new Map<string, string>()
  return shown.trimEnd().replaceAll(/\b[0-9a-f]{8}\b/g, (id) => {
    ids.set(id, ids.get(id) ?? createHash('sha256').update(String(ids.size)).digest('hex').slice(0, 8))
    return ids.get(id) as string
  })
}

/** The local server's clock moves only while somebody waits for a change, to the next event. So each run is the same. */
function steppedClock(): DevClock {
  const timers = new Set<{ readonly due: number; readonly call: () => void }>()
  let time = Date.parse('2026-11-21T07:30:00Z')
  let waiting = 0
  /** Blocking queries last four seconds; what a deployment waits for is shorter, and the next periodic job is hours away. */
  const longest = 4000
  const step = () => {
    const [next] = [...timers].filter(({ due }) => due - time < longest).toSorted((one, other) => one.due - other.due)
    if (next === undefined) return
    timers.delete(next)
    time = Math.max(time, next.due)
    next.call()
    if (waiting > 0) setImmediate(step)
  }
  return {
    now: () => new Date(time),
    after(milliseconds, call) {
      const timer = { due: time + milliseconds, call }
      const isQuery = milliseconds >= longest && milliseconds < 2 * longest
      timers.add(timer)
      if (isQuery) {
        waiting += 1
        setImmediate(step)
      }
      return () => {
        if (timers.delete(timer) && isQuery) waiting -= 1
      }
    },
  }
}

/** Text with ANSI colours as an SVG image. */
export function picture(text: string, theme: Theme): string {
  const { page, edge, text: ink, dim, colours } = themes[theme]
  const lines = text.split('\n')
  const width = 2 * margin + columns * cellWidth
  const height = 2 * margin + lines.length * lineHeight
  const rows = lines.flatMap((line, row) =>
    runsOf(line).map((run) => element(run, margin + row * lineHeight + fontSize)),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<style>',
    `text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: ${ink}; white-space: pre }`,
    `.bold { font-weight: bold } .dim { fill: ${dim} }`,
    ...colours.split(' ').map((colour, index) => `.colour${index + 1} { fill: ${colour} }`),
    '</style>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${page}" stroke="${edge}"/>`,
    ...rows,
    '</svg>\n',
  ].join('\n')
}

interface Run {
  readonly text: string
  /** The cells to its left. */
  readonly column: number
  readonly classes: readonly string[]
}

/** A line's parts of one style each. */
function runsOf(line: string): Run[] {
  const runs: Run[] = []
  let style = { bold: false, dim: false, colour: 0 }
  let column = 0
  for (const [, code, text = ''] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code !== undefined) {
      style = styled(style, Number(code))
      continue
    }
    const { bold, dim, colour } = style
    const classes = [...(bold ? ['bold'] : []), ...(dim ? ['dim'] : []), ...(colour === 0 ? [] : [`colour${colour}`])]
    if (text.trim() !== '') runs.push({ text, column, classes })
    column += cells(text)
  }
  if (column > columns) throw new Error(`more than ${columns} columns: ${line}`)
  return runs
}

function styled<Style extends { bold: boolean; dim: boolean; colour: number }>(style: Style, code: number): Style {
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code > 30 && code < 37) return { ...style, colour: code - 30 }
  if (code === 39) return { ...style, colour: 0 }
  throw new Error(`no style for the code ${code}`)
}

function element({ text, column, classes }: Run, y: number): string {
  const name = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
  // The length keeps columns aligned in any font.
  const place = `x="${round(margin + column * cellWidth)}" y="${y}" textLength="${round(cells(text) * cellWidth)}"`
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text xml:space="preserve" ${place}${name}>${escaped}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
