/** The one reader of JSON's spelling: the native parser makes the values. */

/** The error of `parseJson`; `offset` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends SyntaxError {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const colon = 0x3a

/** Deeper than any real document, but safe for recursive functions. */
const deepest = 1000

/** Where a number or the content of a string is in a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Calls of a walk. `depth` is the number of open brackets. */
interface Calls {
  string?(start: number, end: number, depth: number): void
  opened?(depth: number): void
}

/**
 * Walks through JSON text, in one or several pieces, and leaves it to the parser whether it is JSON. Throws {@link JsonSyntaxError} if it
 * is nested deeper than `most`. Positions are those in the last piece.
 */
export class JsonWalk {
  /** How many brackets are open. */
  depth = 0
  /** Numbers with a point, an exponent or many digits, and -0. */
  numbers: Span[] = []
  /** Strings that have escapes, or begin with a digit or an underscore. */
  strings: Span[] = []
  /** The commas of the outermost list, and the bracket that closes it. */
  ends: number[] = []
  private isInString = false
  private isInEscape = false
  private readonly calls: Calls
  private readonly deepest: number

  constructor(calls: Calls = {}, most = deepest) {
    this.calls = calls
    this.deepest = most
  }

  through(text: string): void {
    const { calls } = this
    let { depth } = this
    const numbers: Span[] = []
    const strings: Span[] = []
    const ends: number[] = []
    let backslash = -1
    for (let at = this.isInString ? -1 : 0; at < text.length; at += 1) {
      const code = at === -1 ? quote : text.charCodeAt(at)
      if (code === quote) {
        const start = at + 1
        let from = this.isInEscape ? 1 : start
        at = placeOf('"', text, from)
        for (;;) {
          if (backslash < from) backslash = placeOf('\\', text, from)
          if (backslash >= at) break
          from = backslash + 2
          if (at < from) at = placeOf('"', text, from)
        }
        this.isInString = at === text.length
        this.isInEscape = from > text.length
        const first = text.charCodeAt(start)
        if (from > start || isDigit(first) || first === 0x5f) strings.push({ start, end: at })
        calls.string?.(start, at, depth)
      } else if (code === comma) {
        if (depth === 1) ends.push(at)
      } else if (code === minus || isDigit(code)) {
        const start = at
        let isOdd = false
        for (at += 1; ; at += 1) {
          const next = text.charCodeAt(at)
          if (isDigit(next)) continue
          // A point, `e` or `E`, a sign.
          if (next !== 0x2e && (next | 0x20) !== 0x65 && next !== 0x2b && next !== minus) break
          isOdd = true
        }
        if (isOdd || at - start > 15 || (code === minus && at - start === 2)) numbers.push({ start, end: at })
        at -= 1
      } else if (code === 0x7b || code === 0x5b) {
        depth += 1
        if (depth > this.deepest) throw fault(`nested more than ${deepest} levels deep`, at)
        calls.opened?.(depth)
      } else if (code === 0x7d || code === 0x5d) {
        depth -= 1
        if (depth === 0) ends.push(at)
      }
    }
    Object.assign(this, { depth, numbers, strings, ends })
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Where the next such character is; the text's length if there is none. */
function placeOf(character: string, text: string, from: number): number {
  const at = text.indexOf(character, from)
  return at === -1 ? text.length : at
}

/** Whether a colon follows. */
export function isKey(text: string, end: number): boolean {
  for (let at = end; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code === colon) return true
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return false
  }
}

/** A token of JSON, after blanks; empty at anything else. */
const token =
  /[ \t\n\r]*([{}[\],:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"|[-+.\w]+)?/y
/** A word or number. */
export const validWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

const faults = { value: 'not a JSON value', key: 'a key without quotation marks', ':': "a key without ':'" }

/** Finds the error in a text that the native parser rejected; that parser's message may quote a secret. */
export function syntaxError(text: string): JsonSyntaxError {
  /** The brackets that close what is open. */
  const open: string[] = []
  let wanted: keyof typeof faults | ',' = 'value'
  let mayClose = false
  token.lastIndex = 0
  for (;;) {
    const found = token.exec(text)?.[1] ?? ''
    const at = token.lastIndex - found.length
    if (at >= text.length) return new JsonSyntaxError('the JSON is truncated', at)
    if (found === '' && text[at] === '"')
      return fault('a string without an end, or with a control character or a bad escape', at)
    const bracket = open.at(-1)
    const opens = wanted === 'value' && (found === '[' || found === '{')
    if (opens) {
      open.push(found === '[' ? ']' : '}')
      wanted = found === '[' ? 'value' : 'key'
    } else if (mayClose && found === bracket) {
      open.pop()
      wanted = ','
    } else if (wanted === 'value' && (found[0] === '"' || validWord.test(found))) wanted = ','
    else if (wanted === 'key' && found[0] === '"') wanted = ':'
    else if (wanted === ':' && found === ':') wanted = 'value'
    else if (wanted === ',' && found === ',' && bracket !== undefined) wanted = bracket === ']' ? 'value' : 'key'
    else if (wanted !== ',') return fault(faults[wanted], at)
    else
      return fault(
        bracket === undefined ? 'text after the end of the JSON document' : `expected ',' or '${bracket}'`,
        at,
      )
    mayClose = opens || wanted === ','
  }
}

/** The error at an offset. */
export function fault(reason: string, offset: number): JsonSyntaxError {
  return new JsonSyntaxError(`${reason} at offset ${offset}`, offset)
}
