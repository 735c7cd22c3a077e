import { sep } from 'node:path'
import { constants } from 'node:buffer'
import { usageError } from './errors.ts'

/** `1 secret`, `2 secrets`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const mostNamed = 10

/** The first ten names, for a question: `a, b, …`. */
export function firstNames(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '')
}

/** A file name for messages: `-` is standard input. */
export function fileWords(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** File content without the byte order mark that Windows editors write. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Throws a usage error that names a file if it is UTF-16, as some editors of Windows save it. */
export function refuseUtf16(bytes: Uint8Array, file: string): void {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isUtf16) throw usageError(`${file} is UTF-16 text`, 'save it as UTF-8')
}

/** Throws a usage error that names a file if it is too large for one string. */
export function refuseLarge({ length }: Uint8Array, file: string): void {
  const most = constants.MAX_STRING_LENGTH
  if (length > most)
    throw usageError(`${file} is too large: ${readableBytes(length)}, and at most ${readableBytes(most)} can be read`)
}

/** The text of a file without its byte order mark. Throws a usage error that names the file if it isn't UTF-8, or is too large. */
export function fileText(bytes: Uint8Array, file: string): string {
  refuseUtf16(bytes, file)
  refuseLarge(bytes, file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usageError(`${file} is not UTF-8 text`)
  }
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of the path is not a folder',
  EEXIST: 'it already exists',
  ENOSPC: 'no space left on the disk',
  EROFS: 'read-only file system',
  EMFILE: 'too many open files',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file is larger than allowed',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  EPIPE: 'its reader has ended',
  EBUSY: 'it is in use',
  UNKNOWN: 'it cannot be reached',
  ENXIO: 'nobody reads it',
}

/** Why a file operation failed, for messages. */
export function fileReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const reason = fileReasons[code] ?? (code === '' ? (error as Error).message : code)
  // On Windows a file that another program has open can't be replaced.
  return sep === '\\' && /^(?:EPERM|EBUSY|EACCES)$/.test(code) ? `${reason} (is it open in another program?)` : reason
}

/** A size for display: `9.4 kB`. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** Wraps text at blanks to lines of at most `width`; a longer word gets its own line. */
export function wrap(text: string, width: number, size = (part: string) => part.length): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && size(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** A list of validation errors starts with their count, or with a prefix added by a follower. */
const listHeading = /^(?:rpc error: (?:code = \w+ desc = )?)?\d+ errors? occurred:/

/** True for a list of errors in log format: `2 errors occurred:` and bullets. */
export function isErrorList(words: string): boolean {
  return listHeading.test(words)
}

/** Joins such a list in one line, without headings and bullets. An item may be a list itself: `Task a failed: 2 errors occurred:`. */
export function withoutHeading(words: string): string {
  const bare = words.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  if (!listHeading.test(bare)) return bare
  const lines = bare.split('\n').map((line) => line.replace(/^\s*\*\s*/, '').trim())
  return listItems(lines.filter((line) => line !== '').slice(1), Infinity).join('; ')
}

/** Takes at most so many items from the lines. A nested list is not indented; its heading has the number of its items. */
function listItems(lines: string[], most: number): string[] {
  const found: string[] = []
  while (found.length < most && lines.length > 0) {
    const line = lines.shift() ?? ''
    const [, before = line, count] = /^(.*?):? ?\b(\d+) errors? occurred:$/.exec(line) ?? []
    const inside = count === undefined ? [] : listItems(lines, Number(count))
    if (inside.length === 0) found.push(line)
    else if (before === '') found.push(...inside)
    else if (inside.length > 1) found.push(`${before} (${inside.join('; ')})`)
    else found.push(`${before}: ${inside.join('')}`)
  }
  return found
}

/** The candidates closest to a misspelled word, nearest first; at most two. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  const wanted = word.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.replace(/^-+/, '').length / 3))
  return [...candidates]
    .map((candidate) => {
      const name = candidate.toLowerCase()
      // A prefix, suffix or part of the candidate is near.
      const isPart = name.startsWith(wanted) || name.endsWith(`_${wanted}`) || name.split(/[_-]/).includes(wanted)
      return { candidate, distance: isPart && wanted.length >= 3 ? 1 : editDistance(wanted, name) }
    })
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ candidate }) => candidate)
}

/** The suggestion at the end of an error about an unknown name: `. Did you mean 'a' or 'b'?`; '' without one. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates)
  return found.length === 0 ? '' : `. Did you mean ${found.map((one) => `'${one}'`).join(' or ')}?`
}

/** Number of insertions, deletions, replacements and transpositions between two words. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] as number) + 1)
      }
      next.push(best)
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
