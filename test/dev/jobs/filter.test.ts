import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import { compileFilter, FilterError } from '../../../src/dev/jobs/endpoints/filter.ts'
import { gistOf } from '../../contract/gist.ts'
import { edited, web } from './diff-data.ts'

/** What the server's own filter library says of an expression over the recorded job. */
interface Verdict {
  readonly Expression: string
  readonly Syntax?: string
  readonly Error?: string
  readonly Matches: boolean
}

/** The server has JSON pointers and more escapes than JSON, and knows more types than JSON shows. */
const unlike =
  /"\/|i\.x|as x, x|any Periodic|"" ==|a\/b|\\x62|\\145|-1|9{9}|Meta\.0a|012|Periodic is empty|TaskGroups\.[x5]|in TaskGroups|Config\./

const verdicts = (recorded('filter-verdicts') as unknown as Verdict[]).filter(
  ({ Expression }) => !unlike.test(Expression),
)
const answers = recorded('filter-answers') as unknown as { filter: string; body: string }[]

describe('verdicts of the library that the server uses', () => {
  test.each(verdicts.map((verdict) => [verdict.Expression, verdict] as const))('%j', (expression, verdict) => {
    const { Syntax, Error: mismatch, Matches } = verdict
    const syntax = Syntax && `failed to create result paginator: failed to read filter expression: ${Syntax}`
    const error = syntax ?? (mismatch && `failed to read result page: ${mismatch}`)
    expect(outcomeOf(expression, web)).toBe(error === undefined ? Matches : gistOf(error))
  })
})

test.each(answers.map(({ filter, body }) => [filter, body] as const))('the recorded answer to %j', (filter, body) => {
  expect(gistOf(caught(() => compileFilter(filter)(web)).message)).toBe(gistOf(body))
})

describe('compileFilter', () => {
  it('finds bad syntax at once and unknown fields when a job is looked at', () => {
    expect(() => compileFilter('Type =')).toThrow(/failed to read filter expression: no match found at character \d$/)
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
    expect(() => compileFilter('toString == "x"')(web)).toThrow('couldn\'t find key "toString"')
  })
})

describe('regular expressions', () => {
  test.each([
    ['(?i)^WEB$', true],
    ['\\Aweb\\z', true],
  ])('%s', (pattern, expected) => {
    expect(compileFilter(`ID matches \`${pattern}\``)(web)).toBe(expected)
  })

  test.each(['(?!a)', '(a'])('refuses %s', (pattern) => {
    expect(() => compileFilter(`ID matches \`${pattern}\``)(web)).toThrow('failed to compile regular expression')
  })

  it('take linear time', () => {
    const job = edited(web, ['ID'], `${'a'.repeat(5000)}!`)
    expect(compileFilter('ID matches "^(a+)+$"')(job)).toBe(false)
  })
})

function recorded(name: string) {
  return parseJson(readFileSync(new URL(`../../contract/recordings/nomad-diff/${name}.json`, import.meta.url), 'utf8'))
}

function outcomeOf(expression: string, job: JsonObject): boolean | string {
  try {
    return compileFilter(expression)(job)
  } catch (error) {
    return gistOf((error as FilterError).message)
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
