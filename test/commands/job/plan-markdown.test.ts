import { expect, test } from 'vitest'
import { planDocument } from '../../../src/commands/job/plan/view.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { mentions } from '../../support/told.ts'

const field = (Name: string, Old: string, New: string) => ({
  Type: Old === '' ? 'Added' : New === '' ? 'Deleted' : 'Edited',
  Name: `Meta[${Name}]`,
  Old,
  New,
})

/** The comment of a plan with these fields and warnings. */
function comment(
  fields: readonly JsonObject[],
  { warnings = [] as string[], ID = 'a', applyLine = 'tug job run' } = {},
) {
  const Diff = { ID, Type: fields.length === 0 ? 'None' : 'Edited', Fields: fields }
  const Warnings = `${warnings.length} warnings:\n\n${warnings.map((one) => `* ${one}\n`).join('')}`
  const answer = { Diff, ...(warnings.length === 0 ? {} : { Warnings }) }
  return planDocument({ answer, job: {}, isChanged: fields.length > 0, showValues: true, applyLine }).markdown?.() ?? ''
}

test('what is in brackets, code or markup is escaped', () => {
  expect(comment([], { ID: 'a_b', warnings: ['<b>&|*`[x]`\\ _a_ b_c d_'], applyLine: 'x' })).toContain(
    '### Plan: job a_b\n\n- no changes\n- warning: &lt;b&gt;&amp;\\|\\*\\`\\[x\\]\\`\\\\ \\_a\\_ b_c d\\_\n',
  )
})

test('each mark has its colour, and a fence is longer than what is inside', () => {
  const fields = [field('a', '', '1'), field('b', '1', ''), field('```', '1', '2')]
  expect(comment(fields, { applyLine: 'echo ````' })).toBe(
    [
      '### Plan: job a\n\n',
      '<details><summary>4 lines of changes</summary>\n',
      '````diff\n! job a\n+   meta.a    1\n-   meta.b    1\n!   meta.```  1 → 2\n````\n',
      '</details>\n',
      '`````sh\necho ````\n`````\n',
    ].join('\n'),
  )
})

test('a comment that would be too long for GitHub is cut with a note of how much', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => field(`${n}`, '', 'x'.repeat(80)))
  expect(comment(fields(500))).not.toContain('truncated')
  const cut = comment(fields(1000))
  const shown = cut.match(/^\+ /gm)?.length ?? 0
  expect(cut).toMatch(mentions(`\n# truncated: ${1000 - shown} …: tug job plan <file>\n`))
  expect(cut).toContain('<summary>1001 lines of changes</summary>')
  expect(cut.endsWith('```sh\ntug job run\n```\n')).toBe(true)
  expect(cut.length).toBeLessThanOrEqual(65_000)
  expect(cut.length).toBeGreaterThan(64_500)
})

test('a summary takes half of it at most', () => {
  const cut = comment([], { warnings: Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(88, 'x')) })
  const shown = cut.match(/^- warning: x/gm)?.length ?? 0
  expect(cut).toContain(`\n- truncated: ${1001 - 1 - shown} more\n`)
  expect(cut.length).toBeGreaterThan(32_000)
  expect(cut.length).toBeLessThan(33_000)
})
