/** Steps through the text of a filter, without tokens, since a word such as `in` may be a selector too. */

import { FilterError } from './error.ts'

const deepest = 100

/** An alternative that did not fit; another may. */
export class NoMatch extends Error {}

/** An error of syntax, in the form in which the server reports it. */
export function syntaxError(message: string): FilterError {
  return new FilterError(`failed to read filter expression: ${message}`, 'failed to create result paginator')
}

/** A position in a text. Of all failures, the furthest is the one worth reporting. */
export class Scanner {
  protected readonly text: string
  protected at = 0
  private depth = 0
  private furthest = 0
  private readonly expected = new Set<string>()

  constructor(text: string) {
    this.text = text
  }

  /** The furthest failure, with everything that would have fit there. */
  protected failure(): FilterError {
    return this.errorAt(this.furthest, `no match found, expected: ${[...this.expected].toSorted().join(', ')}`)
  }

  /** Words with blanks before each of them, and behind the last when something must follow. */
  protected words(text: string, followed: boolean): string {
    for (const word of text.split(' ')) {
      this.blank()
      this.literal(word)
    }
    if (followed) this.blank()
    return text
  }

  protected literal<Text extends string>(text: Text): Text {
    if (!this.text.startsWith(text, this.at)) this.fail(`"${text}"`)
    this.at += text.length
    return text
  }

  protected gap(): string {
    return this.take(/[ \t\r\n]*/y, '')
  }

  protected blank(): void {
    this.take(/[ \t\r\n]+/y, 'a blank')
  }

  protected take(pattern: RegExp, label: string): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? this.fail(label)
    this.at += found.length
    return found
  }

  protected attempt<Result>(parse: () => Result): Result | undefined {
    const { at, depth } = this
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof NoMatch)) throw error
      this.at = at
      this.depth = depth
      return undefined
    }
  }

  protected nested<Result>(parse: () => Result): Result {
    this.depth += 1
    if (this.depth > deepest) throw this.errorAt(this.at, `nested more than ${deepest} levels deep`)
    const result = parse()
    this.depth -= 1
    return result
  }

  protected fail(label: string): never {
    if (this.at > this.furthest) this.expected.clear()
    if (this.at >= this.furthest) this.expected.add(label)
    this.furthest = Math.max(this.furthest, this.at)
    throw new NoMatch()
  }

  /** `line:column (offset)`: columns count characters, offsets bytes. */
  protected errorAt(at: number, message: string): FilterError {
    const before = this.text.slice(0, at)
    const lines = before.split('\n')
    const column = Array.from(lines.at(-1) ?? '').length + 1
    return syntaxError(`${lines.length}:${column} (${Buffer.byteLength(before)}): ${message}`)
  }
}
