import { describe, expect, test } from 'vitest'
import { parse, refusal } from './hcl-support.ts'

const invalid = 'Invalid expression; Expected the start of an expression, but found an invalid expression token.'
const unclosed =
  'Unclosed configuration block; There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.'
const oneLine = 'Invalid single-argument block definition;'

/** Each text is the body of a job that starts in line 2. */
const refused: readonly (readonly [body: string, diagnostics: string])[] = [
  ['a = ', `2,5-3,1: ${invalid}`],
  [
    'a = 1,',
    '2,6-7: Unexpected comma after argument; Argument definitions must be separated by newlines, not commas. An argument definition must end with a newline.',
  ],
  ['a = 1 2', '2,7-8: Missing newline after argument; An argument definition must end with a newline.'],
  [
    'a',
    '2,1-2: Argument or block definition required; An argument or block definition is required here. To set an argument, use the equals sign "=" to introduce the argument value.',
  ],
  ['"a" = 1', '2,1-2: Invalid argument name; Argument names must not be quoted.'],
  ['5', '2,1-2: Argument or block definition required; An argument or block definition is required here.'],
  [
    'a b = 1',
    '2,5-6: Invalid block definition; The equals sign "=" indicates an argument definition, and must not be used when defining a block.',
  ],
  [
    'a b\n',
    '2,4-3,1: Invalid block definition; A block definition must have block content delimited by "{" and "}", starting on the same line as the block header.',
  ],
  [
    'a b 5 {}',
    '2,5-6: Invalid block definition; Either a quoted string block label or an opening brace ("{") is expected here.',
  ],
  [
    'a "${b}" {}',
    '2,4-6: Invalid string literal; Template sequences are not allowed in this string. To include a literal "$", double it (as "$$") to escape it.',
  ],
  ['a {} b {}', '2,6-7: Missing newline after block definition; A block definition must end with a newline.'],
  [
    'a { b = 1, c = 2 }',
    `2,10-11: ${oneLine} Single-line block syntax can include only one argument definition. To define multiple arguments, use the multi-line block syntax with one argument definition per line.`,
  ],
  [
    'a { b = 1\n}',
    `2,10-3,1: ${oneLine} An argument definition on the same line as its containing block creates a single-line block definition, which must also be closed on the same line. Place the block's closing brace immediately after the argument definition.`,
  ],
  [
    'a { b = 1 c }',
    `2,11-12: ${oneLine} A single-line block definition must end with a closing brace immediately after its single argument definition.`,
  ],
  ['a { 5 }', '2,5-6: Argument or block definition required; An argument or block definition is required here.'],
  [
    'a { b }',
    '2,5-6: Argument or block definition required; An argument or block definition is required here. To set an argument, use the equals sign "=" to introduce the argument value.',
  ],
  [
    'a { b {} }',
    '2,5-8: Argument definition required; A single-line block definition can contain only a single argument. If you meant to define argument "b", use an equals sign to assign it a value. To define a nested block, place it on a line of its own within its parent block.',
  ],
  [
    'a = true ? 1',
    '2,13-3,1: Missing false expression in conditional; The conditional operator (...?...:...) requires a false expression, delimited by a colon.',
  ],
  ['a = (1', '3,1-2: Unbalanced parentheses; Expected a closing parenthesis to terminate the expression.'],
  ['a = b.', '2,7-3,1: Invalid attribute name; An attribute name is required after a dot.'],
  [
    'a = b.0.1',
    '2,7-10: Invalid legacy index syntax; When using the legacy index syntax, chaining two indexes together is not permitted. Use the proper index syntax instead, like [0][1].',
  ],
  [
    'a = b[*',
    '2,8-3,1: Missing close bracket on splat index; The star for a full splat operator must be immediately followed by a closing bracket ("]").',
  ],
  ['a = b[1 2]', '2,9-10: Missing close bracket on index; The index operator must end with a closing bracket ("]").'],
  [
    'a = f(1 2)',
    '2,9-10: Missing argument separator; A comma is required to separate each function argument from the next.',
  ],
  [
    'a = f(b..., 1)',
    '2,8-11: Missing closing parenthesis; An expanded function argument (with ...) must be immediately followed by closing parentheses.',
  ],
  ['a = [1 2]', '2,8-9: Missing item separator; Expected a comma to mark the beginning of the next item.'],
  [
    'a = { b }',
    '2,9-10: Missing key/value separator; Expected an equals sign ("=") to mark the beginning of the attribute value.',
  ],
  [
    'a = { b c }',
    '2,9-10: Missing key/value separator; Expected an equals sign ("=") to mark the beginning of the attribute value. If you intended to given an attribute name containing periods or spaces, write the name in quotes to create a string literal.',
  ],
  ['a = { b, c }', '2,8-9: Missing attribute value; Expected an attribute value, introduced by an equals sign ("=").'],
  [
    'a = { b = 1 c = 2 }',
    '2,13-14: Missing attribute separator; Expected a newline or comma to mark the beginning of the next attribute.',
  ],
  ['a = [for 1 in b : c]', "2,10-11: Invalid 'for' expression; For expression requires variable name after 'for'."],
  [
    'a = [for x, 1 in b : c]',
    "2,13-14: Invalid 'for' expression; For expression requires value variable name after comma.",
  ],
  [
    'a = [for x of b : c]',
    "2,12-14: Invalid 'for' expression; For expression requires the 'in' keyword after its name declarations.",
  ],
  [
    'a = [for x in b, c]',
    "2,16-17: Invalid 'for' expression; For expression requires a colon after the collection expression.",
  ],
  [
    'a = [for x in b : c d]',
    "2,21-22: Invalid 'for' expression; Extra characters after the end of the 'for' expression.",
  ],
  [
    'a = [for x in b : c => d]',
    "2,19-20: Invalid 'for' expression; Key expression is not valid when building a tuple.",
  ],
  [
    'a = [for x in b : c...]',
    "2,20-23: Invalid 'for' expression; Grouping ellipsis (...) cannot be used when building a tuple.",
  ],
  ['a = {for x in b : c}', "2,19-20: Invalid 'for' expression; Key expression is required when building an object."],
  ['a = "b\\z"', '2,7-9: Invalid escape sequence; The symbol "z" is not a valid escape sequence selector.'],
  [
    'a = "\\u12"',
    '2,6-8: Invalid escape sequence; The \\u escape sequence must be followed by four hexadecimal digits.',
  ],
  [
    'a = "\\U12"',
    '2,6-8: Invalid escape sequence; The \\U escape sequence must be followed by eight hexadecimal digits.',
  ],
  [
    'a = "b\nc"',
    '2,7-3,1: Invalid multi-line string; Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \\n escape to represent a newline character or use the "heredoc" multi-line template syntax.',
  ],
  [
    'a = "${b c}"',
    '2,10-11: Extra characters after interpolation expression; Expected a closing brace to end the interpolation expression, but found extra characters.\n\nThis can happen when you include interpolation syntax for another language, such as shell scripting, but forget to escape the interpolation start token. If this is an embedded sequence for another language, escape it by starting with "$${" instead of just "${".',
  ],
  [
    'a = "${b:-c}"',
    '2,9-10: Extra characters after interpolation expression; Template interpolation doesn\'t expect a colon at this location. Did you intend this to be a literal sequence to be processed as part of another language? If so, you can escape it by starting with "$${" instead of just "${".',
  ],
  [
    'a = "%{ 5 }"',
    '2,9-10: Invalid template directive; A template directive keyword ("if", "for", etc) is expected at the beginning of a %{ sequence.',
  ],
  [
    'a = "%{ unless b }"',
    '2,9-15: Invalid template control keyword; "unless" is not a valid template control keyword.',
  ],
  [
    'a = "%{ if b c }"',
    '2,14-15: Extra characters in if marker; Expected a closing brace to end the if marker, but found extra characters.',
  ],
  [
    'a = "%{ for x of b }%{ endfor }"',
    "2,15-17: Invalid 'for' directive; For directive requires the 'in' keyword after its name declarations.",
  ],
  [
    'a = "%{ if b }"',
    '2,15-16: Unexpected end of template; The if directive at input.hcl:2,6-15 is missing its corresponding endif directive.',
  ],
  [
    'a = "%{ if b }%{ endfor }"',
    '2,15-26: Unexpected endfor directive; Expecting an endif directive for the if started at input.hcl:2,6-15.',
  ],
  [
    'a = "%{ if b }%{ else }%{ else }%{ endif }"',
    '2,24-33: Unexpected else directive; Already in the else clause for the if started at input.hcl:2,6-15.',
  ],
  [
    'a = "%{ for x in b }"',
    '2,21-22: Unexpected end of template; The for directive at input.hcl:2,6-21 is missing its corresponding endfor directive.',
  ],
  [
    'a = "%{ for x in b }%{ else }"',
    '2,21-30: Unexpected else directive; An else clause is not expected for a for directive.',
  ],
  [
    'a = "%{ endif }"',
    '2,6-16: Unexpected endif directive; The control directives within this template are unbalanced.',
  ],
  [
    "a = 'b'",
    '2,5-6: Invalid character; Single quotes are not valid. Use double quotes (") to enclose strings., and 1 other diagnostic(s)',
  ],
  [
    'a = b;',
    '2,6-7: Invalid character; The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items in collection values., and 1 other diagnostic(s)',
  ],
  [
    'a = `b`',
    '2,5-6: Invalid character; The "`" character is not valid. To create a multi-line string, use the "heredoc" syntax, like "<<EOT"., and 1 other diagnostic(s)',
  ],
  [
    'a = b & c',
    '2,7-8: Unsupported operator; Bitwise operators are not supported. Did you mean boolean AND ("&&")?, and 1 other diagnostic(s)',
  ],
  ['a = b § c', '2,7-8: Invalid character; This character is not used within the language., and 1 other diagnostic(s)'],
  [
    'a = 1\na = 2',
    '3,1-2: Attribute redefined; The argument "a" was already set at input.hcl:2,1-2. Each argument may be set only once.',
  ],
]

/** Whole files that end too early. */
const unfinished: readonly (readonly [file: string, diagnostics: string])[] = [
  ['job "x" {', `1,9-10: ${unclosed}`],
  ['job "x" { a = 1', `1,9-10: ${unclosed}`],
  ['job "x', '1,7-7: Unterminated string literal; Unable to find the closing quote mark before the end of the file.'],
  ['a =', '1,4-4: Missing expression; Expected the start of an expression, but found the end of the file.'],
  ['a = "b', '1,5-7: Unterminated template string; No closing marker was found for the string.'],
  ['a = <<EOF\nb\n', '1,5-3,1: Unterminated template string; No closing marker was found for the string.'],
  [
    'a = "${b',
    '1,5-6: Unclosed template interpolation sequence; There is no closing brace for this interpolation sequence before the end of the file. This might be caused by incorrect nesting inside the given expression.',
  ],
  [
    'a = f(b',
    '1,5-7: Unterminated function call; There is no closing parenthesis for this function call before the end of the file. This may be caused by incorrect parenthesis nesting elsewhere in this file.',
  ],
  [
    'a = [b',
    '1,5-6: Unterminated tuple constructor expression; There is no corresponding closing bracket before the end of the file. This may be caused by incorrect bracket nesting elsewhere in this file.',
  ],
  [
    'a = { b = 1',
    '1,5-6: Unterminated object constructor expression; There is no corresponding closing brace before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.',
  ],
  [
    'a = { b',
    '1,5-6: Unterminated object constructor expression; There is no corresponding closing brace before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.',
  ],
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
