/** Cuts HCL, or JSON read as HCL, into tokens. */

import type { Diagnostic, Range, Source } from './diagnostics.ts'

export type TokenType =
  | 'identifier'
  | 'number'
  | 'newline'
  | 'end of file'
  | 'open quote'
  | 'close quote'
  | 'quoted text'
  | 'open heredoc'
  | 'close heredoc'
  | 'heredoc text'
  | 'json string'
  | '${'
  | '%{'
  | 'template end'
  | 'invalid'
  | Symbol

type Symbol = (typeof symbols)[number]

export interface Token extends Range {
  readonly type: TokenType
}

/** The text of a token as it stands in the source. */
export function textOf({ source, start, end }: Range): string {
  return source.text.slice(start, end)
}

/** The tokens of a whole file, `end of file` last. Characters that belong to no token are reported and kept. */
export function readTokens(source: Source, json: boolean, diagnostics: Diagnostic[]): Token[] {
  return new Lexer(source, json, diagnostics).file()
}

/** The tokens of a text that is all template, as strings of JSON are. */
export function readTemplateTokens(source: Source, diagnostics: Diagnostic[]): Token[] {
  return new Lexer(source, false, diagnostics).template()
}

// Longer symbols come before those that they begin with.
const symbols = [
  '...',
  '==',
  '!=',
  '<=',
  '>=',
  '=>',
  '&&',
  '||',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '*',
  '/',
  '+',
  '-',
  '%',
  '=',
  '<',
  '>',
  '!',
  '.',
  ',',
  '?',
  ':',
] as const

const blanks = /[ \t]+/y
const lineEnd = /\r?\n/y
const comment = /(?:#|\/\/)[^\n]*\n?|\/\*[\s\S]*?\*\//y
const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const heredoc = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy
const jsonString = /"(?:[^"\\\n]|\\.)*"/y
const templateStart = /[$%]\{~?/y
const quotedText = /(?:\$\$\{|%%\{|\\[^\n]|(?![$%]\{)[^"\\\n])+/uy
const heredocText = /(?:\$\$\{|%%\{|(?![$%]\{)[^\n])*\n?/uy
const anyText = /(?:\$\$\{|%%\{|(?![$%]\{)[^])+/uy

const invalidCharacters: Readonly<Record<string, readonly [summary: string, detail: string]>> = {
  '&': ['Unsupported operator', 'Bitwise operators are not supported. Did you mean boolean AND ("&&")?'],
  '|': ['Unsupported operator', 'Bitwise operators are not supported. Did you mean boolean OR ("||")?'],
  '~': ['Unsupported operator', 'Bitwise operators are not supported. Did you mean boolean NOT ("!")?'],
  '^': ['Unsupported operator', 'Bitwise operators are not supported.'],
  "'": ['Invalid character', 'Single quotes are not valid. Use double quotes (") to enclose strings.'],
  '`': [
    'Invalid character',
    'The "`" character is not valid. To create a multi-line string, use the "heredoc" syntax, like "<<EOT".',
  ],
  ';': [
    'Invalid character',
    'The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items in collection values.',
  ],
}

const multiLineString =
  'Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \\n escape to represent a newline character or use the "heredoc" multi-line template syntax.'

class Lexer {
  private readonly source: Source
  private readonly text: string
  private readonly json: boolean
  private readonly diagnostics: Diagnostic[]
  private readonly tokens: Token[] = []
  private readonly reported = new Map<string, number>()
  private at = 0

  constructor(source: Source, json: boolean, diagnostics: Diagnostic[]) {
    this.source = source
    this.text = source.text
    this.json = json
    this.diagnostics = diagnostics
    if (this.text.startsWith('\uFEFF')) this.at = 1
  }

  file(): Token[] {
    this.code(false)
    this.add('end of file', this.at)
    return this.tokens
  }

  template(): Token[] {
    while (this.at < this.text.length) {
      if (!this.sequence()) this.take(anyText, 'heredoc text')
    }
    this.add('end of file', this.at)
    return this.tokens
  }

  /** Everything up to the end of the file, or up to the brace that closes a template sequence. */
  private code(insideTemplate: boolean): void {
    let depth = 0
    while (this.at < this.text.length) {
      if (insideTemplate && depth === 0 && /^~?\}/.test(this.text.slice(this.at, this.at + 2))) {
        this.add('template end', this.text[this.at] === '~' ? this.at + 2 : this.at + 1)
        return
      }
      if (this.skip(blanks) || this.space()) continue
      if (this.take(identifier, 'identifier') || this.take(number, 'number')) continue
      if (this.text[this.at] === '"' || this.text.startsWith('<<', this.at)) {
        if (this.string()) continue
      }
      const symbol = symbols.find((candidate) => this.text.startsWith(candidate, this.at))
      if (symbol === '{') depth += 1
      else if (symbol === '}') depth -= 1
      if (symbol === undefined) this.invalid()
      else this.add(symbol, this.at + symbol.length)
    }
  }

  private space(): boolean {
    const start = this.at
    if (this.skip(comment)) {
      if (this.text[this.at - 1] === '\n') this.newline(start)
      return true
    }
    if (this.skip(lineEnd)) {
      this.newline(start)
      return true
    }
    return false
  }

  private newline(start: number): void {
    if (!this.json) this.tokens.push({ type: 'newline', source: this.source, start, end: this.at })
  }

  private string(): boolean {
    if (this.text[this.at] === '"') {
      if (!this.json) this.quoted()
      else if (!this.take(jsonString, 'json string')) this.invalid()
      return true
    }
    heredoc.lastIndex = this.at
    const marker = heredoc.exec(this.text)?.[1]
    if (marker === undefined) return false
    this.take(heredoc, 'open heredoc')
    this.heredoc(marker)
    return true
  }

  private quoted(): void {
    this.add('open quote', this.at + 1)
    while (this.at < this.text.length) {
      if (this.text[this.at] === '"') {
        this.add('close quote', this.at + 1)
        return
      }
      if (this.sequence() || this.take(quotedText, 'quoted text')) continue
      const range = { source: this.source, start: this.at, end: this.at + 1 }
      this.diagnostics.push({ summary: 'Invalid multi-line string', detail: multiLineString, range })
      this.at += 1
    }
  }

  private heredoc(marker: string): void {
    while (this.at < this.text.length) {
      if (this.text[this.at - 1] === '\n') {
        const lineBreak = this.text.indexOf('\n', this.at)
        const line = this.text.slice(this.at, lineBreak < 0 ? undefined : lineBreak)
        if (line.trim() === marker) {
          this.add('close heredoc', this.at + line.trimEnd().length)
          return
        }
      }
      if (!this.sequence()) this.take(heredocText, 'heredoc text')
    }
  }

  /** A template sequence with the code in it, if one starts here. */
  private sequence(): boolean {
    if (!this.take(templateStart, this.text[this.at] === '%' ? '%{' : '${')) return false
    this.code(true)
    return true
  }

  private invalid(): void {
    const start = this.at
    const character = String.fromCodePoint(this.text.codePointAt(start) as number)
    this.add('invalid', start + character.length)
    if (!this.worthReporting(character)) return
    const [summary, detail] = invalidCharacters[character] ?? [
      'Invalid character',
      'This character is not used within the language.',
    ]
    this.diagnostics.push({ summary, detail, range: { source: this.source, start, end: this.at } })
  }

  /** Of quotes every other one, since they come in pairs; of semicolons the first. */
  private worthReporting(character: string): boolean {
    const before = this.reported.get(character) ?? 0
    this.reported.set(character, before + 1)
    if (character === ';') return before === 0
    return character !== "'" && character !== '`' ? true : before === 0 || before === 2
  }

  private take(pattern: RegExp, type: TokenType): boolean {
    const start = this.at
    if (!this.skip(pattern)) return false
    this.tokens.push({ type, source: this.source, start, end: this.at })
    return true
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  private add(type: TokenType, end: number): void {
    this.tokens.push({ type, source: this.source, start: this.at, end })
    this.at = end
  }
}
