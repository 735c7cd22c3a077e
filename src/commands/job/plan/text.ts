import type { Paint, Tone } from '../../../core/output.ts'
import { largest } from '../../../core/lists.ts'
import { wrap, plural } from '../../../core/words.ts'
import { cells } from '../../../output/width.ts'
import type { DiffNode, Mark } from './tree.ts'
import { diffLines } from 'diff/lib/diff/line.js'
import { escapeControl } from '../../../output/safe.ts'

const tones: Readonly<Record<Mark, Tone>> = { '+': 'good', '-': 'bad', '~': 'change', ' ': 'dim' }

/** Wider labels don't move their siblings' values to the right. */
const widestLabel = 28

/** A line of a rendered tree, before colours. */
interface TreeLine {
  readonly depth: number
  readonly mark: Mark
  /** Padded to align siblings' values. */
  readonly label: string
  readonly heading: boolean
  readonly value: string
  readonly note: string
}

/** The tree as lines: parents before children, texts of several lines below their field. */
export function treeLines(node: DiffNode, depth = 0, width = 0): TreeLine[] {
  const { mark, heading = false, value = '', note = '', lines = [], children } = node
  const label = titleOf(node)
  const padded = value === '' || heading ? label : label + ' '.repeat(Math.max(0, width - cells(label)))
  const inner = largest(children.map(labelWidth))
  return [
    { depth, mark, label: padded, heading, value, note },
    ...lines.map(({ mark: own, text }) => ({
      depth: depth + 1,
      mark: own,
      label: '',
      heading: false,
      value: `| ${text}`,
      note: '',
    })),
    ...children.flatMap((child) => treeLines(child, depth + 1, inner)),
  ]
}

/** A node's name, for a group with what would happen to it: `group app: 2 create`. */
export function titleOf({ label, counts = '' }: DiffNode): string {
  return counts === '' ? label : `${label}: ${counts}`
}

function labelWidth({ label, value, heading }: DiffNode): number {
  const width = cells(label)
  return value === undefined || heading === true || width > widestLabel ? 0 : width
}

/** The tree for a terminal of this width, or for a pipe. */
export function treeText(node: DiffNode, paint: Paint, width?: number): string {
  return treeLines(node)
    .map((line) => lineText(line, paint, width))
    .join('\n')
}

/** A line of the tree; where it does not fit, its value and note continue below where they begin. Lines of texts stay whole. */
function lineText(
  { depth, mark, label, heading, value, note }: TreeLine,
  paint: Paint,
  width: number | undefined,
): string {
  const tone = tones[mark]
  const shown = heading ? paint('heading', label) : label
  const lead = `${'  '.repeat(depth)}${paint(tone, mark)} `
  const parts = [...(value === '' ? [] : [paint(tone, value)]), ...(note === '' ? [] : [paint('dim', note)])]
  const whole = `${lead}${[...(label === '' ? [] : [shown]), ...parts].join('  ')}`.trimEnd()
  if (width === undefined || label === '' || parts.length === 0 || cells(whole) <= width) return whole
  const start = 2 * depth + 2 + cells(label) + 2
  const isBeside = start <= width / 2
  const indent = isBeside ? start : 2 * depth + 4
  const wrapped = (text: string, of: Tone) =>
    text === '' ? [] : wrap(text, width - indent, cells).map((one) => paint(of, one))
  const lines = [...wrapped(value, tone), ...wrapped(note, 'dim')]
  const first = isBeside ? `  ${lines.shift() ?? ''}` : ''
  return [`${lead}${shown}${first}`.trimEnd(), ...lines.map((one) => ' '.repeat(indent) + one)].join('\n')
}

/** A line of a changed text; unchanged ones are context. */
export interface TextLine {
  readonly mark: Mark
  readonly text: string
}

/** A text's differences, line by line. */
interface TextChange {
  readonly lines: readonly TextLine[]
  readonly removed: number
  readonly added: number
  /** The longer text's number of lines. */
  readonly total: number
}

/** With more edits, texts count as entirely different: the comparison would take seconds. */
const mostEdits = 1000
const context = 2

/** Compares two texts by lines, with two lines of context around each change. */
export function changedLines(old: string, next: string): TextChange {
  const all = diffLines(old, next, { maxEditLength: mostEdits })?.flatMap(({ value, added, removed }) =>
    linesOf(value).map((text): TextLine => ({ mark: added ? '+' : removed ? '-' : ' ', text })),
  ) ?? [
    ...linesOf(old).map((text): TextLine => ({ mark: '-', text })),
    ...linesOf(next).map((text): TextLine => ({ mark: '+', text })),
  ]
  return {
    lines: withoutFarContext(all),
    removed: all.filter(({ mark }) => mark === '-').length,
    added: all.filter(({ mark }) => mark === '+').length,
    total: Math.max(linesOf(old).length, linesOf(next).length),
  }
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function withoutFarContext(all: readonly TextLine[]): TextLine[] {
  const near = new Set<number>()
  for (const [index, { mark }] of all.entries()) {
    if (mark === ' ') continue
    for (let at = index - context; at <= index + context; at += 1) near.add(at)
  }
  return all.flatMap((line, index) => {
    if (near.has(index)) return [line]
    return near.has(index - 1) || index === 0 ? [{ mark: ' ' as const, text: '…' }] : []
  })
}

/** GitHub refuses comments of more than 65,536 characters. */
export const mostCharacters = 65_000

/** The parts of a plan in Markdown. */
interface PlanMarkdown {
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

/** The first lines that have room in so many characters. */
export function fittingLines(lines: readonly string[], room: number): string[] {
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
export function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? [])
  const fence = '`'.repeat(
    largest(
      runs.map(({ length }) => length + 1),
      3,
    ),
  )
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
