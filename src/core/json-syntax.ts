/** Finds errors in JSON without quoting the text, which may contain secrets. */

/** The error of `parseJson`; `offset` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends SyntaxError {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Whether a colon follows. */
export function isKey(text: string, end: number): boolean {
  let at = end
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1
  return text[at] === ':'
}

/** The position of the closing quotation mark of the string around `at`, which is not inside an escape; the text's length if there is none. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** True if the number of backslashes before `at` is odd. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first -= 1
  return (at - first) % 2 === 1
}

/** A token of JSON, after blanks; empty at anything else. */
export const token =
  /[ \t\n\r]*([{}[\],:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"|[-+.\w]+)?/y
const validWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Finds the error in a text that the native parser rejected; that parser's message may quote a secret. */
export function syntaxError(text: string): JsonSyntaxError {
  /** The brackets that are open. */
  const open: string[] = []
  let expected: Expected = 'value'
  token.lastIndex = 0
  for (;;) {
    const found = token.exec(text)?.[1]
    const at = token.lastIndex - (found?.length ?? 0)
    if (at >= text.length) return new JsonSyntaxError('the JSON is truncated', at)
    if (found === undefined) {
      if (text[at] === '"') return fault('a string without an end, or with a control character or a bad escape', at)
      return fault(expectations[expected], at)
    }
    const next = after(found, expected, open)
    if (next === undefined) return fault(expectations[expected], at)
    expected = next
  }
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

const expectations: Readonly<Record<Expected, string>> = {
  value: 'not a JSON value',
  'value or ]': 'not a JSON value',
  key: 'a key without quotation marks',
  'key or }': 'a key without quotation marks',
  ':': "a key without ':'",
  ', or ]': "expected ',' or ']'",
  ', or }': "expected ',' or '}'",
  end: 'text after the end of the JSON document',
}

/** What may follow the token `found`; undefined if that isn't allowed here. */
function after(found: string, expected: Expected, open: string[]): Expected | undefined {
  if (expected === 'value' || expected === 'value or ]') {
    if (found === '[' || found === '{') {
      open.push(found)
      return found === '[' ? 'value or ]' : 'key or }'
    }
    if (found === ']' && expected === 'value or ]') return closeOne(open)
    return found[0] === '"' || validWord.test(found) ? nextIn(open) : undefined
  }
  if (expected === 'key' || expected === 'key or }') {
    if (found === '}' && expected === 'key or }') return closeOne(open)
    return found[0] === '"' ? ':' : undefined
  }
  if (expected === ':') return found === ':' ? 'value' : undefined
  if (expected === 'end') return undefined
  if (found === ',') return expected === ', or ]' ? 'value' : 'key'
  return expected.endsWith(found) ? closeOne(open) : undefined
}

function closeOne(open: string[]): Expected {
  open.pop()
  return nextIn(open)
}

/** What follows a value. */
function nextIn(open: readonly string[]): Expected {
  const bracket = open.at(-1)
  return bracket === undefined ? 'end' : bracket === '[' ? ', or ]' : ', or }'
}

/** The error at an offset. */
export function fault(reason: string, offset: number): JsonSyntaxError {
  return new JsonSyntaxError(`${reason} at offset ${offset}`, offset)
}
