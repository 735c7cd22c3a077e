import { expect, test } from 'vitest'
import { declaredIn, submissionOf, variablesText as textOf } from '../../../src/commands/job/file/variables.ts'
import { TugError } from '../../../src/core/errors.ts'

const variablesText = (files: Parameters<typeof textOf>[0], flags: Parameters<typeof textOf>[1]) =>
  textOf(files, flags, undefined)

const file = (name: string, text: string) => ({ file: name, text })

test('one file is sent unchanged, several are joined by newlines', () => {
  expect(variablesText([file('a', '{"n": 1}')], []).text).toBe('{"n": 1}')
  const joined = variablesText([file('a', 'n = 1\n'), file('b', '# more\nm = 2')], [])
  expect(joined.text).toBe('n = 1\n\n# more\nm = 2')
  expect(joined.origin(1)).toBe('a:1')
  expect(joined.origin(4)).toBe('b:2')
  expect(variablesText([], []).text).toBe('')
})

test('a name that is assigned twice is merged and the last value wins', () => {
  const { text, origin } = variablesText([file('a', 'n = 1\nm = "x"\n'), file('b', 'n = 2')], [])
  expect(text).toBe('m = "x"\nn = 2\n')
  expect(origin(1)).toBe('a:2')
  expect(origin(2)).toBe('b:1')
  expect(origin(9)).toBe('the variables')
})

test('flags come last, scalars quoted and escaped, lists and maps unchanged', () => {
  const { text, origin } = variablesText(
    [file('a', 'n = 1\nimage = "old"\n')],
    [
      ['image', String.raw`a"b\c${'\n'}d${'\t'}` + '${x}%{y}'],
      ['l', '["a"]'],
      ['m', ' { a = 1 }'],
      ['zeros', '007'],
    ],
  )
  expect(text).toBe(
    [
      'n = 1',
      String.raw`image = "a\"b\\c\nd\t` + '$${x}%%{y}"',
      'l = ["a"]',
      'm = { a = 1 }',
      'zeros = "007"',
      '',
    ].join('\n'),
  )
  expect(origin(2)).toBe('--var image')
})

test('values of several lines stay whole: brackets, strings, templates, comments and heredocs', () => {
  const long = [
    'list = [',
    '  "a]", # not the end ]',
    '  /* nor ] this */ "b", // ]',
    ']',
    'text = "one ${ { a = "}" }.a } \\" two"',
    'doc = <<-EOT',
    '  n = 5',
    '  EOT',
    '# about n',
    '"quoted" = 3',
    'n = 1',
  ].join('\n')
  const { text } = variablesText([file('a', long)], [['n', '2']])
  expect(text.startsWith(long.split('\n').slice(0, 8).join('\n'))).toBe(true)
  expect(text).toContain('\n"quoted" = 3\nn = "2"\n')
  expect(text).not.toContain('n = 1')
})

test('JSON files become assignments if they must be merged; anything else is left to the server', () => {
  expect(variablesText([file('a', '{"n": 1.0, "l": ["x"]}'), file('b', 'n = 2')], []).text).toBe('l = ["x"]\nn = 2\n')
  expect(variablesText([file('a', '{"n": 1'), file('b', 'm = 2')], []).text).toBe('{"n": 1\nm = 2\n')
  expect(variablesText([file('a', 'n 5\nm = 1')], [['m', 'x']]).text).toBe('n 5\nm = "x"\n')
})

const { variables: declared } = declaredIn(`
variable "s" { type = string }
variable "n" { type = number }
variable "b" { type = bool }
variable "l" { type = list(string) }
variable "any" { type = any }
variable "bare" {}
variable "text" { default = "x" }
variable "count" { default = -1 }
variable "list" { default = [] }
variable "flag" { default = true }
variables {
  old  = "x"
  many = ["x"]
}
job "web" {}
`)

test.each([
  ['s', '{a}', String.raw`"{a}"`],
  ['s', '["a"]', String.raw`"[\"a\"]"`],
  ['n', '3', '"3"'],
  ['b', 'true', 'true'],
  ['l', ' ["a", "b"] ', '["a", "b"]'],
  ['l', '[\n"a",\n]', '[\n"a",\n]'],
  ['any', '"x"', '"x"'],
  ['bare', '{a}', '"{a}"'],
  ['text', '[a', '"[a"'],
  ['count', '7', '"7"'],
  ['list', '[1]', '[1]'],
  ['flag', 'false', 'false'],
  ['old', '[x]', '"[x]"'],
  ['many', '["y"]', '["y"]'],
])('the value of %s is read by its type: %s', (name, value, shown) =>
  expect(textOf([], [[name, value]], declared).text).toBe(`${name} = ${shown}\n`),
)

test.each([
  ['l', '[1]\nother = 2'],
  ['l', '[1'],
  ['l', '1]'],
  ['l', ' '],
  ['b', 'true\ns = "x"'],
  ['any', '{a = 1\n}\n}'],
])('what is not one expression is refused: %s %j', (name, value) =>
  expect(() => textOf([], [[name, value]], declared)).toThrow(TugError),
)

test('lists and maps are stored beside the var-files, texts as flags', () => {
  const submission = {
    ...({ file: 'web.hcl', format: 'hcl2', job: undefined, namesNamespace: false, namespace: undefined } as const),
    source: 'variable "s" {}\nvariable "l" { default = [] }\njob "web" {}\n',
    variableFiles: [file('a', 'l = []\nn = 1\n')],
  }
  const flags = [
    ['s', '{a}'],
    ['l', '["a"]'],
  ] as const
  expect(submissionOf({ ...submission, flags })).toMatchObject({
    VariableFlags: { s: '{a}' },
    Variables: 'n = 1\nl = ["a"]\n',
  })
  expect(submissionOf({ ...submission, flags: [['s', 'x']] })).toMatchObject({ Variables: 'l = []\nn = 1\n' })
})
