import { diffLines } from 'diff/lib/diff/line.js'
import type { Mark } from './tree.ts'

/** A line of a changed text; unchanged ones are context. */
export interface TextLine {
  readonly mark: Mark
  readonly text: string
}

/** A text's differences, line by line. */
export interface TextChange {
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
