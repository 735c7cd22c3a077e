import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { isObject } from '../../../src/core/json.ts'
import { isUnchanged } from '../../../src/commands/job/plan/changes.ts'
import { planDocument } from '../../../src/commands/job/plan/view.ts'
import { root } from '../../support/process.ts'
import { told } from '../../support/told.ts'

/** A plan with one of everything, whole: `vitest -u` writes it. */

const field = (Name: string, Old: string, New: string, more: JsonObject = {}): JsonObject => ({
  Type: Old === New ? 'None' : Old === '' ? 'Added' : New === '' ? 'Deleted' : 'Edited',
  Name,
  Old,
  New,
  ...more,
})
const object = (Type: string, Name: string, Fields: JsonObject[], Objects: JsonObject[] = []): JsonObject => ({
  Type,
  Name,
  Fields,
  Objects,
})
const added = (Name: string, fields: Record<string, string>, ...Objects: JsonObject[]) =>
  object(
    'Added',
    Name,
    Object.entries(fields).map(([name, value]) => field(name, '', value)),
    Objects,
  )
const deleted = (Name: string, fields: Record<string, string>, ...Objects: JsonObject[]) =>
  object(
    'Deleted',
    Name,
    Object.entries(fields).map(([name, value]) => field(name, value, '')),
    Objects,
  )
const edited = (Name: string, fields: Record<string, [string, string]>, ...Objects: JsonObject[]) =>
  object(
    'Edited',
    Name,
    Object.entries(fields).map(([name, [old, next]]) => field(name, old, next)),
    Objects,
  )
const task = (
  Type: string,
  Name: string,
  Fields: JsonObject[],
  Objects: JsonObject[] = [],
  Annotations: string[] = [],
) => ({
  ...object(Type, Name, Fields, Objects),
  Annotations,
})
const group = (Type: string, Name: string, more: JsonObject) => ({ Type, Name, ...more })

const ports = (Type: string) => [
  object(Type, 'Dynamic Port', [field('Label', '', 'http'), field('To', '', '8080'), field('Value', '', '0')]),
  object(Type, 'Static Port', [field('Label', '', 'admin'), field('Value', '', '9000')]),
]

const changedTask = task(
  'Edited',
  'srv',
  [
    field('Driver', 'exec', 'docker'),
    field('KillTimeout', '5000000000', '10000000000'),
    field('User', 'www', ''),
    field('Env[COLOR]', 'blue', 'green'),
    field('Env[NEW]', '', 'x'),
    field('Leader', 'false', 'false'),
  ],
  [
    edited('Config', {
      image: ['web:1', 'web:2'],
      'args[0]': ['-a', '-b'],
      'labels[team]': ['a', 'b'],
      password: ['p', 'q'],
    }),
    edited('Resources', { CPU: ['100', '200'], MemoryMB: ['64', '128'], MemoryMaxMB: ['0', '256'] }),
    edited('LogConfig', { MaxFileSizeMB: ['10', '20'] }),
    edited('RestartPolicy', {
      Attempts: ['2', '0'],
      Interval: ['1800000000000', '60000000000'],
      Mode: ['fail', 'delay'],
    }),
    edited('Template', {
      DestPath: ['local/a', 'local/a'],
      EmbeddedTmpl: ['one\ntwo\nthree', 'one\n2\nthree\nfour'],
      ChangeMode: ['restart', 'noop'],
    }),
    added('Template', {
      DestPath: 'local/b',
      EmbeddedTmpl: 'a\nb',
      SourcePath: 'x.tpl',
      Envvars: 'true',
      ErrMissingKey: 'false',
    }),
    added('Artifact', {
      GetterSource: 'https://example.com/a',
      GetterMode: 'any',
      RelativeDest: 'local/',
      'GetterHeaders[X-A]': 'b',
    }),
    deleted('Artifact', { GetterSource: 'https://example.com/b', RelativeDest: 'other/' }),
    added('Constraint', { LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }),
    edited('Affinity', {
      LTarget: ['${node.class}', '${node.class}'],
      Operand: ['=', '='],
      RTarget: ['a', 'b'],
      Weight: ['50', '60'],
    }),
    deleted('Constraint', { Operand: 'distinct_hosts', RTarget: 'true' }),
    added('Identity', { Name: 'default' }),
    added('Identity', { Name: 'extra', Audience: 'x' }),
    added('Action', { Name: 'ping', Command: 'redis-cli' }),
    edited('DispatchPayload', { File: ['a', 'b'] }),
  ],
  ['forces create/destroy update'],
)

const diff: JsonObject = {
  Type: 'Edited',
  ID: 'web',
  Fields: [
    field('Priority', '50', '60'),
    field('Type', 'service', 'service'),
    field('Meta[owner]', 'a', 'b'),
    field('AllAtOnce', '', 'false'),
    field('Region', 'a b ', ' a\tb'),
  ],
  Objects: [
    object('Edited', 'Datacenters', [
      { Type: 'None', Name: 'Datacenters', Old: 'dc0', New: 'dc0' },
      field('Datacenters', 'dc1', ''),
      field('Datacenters', '', 'dc 2'),
    ]),
    edited('Periodic', {
      Spec: ['1 * * * *', '2 * * * *'],
      Enabled: ['true', 'false'],
      ProhibitOverlap: ['false', 'true'],
    }),
    added('ParameterizedJob', { Payload: 'required' }),
    object('None', 'Update', []),
  ],
  TaskGroups: [
    group('Edited', 'app', {
      Fields: [{ ...field('Count', '2', '3'), Annotations: ['forces create', 'and more'] }],
      Objects: [
        edited('Update', { MaxParallel: ['1', '0'], MinHealthyTime: ['10000000000', '0'] }),
        edited('Network', { Mode: ['host', 'bridge'] }, ...ports('Added')),
        added('Network', { Mode: 'bridge' }, ...ports('Added')),
        added(
          'Service',
          { Name: 'web', PortLabel: 'http' },
          added('Check', { Name: 'alive', Path: '/', Interval: '10000000000', Timeout: '0' }),
        ),
        edited(
          'Service',
          { Name: ['db', 'db'], PortLabel: ['a', 'b'] },
          object('Added', 'Tags', [field('Tags', '', 'v1'), field('Tags', '', 'v2')]),
        ),
        added('Volume', { Name: 'data', Type: 'host' }),
        added('Spread', { Attribute: '${node.datacenter}' }, added('SpreadTarget', { Value: 'dc1', Percent: '70' })),
        edited('EphemeralDisk', { SizeMB: ['300', '400'], Sticky: ['false', 'true'] }),
        deleted('ReschedulePolicy', { Attempts: '0', Unlimited: 'false', Delay: '30000000000' }),
        added('Scaling', { Enabled: 'false', Min: '0', Max: '10' }),
        added('Disconnect', { Replace: 'false', LostAfter: '0' }),
      ],
      Tasks: [
        changedTask,
        task(
          'Added',
          'log',
          [field('Driver', '', 'docker'), field('Name', '', 'log')],
          [added('Config', { image: 'log:1' })],
          ['forces create'],
        ),
        task('Deleted', 'old', [field('Driver', 'exec', '')]),
        task('None', 'same', []),
      ],
    }),
    group('Added', 'new', {
      Fields: [field('Count', '', '0'), field('Name', '', 'new'), field('MaxClientDisconnect', '', '0')],
      Tasks: [],
    }),
    group('Deleted', 'gone', { Fields: [field('Count', '4', '')] }),
    group('Deleted', 'before', { Tasks: [task('Deleted', 't', [field('Driver', 'exec', '')])] }),
    group('Added', 'after', { Tasks: [task('Added', 't', [field('Driver', '', 'exec')])] }),
    group('None', 'quiet', {}),
  ],
}

const answer: JsonObject = {
  Diff: diff,
  JobModifyIndex: 77,
  NextPeriodicLaunch: '2026-11-22T03:15:00Z',
  Warnings: '2 warnings:\n\n* first\n* second\n  in two lines\n',
  FailedTGAllocs: { app: { CoalescedFailures: 1, DimensionExhausted: { memory: 1 } } },
  Annotations: {
    PreemptedAllocs: [{ JobID: 'low' }, { JobID: 'low' }, {}],
    DesiredTGUpdates: {
      app: { Place: 1, DestructiveUpdate: 1, Ignore: 1 },
      new: { Ignore: 1 },
      gone: { Stop: 4 },
      before: { Stop: 1 },
      after: { Place: 1 },
      quiet: { InPlaceUpdate: 2 },
      unseen: { Migrate: 1 },
      idle: { Ignore: 3 },
    },
  },
}
const job = { ID: 'web', TaskGroups: [{ Name: 'app', Update: { MaxParallel: 1 } }] }
const paint = ((tone: string | undefined, words: string) =>
  tone === undefined || words.trim() === '' ? words : `<${tone}>${words}</>`) as never
const plain = ((_: string, words: string) => words) as never
const showing = { now: new Date('2026-11-21T07:30:00Z') }

function rendered(planned: JsonObject, options: { readonly showValues?: boolean; readonly job?: JsonObject } = {}) {
  const applyLine = 'tug job run --check-index 77 web.hcl'
  const document = planDocument({
    answer: planned,
    job,
    isChanged: isObject(planned.Diff) && !isUnchanged(planned.Diff),
    showValues: false,
    applyLine,
    ...options,
  })
  const text = (width?: number, pen = plain) => document.text(pen, { ...showing, width } as never, planned)
  return { document, text }
}

const holds = (name: string, words: string) =>
  expect(`${words}\n`).toMatchFileSnapshot(`${root}/test/stories/plan/${name}`)

test('a plan with one of everything is told in a pipe; 80 columns and values change only some lines', async () => {
  const { text } = rendered(answer)
  const lines = text().split('\n')
  const others = (words: string) =>
    words
      .split('\n')
      .filter((line) => !lines.includes(line))
      .join('\n')
  await holds('pipe.txt', text())
  await holds('narrow.txt', others(text(80)))
  await holds('values.txt', others(rendered(answer, { showValues: true }).text()))
})

test('colours add nothing but tones', async () => {
  const { text } = rendered(answer)
  const painted = text(undefined, paint)
  const tones = (line: string) => [...line.matchAll(/<(\w+)>/g)].join()
  expect(painted.replaceAll(/<\/?(?:\w+)?>/g, '')).toBe(text())
  const lines = painted.split('\n')
  const first = lines.filter((line, index) => lines.findIndex((other) => tones(other) === tones(line)) === index)
  await holds('colours.txt', first.join('\n'))
})

test('Markdown has the changes as a diff, each with its sign first', async () => {
  const { document, text } = rendered(answer)
  const [before = '', changes = '', after = ''] = (document.markdown?.() ?? '').split(/(?<=```diff\n)|(?=```\n)/)
  const [plan = ''] = text().split('\n\n')
  expect(changes).toBe(
    `${plan.replaceAll(/^( *)([-+~]) /gm, (_, indent, sign) => `${sign === '~' ? '!' : sign}${indent} `)}\n`,
  )
  await holds('markdown.txt', `${before}${after}`)
})

test('the rows of a plan are its changes, each with its place', async () => {
  const { document } = rendered(answer)
  const rows = (document.rows?.data ?? []) as unknown as Record<string, string>[]
  const lines = rows.map(({ change, place, value, note }) => [change, place, value, note].join(' | '))
  await holds('rows.txt', lines.join('\n'))
})

const nothing = { Diff: { Type: 'None', ID: 'web' } }
const blocked = { CreatedEvals: [{ Status: 'blocked' }] }
const updates = { Annotations: { DesiredTGUpdates: { app: { Place: 1 } } } }

test.each<[string, JsonObject, JsonObject, string]>([
  ['nothing', nothing, job, 'no changes to job web'],
  [
    'a blocked evaluation',
    { ...nothing, ...blocked },
    job,
    'job web: nothing differs, but an evaluation would be blocked',
  ],
  ['a launch', nothing, { ...job, Periodic: {} }, 'no changes to job web (nothing at each launch)'],
  [
    'a launch that places',
    { ...nothing, ...updates },
    { ...job, Periodic: {} },
    'no changes to job web (1 create in 1 group at each launch)',
  ],
  [
    'a dispatch',
    { ...nothing, ...updates },
    { ID: 'n', ParameterizedJob: {} },
    'no changes to job n (1 create in 1 group at each dispatch)',
  ],
  ['no ID in the job', nothing, {}, 'no changes to job web'],
  ['no diff', {}, job, 'job web: no allocation would change; whether the job differs is unknown without a diff'],
  ['no diff, a blocked evaluation', blocked, job, 'job web: an evaluation would be blocked'],
  ['no diff, a launch', updates, { ...job, Periodic: {} }, 'job web: 1 create in 1 group at each launch'],
  [
    'no diff, but a count that changes nothing',
    { Annotations: { DesiredTGUpdates: { app: { Ignore: 1 } } } },
    job,
    'job web: no allocation would change; whether the job differs is unknown without a diff',
  ],
])('a plan without differences: %s', (_, planned, of, words) => {
  expect(rendered(planned, { job: of }).text()).toBe(words)
})

test('a next launch that is none is not shown, and a single preempted allocation is one', () => {
  for (const NextPeriodicLaunch of ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'never', ''])
    expect(rendered({ ...nothing, NextPeriodicLaunch }).text()).toMatch(told('… web'))
  expect(rendered({ ...nothing, NextPeriodicLaunch: '2026-11-21T09:30:00Z' }).text()).toMatch(
    told('… web\n\nnext launch: 2026-11-21 09:30 UTC (in 2h)'),
  )
  expect(rendered({ ...nothing, Annotations: { PreemptedAllocs: [{ JobID: 'low' }] } }).text()).toMatch(
    told('… web\n\nPREEMPTED 1 allocation … (jobs: low)'),
  )
})

test('Markdown without differences says so, and has the command only where there is one', () => {
  const markdown = (planned: JsonObject, applyLine: string | undefined) =>
    planDocument({
      answer: planned,
      job,
      isChanged: isObject(planned.Diff) && !isUnchanged(planned.Diff),
      showValues: false,
      applyLine,
    }).markdown?.()
  expect(markdown(nothing, undefined)).toBe('### Plan: job web\n\n- no changes\n')
  expect(
    markdown({ ...nothing, ...blocked, NextPeriodicLaunch: '2026-11-21T09:30:00Z' }, 'tug job run web.hcl'),
  ).toMatch(told('### Plan: job web\n\n- …\n- next launch: 2026-11-21 09:30 UTC\n\n```sh\ntug job run web.hcl\n```\n'))
})
