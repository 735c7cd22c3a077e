/** A string literal of a source file, its escapes left as they are. */
export interface Literal {
  /** The text; each `${…}` of a template stands as `${n}`, with n its place in `inserted`. */
  readonly text: string
  /** The expressions of a template. */
  readonly inserted: readonly string[]
}

/** After one of these a slash begins a regular expression. */
const beforePattern = /(?:^|[(,=:[!&|?{};>]|\breturn)\s*$/

/** Every string and template of a source file, those inside the expressions of templates too. */
export function literalsOf(source: string): Literal[] {
  const found: Literal[] = []
  let at = 0
  code(source.length)
  return found

  /** Reads code up to a place, or to the brace that closes what was open before it. */
  function code(end: number): void {
    let depth = 0
    for (; at < end; at += 1) {
      const character = source[at] as string
      if (character === '}' && depth === 0) return
      if (character === '{') depth += 1
      else if (character === '}') depth -= 1
      else if (character === "'" || character === '"') found.push({ text: quoted(character), inserted: [] })
      else if (character === '`') template()
      else if (character === '/') slash()
    }
  }

  /** Leaves `at` on the closing quote. */
  function quoted(quote: string): string {
    const begin = at + 1
    for (at = begin; source[at] !== quote; at += 1) if (source[at] === '\\') at += 1
    return source.slice(begin, at)
  }

  function template(): void {
    const inserted: string[] = []
    let text = ''
    for (at += 1; source[at] !== '`'; at += 1) {
      if (source.startsWith('${', at)) {
        const begin = (at += 2)
        code(source.length)
        text += `\${${inserted.push(source.slice(begin, at)) - 1}}`
      } else {
        text += source[at]
        if (source[at] === '\\') text += source[(at += 1)]
      }
    }
    found.push({ text, inserted })
  }

  /** A comment, a regular expression or a division. */
  function slash(): void {
    if (source[at + 1] === '/') at = endOf('\n')
    else if (source[at + 1] === '*') at = endOf('*/') + 1
    else if (beforePattern.test(source.slice(Math.max(0, at - 20), at))) {
      const pattern = /\/(?:[^\\[/\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\//y
      pattern.lastIndex = at
      at += (pattern.exec(source)?.[0].length ?? 1) - 1
    }
  }

  function endOf(mark: string): number {
    const end = source.indexOf(mark, at + 1)
    return end === -1 ? source.length : end
  }
}
