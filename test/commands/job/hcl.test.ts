import { expect, test } from 'vitest'
import { jobFileFrom } from '../../../src/commands/job/file/file.ts'
import { HclText } from '../../../src/commands/job/file/hcl.ts'
import { assignedStrings, declaredIn, variablesText } from '../../../src/commands/job/file/variables.ts'

/** Texts from anywhere: each is read in linear time, in any place. A scanner that begins anew at each opening needs minutes for them. */

const megabyte = (part: string) => part.repeat(Math.ceil(1e6 / part.length))

const worst: readonly [name: string, text: string][] = [
  ['heredocs without an end', megabyte('x = <<A\n')],
  ['heredocs that end in none of their words', megabyte('x = <<A\nB\n')],
  ['heredocs of many names', Array.from({ length: 90_000 }, (_, index) => `x = <<E${index}\n`).join('')],
  ['comments without an end', megabyte('/*')],
  ['comments without an end in expressions', megabyte('x = /* 1\n')],
  ['comments', megabyte('/**/')],
  ['strings in templates', megabyte('"${')],
  ['a string in an expression', `x = "${megabyte('a\\n')}"`],
  ['a label without an end', `job "${megabyte('\\')}`],
  ['quotes', megabyte('"')],
  ['open blocks', megabyte('a{')],
  ['open brackets', `x = ${megabyte('[')}`],
  ['blocks in blocks', `${megabyte('a {')}${megabyte('}')}`],
  ['blanks', `x${megabyte(' ')}`],
  ['line breaks', megabyte('\n')],
  ['one word', megabyte('a')],
  ['words', megabyte('a ')],
  ['openings of heredocs', megabyte('<<')],
  ['words of heredocs', `x = <<${megabyte('A')}`],
  ['strings of attributes', megabyte('a = "b"\n')],
]

test.each(worst)('a megabyte of %s', { timeout: 60_000 }, (_, text) => {
  declaredIn(`job "j" {\n${text}\n}`)
  declaredIn(`variables {\n${text}\n}`)
  const files = ['a', 'b'].map((file) => ({ file, text }))
  expect(variablesText(files, [['v', '1']], declaredIn(text).variables).text).toMatch(/\bv = "?1"?\n$/)
  assignedStrings(files.slice(1))
  expect(jobFileFrom({ file: 'j.hcl', text }, []).source).toBe(text)
})

test('strings of any length are read', () => {
  const long = 'a'.repeat(8e6)
  expect(new HclText(`job "${long}" {}`).parts()?.[0]).toMatchObject({ name: 'job', labels: [long] })
  expect(assignedStrings([{ file: 'a', text: `x = "${long}"` }])).toEqual([['x', long]])
})
