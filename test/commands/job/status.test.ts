import { expect, test } from 'vitest'
import type { Answers } from '../../../src/commands/job/state/health.ts'
import { diagnose, groupCounts } from '../../../src/commands/job/state/health.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { json, serve } from '../../support/serve.ts'
import { failure, tug } from '../../support/run.ts'
import { told } from '../../support/told.ts'
import { plainLine } from '../../support/line.ts'
import { root } from '../../support/process.ts'

const failedTask = {
  srv: {
    State: 'dead',
    Failed: true,
    Events: [
      { Type: 'Started', Time: 1 },
      { Type: 'Terminated', Time: 2, ExitCode: 7 },
      { Type: 'Not Restarting', Time: 3, RestartReason: 'Policy allows no restarts' },
    ],
  },
}
const noon = new Date('2026-11-21T12:00:00Z')
const runs = { ID: 'a1', ClientStatus: 'running', DesiredStatus: 'run', JobVersion: 4, TaskGroup: 'app' }
const other = { ...runs, ID: 'a3' }
const failed = { ...runs, ID: 'a2', ClientStatus: 'failed', TaskStates: failedTask }
const service = { ID: 'web', Type: 'service', Status: 'running', Version: 4, TaskGroups: [{ Name: 'app', Count: 2 }] }
const batch = { ...service, Type: 'batch', Status: 'dead' }
const deployment = (status: string, more: JsonObject = {}) => ({ ID: 'd1', Status: status, JobVersion: 4, ...more })
const drained = { ID: 'e1', Status: 'complete', CreateIndex: 1, TriggeredBy: 'node-drain' }
const unplaced = {
  ID: 'e2',
  Status: 'blocked',
  CreateIndex: 2,
  FailedTGAllocs: { app: { DimensionExhausted: { memory: 1 } } },
}

interface Case {
  readonly job?: JsonObject
  readonly counts?: JsonObject
  readonly deployment?: Json
  readonly allocations?: Json
  readonly evaluations?: Json
}

function health(
  { job = service, counts = { Running: 2 }, deployment: last, ...rest }: Case,
  place: 'status' | 'watch' | 'fleet' = 'status',
  back?: number | null,
) {
  const summary = { Summary: { app: counts } }
  const deployments = last === undefined ? [] : [last]
  const answers = { job, summary, deployments, allocations: [runs, other], evaluations: [], ...rest }
  return diagnose(answers as unknown as Answers, { line: plainLine, now: noon, place, back })
}

const ago = (seconds: number) => new Date(noon.getTime() - seconds * 1000).toISOString()
const restarted = (seconds: number | null, Events: readonly JsonObject[] = [], more: JsonObject = {}) => ({
  ...runs,
  TaskStates: { srv: { Restarts: 1, LastRestart: seconds === null ? null : ago(seconds), Events: [...Events] } },
  ...more,
})
const policy = (minutes?: number) => (minutes ? { RestartPolicy: { Interval: minutes * 60e9 } } : {})
const withPolicy = (group: number, task?: number) => {
  const Tasks = [
    { Name: 'log', ...policy(60) },
    { Name: 'srv', ...policy(task) },
  ]
  return { ...service, TaskGroups: [{ Name: 'app', Count: 2, ...policy(group), Tasks }] }
}
const [started, restarting] = [{ Type: 'Started' }, { Type: 'Restarting' }]
const signal = (RestartReason: string) => ({ Type: 'Restart Signaled', RestartReason })

test.each<[string, JsonObject, JsonObject, healthy: boolean]>([
  ['within 5 minutes', service, restarted(299), false],
  ['5 minutes ago', service, restarted(300), true],
  ['within the interval of its group', withPolicy(10), restarted(599), false],
  ['the interval of its group ago', withPolicy(10), restarted(600), true],
  ['within its own interval', withPolicy(10, 20), restarted(1199), false],
  ['its own interval ago', withPolicy(30, 20), restarted(1200), true],
  ['within 5 minutes, though its interval is shorter', withPolicy(1), restarted(299), false],
  ['at an unknown time', service, restarted(null), true],
  ['by a clock that is behind', service, restarted(-540), false],
  ['for a new template', service, restarted(60, [started, signal('a template changed'), restarting]), true],
  ['for a failing check', service, restarted(60, [started, signal('healthcheck: x'), restarting]), false],
  [
    'after an earlier one for a new template',
    service,
    restarted(1, [started, signal('a template changed'), restarting, started, restarting]),
    false,
  ],
  ['before a signal', service, restarted(1, [started, restarting, started, signal('a template changed')]), false],
  ['without its event', service, restarted(1, [signal('a template changed')]), false],
  ['of a stopped allocation', service, restarted(1, [], { ClientStatus: 'complete', DesiredStatus: 'stop' }), true],
])('a restart %s', (_, job, one, healthy) => {
  // One that has stopped must have a successor.
  const allocations = one['DesiredStatus'] === 'stop' ? [runs, other, one] : [other, one]
  expect(health({ job, allocations })).toMatchObject({ healthy, rule: healthy ? 'all-running' : 'restarted-lately' })
})

test.each<[count: number, seconds: number, created: number | undefined, Events: JsonObject[], why: string]>([
  [1, 10, 300, [{ Type: 'Terminated', ExitCode: 7 }], 'task srv … 7 … 10s ago (allocation a1)'],
  [2, 10, 300, [], 'task srv …, 2 restarts in 5m, … 10s ago (allocation a1)'],
  [3, 10, 300, [], 'crash loop: task srv …, 3 restarts in 5m, … 10s ago (allocation a1)'],
  [3, 10, undefined, [], 'crash loop: task srv …, 3 restarts, … 10s ago (allocation a1)'],
  // Clocks differ.
  [2, -10, -10, [], 'task srv …, 2 restarts in 0ms, … 0s ago (allocation a1)'],
])('%i restarts, the last %i seconds ago', (Restarts, seconds, created, Events, why) => {
  const times = created === undefined ? {} : { CreateTime: Date.parse(ago(created)) * 1e6 }
  const TaskStates = { srv: { Restarts, LastRestart: ago(seconds), Events } }
  expect(health({ allocations: [other, { ...runs, ...times, TaskStates }] }).why).toMatch(told(why))
})

const system = { ...service, Type: 'system' }
const rollout = (more: JsonObject) => deployment('running', { TaskGroups: { app: { DesiredTotal: 2, ...more } } })
const canaryReady = { HealthyAllocs: 1, DesiredCanaries: 1, PlacedCanaries: ['a1'] }
const rollsBack = { StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 3' }
const pending = { ...other, ClientStatus: 'pending' }
const later = { ID: 'e9', Status: 'pending', WaitUntil: '2026-11-21T12:05:00Z', CreateIndex: 9 }
const evicted = { ClientStatus: 'complete', DesiredStatus: 'evict', PreemptedByAllocation: 'b1-long-identifier' }
const none = { allocations: [], counts: {} }
const full = (more: JsonObject) => ({ evaluations: [{ ...unplaced, ...more }], allocations: [runs] })

type Row = readonly [what: string, given: Case]
const migrated = {
  ...runs,
  ClientStatus: 'complete',
  DesiredStatus: 'stop',
  NodeName: 'alpha',
  DesiredDescription: 'alloc is being migrated',
}

test('how jobs are judged as they are', async () => {
  const rows: readonly Row[] = [
    ['all run', {}],
    ['a replaced failure is over', { allocations: [runs, other, { ...failed, NextAllocation: 'a1', JobVersion: 3 }] }],
    ['a failure of an earlier version', { allocations: [runs, other, { ...failed, JobVersion: 3 }] }],
    [
      'a failure of nobody knows which version',
      { allocations: [runs, other, { ...failed, JobVersion: undefined }] } as unknown as Case,
    ],
    ['a failure while it is rolled out', { deployment: deployment('running'), allocations: [runs, failed] }],
    ['a parent', { job: { ...service, Periodic: {} }, ...none }],
    ['a running batch job', { job: { ...batch, Status: 'running' }, allocations: [runs] }],
    ['a finished batch job', { job: batch, ...none, counts: { Complete: 1 } }],
    ['a forgotten batch job', { job: batch, ...none }],
    ['allocations that are not listed', { allocations: [], evaluations: [drained] }],
    [
      'a forgotten batch job of all nodes, whose number nobody knows',
      { job: { ...batch, Type: 'sysbatch' }, ...none, counts: { Complete: 1 } },
    ],
    ['a failed service of which everything was collected', { job: { ...service, Status: 'dead' }, ...none }],
    ['a failed system job of which everything was collected', { job: { ...system, Status: 'dead' }, ...none }],
    [
      'ended, though it should run',
      { job: { ...service, Status: 'dead' }, allocations: [{ ...runs, ClientStatus: 'complete' }] },
    ],
    ['stopped', { job: { ...service, Stop: true }, ...none }],
    ['stopping', { job: { ...service, Stop: true } }],
    ['no room', full({})],
    ['no room, and nobody says why', full({ FailedTGAllocs: {} })],
    [
      'no room after a drain',
      {
        allocations: [runs],
        evaluations: [
          { ...unplaced, TriggeredBy: 'queued-allocs' },
          { ...drained, TriggeredBy: 'node-drain' },
        ],
      },
    ],
    ['no room after a node was lost', full({ TriggeredBy: 'node-update' })],
    ['no room on a node that has come', { ...full({ TriggeredBy: 'node-update' }), allocations: [] }],
    [
      'no node of that datacenter',
      { job: { ...service, Datacenters: ['dc9'] }, ...full({ FailedTGAllocs: { app: { NodesEvaluated: 0 } } }) },
    ],
    ['no node in that pool', full({ FailedTGAllocs: { app: { NodesEvaluated: 0, NodesInPool: 0, NodePool: 'gpu' } } })],
    [
      'queued again after it was preempted',
      { job: batch, evaluations: [unplaced], allocations: [{ ...runs, ...evicted }] },
    ],
    ['no room while something moves', { evaluations: [unplaced], allocations: [pending] }],
    ['rescheduled later', { evaluations: [drained, later], allocations: [runs, { ...failed, FollowupEvalID: 'e9' }] }],
    [
      'on a disconnected node',
      {
        allocations: [runs, { ...other, ClientStatus: 'unknown', NodeName: 'alpha', FollowupEvalID: 'e9' }],
        // It is lost then.
        evaluations: [drained, later],
      },
    ],
    [
      'on a disconnected node, and what takes its place has no room',
      { allocations: [runs, { ...other, ClientStatus: 'unknown', NodeName: 'alpha' }], evaluations: [unplaced] },
    ],
    [
      'an evaluation that failed',
      { allocations: [runs], evaluations: [{ ID: 'e3', Status: 'failed', CreateIndex: 3 }] },
    ],
    ['an evaluation that failed, though all run', { evaluations: [{ ID: 'e3', Status: 'failed', CreateIndex: 3 }] }],
    ['a failed deployment', { deployment: deployment('failed'), allocations: [failed] }],
    [
      'a failed deployment for want of room',
      { deployment: deployment('failed', { StatusDescription: 'Failed due to progress deadline' }), ...full({}) },
    ],
    ['a deployment that is rolled back', { deployment: deployment('failed', rollsBack) }],
    ['a failed deployment of an earlier version', { deployment: deployment('failed', { JobVersion: 3 }) }],
    ['a cancelled deployment', { deployment: deployment('cancelled') }],
    [
      'a failed allocation after a successful deployment',
      { deployment: deployment('successful'), allocations: [runs, failed] },
    ],
    ['a failed allocation of a batch job', { job: batch, allocations: [failed] }],
    [
      'a failed allocation before a lost one',
      { allocations: [{ ...runs, ClientStatus: 'lost', TaskStates: failedTask }, failed] },
    ],
    [
      'an allocation that is not started again, and another has no room',
      { job: batch, evaluations: [{ ...unplaced, Status: 'complete' }], allocations: [failed] },
    ],
    [
      'no room before an allocation that waits for it',
      { job: batch, evaluations: [unplaced], allocations: [{ ...failed, FollowupEvalID: 'e2' }] },
    ],
    ...['alloc-stop', 'node-drain', 'job-register'].map((TriggeredBy): Row => [
      `an allocation of a batch job that was stopped: ${TriggeredBy}`,
      { job: batch, evaluations: [{ ...drained, CreateIndex: 12, TriggeredBy }], allocations: [migrated] },
    ]),
    ['lost', { allocations: [{ ...runs, ClientStatus: 'lost' }] }],
    ['lost and stopped', { allocations: [runs, { ...other, ClientStatus: 'lost', DesiredStatus: 'stop' }] }],
    ['a system job that runs nowhere', { job: system, ...none, evaluations: [drained] }],
    ['a system job that runs on some nodes', { job: system, evaluations: [{ ...unplaced, Status: 'complete' }] }],
    ['unhealthy', { allocations: [other, { ...runs, DeploymentStatus: { Healthy: false } }] }],
    ['restarted lately', { allocations: [other, restarted(60)] }],
    ['rolling out', { deployment: rollout({ HealthyAllocs: 1 }) }],
    ['canaries wait', { deployment: rollout(canaryReady) }],
    ['too few', { allocations: [runs, pending] }],
    ['fewer than wanted', { allocations: [runs] }],
    ['a system job that starts', { job: system, allocations: [runs, pending] }],
  ]
  const lines = rows.map(([what, given]) => {
    const { rule, healthy, why, next } = health(given)
    const state = healthy === null ? 'unknown' : healthy ? 'healthy' : 'not healthy'
    return `${what}\n    ${rule} (${state})${why && `: ${why}`}${next && `; next ${next}`}\n`
  })
  await expect(lines.join('')).toMatchFileSnapshot(`${root}/test/stories/judgements/job-status.txt`)
})

test('one allocation is named: the first that is not healthy, with its reason; one that was restarted if there are others', () => {
  const unhealthy = (ID: string, more: JsonObject = {}) => ({
    ...runs,
    ID,
    DeploymentStatus: { Healthy: false },
    ...more,
  })
  const why = (...allocations: JsonObject[]) => health({ allocations }).why
  expect(why(other, unhealthy('b1'), unhealthy('b2'))).toMatch(told('allocation b1 …healthy'))
  expect(why(unhealthy('b1', { TaskStates: failedTask }), other)).toMatch(told('allocation b1 …: task srv … 7…'))
  const job = { ...service, TaskGroups: [{ Name: 'app', Count: 1 }] }
  expect(health({ job, allocations: [restarted(60)] }).why).toMatch(/ 1m ago$/)
  expect(why(other, restarted(60, [], { ID: 'b1' }))).toMatch(/ 1m ago \(allocation b1\)$/)
})

test('of a system job, nodes that do not fit count only if something is queued or nothing runs', () => {
  const why = (queued: number, ...allocations: JsonObject[]) =>
    health({
      job: system,
      allocations,
      evaluations: [{ ...unplaced, Status: 'complete', QueuedAllocations: { app: queued } }],
    }).why
  expect(why(0, runs)).toBe('')
  expect(why(1, runs)).toMatch(/^app cannot be placed: /)
  expect(why(0)).toMatch(/^app cannot be placed: /)
  const done = { ID: 'e3', Status: 'complete', CreateIndex: 3 }
  expect(health({ job: system, allocations: [], evaluations: [unplaced, done] }).rule).toBe('no-room')
})

test('what runs too few is told for each group; of a system job, how many were placed', () => {
  const groups = { ...service, TaskGroups: [...service.TaskGroups, { Name: 'db', Count: 3 }] }
  const starts = { ...other, ClientStatus: 'pending' }
  const allocations = [runs, starts, { ...runs, ID: 'd1', TaskGroup: 'db' }]
  expect(health({ job: groups, allocations }).why).toMatch(told('1 of 2 … app running, 1 of 3 … db running'))
  expect(health({ job: system, allocations: [runs, starts, { ...starts, ID: 'a4' }] }).why).toMatch(
    told('1 of 3 … app running'),
  )
})

const ended = (ClientStatus: string, JobVersion: number | undefined, TaskGroup = 'app') => ({
  ID: 'x',
  ClientStatus,
  JobVersion,
  TaskGroup,
})
const ends = [
  ended('failed', 1),
  ended('lost', 1),
  ended('running', 1),
  ended('failed', 0),
  ended('lost', 0),
  ended('failed', 1, 'db'),
  ended('lost', 1, 'db'),
]

test.each<[what: string, failed: number, lost: number, version: number, allocations: readonly object[] | undefined]>([
  ['of this version only', 1, 1, 1, ends],
  ['of all, if it is the first', 5, 6, 0, ends],
  ['of all, if the version of one is not known', 5, 6, 1, [...ends, ended('running', undefined)]],
  ['of all, where allocations were not read', 5, 6, 1, undefined],
])('the failures of a group are counted %s', (_, failures, lost, version, allocations) => {
  const app = { Running: 1, Starting: 2, Queued: 3, Complete: 4, Failed: 5, Lost: 6, Unknown: 7 }
  const job = { ...service, Version: version }
  expect(groupCounts(job, { Summary: { app } }, allocations as never)).toEqual([
    { name: 'app', wanted: 2, running: 1, starting: 2, queued: 3, complete: 4, failed: failures, lost, unknown: 7 },
  ])
})

test('groups of an earlier version are shown while something of them runs or starts', () => {
  const Summary = { old: { Starting: 1 }, older: { Running: 1 }, oldest: { Complete: 9 } }
  const zero = { running: 0, starting: 0, queued: 0, complete: 0, failed: 0, lost: 0, unknown: 0 }
  expect(groupCounts({ ID: 'web', TaskGroups: [{ Name: 'app' }] }, { Summary })).toEqual([
    { name: 'app', wanted: 1, ...zero },
    { name: 'old', wanted: 0, ...zero, starting: 1 },
    { name: 'older', wanted: 0, ...zero, running: 1 },
  ])
  expect(groupCounts({ ID: 'web', Type: 'sysbatch', TaskGroups: [{ Name: 'app', Count: 2 }] }, {})).toEqual([
    { name: 'app', wanted: undefined, ...zero },
  ])
})

test('canaries are promoted in the namespace of their job', () => {
  const TaskGroups = { app: { HealthyAllocs: 1, DesiredTotal: 2, DesiredCanaries: 1, PlacedCanaries: ['a1'] } }
  const waits = { job: { ...service, Namespace: 'ops' }, deployment: deployment('running', { TaskGroups }) }
  expect(health(waits).next).toMatch(/^nomad deployment promote -namespace ops d1, or tug api .* -n ops$/)
})

test('what is starting shows why it failed before only where too few run', () => {
  const job = { ...service, TaskGroups: [...service.TaskGroups, { Name: 'db', Count: 1 }] }
  const starts = { ...runs, ID: 'a4', ClientStatus: 'pending', TaskStates: failedTask }
  const db = { ...runs, ID: 'd1', TaskGroup: 'db' }
  const why = (TaskGroup: string) => health({ job, allocations: [runs, db, { ...starts, TaskGroup }] }).why
  expect(why('app')).toMatch(/^1 of 2 allocations of app running: task srv .*status 7/)
  expect(why('db')).toBe('1 of 2 allocations of app running')
})

test('what is watched already needs no line to follow it', () => {
  const rolling = { deployment: deployment('running') }
  expect(health(rolling, 'watch')).toEqual({ ...health(rolling), next: '' })
})

test.each<[back: number | null | undefined, next: string]>([
  [3, 'go back to version 3, which was healthy: tug job revert web 3 --wait'],
  [null, 'there is no healthy version to go back to; fix the job file, then run tug job plan <file>'],
  [undefined, 'fix the job file, or find a stable version: tug job versions web'],
])('after a failed rollout, with version %s to go back to: %s', (back, next) => {
  const found = health({ deployment: deployment('failed'), allocations: [failed] }, 'status', back)
  expect(found.next).toBe(next)
  expect(found.lacks).toBe(back === undefined ? 'versions' : undefined)
})

test('only the screen leaves stopped allocations out, and says so', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const whole = await tug('job status web -o json', { env })
  expect(JSON.parse(whole.stdout)).toMatchObject({ allocations: { length: 8 } })
  expect(whole.stderr).toBe('')
  for (const flags of ['-o yaml', '-o csv', '-o name', '--query healthy', '--columns id'])
    expect(await tug(`job status web ${flags}`, { env })).toMatchObject({ exit: 0, stderr: '' })
  expect((await tug('job status web -o wide', { env })).stderr).toMatch(/^5 stopped allocations/)
})

test('--exit-code is 9 for a job that is not healthy', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const exits = ['stuck', 'web'].map(async (job) => (await tug(['job', 'status', job, '--exit-code'], { env })).exit)
  expect(await Promise.all(exits)).toEqual([9, 0])
})

test('a parent shows what it takes or when it launches, and its children', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { stdout, stderr } = await tug('job status nightly', { env })
  expect(stderr).toBe('2 children: tug job list --prefix nightly/\n')
  expect(stdout).toMatch(/^takes +payload optional; meta source/m)
  expect(stdout).toMatch(/^children +0 pending, 0 running, 2 dead$/m)
  expect((await tug('job status cleanup', { env })).stdout).toMatch(/^launches +15 3 \* \* \* \(UTC\)/m)
})

test('JSON is one object of the answers and the judgement; CSV is one row', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { stdout } = await tug('job status batch-broken -o json', { env })
  const found = JSON.parse(stdout) as Record<string, unknown>
  expect(Object.keys(found)).toEqual([
    'job',
    'summary',
    'deployment',
    'allocations',
    'evaluations',
    'next_launch',
    'healthy',
    'why',
    'next',
    'rule',
    'outcome',
  ])
  expect(found).toMatchObject({
    job: { ID: 'batch-broken' },
    deployment: null,
    healthy: false,
    rule: 'allocation-failed',
    outcome: 'failed',
  })
  const csv = await tug('job status web -o csv --columns id,status,wanted,running,healthy', { env })
  expect(csv.stdout).toBe('id,status,wanted,running,healthy\nweb,running,3,3,true\n')
  expect((await tug('job status web -o name', { env })).stdout).toBe('web\n')
})

test.each([
  ['is healthy', '[{"ID":"a1","ClientStatus":"running","DesiredStatus":"run","JobVersion":1,"TaskGroup":"app"}]', []],
  [
    'can go back',
    '[{"ID":"a1","ClientStatus":"failed","DesiredStatus":"run","JobVersion":1}]',
    ['/v1/job/web/versions'],
  ],
])('five lists are read of a job that %s, and its versions only for what to do next', async (_, allocations, more) => {
  const answers: Record<string, string> = {
    '/v1/job/web':
      '{"ID":"web","Type":"service","Status":"running","Version":1,"TaskGroups":[{"Name":"app","Count":1}]}',
    '/v1/job/web/deployments': 'null',
    '/v1/job/web/allocations': allocations,
    '/v1/job/web/evaluations': '[]',
    '/v1/job/web/versions': '{"Versions":[]}',
    '/v1/job/web/summary': '{"JobID":"web","Summary":{}}',
  }
  const { env, seen } = await serve(({ url }, response) => json(response, 200, answers[url] ?? ''))
  expect((await tug('job status web', { env })).exit).toBe(0)
  const first = ['', '/allocations', '/deployments', '/evaluations', '/summary'].map((part) => `/v1/job/web${part}`)
  expect(seen.map(({ url }) => url).toSorted()).toEqual([...first, ...more].toSorted())
})

test('--watch shows each change of any part until Ctrl-C', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve(({ url }, response) => {
    const isHeld = url.includes('index=')
    const answer = (body: string, index: string) => json(response, 200, body, { 'x-scheduler-index': index })
    if (url.startsWith('/v1/job/web/allocations') && isHeld && !url.includes('index=9')) answer('[{"ID":"a1"}]', '9')
    else if (isHeld) return
    else if (url.endsWith('/summary')) answer('{"JobID":"web","Summary":{}}', '5')
    else if (/\/(?:deployments|evaluations|allocations)$/.test(url)) answer('[]', '5')
    else answer('{"ID":"web","Type":"batch","Status":"running","Version":0}', '5')
  })
  const lines: number[] = []
  const onWrite = (_: string, line: string) => {
    lines.push((JSON.parse(line) as { allocations: unknown[] }).allocations.length)
    if (lines.length === 2) signals.get('SIGINT')?.()
  }
  const { exit } = await tug('job status web --watch -o ndjson', { env, signals, onWrite })
  expect(exit).toBe(130)
  expect(lines).toEqual([0, 1])
})

test('a misspelt job gets the name that may be meant, for one request', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { hint, exit } = await failure('job status wbe --region global', { env })
  expect({ exit, hint }).toEqual({ exit: 3, hint: 'tug job status web --region global' })
  const asked: string[] = []
  const { env: silent } = await serve(({ url }, response) => {
    asked.push(url)
    response.writeHead(url.startsWith('/v1/jobs') ? 500 : 404).end('job not found')
  })
  expect((await failure('job status wbe', { env: silent })).code).toBe('not_found')
  expect(asked.filter((url) => url.startsWith('/v1/jobs'))).toEqual(['/v1/jobs?prefix=w'])
})

test.each([['job status --watch --exit-code'], ['job status web --watch --exit-code'], ['job status ..']])(
  'tug %s is a usage error',
  async (line) => expect((await tug(line)).exit).toBe(2),
)
