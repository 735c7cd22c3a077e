import { expect, test } from 'vitest'
import { planMarkdown } from '../../../src/commands/job/plan/view.ts'
import { mentions } from '../../support/told.ts'

const change = (label: string, more: object = {}) =>
  ({ depth: 1, mark: '+', label, heading: false, value: '', note: '', ...more }) as const

test('what is in brackets, code or markup is escaped', () => {
  const plan = { title: 'Plan: job a_b', summary: ['<b>&|*`[x]`\\ _a_ b_c d_'], changes: [], apply: undefined }
  expect(planMarkdown(plan)).toBe('### Plan: job a_b\n\n- &lt;b&gt;&amp;\\|\\*\\`\\[x\\]\\`\\\\ \\_a\\_ b_c d\\_\n')
})

test('each mark has its colour, and a fence is longer than what is inside', () => {
  const changes = [
    change('a', { mark: '+' }),
    change('b', { mark: '-', value: '1' }),
    change('c', { mark: '~', note: 'n', depth: 0 }),
    change('```', { mark: ' ', value: '2', note: 'n' }),
  ]
  expect(planMarkdown({ title: 't', summary: [], changes, apply: 'echo ````' })).toBe(
    [
      '### t\n\n',
      '<details><summary>4 lines of changes</summary>\n',
      '````diff\n+   a\n-   b  1\n! c  n\n    ```  2  n\n````\n',
      '</details>\n',
      '`````sh\necho ````\n`````\n',
    ].join('\n'),
  )
})

test('a comment that would be too long for GitHub is cut with a note of how much', () => {
  const line = 'x'.repeat(95)
  const whole = planMarkdown({
    title: 't',
    summary: [],
    changes: Array.from({ length: 600 }, () => change(line)),
    apply: undefined,
  })
  expect(whole).not.toContain('truncated')
  const changes = Array.from({ length: 1000 }, () => change(line))
  const cut = planMarkdown({ title: 't', summary: [], changes, apply: 'tug job run' })
  const shown = cut.match(/^\+ /gm)?.length ?? 0
  expect(cut).toMatch(mentions(`\n# truncated: ${1000 - shown} …: tug job plan <file>\n`))
  expect(cut).toContain('<summary>1000 lines of changes</summary>')
  expect(cut.endsWith('```sh\ntug job run\n```\n')).toBe(true)
  expect(cut.length).toBeLessThanOrEqual(65_000)
  expect(cut.length).toBeGreaterThan(64_500)
})

test('a summary takes half of it at most', () => {
  const summary = Array.from({ length: 1000 }, () => 'x'.repeat(97))
  const cut = planMarkdown({ title: 't', summary, changes: [], apply: undefined })
  const shown = cut.match(/^- x/gm)?.length
  expect(shown).toBe(321)
  expect(cut.endsWith('\n- truncated: 679 more\n')).toBe(true)
})
