import type { Candidate, Offer } from './offer.ts'

/** A bash line up to the cursor: its unquoted words, and the last one as typed. */
export interface BashLine {
  readonly words: readonly string[]
  readonly typed: string
}

/** Splits a line as bash does, but expands nothing. */
export function splitBash(line: string): BashLine {
  const words: string[] = ['']
  let start = 0
  let quote = ''
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] as string
    const add = (text: string) => void (words[words.length - 1] += text)
    if (character === '\\' && quote !== "'") {
      index += 1
      add(line[index] ?? '')
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === "'" || character === '"')) quote = character
    else if (quote === '' && /\s/.test(character)) {
      if (words.at(-1) !== '' || index > start) words.push('')
      start = index + 1
    } else add(character)
  }
  return { words, typed: line.slice(start) }
}

/**
 * The completions for bash, quoted so that nothing in them is special; those that cannot be inside an open quote are omitted. Readline
 * replaces the word from the last of its `breaks`.
 */
export function bashReplies({ lead, values }: Offer, typed: string, breaks: string): string[] {
  const value = typed.slice(/^--[^=]+=/.exec(typed)?.[0].length ?? 0)
  const quote = /^['"]/.exec(value)?.[0] ?? ''
  const unfit = quote === "'" ? /'/ : /["$`\\!]/
  const fitting = values.map((candidate) => candidate.value).filter((text) => quote === '' || !unfit.test(text))
  if (quote !== '') return fitting
  const broken = typed.slice(
    0,
    Math.max(...['=', ':', '@'].map((one) => (breaks.includes(one) ? typed.lastIndexOf(one) : -1))) + 1,
  )
  return fitting.map((text) => {
    const isContinued = fitting.length > 1 || /[/ ]$/.test(text)
    // A quote is left open if more can be typed inside it.
    const opens = text.includes(' ') && !text.includes("'") && isContinued
    const shown = lead + (opens ? `'${text}` : text.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`))
    return shown.startsWith(broken) ? shown.slice(broken.length) : shown
  })
}

/** The lines for zsh, which quotes by itself but cannot keep a `!` from the history inside quotes. */
export function zshLines({ values }: Offer, quote: string): string[] {
  return values.filter(({ value }) => quote === '' || !value.includes('!')).map(lineOf)
}

/** The lines for fish, which quotes by itself but would expand a leading `~` to a folder. */
export function fishLines({ lead, values }: Offer): string[] {
  return values.filter(({ value }) => !value.startsWith('~')).map((one) => lineOf({ ...one, value: lead + one.value }))
}

function lineOf({ value, summary }: Candidate): string {
  return `${value}\t${summary ?? ''}`
}

/** The word at the cursor of a fish line, without its quotes. */
export function unquoteFish(typed: string): string {
  return typed.replace(/^(--[^=]*=)?['"]/, '$1').replaceAll(/\\(.)/g, '$1')
}

/**
 * The completions for PowerShell, quoted: JSON in ASCII, because it decodes program output with the console's code page. PowerShell treats
 * typographic quotes as plain ones.
 */
export function powershellAnswer({ kind, lead, values }: Offer): string {
  const listed = values.map(({ value, summary }) => {
    const word = lead + value
    const isPlain = /^[\w+=:./\\-]+$/.test(word) && word !== '--'
    return {
      text: isPlain ? word : `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`,
      shown: value,
      // PowerShell rejects an empty description.
      summary: summary || value,
    }
  })
  return JSON.stringify({ kind, values: listed }).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The word at the cursor of a PowerShell line, without its quotes, which may be open. */
export function unquotePowershell(typed: string): string {
  const [, lead = '', quote = '', text = ''] = /^(--[^=]*=)?(['"\u2018-\u201b\u201c-\u201e])([^]*)$/.exec(typed) ?? []
  if (quote === '') return typed.replaceAll(/`(.)/g, '$1')
  const isSingle = /['\u2018-\u201b]/.test(quote)
  // Inside, a quote is doubled, so an odd number at the end includes the closing one.
  const isClosed = isSingle
    ? (/['\u2018-\u201b]*$/.exec(text)?.[0].length ?? 0) % 2 === 1
    : /["\u201c-\u201e]$/.test(text)
  const closed = isClosed ? text.slice(0, -1) : text
  return lead + (isSingle ? closed.replaceAll(/(['\u2018-\u201b])\1/g, '$1') : closed.replaceAll(/`(.)/g, '$1'))
}
