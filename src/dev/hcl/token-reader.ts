/** A cursor over tokens that can overlook newlines, as HCL does inside brackets. */

import { SyntaxFailure } from './diagnostics.ts'
import type { Range } from './diagnostics.ts'
import { textOf } from './lexer.ts'
import type { Token, TokenType } from './lexer.ts'

export class TokenReader {
  private readonly tokens: readonly Token[]
  private at = 0
  private newlines = true

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  /** The next token, which stays next. */
  peek(): Token {
    if (!this.newlines) while (this.tokens[this.at]?.type === 'newline') this.at += 1
    return this.tokens[this.at] as Token
  }

  /** The next token, and past it; the end of the file stays next for ever. */
  read(): Token {
    const token = this.peek()
    if (token.type !== 'end of file') this.at += 1
    return token
  }

  /** Past the next token if it is of this type. */
  taken(type: TokenType): boolean {
    if (this.peek().type !== type) return false
    this.read()
    return true
  }

  /** Whether the next token is this bare word. */
  atWord(word: string): boolean {
    const token = this.peek()
    return token.type === 'identifier' && textOf(token) === word
  }

  /** Runs `parse` with newlines as tokens of their own, or as blanks. */
  withNewlines<T>(newlines: boolean, parse: () => T): T {
    const outer = this.newlines
    this.newlines = newlines
    try {
      return parse()
    } finally {
      this.newlines = outer
    }
  }
}

/** Ends the parse with a diagnostic. */
export function fail(summary: string, detail: string, range: Range): never {
  throw new SyntaxFailure({ summary, detail, range })
}
