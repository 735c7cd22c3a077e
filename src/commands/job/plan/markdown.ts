import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { TreeLine } from './text.ts'

/** GitHub refuses comments of more than 65,536 characters. */
export const mostCharacters = 65_000

/** The parts of a plan in Markdown. */
export interface PlanMarkdown {
  readonly title: string
  /** Lines of the summary: counts of each group, failures, warnings, the next launch. */
  readonly summary: readonly string[]
  readonly changes: readonly TreeLine[]
  /** The command that applies exactly this plan. */
  readonly apply: string | undefined
}

const marks = { '+': '+', '-': '-', '~': '!', ' ': ' ' } as const

/**
 * A plan for a pull-request comment: the summary, and the changes folded in a block that GitHub colours. Never
 * more than 65,000 characters; the rest is cut off with a note.
 */
export function planMarkdown({ title, summary, changes, apply }: PlanMarkdown): string {
  const head = `### ${inline(title)}\n\n${cutText(
    summary.map((line) => `- ${inline(line)}\n`),
    mostCharacters / 2,
  )}`
  const tail = apply === undefined ? '' : `\n${fenced('sh', apply.split('\n'))}`
  if (changes.length === 0) return head + tail
  const lines = changes.map(({ depth, mark, label, value, note }) =>
    `${marks[mark]} ${'  '.repeat(depth)}${[label, value, note].filter((part) => part !== '').join('  ')}`.trimEnd(),
  )
  const room = mostCharacters - head.length - tail.length - 300
  const fits = fittingLines(lines, room)
  const cutOff = lines.length - fits.length
  const shown =
    cutOff === 0 ? fits : [...fits, `# truncated: ${cutOff} more lines; see them all with: tug job plan <file>`]
  const words = `${plural(lines.length, 'line')} of changes`
  return `${head}\n<details><summary>${words}</summary>\n\n${fenced('diff', shown)}\n</details>\n${tail}`
}

function fittingLines(lines: readonly string[], room: number): string[] {
  let used = 0
  const fitting: string[] = []
  for (const line of lines) {
    used += line.length + 1
    if (used > room) break
    fitting.push(line)
  }
  return fitting
}

function cutText(lines: readonly string[], room: number): string {
  const fitting = fittingLines(lines, room)
  const cutOff = lines.length - fitting.length
  return fitting.join('') + (cutOff === 0 ? '' : `- truncated: ${cutOff} more\n`)
}

/** A code block whose fence is longer than any run of backquotes inside. */
function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? [])
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${fence}${language}\n${lines.join('\n')}\n${fence}\n`
}

/** A text with all markup escaped. */
function inline(text: string): string {
  return escapeControl(text).replace(/[\\`*[\]<>&|]|(?<!\w)_|_(?!\w)/g, (character) => {
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    return character === '&' ? '&amp;' : `\\${character}`
  })
}
