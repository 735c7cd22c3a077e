import fastStringWidth from 'fast-string-width'

/** ASCII, Latin letters, dashes, quotation marks and `…`: one cell and one grapheme each. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u024f\u2010-\u2027]*$/

/** How many terminal cells a text takes: two for East Asian wide characters and emoji, none for combining marks and colours. */
export function cells(text: string): number {
  return narrow.test(text) ? text.length : fastStringWidth(text)
}

/** The text with blanks up to `width` cells; unchanged when it is as wide already. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - cells(text)))
  return align === 'right' ? blanks + text : text + blanks
}

/** The text in at most `width` cells. What had to be shortened ends with `…`; no character is cut in two. */
export function cut(text: string, width: number): string {
  if (cells(text) <= width) return text
  if (width < 1) return ''
  return `${narrow.test(text) ? text.slice(0, width - 1) : beginning(text, width - 1)}…`
}

let segmenter: Intl.Segmenter | undefined

/** As many whole graphemes from the start as fit. */
function beginning(text: string, width: number): string {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let used = 0
  let end = 0
  for (const { segment, index } of segmenter.segment(text)) {
    used += cells(segment)
    if (used > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}
