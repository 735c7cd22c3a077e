import type { Candidate, Offer } from './offer.ts'

/** A bash line up to the cursor: its words without quotes, and the last one as typed. */
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
 * The replies for bash, quoted so that nothing in them means anything to it; what an open quote cannot contain is not offered.
 * Readline replaces the word from the last of its `breaks` on.
 */
export function bashReplies({ lead, values }: Offer, typed: string, breaks: string): string[] {
  const value = typed.slice(/^--[^=]+=/.exec(typed)?.[0].length ?? 0)
  const quote = /^['"]/.exec(value)?.[0] ?? ''
  const fitting = values.map((candidate) => candidate.value).filter((text) => fits(text, quote))
  if (quote !== '') return fitting
  const broken = typed.slice(
    0,
    Math.max(...['=', ':', '@'].map((one) => (breaks.includes(one) ? typed.lastIndexOf(one) : -1))) + 1,
  )
  return fitting.map((text) => {
    const isContinued = fitting.length > 1 || /[/ ]$/.test(text)
    // A quote is opened if more is to be typed inside it.
    const opens = text.includes(' ') && !text.includes("'") && isContinued
    const shown = lead + (opens ? `'${text}` : text.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`))
    return shown.startsWith(broken) ? shown.slice(broken.length) : shown
  })
}

function fits(text: string, quote: string): boolean {
  return quote === "'" ? !text.includes("'") : quote === '' || !/["$`\\!]/.test(text)
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
