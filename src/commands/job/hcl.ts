/** An attribute or a block of an HCL text, as far as it can be read without evaluating anything. */
export type HclPart =
  | { readonly kind: 'attribute'; readonly name: string; readonly expression: string }
  | { readonly kind: 'block'; readonly name: string; readonly labels: readonly string[]; readonly body: string }

/** The attributes and blocks at the top of a text; undefined if the text cannot be read (the server says why). */
export function hclParts(text: string): HclPart[] | undefined {
  const parts: HclPart[] = []
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const words: string[] = []
    for (let found = wordAt(text, at); found !== null; found = wordAt(text, at)) {
      words.push(found[1] ?? found[2] ?? '')
      at += found[0].length
    }
    const [name, ...labels] = words
    if (name === undefined) return undefined
    if (text[at] === '=' && labels.length === 0) {
      const end = expressionEnd(text, at + 1)
      parts.push({ kind: 'attribute', name, expression: text.slice(at + 1, end).trim() })
      at = end
    } else if (text[at] === '{') {
      const end = bracketEnd(text, at)
      if (end === undefined) return undefined
      parts.push({ kind: 'block', name, labels, body: text.slice(at + 1, end - 1) })
      at = end
    } else return undefined
  }
  return parts
}

function skip(text: string, at: number): number {
  return at + (matchAt(/(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/uy, text, at)?.[0].length ?? 0)
}

/** A word or a label, and the blanks after it. */
function wordAt(text: string, at: number): RegExpExecArray | null {
  return matchAt(/(?:"((?:[^"\\]|\\.)*)"|([\p{L}_][\p{L}\p{N}_-]*))[ \t]*/uy, text, at)
}

/** What a sticky pattern finds at a position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The position of the line break that ends the expression which begins at `start`, or the end of the text. */
export function expressionEnd(text: string, start: number): number {
  return scan(text, start, (found, depth) => found === '\n' && depth <= 0) ?? text.length
}

/** The position after the bracket that closes the one at `start`; undefined if none does. */
function bracketEnd(text: string, start: number): number | undefined {
  const end = scan(text, start, (_, depth, change) => change === -1 && depth === 0)
  return end === undefined ? undefined : end + 1
}

/** The position of the first token for which `isEnd` is true; `depth` counts open brackets, `change` what the token adds. */
function scan(
  text: string,
  start: number,
  isEnd: (found: string, depth: number, change: number) => boolean,
): number | undefined {
  // What determines where an expression ends: comments, strings, heredocs, brackets.
  const token =
    /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n(?:[\s\S]*?\n)??[ \t]*\1(?=\r?\n|$)|"|[[{(]|[\])}]|\n/gu
  let depth = 0
  token.lastIndex = start
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match
    if (found === '"') token.lastIndex = stringEnd(text, match.index + 1)
    else {
      const change = found.length > 1 ? 0 : '[{('.includes(found) ? 1 : '])}'.includes(found) ? -1 : 0
      depth += change
      if (isEnd(found, depth, change)) return match.index
    }
  }
  return undefined
}

/** The position after a string's closing quote, skipping templates inside. */
function stringEnd(text: string, start: number): number {
  let templates = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '\\') at += 1
    else if (/^(?:\$\$|%%)\{/.test(text.slice(at, at + 3))) at += 2
    else if (/^[$%]\{/.test(text.slice(at, at + 2))) {
      templates += 1
      at += 1
    } else if (character === '}' && templates > 0) templates -= 1
    else if (character === '"' && templates === 0) return at + 1
    else if (character === '"') at = stringEnd(text, at + 1) - 1
  }
  return text.length
}
