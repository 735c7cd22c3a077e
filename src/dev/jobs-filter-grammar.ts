import type { Piece } from './jobs-filter-peg.ts'
import {
  ahead,
  anyCharacter,
  choice,
  literal,
  made,
  many,
  not,
  oneOf,
  optional,
  parseWith,
  refusal,
  rule,
  sequence,
} from './jobs-filter-peg.ts'

export interface Selector {
  readonly path: readonly string[]
  /** As messages show it. */
  readonly text: string
}

export type Operator = 'equal' | 'in' | 'empty' | 'nil' | 'matches'

export interface Match {
  readonly kind: 'match'
  readonly operator: Operator
  readonly negated: boolean
  readonly selector: Selector
  /** Empty for operators that take none. */
  readonly value: string
}

export interface Collection {
  readonly kind: 'any' | 'all'
  readonly selector: Selector
  readonly names: { readonly each?: string; readonly index?: string; readonly item?: string }
  readonly inner: Expression
}

export type Expression =
  | Match
  | Collection
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }

/** A filter expression as a tree, or the complaint of the server's parser about it. contract c. */
export function parseFilter(text: string): Expression | string {
  return parseWith(input, text)
}

const blank = rule('"whitespace"', () => {
  const one = oneOf('[ \\t\\r\\n]', /[ \t\r\n]/)
  return sequence(one, many(one))
})
const gap = optional(blank)
const end = rule('EOF', () => not(anyCharacter))

const input: Piece<Expression> = rule('Input', () =>
  choice(
    made(sequence(gap, literal('('), gap, or, gap, literal(')'), gap, end), (parts) => parts[3]),
    made(sequence(gap, or, gap, end), (parts) => parts[1]),
  ),
)

const or: Piece<Expression> = rule('OrExpression', () =>
  choice(
    made(sequence(and, blank, literal('or'), blank, or), (parts): Expression => both('or', parts[0], parts[4])),
    and,
    collection,
  ),
)

const and: Piece<Expression> = rule('AndExpression', () =>
  choice(
    made(sequence(negation, blank, literal('and'), blank, and), (parts) => both('and', parts[0], parts[4])),
    negation,
  ),
)

const negation: Piece<Expression> = rule('NotExpression', () =>
  choice(
    made(sequence(literal('not'), blank, negation), (parts): Expression => ({ kind: 'not', operand: parts[2] })),
    grouping,
  ),
)

const grouping: Piece<Expression> = rule('"grouping"', () =>
  choice(
    made(sequence(literal('('), gap, or, gap, literal(')')), (parts) => parts[2]),
    match,
    made(
      sequence(literal('('), gap, or, gap, not(literal(')')), refusal('Unmatched parentheses')),
      (parts) => parts[5],
    ),
  ),
)

function both(kind: 'and' | 'or', left: Expression, right: Expression): Expression {
  return { kind, left, right }
}

const collection: Piece<Expression> = rule('CollectionExpression', () =>
  made(
    sequence(choice(quantifier('any'), quantifier('all')), selector, blank, literal('as'), blank, names, gap, body),
    (parts): Expression => ({ kind: parts[0], selector: parts[1], names: parts[5], inner: parts[7] }),
  ),
)

function quantifier<Word extends 'any' | 'all'>(word: Word): Piece<Word> {
  return made(sequence(literal(word), blank), () => word)
}

const body = made(
  sequence(literal('{'), gap, (parser) => or(parser), gap, literal('}')),
  (parts) => parts[2],
)

const names: Piece<Collection['names']> = rule('"collection-identifiers"', () => {
  const comma = sequence(gap, literal(','), gap)
  return choice(
    made(sequence(identifier, comma, identifier), (parts) => ({ index: parts[0], item: parts[2] })),
    made(sequence(identifier, comma, literal('_')), (parts) => ({ index: parts[0] })),
    made(sequence(literal('_'), comma, identifier), (parts) => ({ item: parts[2] })),
    made(identifier, (each) => ({ each })),
  )
})

const match: Piece<Expression> = rule('"match"', () => {
  const withValue = choice(
    operator('equal', false, sequence(gap, literal('=='), gap)),
    operator('equal', true, sequence(gap, literal('!='), gap)),
    operator('in', false, words('contains', true)),
    operator('in', true, words('not contains', true)),
    operator('matches', false, words('matches', true)),
    operator('matches', true, words('not matches', true)),
  )
  const alone = choice(
    operator('empty', false, words('is empty')),
    operator('empty', true, words('is not empty')),
    operator('nil', false, words('is nil')),
    operator('nil', true, words('is not nil')),
  )
  const within = choice(operator('in', false, words('in', true)), operator('in', true, words('not in', true)))
  return choice(
    made(sequence(selector, withValue, value), (parts) => matchOf(parts[0], parts[1], parts[2])),
    made(sequence(selector, alone), (parts) => matchOf(parts[0], parts[1], '')),
    made(sequence(value, within, selector), (parts) => matchOf(parts[2], parts[1], parts[0])),
    made(sequence(value, within, not(selector), refusal('Invalid selector')), (parts) => parts[3]),
  )
})

type Comparison = Pick<Match, 'operator' | 'negated'>

function operator(name: Operator, negated: boolean, piece: Piece<unknown>): Piece<Comparison> {
  return made(piece, () => ({ operator: name, negated }))
}

/** Words with blanks before each of them, and after the last when something must follow. */
function words(text: string, followed = false): Piece<unknown> {
  const pieces = text.split(' ').flatMap((word) => [blank, literal(word)])
  return sequence(...pieces, ...(followed ? [blank] : []))
}

function matchOf(of: Selector, comparison: Comparison, against: string): Expression {
  return { kind: 'match', ...comparison, selector: of, value: against }
}

const identifier: Piece<string> = rule('Identifier', () =>
  made(sequence(oneOf('[a-zA-Z]', /[a-zA-Z]/), many(oneOf('[a-zA-Z0-9_/]', /[a-zA-Z0-9_/]/))), (_, text) => text),
)

const selector: Piece<Selector> = rule('"selector"', () => {
  const digits = oneOf('[0-9]', /[0-9]/)
  const part = choice(
    made(sequence(literal('.'), identifier), (parts) => parts[1]),
    index,
    made(sequence(literal('.'), digits, many(digits)), (_, text) => text.slice(1)),
  )
  const segment = oneOf(String.raw`[\pL\pN-_.~:|]`, /[\p{L}\p{N}\-_.~:|]/u)
  const pointer = made(sequence(literal('/'), segment, many(segment)), (_, text) => text.slice(1))
  return choice(
    made(sequence(identifier, many(part)), ([first, rest]) => selectorOf([first, ...rest], '.')),
    made(sequence(literal('"'), many(pointer), literal('"')), (parts) =>
      selectorOf(
        parts[1].length === 0 ? [''] : parts[1].map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
        '/',
      ),
    ),
  )
})

function selectorOf(path: readonly string[], separator: string): Selector {
  return { path, text: path.join(separator) }
}

const index: Piece<string> = rule('"index"', () =>
  choice(
    made(sequence(literal('['), gap, string, gap, literal(']')), (parts) => parts[2]),
    made(sequence(literal('['), gap, not(string), refusal('Invalid index')), (parts) => parts[3]),
    made(
      sequence(literal('['), gap, string, gap, not(literal(']')), refusal('Unclosed index expression')),
      (parts) => parts[5],
    ),
  ),
)

const value: Piece<string> = rule('"value"', () =>
  choice(
    made(selector, (found) => found.text),
    number,
    string,
  ),
)

const number: Piece<string> = rule('"number"', () => {
  const digit = oneOf('[0-9]', /[0-9]/)
  const whole = choice(literal('0'), sequence(oneOf('[1-9]', /[1-9]/), many(digit)))
  const digits = sequence(optional(literal('-')), whole, optional(sequence(literal('.'), digit, many(digit))))
  const after = ahead(choice(blank, end, literal(')')))
  return choice(
    made(sequence(digits, after), (_, text) => text),
    made(sequence(digits, not(after), refusal('Invalid number literal')), (parts) => parts[2]),
  )
})

const string: Piece<string> = rule('"string"', () => {
  const raw = sequence(literal('`'), many(sequence(not(literal('`')), anyCharacter)))
  const quoted = sequence(literal('"'), many(sequence(not(literal('"')), anyCharacter)))
  const open = sequence(choice(raw, quoted), end, refusal('Unterminated string literal'))
  return choice(
    made(choice(sequence(raw, literal('`')), sequence(quoted, literal('"'))), (_, text) => unquoted(text)),
    made(open, (parts) => parts[2]),
  )
})

const escapes: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const escape =
  /\\(?:([abfnrtv])|([\\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(0010[0-9a-fA-F]{4}|000[0-9a-fA-F]{5})|([0-7]{3}))|[^\\\n]/guy

/** The text of a literal, by the escapes of Go. */
function unquoted(text: string): string | Error {
  const inner = text.slice(1, -1)
  if (text.startsWith('`')) return inner.replaceAll('\r', '')
  const parts = [...inner.matchAll(escape)]
  if (parts.reduce((length, part) => length + part[0].length, 0) !== inner.length) return new Error('invalid syntax')
  return parts
    .map(([whole, letter, itself, ...codes]) => escapes[letter ?? ''] ?? itself ?? coded(whole, codes))
    .join('')
}

function coded(whole: string, [byte, short, long, octal]: readonly (string | undefined)[]): string {
  const hexadecimal = byte ?? short ?? long
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16))
  return octal === undefined ? whole : String.fromCodePoint(Number.parseInt(octal, 8))
}
