import { eastAsianWidth } from 'get-east-asian-width'
import { wrap } from '../core/words.ts'
import { narrowLetters } from './safe.ts'

const narrow = new RegExp(`^[${narrowLetters}]*$`)

/**
 * Splits text into runs of such letters, and runs of others with the preceding letter, with which they may combine. Node's segmenter
 * takes quadratic time for long text.
 */
const pieces = new RegExp(`[${narrowLetters}]+(?![^${narrowLetters}])|[^][^${narrowLetters}]{0,500}`, 'gu')

// oxlint-disable-next-line no-control-regex -- it is what colours begin with
const colour = /\x1b\[[\d;]*m/g

/** The width of a string in terminal cells: two for East Asian wide characters and emoji, none for combining marks and colours. */
export function cells(text: string): number {
  if (narrow.test(text)) return text.length
  let taken = 0
  for (const [piece] of text.replaceAll(colour, '').matchAll(pieces)) {
    if (narrow.test(piece)) taken += piece.length
    else for (const { segment } of graphemesOf(piece)) taken += cellsOf(segment)
  }
  return taken
}

/**
 * The cells of one grapheme, which in Thai, Hindi and Japanese may have several letters. The patterns are created here, where they are
 * rarely needed: each takes most of a millisecond.
 */
function cellsOf(grapheme: string): number {
  if (/\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u.test(grapheme)) return 2
  // Combining marks, and the later parts of a Hangul syllable.
  const letters = grapheme.replaceAll(
    /[\p{Control}\p{Mark}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]/gu,
    '',
  )
  let taken = 0
  for (const letter of letters) taken += eastAsianWidth(letter.codePointAt(0) as number)
  return taken
}

/** Pads a string with blanks to `width` cells. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - cells(text)))
  return align === 'right' ? blanks + text : text + blanks
}

/** Truncates a string to `width` cells. A truncated string ends with `…`; no character is split. */
export function cut(text: string, width: number): string {
  if (cells(text) <= width) return text
  if (width < 1) return ''
  return `${narrow.test(text) ? text.slice(0, width - 1) : beginning(text, width - 1)}…`
}

/** Wraps text at blanks to lines of at most `width` cells; a longer word is broken anywhere, without loss. */
export function wrapCells(text: string, width: number): string[] {
  if (cells(text) <= width) return [text]
  return wrap(text, width, cells).flatMap((line) => chopped(line, width))
}

function chopped(word: string, width: number): string[] {
  if (cells(word) <= width) return [word]
  const parts = ['']
  let used = 0
  for (const [piece] of word.matchAll(pieces)) {
    for (const grapheme of narrow.test(piece) ? piece : Array.from(graphemesOf(piece), ({ segment }) => segment)) {
      const size = cells(grapheme)
      if (used > 0 && used + size > width) {
        parts.push('')
        used = 0
      }
      parts[parts.length - 1] += grapheme
      used += size
    }
  }
  return parts
}

/** As many leading graphemes as fit. */
function beginning(text: string, width: number): string {
  let used = 0
  let end = 0
  for (const { segment, index } of graphemesOf(text)) {
    used += cells(segment)
    if (used > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

let segmenter: Intl.Segmenter | undefined

function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}
