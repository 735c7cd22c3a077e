/** The text in templates: escapes and indentation. */

import type { Range } from '../diagnostics.ts'
import type { Reader } from './reader.ts'

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }
const escape = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))|\$\$\{|%%\{/gu

/** Text is trimmed by the markers next to it, which may come later. */
export interface TextPart {
  readonly kind: 'literal'
  value: string
  readonly range: Range
  readonly at: Range
  readonly startsLine: boolean
}

/** Text between quotes, which starts at `start`, with its escapes resolved. */
export function unescapedText(reader: Reader, text: string, start: number): string {
  return text.replaceAll(escape, (sequence, short?: string, long?: string, letter?: string, offset = 0) => {
    const code = Number.parseInt(short ?? long ?? '', 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    if (letter === undefined && long === undefined) return sequence.slice(1)
    const place = reader.range(start + Number(offset), start + Number(offset) + sequence.length)
    const detail = `"${sequence}" is not an escape sequence.`
    return escapes[letter ?? ''] ?? reader.fail('Invalid escape sequence', detail, place)
  })
}

/** Text of a heredoc, where only `$${` and `%%{` are special. */
export function unescapedMarkers(text: string): string {
  return text.replaceAll(/([$%])\1\{/g, '$1{')
}

/** Removes the indentation that all lines share; blank lines do not count. */
export function outdent(texts: readonly TextPart[]): void {
  const starts = texts.filter((part) => part.startsLine)
  const lines = starts.filter((part) => !/^\s*\n$/.test(part.value))
  const shared = Math.min(...lines.map((part) => part.value.length - part.value.trimStart().length))
  for (const part of starts) {
    const blank = part.value.length - part.value.replace(/^[^\S\n]+/, '').length
    part.value = part.value.slice(Math.min(shared, blank))
  }
}
