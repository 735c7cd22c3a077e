import { expect, test } from 'vitest'
import { diagnostics, parse } from './support.ts'

/** Whole files, and the place of what is wrong. */
const refused: readonly (readonly [file: string, place: string])[] = [
  ['job "x" {\na = \n}', '2,5-3,1'],
  ['job "x" {\na = 1 2\n}', '2,7-8'],
  ['job "x" {\n5\n}', '2,1-2'],
  ['job "x" {\na "${b}" {}\n}', '2,3-9'],
  ['job "x" {\na {} b {}\n}', '2,6-7'],
  ['job "x" {\na { b = 1, c = 2 }\n}', '2,10-11'],
  ['job "x" {\na { b {} }\n}', '2,9-10'],
  ['job "x" {\na = f(1 2)\n}', '2,9-10'],
  ['job "x" {\na = { b = 1 c = 2 }\n}', '2,13-14'],
  ['job "x" {\na = "${b:-c}"\n}', '2,9-10'],
  ['job "x" {\na = 1\na = 2\n}', '3,1-2'],
  ['job "x" {', '1,9-10'],
  ['a = "b', '1,5-7'],
  ['a = <<EOF\nb\n', '1,5-3,1'],
]

test.each(refused)('%j is refused', (file, place) => {
  expect(diagnostics(file).split(': ')[0]).toBe(`input.hcl:${place}`)
})

test('comments, blank lines, carriage returns and a byte order mark mean nothing', () => {
  const source =
    '\uFEFF# one\r\njob x /* two\n */ { // three\r\n\r\n  priority = 5 # four\n  datacenters = [\n"r" // five\n]\n}# six'
  expect(parse(source)).toMatchObject({ ID: 'x', Priority: 5, Datacenters: ['r'] })
})
