import { describe, expect, test } from 'vitest'
import { parse, refusal } from './support.ts'

/** Each text is the body of a job that starts in line 2. */
const refused: readonly (readonly [body: string, diagnostics: string])[] = [
  ['a = ', `2,5-3,1: Invalid expression`],
  ['a = 1,', '2,6-7: Unexpected comma after argument'],
  ['a = 1 2', '2,7-8: Missing newline after argument'],
  ['a', '2,1-2: Argument or block definition required'],
  ['"a" = 1', '2,1-2: Argument or block definition required'],
  ['5', '2,1-2: Argument or block definition required'],
  ['a b = 1', '2,5-6: Invalid block definition'],
  ['a b\n', '2,4-3,1: Invalid block definition'],
  ['a b 5 {}', '2,5-6: Invalid block definition'],
  ['a "${b}" {}', '2,3-9: Invalid string literal'],
  ['a {} b {}', '2,6-7: Missing newline after block definition'],
  ['a { b = 1, c = 2 }', `2,10-11: Invalid single-argument block definition`],
  ['a { b = 1\n}', `2,10-3,1: Invalid single-argument block definition`],
  ['a { b = 1 c }', `2,11-12: Invalid single-argument block definition`],
  ['a { 5 }', '2,5-6: Argument or block definition required'],
  ['a { b }', '2,5-6: Argument definition required'],
  ['a { b {} }', '2,5-6: Argument definition required'],
  ['a = true ? 1', '2,13-3,1: Missing false expression in conditional'],
  ['a = (1', '3,1-2: Unbalanced parentheses'],
  ['a = b.', '2,7-3,1: Invalid attribute name'],
  ['a = b[*', '3,1-2: Missing close bracket on index'],
  ['a = b[1 2]', '2,9-10: Missing close bracket on index'],
  ['a = f(1 2)', '2,9-10: Missing argument separator'],
  ['a = f(b..., 1)', '2,13-14: Missing closing parenthesis'],
  ['a = [1 2]', '2,8-9: Missing item separator'],
  ['a = { b }', '2,9-10: Missing key/value separator'],
  ['a = { b c }', '2,9-10: Missing key/value separator'],
  ['a = { b, c }', '2,8-9: Missing key/value separator'],
  ['a = { b = 1 c = 2 }', '2,13-14: Missing attribute separator'],
  ['a = [for 1 in b : c]', "2,10-11: Invalid 'for' expression"],
  ['a = [for x, 1 in b : c]', "2,13-14: Invalid 'for' expression"],
  ['a = [for x of b : c]', "2,12-14: Invalid 'for' expression"],
  ['a = [for x in b, c]', "2,16-17: Invalid 'for' expression"],
  ['a = [for x in b : c d]', "2,21-22: Invalid 'for' expression"],
  ['a = [for x in b : c => d]', "2,19-20: Invalid 'for' expression"],
  ['a = [for x in b : c...]', "2,19-20: Invalid 'for' expression"],
  ['a = {for x in b : c}', "2,19-20: Invalid 'for' expression"],
  ['a = "b\\z"', '2,7-9: Invalid escape sequence'],
  ['a = "\\u12"', '2,6-8: Invalid escape sequence'],
  ['a = "\\U12"', '2,6-8: Invalid escape sequence'],
  ['a = "b\nc"', '2,7-3,1: Invalid multi-line string'],
  ['a = "${b c}"', '2,10-11: Extra characters after interpolation expression'],
  ['a = "${b:-c}"', '2,9-10: Extra characters after interpolation expression'],
  ['a = "%{ 5 }"', '2,9-10: Invalid template directive'],
  ['a = "%{ unless b }"', '2,9-15: Invalid template directive'],
  ['a = "%{ if b c }"', '2,14-15: Extra characters after interpolation expression'],
  ['a = "%{ for x of b }%{ endfor }"', "2,15-17: Invalid 'for' directive"],
  ['a = "%{ if b }"', '2,6-15: Unexpected end of template'],
  ['a = "%{ if b }%{ endfor }"', '2,15-26: Unexpected endfor directive'],
  ['a = "%{ if b }%{ else }%{ else }%{ endif }"', '2,24-33: Unexpected else directive'],
  ['a = "%{ for x in b }"', '2,6-21: Unexpected end of template'],
  ['a = "%{ for x in b }%{ else }"', '2,21-30: Unexpected else directive'],
  ['a = "%{ endif }"', '2,6-16: Unexpected endif directive'],
  ["a = 'b'", '2,5-6: Invalid expression'],
  ['a = b;', '2,6-7: Missing newline after argument'],
  ['a = `b`', '2,5-6: Invalid expression'],
  ['a = b & c', '2,7-8: Missing newline after argument'],
  ['a = b § c', '2,7-8: Missing newline after argument'],
  ['a = 1\na = 2', '3,1-2: Attribute redefined'],
]

/** Whole files that end too early. */
const unfinished: readonly (readonly [file: string, diagnostics: string])[] = [
  ['job "x" {', `1,9-10: Unclosed configuration block`],
  ['job "x" { a = 1', `1,9-10: Unclosed configuration block`],
  ['job "x', '1,5-7: Unterminated template string'],
  ['a =', '1,4-4: Missing expression'],
  ['a = "b', '1,5-7: Unterminated template string'],
  ['a = <<EOF\nb\n', '1,5-3,1: Unterminated template string'],
  ['a = "${b', '1,6-9: Unclosed template interpolation sequence'],
  ['a = f(b', '1,5-7: Unterminated function call'],
  ['a = [b', '1,5-6: Unterminated list'],
  ['a = { b = 1', '1,5-6: Unterminated object'],
  ['a = { b', '1,5-6: Unterminated object'],
]

describe('syntax', () => {
  test.each(refused)('%j is refused', (body, diagnostics) => {
    expect(refusal(`job "x" {\n${body}\n}\n`)).toBe(`input.hcl:${diagnostics}`)
  })

  test.each(unfinished)('%j is unfinished', (file, diagnostics) => {
    expect(refusal(file)).toBe(`input.hcl:${diagnostics}`)
  })

  test('comments, blank lines, carriage returns and a byte order mark mean nothing', () => {
    const source =
      '\uFEFF# one\r\njob x /* two\n */ { // three\r\n\r\n  priority = 5 # four\n  region = (\n"r" // five\n)\n}# six'
    expect(parse(source)).toMatchObject({ ID: 'x', Priority: 5, Region: 'r' })
  })
})
