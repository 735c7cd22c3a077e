import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HclError } from '../../../src/dev/hcl/syntax.ts'
import { parse, refusal } from './support.ts'

const job = (body: string): string => `job "x" {\n${body}\n}\n`
const meta = (expression: string): string => job(`meta = { v = ${expression} }`)

it.each([
  ['lists', meta('['.repeat(20_000))],
  ['interpolations', meta('"${'.repeat(20_000))],
  ['blocks', job('a {\n'.repeat(20_000))],
])('nested %s are refused', (_, source) => {
  expect(refusal(source)).toBe('<nil>: Nested too deeply')
})

/** Pieces of job files in any order: what a reader must survive. */
const pieces = constantFrom(
  ...'job "x" {|group "g" {|task "t" {|variable "a" {|locals {|dynamic "group" {|content {|for_each|type|default'.split(
    '|',
  ),
  ...'if |for |in |else|endif|endfor|meta|env|count|config|a|b|var.a|local.b|upper|null|true|1|0.5|é|😀'.split('|'),
  ...'" ${ %{ ~} $${ <<EOT\n <<-EOT\n EOT\n [ ] ( ) { } = == => : ? ... . * , ! - + \\n \\u12 # // /* */ ` ;'.split(
    ' ',
  ),
  '\n',
  '\r\n',
  ' ',
  '||',
)

/** Reads a text; the only failure allowed is a diagnostic with a place, or with none where none exists. */
function survives(source: string, variables = ''): void {
  try {
    parse(source, { variables })
  } catch (error) {
    expect(error).toBeInstanceOf(HclError)
    for (const line of (error as HclError).message.split('\n')) {
      expect(line).toMatch(
        /^(?:unable to parse var content: )?(?:<nil>|input\.hcl:\d+,\d+-(?:\d+,)?\d+): [A-Z][^;]*; ./,
      )
    }
  }
}

describe('any text', () => {
  it('is read or refused with diagnostics', () => {
    const body = array(pieces, { maxLength: 40 }).map((parts) => parts.join(''))
    assert(
      property(body, (text) => {
        survives(text)
        survives(job(`meta {\nv = ${text}\n}`))
        survives(job('meta = { v = var.a }'), `a = ${text}`)
      }),
      { numRuns: 500 },
    )
  })

  it('is read as it was written, in quotes and in heredocs', () => {
    const line = string({ unit: 'binary', maxLength: 60 }).filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text))
    assert(
      property(line, (text) => {
        const escaped = text.replaceAll(/([$%])\{/g, '$1$1{')
        expect(parse(meta(JSON.stringify(escaped))).Meta).toEqual({ v: text })
        expect(parse(job(`meta = { v = <<EOT_END\n>${escaped}\nEOT_END\n}`)).Meta).toEqual({ v: `>${text}\n` })
      }),
      { numRuns: 300 },
    )
  })
})
