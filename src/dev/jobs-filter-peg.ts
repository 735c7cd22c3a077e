/**
 * A small parser of parsing expression grammars that words its failures as the server's parser does: the furthest place
 * that was reached and everything that could have stood there.
 */

const failed = Symbol('no match')
type Failed = typeof failed

/** A piece of grammar: reads from where the parser stands, or fails. */
export type Piece<Value> = (parser: Parser) => Value | Failed

interface Memory {
  readonly value: unknown
  readonly end: number
}

/** The state of one parse. */
class Parser {
  readonly characters: readonly string[]
  readonly memory = new Map<string, Memory>()
  readonly rules: string[] = []
  at = 0
  inverted = false
  private furthest = 0
  private expected = new Set<string>()
  private readonly errors = new Set<string>()

  constructor(text: string) {
    this.characters = Array.from(text)
  }

  /** Notes that something was wanted here; inside a negation, that something unwanted was found. */
  note(matched: boolean, place: number, want: string): void {
    if (matched !== this.inverted || place < this.furthest) return
    if (place > this.furthest) this.expected = new Set()
    this.furthest = place
    this.expected.add(this.inverted ? `!${want}` : want)
  }

  error(message: string, place: number): void {
    this.errors.add(`${this.position(place)}: rule ${this.rules.at(-1)}: ${message}`)
  }

  /** Everything that was wrong, in the server's words; undefined when nothing was. */
  complaint(succeeded: boolean): string | undefined {
    if (this.errors.size > 0) return [...this.errors].join('\n')
    if (succeeded) return undefined
    const wanted = [...this.expected].filter((want) => want !== '!.').toSorted()
    if (this.expected.has('!.')) wanted.push('EOF')
    const last = wanted.pop() ?? ''
    const list = wanted.length === 0 ? last : `${wanted.join(', ')} or ${last}`
    return `${this.position(this.furthest)}: no match found, expected: ${list}`
  }

  /** Line, column in characters (0 on a line break itself) and offset in bytes. */
  private position(place: number): string {
    const reached = this.characters.slice(0, place + 1)
    const line = 1 + reached.filter((character) => character === '\n').length
    const column = place - reached.lastIndexOf('\n')
    return `${line}:${column} (${Buffer.byteLength(reached.slice(0, place).join(''))})`
  }
}

/** The value of the whole text, or the complaint about it. */
export function parseWith<Value extends object>(piece: Piece<Value>, text: string): Value | string {
  const parser = new Parser(text)
  const value = piece(parser)
  return parser.complaint(value !== failed) ?? (value as Value)
}

export function literal(text: string): Piece<string> {
  const wanted = Array.from(text)
  return (parser) => {
    const matched = wanted.every((character, index) => parser.characters[parser.at + index] === character)
    parser.note(matched, parser.at, JSON.stringify(text))
    if (!matched) return failed
    parser.at += wanted.length
    return text
  }
}

/** One character that the pattern matches; `label` names it in complaints. */
export function oneOf(label: string, pattern: RegExp): Piece<string> {
  return (parser) => {
    const character = parser.characters[parser.at]
    const matched = character !== undefined && pattern.test(character)
    parser.note(matched, parser.at, label)
    if (!matched) return failed
    parser.at += 1
    return character
  }
}

export const anyCharacter: Piece<string> = oneOf('.', /[^]/u)

type Values<Pieces extends readonly Piece<unknown>[]> = {
  [Index in keyof Pieces]: Pieces[Index] extends Piece<infer Value> ? Value : never
}

export function sequence<Pieces extends readonly Piece<unknown>[]>(...pieces: Pieces): Piece<Values<Pieces>> {
  return (parser) => {
    const start = parser.at
    const values: unknown[] = []
    for (const piece of pieces) {
      const value = piece(parser)
      if (value === failed) {
        parser.at = start
        return failed
      }
      values.push(value)
    }
    return values as Values<Pieces>
  }
}

/** The first piece that matches. */
export function choice<Pieces extends readonly Piece<unknown>[]>(...pieces: Pieces): Piece<Values<Pieces>[number]> {
  return (parser) => {
    for (const piece of pieces) {
      const value = piece(parser)
      if (value !== failed) return value as Values<Pieces>[number]
    }
    return failed
  }
}

export function optional<Value>(piece: Piece<Value>): Piece<Value | undefined> {
  return (parser) => {
    const value = piece(parser)
    return value === failed ? undefined : value
  }
}

export function many<Value>(piece: Piece<Value>): Piece<Value[]> {
  return (parser) => {
    const values: Value[] = []
    for (let value = piece(parser); value !== failed; value = piece(parser)) values.push(value)
    return values
  }
}

/** Looks ahead without reading. */
export function ahead(piece: Piece<unknown>): Piece<undefined> {
  return (parser) => {
    const start = parser.at
    const value = piece(parser)
    parser.at = start
    return value === failed ? failed : undefined
  }
}

/** Matches, without reading, where the piece does not. */
export function not(piece: Piece<unknown>): Piece<undefined> {
  return (parser) => {
    const start = parser.at
    parser.inverted = !parser.inverted
    const value = piece(parser)
    parser.inverted = !parser.inverted
    parser.at = start
    return value === failed ? undefined : failed
  }
}

/** Fails, and says why even if another way through the grammar is found. */
export function refusal(message: string): Piece<never> {
  return (parser) => {
    parser.error(message, parser.at)
    return failed
  }
}

/** The piece with its value changed; an Error that `make` returns is a complaint at the start of the piece. */
export function made<Value, Made>(
  piece: Piece<Value>,
  make: (value: Value, text: string) => Made | Error,
): Piece<Made> {
  return (parser) => {
    const start = parser.at
    const value = piece(parser)
    if (value === failed) return failed
    const result = make(value, parser.characters.slice(start, parser.at).join(''))
    if (result instanceof Error) parser.error(result.message, start)
    return result as Made
  }
}

/** Rules inside rules; the stack of JavaScript would end somewhat later. */
const deepest = 2000

/** A named rule, read once for each place. `pieces` is called when first needed, so that rules may name each other. */
export function rule<Value>(name: string, pieces: () => Piece<Value>): Piece<Value> {
  let piece: Piece<Value> | undefined
  return (parser) => {
    const key = `${name} ${parser.at} ${parser.inverted}`
    const known = parser.memory.get(key)
    if (known !== undefined) {
      parser.at = known.end
      return known.value as Value | Failed
    }
    if (parser.rules.length > deepest) {
      parser.error('nested too deeply', parser.at)
      return failed
    }
    piece ??= pieces()
    parser.rules.push(name)
    const value = piece(parser)
    parser.rules.pop()
    parser.memory.set(key, { value, end: parser.at })
    return value
  }
}
