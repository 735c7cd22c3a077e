import { expect, test } from 'vitest'
import { TugError } from '../../../src/core/errors.ts'
import { explainParseFailure } from '../../../src/commands/job/file/parse.ts'
import { variablesText } from '../../../src/commands/job/file/variables.ts'
import { says } from '../../support/told.ts'

const source = ['job "x" {', '\tdatacentres = ["dc1"]', '  task "été 日本" { drivr = [', '  1 ] }', '}'].join('\r\n')

function explain(message: string, variables = variablesText([], [], undefined)) {
  const error = new TugError('failed', `Failed to parse job: ${message}`, { status: 400 })
  return explainParseFailure(error, { file: 'x.hcl', text: source, variables }) as TugError
}

test('each problem is shown with its line and carets', () => {
  const { message, code } = explain(
    'input.hcl:2,2-13: Unsupported argument; An argument named "datacentres" is not expected here. Did you mean "datacenters"?\n' +
      'input.hcl:3,20-25: Unsupported argument; Two; parts.',
  )
  expect(code).toBe('invalid')
  expect(message.split('\n')).toEqual([
    '2 errors in x.hcl',
    says('x.hcl:2:2: Unsupported argument: An argument named "datacentres" is not expected here. … "datacenters"?'),
    '  2 | \tdatacentres = ["dc1"]',
    '    | \t^^^^^^^^^^^',
    'x.hcl:3:20: Unsupported argument: Two; parts.',
    '  3 |   task "été 日本" { drivr = [',
    `    | ${' '.repeat(21)}^^^^^`,
  ])
})

test('a range over several lines is marked to the end of the first; one beyond the text shows no line', () => {
  expect(explain('input.hcl:3,28-4,6: Unsuitable value type; Unsuitable value').message).toContain(
    `  3 |   task "été 日本" { drivr = [\n    | ${' '.repeat(29)}^`,
  )
  expect(explain('input.hcl:99,1-2: A; b').message).toBe('an error in x.hcl\nx.hcl:99:1: A: b')
})

test('problems without a position, with several lines or in an unknown form are shown unchanged', () => {
  const { message, hints } = explain(
    '<nil>: Unset variable "image"; A used variable must be set  for details.\nmore of it',
  )
  expect(message).toBe(
    'an error in x.hcl\n  Unset variable "image": A used variable must be set for details.\nmore of it',
  )
  expect(hints).toEqual(['set it: --var image=…, or --var-file <file>'])
  expect(explain('something new').message).toBe('an error in x.hcl\n  something new')
})

test('a value that breaks a rule of its variable is shown where it was given', () => {
  const rule = 'Must be positive.\n\nThis was checked by the validation rule at input.hcl:4,3-13.'
  const file = variablesText([{ file: 'prod.hcl', text: 'n = -1\n' }], [], undefined)
  expect(explain(`input.hcl:1,5-7: Invalid value for varfile variable; ${rule}`, file).message).toContain(
    'prod.hcl:1: Invalid value for varfile variable: Must be positive.\n\nThis was checked by the validation rule at x.hcl:4,3-13.\n  1 | n = -1\n    |     ^^',
  )
  expect(explain(`<value for var.n from arguments>:1,1-3: Invalid value for cmd variable; ${rule}`).message).toContain(
    '--var n: Invalid value for cmd variable: Must be positive.',
  )
})

test('problems with variables point into the var-file or at the flag', () => {
  const one = variablesText([{ file: 'prod.hcl', text: 'n = 1\ns = hello\n' }], [], undefined)
  expect(explain('input.hcl:2,5-10: Variables not allowed; Variables may not be used here.', one).message).toBe(
    [
      'an error in x.hcl',
      'prod.hcl:2: Variables not allowed: Variables may not be used here.',
      '  2 | s = hello',
      '    |     ^^^^^',
    ].join('\n'),
  )
  expect(explain('unable to parse var content: input.hcl:1,5-6: Invalid expression; Expected', one).message).toContain(
    'prod.hcl:1: Invalid expression',
  )
  const flagged = variablesText([], [['n', 'many']], undefined)
  expect(explain('input.hcl:1,5-11: Invalid value for variable; a number is required.', flagged).message).toContain(
    '--var n: Invalid value',
  )
})

test('other positions in a problem have the file name, and file functions get a hint', () => {
  const { message, hints } = explain(
    'input.hcl:5,1-2: Duplicate job block; Previous definition was at input.hcl:1,1-8.\n' +
      'input.hcl:1,1-4: Error in function call; Call to function "file" failed: filesystem function disabled.',
  )
  expect(message).toContain('Previous definition was at x.hcl:1,1-8.')
  expect(hints).toEqual([says('… --var name="$(…)"')])
})
