/** `1 secret`, `2 secrets`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const mostNamed = 10

/** The first names of a question: `a, b, …`. */
export function firstNames(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '')
}

/** A file's name in messages: `-` is standard input. */
export function fileWords(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** A size for people: `9.4 kB`. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** The text in lines of at most `width`, broken at blanks; a longer word has a line of its own. */
export function wrap(text: string, width: number, size = (part: string) => part.length): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && size(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** A list of validation errors starts with their number, or with a prefix that a follower adds. */
const listHeading = /^(?:rpc error: (?:code = \w+ desc = )?)?\d+ errors? occurred:/

/** True for a list of errors in log format: `2 errors occurred:` and bullets. */
export function isErrorList(words: string): boolean {
  return listHeading.test(words)
}

/** Removes the heading and bullets of such a list. */
export function withoutHeading(words: string): string {
  const bare = words.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  if (!listHeading.test(bare)) return bare
  return bare
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ errors? occurred:$/.test(line))
    .join('; ')
}
