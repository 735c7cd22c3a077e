/** Thrown by {@link firstJsonValue}: the message is the one that Go's JSON decoder gives, which clients of the service see. */
export class GoJsonError extends Error {}

/**
 * The first JSON value of a text; what follows it is ignored, as the service's decoder does.
 * Throws {@link GoJsonError} for anything else (contract b.0 and d: "with the decoder's words").
 */
export function firstJsonValue(text: string): string {
  const start = blanks(text, 0)
  return text.slice(start, value(text, start))
}

/** Each of these takes where a thing begins and answers where it ends. */
function value(text: string, at: number): number {
  const first = text[at]
  if (first === '{') return object(text, at + 1)
  if (first === '[') return array(text, at + 1)
  if (first === '"') return string(text, at + 1)
  if (first === 't') return literal(text, at, 'true')
  if (first === 'f') return literal(text, at, 'false')
  if (first === 'n') return literal(text, at, 'null')
  if (first === '-' || isDigit(first)) return number(text, at)
  throw unexpected(text, at, 'looking for beginning of value')
}

function object(text: string, start: number): number {
  let at = blanks(text, start)
  if (text[at] === '}') return at + 1
  for (;;) {
    if (text[at] !== '"') throw unexpected(text, at, 'looking for beginning of object key string')
    at = blanks(text, string(text, at + 1))
    if (text[at] !== ':') throw unexpected(text, at, 'after object key')
    at = blanks(text, value(text, blanks(text, at + 1)))
    if (text[at] === '}') return at + 1
    if (text[at] !== ',') throw unexpected(text, at, 'after object key:value pair')
    at = blanks(text, at + 1)
  }
}

function array(text: string, start: number): number {
  let at = blanks(text, start)
  if (text[at] === ']') return at + 1
  for (;;) {
    at = blanks(text, value(text, at))
    if (text[at] === ']') return at + 1
    if (text[at] !== ',') throw unexpected(text, at, 'after array element')
    at = blanks(text, at + 1)
  }
}

function string(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const character = text[at]
    if (character === '"') return at + 1
    if (character === undefined || character < ' ') throw unexpected(text, at, 'in string literal')
    if (character !== '\\') continue
    at += 1
    if (text[at] === 'u') {
      for (let digit = 0; digit < 4; digit += 1) {
        at += 1
        if (!/^[\da-f]$/i.test(text[at] ?? '')) throw unexpected(text, at, 'in \\u hexadecimal character escape')
      }
    } else if (!/^["\\/bfnrt]$/.test(text[at] ?? '')) throw unexpected(text, at, 'in string escape code')
  }
}

function literal(text: string, start: number, word: string): number {
  for (let index = 1; index < word.length; index += 1) {
    const expected = word[index]
    if (text[start + index] !== expected) {
      throw unexpected(text, start + index, `in literal ${word} (expecting '${expected}')`)
    }
  }
  return start + word.length
}

function number(text: string, start: number): number {
  let at = text[start] === '-' ? start + 1 : start
  if (text[at] === '0') at += 1
  else at = digits(text, at, 'in numeric literal')
  if (text[at] === '.') at = digits(text, at + 1, 'after decimal point in numeric literal')
  if (text[at] === 'e' || text[at] === 'E') {
    at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1
    at = digits(text, at, 'in exponent of numeric literal')
  }
  return at
}

function digits(text: string, start: number, where: string): number {
  if (!isDigit(text[start])) throw unexpected(text, start, where)
  let at = start
  while (isDigit(text[at])) at += 1
  return at
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

function blanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at += 1
  return at
}

function unexpected(text: string, at: number, where: string): GoJsonError {
  const character = text.codePointAt(at)
  if (character === undefined) return new GoJsonError('unexpected EOF')
  const shown = String.fromCodePoint(character)
  const quoted = shown === "'" ? "\\'" : shown === '"' ? '"' : JSON.stringify(shown).slice(1, -1)
  return new GoJsonError(`invalid character '${quoted}' ${where}`)
}
