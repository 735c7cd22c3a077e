import type { Paint, Tone } from '../../../core/output.ts'
import { wrap } from '../../../core/words.ts'
import { cells } from '../../../output/width.ts'
import type { DiffNode, Mark } from './tree.ts'

const tones: Readonly<Record<Mark, Tone>> = { '+': 'good', '-': 'bad', '~': 'change', ' ': 'dim' }

/** Wider labels don't move their siblings' values to the right. */
const widestLabel = 28

/** A line of a rendered tree, before colours. */
export interface TreeLine {
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
  const inner = Math.max(0, ...children.map(labelWidth))
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
