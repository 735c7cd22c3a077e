import { describe, expect, test } from 'vitest'
import { diagnostics, parse } from './support.ts'

/** Each text is the body of a job that starts in line 2. */
const refused: readonly (readonly [body: string, fault: string])[] = [
  ['a = ', '2,5-3,1: An expression is required here.'],
  ['a = 1,', '2,6-7: Start the next argument or block on a line of its own.'],
  ['a = 1 2', '2,7-8: Start the next argument or block on a line of its own.'],
  ['a', '2,1-2: An argument or block is required here. Set an argument with "=".'],
  ['"a" = 1', '2,1-2: An argument or block is required here. Its name takes no quotes.'],
  ['5', '2,1-2: An argument or block is required here. Its name takes no quotes.'],
  ['a b = 1', '2,5-6: A label in quotes or "{" is required here.'],
  ['a b\n', '2,4-3,1: A label in quotes or "{" is required here.'],
  ['a b 5 {}', '2,5-6: A label in quotes or "{" is required here.'],
  ['a "${b}" {}', '2,3-9: A label cannot contain "${…}".'],
  ['a {} b {}', '2,6-7: Start the next argument or block on a line of its own.'],
  ['a { b = 1, c = 2 }', '2,10-11: A block on one line takes only one argument and ends on that line.'],
  ['a { b = 1\n}', '2,10-3,1: A block on one line takes only one argument and ends on that line.'],
  ['a { b = 1 c }', '2,11-12: A block on one line takes only one argument and ends on that line.'],
  ['a { 5 }', '2,5-6: An argument or the end of the block is required here.'],
  ['a { b }', '2,5-6: A block on one line takes only one argument. Put a nested block on lines of its own.'],
  ['a { b {} }', '2,5-6: A block on one line takes only one argument. Put a nested block on lines of its own.'],
  ['a = b.', '2,7-3,1: A name is required after a dot.'],
  ['a = b[1 2]', '2,9-10: The index must end with a closing bracket.'],
  ['a = f(1 2)', '2,9-10: A comma or ")" is required here.'],
  ['a = [1 2]', '2,8-9: A comma or "]" is required here.'],
  ['a = { b }', '2,9-10: An equals sign is required between a key and its value.'],
  ['a = { b c }', '2,9-10: An equals sign is required between a key and its value.'],
  ['a = { b, c }', '2,8-9: An equals sign is required between a key and its value.'],
  ['a = { b = 1 c = 2 }', '2,13-14: A newline or comma is required between the members of an object.'],
  ['a = "b\\z"', '2,7-9: "\\z" is not an escape sequence.'],
  ['a = "\\u12"', '2,6-8: "\\u" is not an escape sequence.'],
  ['a = "\\U12"', '2,6-8: "\\U" is not an escape sequence.'],
  ['a = "b\nc"', '2,7-3,1: Use \\n, or a heredoc such as <<EOT, for several lines.'],
  ['a = "${b c}"', '2,10-11: A closing brace is required here. Write "$${" for a literal "${".'],
  ['a = "${b:-c}"', '2,9-10: A closing brace is required here. Write "$${" for a literal "${".'],
  ["a = 'b'", '2,5-6: An expression is required here. Texts are in double quotes.'],
  ['a = b;', '2,6-7: Start the next argument or block on a line of its own.'],
  ['a = `b`', '2,5-6: An expression is required here.'],
  ['a = b & c', '2,7-8: Start the next argument or block on a line of its own.'],
  ['a = b § c', '2,7-8: Start the next argument or block on a line of its own.'],
  ['a = 1\na = 2', '3,1-2: Attribute redefined; The argument "a" was already set at input.hcl:2,1-2.'],
]

/** Whole files that end too early. */
const unfinished: readonly (readonly [file: string, fault: string])[] = [
  ['job "x" {', '1,9-10: The closing brace of this block is missing.'],
  ['job "x" { a = 1', '1,16-16: A block on one line takes only one argument and ends on that line.'],
  ['job "x', '1,5-7: The end of this text is missing.'],
  ['a =', '1,4-4: An expression is required here.'],
  ['a = "b', '1,5-7: The end of this text is missing.'],
  ['a = <<EOF\nb\n', '1,5-3,1: The end of this text is missing.'],
  ['a = "${b', '1,9-9: A closing brace is required here. Write "$${" for a literal "${".'],
  ['a = f(b', '1,8-8: A comma or ")" is required here.'],
  ['a = [b', '1,7-7: A comma or "]" is required here.'],
  ['a = { b = 1', '1,12-12: A newline or comma is required between the members of an object.'],
  ['a = { b', '1,8-8: An equals sign is required between a key and its value.'],
]

/** `line,column-column: detail`. */
function faultOf(source: string): string {
  return diagnostics(source)
    .replace(/^input\.hcl:/, '')
    .replace(': Syntax error; ', ': ')
}

describe('syntax', () => {
  test.each(refused)('%j is refused', (body, fault) => {
    expect(faultOf(`job "x" {\n${body}\n}\n`)).toBe(fault)
  })

  test.each(unfinished)('%j is unfinished', (file, fault) => {
    expect(faultOf(file)).toBe(fault)
  })

  test('comments, blank lines, carriage returns and a byte order mark mean nothing', () => {
    const source =
      '\uFEFF# one\r\njob x /* two\n */ { // three\r\n\r\n  priority = 5 # four\n  datacenters = [\n"r" // five\n]\n}# six'
    expect(parse(source)).toMatchObject({ ID: 'x', Priority: 5, Datacenters: ['r'] })
  })
})
