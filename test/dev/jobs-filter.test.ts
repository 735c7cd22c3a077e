import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { parseJson } from '../../src/core/json.ts'
import { compileFilter, FilterError } from '../../src/dev/jobs-filter.ts'
import { edited, web } from './jobs/diff-data.ts'

/** What the server's own filter library says of an expression over the recorded job. */
interface Verdict {
  readonly Expression: string
  readonly Syntax?: string
  readonly Error?: string
  readonly Matches: boolean
}

const verdicts = recorded('filter-verdicts') as unknown as Verdict[]
const answers = recorded('filter-answers') as unknown as { filter: string; body: string }[]

describe('verdicts of the library that the server uses', () => {
  test.each(verdicts.map((verdict) => [verdict.Expression, verdict] as const))('%j', (expression, verdict) => {
    expect(outcomeOf(expression, web)).toBe(verdict.Syntax ?? verdict.Error ?? verdict.Matches)
  })
})

test.each(answers.map(({ filter, body }) => [filter, body] as const))('the recorded answer to %j', (filter, body) => {
  const answer = caught(() => compileFilter(filter)(web)).answer
  expect(answer).toBe(body)
})

describe('compileFilter', () => {
  it('finds bad syntax at once and unknown fields when a job is looked at', () => {
    expect(() => compileFilter('Type =')).toThrow(/^failed to read filter expression: 1:6 \(5\): no match found/)
    const unknown = compileFilter('Bogus == "x"')
    expect(() => unknown(web)).toThrow(FilterError)
  })

  it('guards against what is not there before looking into it', () => {
    const guarded = compileFilter('Periodic is not nil and Periodic.Enabled == true')
    const periodic = edited(web, ['Periodic'], { Enabled: true, Spec: '@daily' })
    expect([guarded(web), guarded(periodic)]).toEqual([false, true])
  })

  it('tells equal doubles apart', () => {
    const job = parseJson('{"SubmitTime": 9007199254740993}') as JsonObject
    expect(compileFilter('SubmitTime == 9007199254740993')(job)).toBe(true)
    expect(compileFilter('SubmitTime == 9007199254740992')(job)).toBe(false)
  })

  it('does not take inherited names for fields', () => {
    expect(compileFilter('"constructor" in Meta')(web)).toBe(false)
    expect(() => compileFilter('toString == "x"')(web)).toThrow('struct field with name "toString"')
  })

  it('reads deep nesting in reasonable time', () => {
    const expression = `${'('.repeat(60)}Type == "service"${')'.repeat(60)}`
    expect(compileFilter(expression)(web)).toBe(true)
  })

  it('refuses nesting without end', () => {
    expect(() => compileFilter('('.repeat(100_000))).toThrow('nested too deeply')
  })
})

describe('regular expressions of RE2', () => {
  test.each([
    ['(?i)^WEB$', true],
    ['(?is)w.b', true],
    ['\\Aweb\\z', true],
    ['^[[:lower:]]+$', true],
    ['^[^[:digit:]]+$', true],
    ['^[[:^digit:]]+$', true],
    ['(?P<name>we)b', true],
    ['\\Qw.b\\E', false],
    ['w\\-b|\\#|\\!', false],
    ['^\\p{Greek}', false],
    ['^\\p{^Greek}+$', true],
    ['^w{1,2}e[b-]$', true],
    ['^[]w]eb$', true],
    ['^[^]x]eb$', true],
    ['^[[:alpha:][:digit:]]+$', true],
    ['\\x{77}eb', true],
    ['\\167eb', true],
    ['w{e', false],
    ['w]|}', false],
  ])('%s', (pattern, expected) => {
    expect(compileFilter(`ID matches \`${pattern}\``)(web)).toBe(expected)
  })

  test.each(['(?!a)', '(?<=a)', '\\1', '\\y', '(?x)a', 'a(?i)b', '[]', '(a', 'a)', '+', '[z-a]', 'a**'])(
    'refuses %s',
    (pattern) => {
      expect(() => compileFilter(`ID matches \`${pattern}\``)(web)).toThrow('failed to compile regular expression')
    },
  )
})

function recorded(name: string) {
  return parseJson(readFileSync(new URL(`../contract/recordings/nomad-diff/${name}.json`, import.meta.url), 'utf8'))
}

function outcomeOf(expression: string, job: JsonObject): boolean | string {
  try {
    return compileFilter(expression)(job)
  } catch (error) {
    return (error as FilterError).message.replace(/^failed to read filter expression: /, '')
  }
}

function caught(action: () => unknown): FilterError {
  try {
    action()
  } catch (error) {
    if (error instanceof FilterError) return error
  }
  throw new Error('nothing was refused')
}
