import type { Paint, Tone } from '../../../core/output.ts'
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

/** The tree for a terminal or a pipe. */
export function treeText(node: DiffNode, paint: Paint): string {
  return treeLines(node)
    .map(({ depth, mark, label, heading, value, note }) => {
      const tone = tones[mark]
      const parts = [
        ...(label === '' ? [] : [heading ? paint('heading', label) : label]),
        ...(value === '' ? [] : [paint(tone, value)]),
        ...(note === '' ? [] : [paint('dim', note)]),
      ]
      return `${'  '.repeat(depth)}${paint(tone, mark)} ${parts.join('  ')}`.trimEnd()
    })
    .join('\n')
}
