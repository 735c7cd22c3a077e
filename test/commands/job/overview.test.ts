import { describe, expect, test } from 'vitest'
import type { Overview } from '../../../src/commands/job/plan/overview.ts'
import { planResult } from '../../../src/commands/job/plan/overview.ts'
import type { Action, FilePlan } from '../../../src/commands/job/plan/planned.ts'
import { changeCounts } from '../../../src/commands/job/plan/planned.ts'
import type { DocumentView, ValueResult } from '../../../src/core/command.ts'
import { TugError } from '../../../src/core/errors.ts'
import type { JsonObject } from '../../../src/core/json.ts'

/** The plans of several files: a line for each job, as data, and as a comment. */

const field = (Name: string, Old: string, New: string): JsonObject => ({
  Type: Old === New ? 'None' : Old === '' ? 'Added' : New === '' ? 'Deleted' : 'Edited',
  Name,
  Old,
  New,
})
const fields = (count: number) => Array.from({ length: count }, (_, index) => field(`F${index}`, 'a', 'b'))

function plan(name: string, action: Action, answer: JsonObject = {}, job: JsonObject = {}): FilePlan {
  const Diff = { ID: name, Type: action === 'create' ? 'Added' : action === 'unchanged' ? 'None' : 'Edited' }
  const change = action === 'unchanged' ? 'none' : 'fields'
  const planned = { job: { ID: name, ...job }, answer: { JobModifyIndex: 7, Diff, ...answer }, change, index: 7 }
  return { path: `${name}.hcl`, action, name, namespace: 'default', ...planned } as FilePlan
}
const edited = (name: string, Fields: JsonObject[], action: Action = 'change', more: JsonObject = {}) =>
  plan(name, action, { Diff: { ID: name, Type: 'Edited', Fields }, ...more })

const overview = (plans: FilePlan[], more: Partial<Overview> = {}): Overview => ({
  plans,
  stopped: [],
  problems: [],
  showValues: false,
  ...more,
})
const showing = {
  now: new Date('2026-11-21T07:30:00Z'),
  wide: false,
  absoluteTimes: false,
  draws: false,
  width: undefined,
}
const overviewView = (of: Overview) => (planResult(of, false) as ValueResult).view as DocumentView
const textOf = (of: Overview, more: object = {}) =>
  overviewView(of).text((_, words) => words, { ...showing, ...more }, null)
const other = plan('other', 'unchanged')
/** The line of one job among several. */
const lineOf = (one: FilePlan) => textOf(overview([one, other])).split('\n')[0]

test.each([
  ['1 new job', ['create']],
  ['2 new jobs', ['create', 'create']],
  ['1 changed job', ['change']],
  ['2 changed jobs', ['start', 'rerun']],
  ['1 new and 1 changed jobs', ['create', 'change']],
  ['2 new and 1 changed jobs', ['create', 'change', 'create']],
])('%s', (words, actions) => {
  expect(changeCounts(actions.map((action) => ({ action: action as Action })))).toBe(words)
})

describe('the line of a job', () => {
  const updates = (counts: JsonObject) => ({ Annotations: { DesiredTGUpdates: counts } })
  test.each<[FilePlan, string]>([
    [plan('a', 'create', {}, { Type: 'service' }), '+ a  new service'],
    [plan('a', 'create', {}, { Type: 'batch' }), '+ a  new batch, which runs at once'],
    [plan('a', 'create', {}, { Type: 'sysbatch' }), '+ a  new sysbatch, which runs at once'],
    [plan('a', 'create', {}, { Type: 'batch', Periodic: {} }), '+ a  new batch periodic'],
    [plan('a', 'create'), '+ a  new'],
    [edited('a', fields(3)), '~ a  f0 a → b, f1 a → b, f2 a → b'],
    [edited('a', fields(4)), '~ a  f0 a → b, f1 a → b, f2 a → b, 1 more'],
    [edited('a', [field('X', '', '1'), field('Y', '1', '')]), '~ a  +x, -y'],
    [edited('a', [field('X', 'a'.repeat(36), 'b')]), `~ a  x ${'a'.repeat(36)} → b`],
    [edited('a', [field('X', 'a'.repeat(37), 'b')]), '~ a  x'],
    [edited('a', [field('Meta[token]', 'a', 'b')]), '~ a  meta.token'],
    [edited('a', fields(1), 'start'), '~ a  starts the stopped job: f0 a → b'],
    [edited('a', fields(1), 'rerun'), '~ a  runs again: f0 a → b'],
    [edited('a', fields(1), 'change', updates({ g: { Place: 1 } })), '~ a  1 create: f0 a → b'],
    [
      edited('a', fields(1), 'change', updates({ g: { Place: 1 }, h: { Stop: 2 } })),
      '~ a  group g 1 create; group h 2 destroy: f0 a → b',
    ],
    [edited('a', [], 'change', updates({ g: { Place: 1 } })), '~ a  1 create'],
    [
      plan('a', 'change', {
        Diff: {
          Type: 'Edited',
          TaskGroups: [
            {
              Name: 'g',
              Type: 'Edited',
              Objects: [
                { Name: 'Service', Type: 'Edited', Fields: [field('Name', 'w', 'w'), field('PortLabel', 'x', 'y')] },
              ],
            },
            { Name: 'h', Type: 'Edited' },
            { Name: 'new', Type: 'Added' },
          ],
        },
      }),
      '~ a  service w.port x → y, +group new',
    ],
  ])('%#', (one, line) => expect(lineOf(one)).toBe(line))

  test('names are aligned, up to 32 characters', () => {
    const lines = (length: number) =>
      textOf(
        overview([edited('a', fields(1)), edited('b'.repeat(length), fields(1)), plan('c'.repeat(40), 'unchanged')]),
      )
        .split('\n')
        .slice(0, 2)
        .map((line) => line.indexOf('f0'))
    expect([lines(31), lines(32), lines(33)]).toEqual([
      [35, 35],
      [36, 36],
      [36, 37],
    ])
  })
})

test('every kind of line has its mark', () => {
  const placement = { FailedTGAllocs: { g: { DimensionExhausted: { memory: 1 } } } }
  const of = overview([edited('a', fields(1), 'change', placement), plan('b', 'create'), other, other], {
    problems: [
      { item: 'x.hcl', error: new TugError('invalid', ['an error in x.hcl', 'x.hcl:2:3: Bad', 'x.hcl:4:5: Worse']) },
      { item: 'y.hcl', error: new TugError('invalid', 'no such file') },
    ],
  })
  const lines = [
    '~ a  f0 a → b',
    '+ b  new',
    '! a  group g: 1 allocation cannot be placed: 1 node has too little memory',
    '= 2 unchanged',
    '! x.hcl:2:3  Bad',
    '    4:5: Worse',
    '! y.hcl  no such file',
  ]
  expect(textOf(of).split('\n')).toEqual(lines)
  const painted = overviewView(of).text((tone, words) => `${tone}:${words}`, showing, null)
  expect(painted.split('\n').map((line) => line.slice(0, line.indexOf(':') + 2))).toEqual([
    'change:~',
    'good:+',
    'bad:!',
    'dim:=',
    'bad:!',
    '    4:5',
    'bad:!',
  ])
  const comment = overviewView(of).markdown?.() ?? ''
  expect(comment).toContain(`\`\`\`diff\n${lines.join('\n').replace(/^~/, '!')}\n\`\`\`\n`)
  expect(comment).toMatch(/^### Plan: 1 new and 1 changed jobs, 2 unchanged\n/)
})

test('one plan is shown whole, unless something is beside it', () => {
  const one = edited('a', fields(1))
  const whole = '~ job a\n  ~ f0  a → b'
  expect(textOf(overview([one]))).toBe(whole)
  const line = /^. a {2,}/
  expect(textOf(overview([one, other]))).toMatch(line)
  const problems = [{ item: 'x', error: new TugError('invalid', 'x') }]
  expect(textOf(overview([one], { problems }))).toMatch(line)
  expect(textOf(overview([], { problems }))).toBe('! x  x')
  expect(textOf(overview([plan('a', 'unchanged')]))).toBe('no changes to job a')
})

test('-o wide has the plan of each job that changes below it, with the age of its next launch', () => {
  const periodic = edited('a', fields(1), 'change', { NextPeriodicLaunch: '2026-11-21T09:30:00Z' })
  expect(textOf(overview([periodic, other]), { wide: true, width: 20 }).split('\n')).toEqual([
    '~ a  f0 a → b',
    '    ~ job a',
    '      ~ f0  a → b',
    '    ',
    '    next launch: 2026-11-21 09:30 UTC (in 2h)',
    '= 1 unchanged',
  ])
})

test('as data: what would be done with each job, and how many', () => {
  const of = overview(
    [plan('a', 'create'), edited('b', fields(1)), plan('c', 'start'), plan('d', 'rerun'), other, plan('e', 'change')],
    {
      problems: [{ item: 'x', error: new TugError('invalid', 'bad') }],
    },
  )
  const { data, exitCode } = planResult(of, true) as ValueResult
  const row = (job: string, action: string, what: string) => ({
    action,
    job,
    file: `${job}.hcl`,
    what,
    namespace: 'default',
    index: 7,
  })
  expect(JSON.parse(JSON.stringify(data))).toEqual({
    jobs: [
      row('a', 'create', 'new'),
      row('b', 'change', 'f0 a → b'),
      row('c', 'start', 'starts the stopped job'),
      row('d', 'rerun', 'runs again'),
      row('other', 'unchanged', 'unchanged'),
      row('e', 'change', ''),
    ],
    new: 1,
    changed: 4,
    unchanged: 1,
    skipped: 0,
    failed: [{ item: 'x', error: 'bad' }],
  })
  expect([exitCode, (planResult(of, false) as ValueResult).exitCode]).toEqual([9, undefined])
  const rows = overviewView(of).rows?.data as { action: string; job: string; what: string; file: string | null }[]
  expect(rows.map(({ job }) => job)).toEqual(['a', 'b', 'c', 'd', 'other', 'e'])
})

describe('a comment', () => {
  const commentOf = (plans: FilePlan[], more: Partial<Overview> = {}) =>
    overviewView(overview(plans, more)).markdown?.() ?? ''
  test.each<[string, FilePlan[], Partial<Overview>]>([
    ['no changes, 1 unchanged', [other], {}],
    ['1 changed job, 1 unchanged', [edited('a', fields(1)), other], {}],
    ['1 new job, 0 unchanged', [plan('a', 'create')], {}],
  ])('is headed: %s', (head, plans, more) => {
    expect(commentOf(plans, more).split('\n')[0]).toBe(`### Plan: ${head}`)
  })

  test('has every plan, folded, without those that change nothing', () => {
    const comment = commentOf([edited('a', fields(1)), edited('b', fields(1)), other])
    expect(comment.match(/^### .*/gm)).toEqual([
      '### Plan: 2 changed jobs, 1 unchanged',
      '### Plan: job a',
      '### Plan: job b',
    ])
    expect(comment).not.toContain('truncated')
  })

  // Each plan takes a bit more than 1,000 characters.
  const long = (count: number) =>
    Array.from({ length: count }, (_, n) => edited(`j${n}`, [field('X', 'a', 'b'.repeat(1000))]))

  test('counts the plans that have no room', () => {
    const plans = long(100)
    const comment = commentOf(plans)
    const shown = comment.match(/^### Plan: job/gm)?.length ?? 0
    expect(comment.endsWith(`\ntruncated: ${100 - shown} more plans\n`)).toBe(true)
    expect(comment.length).toBeLessThanOrEqual(65_000)
    expect(comment.length).toBeGreaterThan(65_000 - 200 - 1300)
    const most = commentOf(plans.slice(0, shown + 1))
    expect(most.endsWith('\ntruncated: 1 more plan\n')).toBe(true)
    expect(commentOf(plans.slice(0, shown))).not.toContain('truncated')
  })

  test('leaves out all plans after one that has no room, though they would fit', () => {
    const comment = commentOf([edited('a', fields(1)), edited('huge', fields(4000)), edited('small', fields(1))])
    expect(comment.match(/^### Plan: job .*/gm)).toEqual(['### Plan: job a'])
    expect(comment.endsWith('\ntruncated: 2 more plans\n')).toBe(true)
  })

  test('lists jobs in half of the room at most', () => {
    const plans = Array.from({ length: 1000 }, (_, n) => plan(`${n}`.padStart(60, 'n'), 'create'))
    const comment = commentOf(plans)
    const lines = comment.match(/^\+ n/gm)?.length ?? 0
    expect(lines).toBeGreaterThan(100)
    expect(comment.indexOf('### Plan: job')).toBeLessThan(33_000)
    expect(comment.indexOf('### Plan: job')).toBeGreaterThan(32_000)
  })
})
