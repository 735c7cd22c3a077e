/**
 * A JSON text with other white space: digits, escapes and the order of keys stay as they are. `indent` counts blanks a
 * level; 0 gives the compact form. The text is taken to be JSON. No line feed at the end.
 */
export function reindent(text: string, indent: number): string {
  let out = ''
  const colon = indent > 0 ? ': ' : ':'
  const newline = (depth: number) => (indent > 0 ? `\n${' '.repeat(indent * depth)}` : '')
  let depth = 0
  let at = spaceEnd(text, 0)
  while (at < text.length) {
    const start = at
    const character = text[start] as string
    at = character === '"' ? stringEnd(text, start) : start + 1
    if (character === '{' || character === '[') {
      const next = spaceEnd(text, at)
      if (text[next] === '}' || text[next] === ']') {
        out += `${character}${text[next]}`
        at = next + 1
      } else {
        depth += 1
        out += character + newline(depth)
      }
    } else if (character === '}' || character === ']') {
      depth -= 1
      out += newline(depth) + character
    } else if (character === ',') {
      out += ',' + newline(depth)
    } else if (character === ':') {
      out += colon
    } else {
      if (character !== '"') at = wordEnd(text, at)
      out += text.slice(start, at)
    }
    at = spaceEnd(text, at)
  }
  return out
}

/** A JSON text without white space between its tokens. */
export function compact(text: string): string {
  return reindent(text, 0)
}

function spaceEnd(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) <= 0x20) end += 1
  return end
}

/** The end of a number or a literal. */
function wordEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && !'{}[],: \t\n\r'.includes(text[end] as string)) end += 1
  return end
}

/** Behind the quotation mark that closes the string begun at `start`: one after an even number of backslashes. */
function stringEnd(text: string, start: number): number {
  let quote = start
  let backslashes: number
  do {
    quote = text.indexOf('"', quote + 1)
    if (quote === -1) return text.length
    backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
  } while (backslashes % 2 === 1)
  return quote + 1
}
