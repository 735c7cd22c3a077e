// Reads the structure of HCL without evaluating anything: attributes, blocks, and where expressions end. Job files come from anywhere,
// so each step moves on: the time is linear in the length of the text.

/** An attribute or a block of an HCL text. */
export type HclPart =
  | { readonly kind: 'attribute'; readonly name: string; readonly expression: string }
  | { readonly kind: 'block'; readonly name: string; readonly labels: readonly string[]; readonly body: string }

/**
 * A name. Of characters beyond ASCII, most may be letters, but typographic quotes and spaces are not: the server reports them. `\p{L}`
 * would compile for much longer.
 */
const name = /[A-Za-z_\xc0-\u1fff\u2070-\u2fff\u3040-\ufefe][\w\xc0-\u1fff\u2070-\u2fff\u3040-\ufefe-]*/y
const space = /\s*/y
const blanks = /[ \t]*/y
const lineRest = /[^\n]*/y

/** What determines where an expression ends: comments, strings, heredocs, brackets. */
const token = /#[^\n]*|\/\/[^\n]*|\/\*|<<-?([A-Za-z_\x80-\uffff][\w\x80-\uffff-]*)\r?\n|"|[[{(]|[\])}]|\n/g

/** A line with nothing but a word, which may end a heredoc. */
const lonelyWord = /^[ \t]*([A-Za-z_\x80-\uffff][\w\x80-\uffff-]*)\r?$/gm

/** The position after a string's closing quote, skipping templates inside. */
function stringEnd(text: string, start: number): number {
  // The open templates of each string around the position.
  const templates = [0]
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    const inner = templates.length - 1
    if (character === '\\') at += 1
    else if ((character === '$' || character === '%') && text[at + 1] === character && text[at + 2] === '{') at += 2
    else if ((character === '$' || character === '%') && text[at + 1] === '{') {
      templates[inner] = (templates[inner] as number) + 1
      at += 1
    } else if (character === '}' && templates[inner] !== 0) templates[inner] = (templates[inner] as number) - 1
    else if (character === '"' && templates[inner] !== 0) templates.push(0)
    else if (character === '"') {
      templates.pop()
      if (templates.length === 0) return at + 1
    }
  }
  return text.length
}

/** A text to read at any position. */
export class HclText {
  readonly text: string
  readonly #lastCommentEnd: number
  /** The ends of lonely words, in order. */
  #words: Map<string, number[]> | undefined

  constructor(text: string) {
    this.text = text
    this.#lastCommentEnd = text.lastIndexOf('*/')
  }

  /** The attributes and blocks at the top of the text; undefined if it cannot be read (the server reports why). */
  parts(): HclPart[] | undefined {
    const { text } = this
    const parts: HclPart[] = []
    for (let at = this.#skip(0); at < text.length; at = this.#skip(at)) {
      const words: string[] = []
      for (let found = this.#word(at); found !== undefined; found = this.#word(at)) {
        words.push(found.word)
        at = found.end
      }
      const [first, ...labels] = words
      if (first === undefined) return undefined
      if (text[at] === '=' && labels.length === 0) {
        const end = this.expressionEnd(at + 1)
        parts.push({ kind: 'attribute', name: first, expression: text.slice(at + 1, end).trim() })
        at = end
      } else if (text[at] === '{') {
        const end = this.scan(at, (_, depth, change) => change === -1 && depth === 0)
        if (end === undefined) return undefined
        parts.push({ kind: 'block', name: first, labels, body: text.slice(at + 1, end) })
        at = end + 1
      } else return undefined
    }
    return parts
  }

  /** The position of the line break that ends the expression which begins at `start`, or the end of the text. */
  expressionEnd(start: number): number {
    return this.scan(start, (found, depth) => found === '\n' && depth <= 0) ?? this.text.length
  }

  /** The plain string at a position, without its quotes, whose escapes are kept. */
  stringAt(at: number): string | undefined {
    const { text } = this
    if (text[at] !== '"') return undefined
    for (let end = at + 1; end < text.length; end += text[end] === '\\' ? 2 : 1)
      if (text[end] === '"') return text.slice(at + 1, end)
    return undefined
  }

  /** The position of the first token for which `isEnd` is true; `depth` counts open brackets, `change` what the token adds. */
  scan(start: number, isEnd: (found: string, depth: number, change: number) => boolean): number | undefined {
    const { text } = this
    let depth = 0
    for (let at = start; ;) {
      token.lastIndex = at
      const match = token.exec(text)
      if (match === null) return undefined
      const [found, tag] = match
      at = token.lastIndex
      if (found === '"') at = stringEnd(text, at)
      else if (found === '/*') at = this.#commentEnd(match.index) ?? match.index + 1
      else if (tag !== undefined) at = this.#heredocEnd(tag, at) ?? match.index + 1
      else if (found.length === 1) {
        const change = '[{('.includes(found) ? 1 : '])}'.includes(found) ? -1 : 0
        depth += change
        if (isEnd(found, depth, change)) return match.index
      }
    }
  }

  /** The position after blanks, line breaks and comments. */
  #skip(start: number): number {
    const { text } = this
    for (let at = start; ;) {
      at = endOf(space, text, at)
      const isLine = text[at] === '#' || (text[at] === '/' && text[at + 1] === '/')
      const end = isLine ? endOf(lineRest, text, at) : text.startsWith('/*', at) ? this.#commentEnd(at) : undefined
      if (end === undefined) return at
      at = end
    }
  }

  /** A word or a label, and the position after the blanks behind it. */
  #word(at: number): { readonly word: string; readonly end: number } | undefined {
    const { text } = this
    const label = this.stringAt(at)
    const end = label === undefined ? endOf(name, text, at) : at + label.length + 2
    return end === at ? undefined : { word: label ?? text.slice(at, end), end: endOf(blanks, text, end) }
  }

  #commentEnd(at: number): number | undefined {
    return at + 2 > this.#lastCommentEnd ? undefined : this.text.indexOf('*/', at + 2) + 2
  }

  /** The end of the line that ends the heredoc whose content begins at `start`. */
  #heredocEnd(tag: string, start: number): number | undefined {
    this.#words ??= wordsIn(this.text)
    const ends = this.#words.get(tag) ?? []
    // Terminators are asked for from the start to the end of the text, mostly; a bisection serves any order.
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) - tag.length < start) low = middle + 1
      else high = middle
    }
    return ends[low]
  }
}

function wordsIn(text: string): Map<string, number[]> {
  const words = new Map<string, number[]>()
  for (const { 0: line, 1: word = '', index } of text.matchAll(lonelyWord)) {
    const end = index + line.trimEnd().length
    const ends = words.get(word)
    if (ends === undefined) words.set(word, [end])
    else ends.push(end)
  }
  return words
}

/** The end of a sticky pattern's match at a position; the position itself if it doesn't match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
