import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Paint, Showing } from '../../../src/core/output.ts'
import { screenText } from '../../support/status-screen.ts'

/** What is on the screen of one job: which lines and columns there are, and when. */

const now = new Date('2026-11-21T12:00:00Z')
const ago = (minutes: number) => (now.getTime() - minutes * 60_000) * 1e6
const service = { ID: 'web', Type: 'service', Status: 'running', Version: 4, TaskGroups: [{ Name: 'app', Count: 2 }] }
const runs = {
  ID: 'a1-long-identifier',
  ClientStatus: 'running',
  DesiredStatus: 'run',
  JobVersion: 4,
  TaskGroup: 'app',
}
const rollout = { ID: 'd1-long-identifier', Status: 'running', JobVersion: 4, CreateTime: ago(5), ModifyTime: ago(2) }

interface Read {
  readonly job?: JsonObject
  readonly counts?: JsonObject
  readonly deployment?: JsonObject
  readonly allocations?: readonly JsonObject[]
  readonly why?: string
  readonly next?: string
}

const plain: Paint = (_, words) => words
const narrow: Partial<Showing> = { width: 80 }
const wide: Partial<Showing> = { wide: true }

/** The lines of the screen. */
function screen(read: Read, showing: Partial<Showing> = {}): string[] {
  const { job = service, counts = {}, deployment = null, allocations = null } = read
  const summary = { Summary: { app: counts } }
  const { why = '', next = '' } = read
  const status = {
    job,
    summary,
    deployment,
    allocations,
    evaluations: null,
    next_launch: null,
    healthy: true,
    why,
    next,
    rule: '',
    outcome: null,
  }
  const options = { wide: false, width: undefined, now, absoluteTimes: false, draws: false, ...showing }
  return screenText(status, plain, options).split('\n').slice(0, -1)
}

/** The line with that label, without it; undefined if there is none. */
function labelled(label: string, read: Read, showing: Partial<Showing> = {}): string | undefined {
  return screen(read, showing)
    .find((line) => line.startsWith(label.padEnd(12)))
    ?.slice(12)
}

test.each<[what: string, job: JsonObject, narrow: string, wide?: string]>([
  ['what every job has', {}, 'web  service  running  version 4'],
  ['no version', { Version: undefined } as never, 'web  service  running  version ?'],
  ['a stable version', { Stable: true }, 'web  service  running  version 4 (stable)'],
  ['its namespace', { Namespace: 'ops' }, 'web  service  running  version 4  namespace ops'],
  ['not the default one', { Namespace: 'default' }, 'web  service  running  version 4'],
  ['the kind of a parent', { Periodic: {} }, 'web  service periodic  running  version 4'],
  ['that it is being stopped', { Stop: true }, 'web  service  running (stopping)  version 4'],
  [
    'when it was submitted',
    { SubmitTime: ago(180) },
    'web  service  running  version 4  submitted 3h ago',
    'web  service  running  version 4  submitted 2026-11-21 09:00 UTC',
  ],
  ['by a clock that is ahead', { SubmitTime: ago(-3) }, 'web  service  running  version 4  submitted in 3m'],
])('the first line has %s', (_, more, short, long) => {
  const job = { ...service, ...more }
  expect(screen({ job })[0]).toBe(short)
  if (long !== undefined) expect(screen({ job }, wide)[0]).toBe(long)
})

test('nothing that the server says reaches the terminal as a command to it', () => {
  const bell = '\u0007'
  const job = { ...service, ID: `w${bell}`, Type: `t${bell}`, Status: `s${bell}`, Namespace: `n${bell}` }
  const deployment = { ...rollout, Status: `x${bell}` }
  expect(screen({ job, deployment, why: bell, next: bell }).join('')).not.toContain(bell)
})

test('how it is scheduled: what is known, and with -o wide where it is', () => {
  const facts = { Namespace: 'ops', Region: 'eu', Priority: 50, Datacenters: ['a', 'b'], NodePool: 'gpu' }
  const job = { ...service, Name: 'Web', ...facts }
  expect(labelled('scheduling', { job })).toBe('name Web, priority 50, datacenters a,b, node pool gpu')
  expect(labelled('scheduling', { job }, wide)).toBe(
    'name Web, namespace ops, region eu, priority 50, datacenters a,b, node pool gpu',
  )
  expect(labelled('scheduling', { job: { ...service, Name: 'web', Priority: 0 } })).toBe('priority 0')
  expect(labelled('scheduling', {})).toBeUndefined()
})

const usual = ['WANTED', 'RUNNING', 'STARTING', 'QUEUED', 'FAILED']
test.each<[what: string, read: Read, columns: readonly string[], showing?: Partial<Showing>]>([
  ['usually', {}, usual],
  ['of a batch job', { job: { ...service, Type: 'batch' } }, [...usual, 'COMPLETE']],
  ['of a job on all nodes', { job: { ...service, Type: 'system' } }, usual.slice(1)],
  ['of one that was lost', { job: { ...service, Version: 0 }, counts: { Lost: 1 } }, [...usual, 'LOST']],
  ['of one on a disconnected node', { counts: { Unknown: 1 } }, [...usual, 'UNKNOWN']],
  ['with -o wide', {}, [...usual, 'COMPLETE', 'LOST', 'UNKNOWN'], wide],
])('the counts of groups that are shown %s', (_, read, columns, showing) => {
  const header = screen(read, showing).find((line) => line.startsWith('GROUP'))
  expect(header?.split(/ +/).slice(1)).toEqual(columns)
})

test('a job of all nodes wants no number, nor does a group of an earlier version more than none', () => {
  const job = { ...service, Type: 'system', TaskGroups: [{ Name: 'new' }] }
  const rows = screen({ job, counts: { Running: 1 } }).filter((line) => /^(?:GROUP|new|app)/.test(line))
  expect(rows.map((line) => line.trim().split(/ +/))).toEqual([
    ['GROUP', ...usual],
    ['new', '0', '0', '0', '0'],
    ['app', '0', '1', '0', '0', '0'],
  ])
})

const deployed = (more: JsonObject) => ({ deployment: { ...rollout, ...more } })
const healthyGroup = { TaskGroups: { app: { HealthyAllocs: 1, DesiredTotal: 2 } } }
test.each<[what: string, deployment: JsonObject, narrow: string, wide: string]>([
  [
    'while it runs',
    {},
    'd1-long-  running, started 5m ago',
    'd1-long-identifier  running, started 2026-11-21 11:55 UTC',
  ],
  ...['successful', 'failed', 'cancelled'].map((Status): [string, JsonObject, string, string] => [
    'once it has ended',
    { Status },
    `d1-long-  ${Status} 2m ago`,
    `d1-long-identifier  ${Status} 2026-11-21 11:58 UTC`,
  ]),
  ['at no known time', { CreateTime: undefined } as never, 'd1-long-  running', 'd1-long-identifier  running'],
  [
    'with its progress',
    healthyGroup,
    'd1-long-  running, started 5m ago  1/2 healthy',
    'd1-long-identifier  running, started 2026-11-21 11:55 UTC  1/2 healthy',
  ],
  [
    'of another version',
    { JobVersion: 3 },
    'd1-long-  running, started 5m ago  of version 3',
    'd1-long-identifier  running, started 2026-11-21 11:55 UTC  of version 3',
  ],
  [
    'of no known version',
    { JobVersion: undefined } as never,
    'd1-long-  running, started 5m ago',
    'd1-long-identifier  running, started 2026-11-21 11:55 UTC',
  ],
])('the deployment %s', (_, more, short, long) => {
  expect(labelled('deployment', deployed(more))).toBe(short)
  expect(labelled('deployment', deployed(more), wide)).toBe(long)
})

test('the facts of a deployment are below it if they do not fit beside it', () => {
  const line = 'deployment  d1-long-  running, started 5m ago  1/2 healthy'
  const shown = (width: number) => screen(deployed(healthyGroup), { width }).slice(3)
  expect(shown(line.length)).toEqual([line])
  expect(shown(line.length - 1)).toEqual(['deployment  d1-long-  running, started 5m ago', '            1/2 healthy'])
  expect(screen(deployed(healthyGroup), { wide: true, width: 20 })).toHaveLength(4)
})

test.each([
  ['Deployment completed successfully', false],
  ['Deployment is running', false],
  ['Failed due to unhealthy allocations', false],
  ['Failed due to progress deadline', true],
])('what the server says of a deployment, if it is more than its state: %s %s', (StatusDescription, isShown) => {
  const below = screen(deployed({ StatusDescription })).slice(4)
  expect(below).toEqual(isShown ? [`            ${StatusDescription}`] : [])
  const long = screen(deployed({ StatusDescription }), wide)
  expect(long.filter((line) => line.endsWith(`  ${StatusDescription}`))).toHaveLength(1)
  expect(long).toHaveLength(4)
})

test('until when a rollout must make progress: the first of its groups, if that is still to come', () => {
  const by = (...times: string[]) => ({
    TaskGroups: Object.fromEntries(times.map((RequireProgressBy, at) => [`g${at}`, { RequireProgressBy }])),
  })
  const shown = (more: JsonObject, showing: Partial<Showing> = {}) =>
    / +must progress (.*)$/.exec(labelled('deployment', deployed(more), showing) ?? '')?.[1]
  const [soon, later] = ['2026-11-21T12:01:00Z', '2026-11-21T12:09:00Z']
  expect(shown(by(later, soon))).toBe('in 1m')
  expect(shown(by('0001-01-01T00:00:00Z', later))).toBe('in 9m')
  expect(shown(by('0001-01-01T00:00:00Z'))).toBeUndefined()
  expect(shown({ ...by(soon), Status: 'successful' })).toBeUndefined()
  expect(shown(by('2026-11-21T11:59:00Z'))).toBeUndefined()
  expect(shown(by('2026-11-21T11:59:00Z'), wide)).toBe('by 2026-11-21 11:59 UTC')
})

const columnsOf = (allocations: readonly JsonObject[], showing: Partial<Showing> = narrow) =>
  screen({ allocations }, showing)
    .find((line) => line.startsWith('ALLOC'))
    ?.split(/  +/)

test('allocations: the newest first, by short IDs, and rare columns only where they say something', () => {
  const older = { ...runs, ID: 'a2-long-identifier', CreateIndex: 3 }
  const newer = { ...runs, ID: 'a3-long-identifier', CreateIndex: 7 }
  const ids = (showing: Partial<Showing>) =>
    screen({ allocations: [older, newer] }, showing).flatMap((line) => /^a\d-\S+/.exec(line)?.[0] ?? [])
  expect(ids(narrow)).toEqual(['a3-long-', 'a2-long-'])
  expect(ids(wide)).toEqual(['a3-long-identifier', 'a2-long-identifier'])
  const short = ['ALLOC', 'GROUP', 'NODE', 'STATUS', 'AGE', 'LAST EVENT']
  expect(columnsOf([runs])).toEqual(short)
  expect(columnsOf([runs, { ...runs, JobVersion: 3 }])).toEqual(short.toSpliced(4, 0, 'VERSION'))
  expect(columnsOf([runs, { ...runs, JobVersion: undefined } as never])).toEqual(short)
  const restarted = { ...runs, TaskStates: { srv: { Restarts: 1, Events: [] } } }
  expect(columnsOf([runs, restarted])).toEqual(short.toSpliced(5, 0, 'RESTARTS'))
  expect(columnsOf([runs], wide)).toEqual([
    'ALLOC',
    'GROUP',
    'NODE',
    'STATUS',
    'VERSION',
    'AGE',
    'CHANGED',
    'RESTARTS',
    'LAST EVENT',
    'TASKS',
  ])
  expect(columnsOf([])).toBeUndefined()
})

test('the actions of each task are on it', () => {
  const Actions = [{ Name: 'a' }, { Name: 'b' }]
  const app = { Name: 'app', Count: 2, Tasks: [{ Name: 'srv', Actions }, { Name: 'log' }] }
  const side = { Name: 'side', Count: 0, Tasks: [{ Name: 'helper', Actions }] }
  expect(labelled('actions', { job: { ...service, TaskGroups: [app, side] } })).toBe(
    'a, b (app/srv); a, b (side/helper)',
  )
})

test('a long reason goes on below itself; with -o wide it stays in one line', () => {
  const why = 'one two three'
  // The label takes 12 columns.
  expect(screen({ why }, { width: 19 }).slice(-2)).toEqual(['why         one two', '            three'])
  expect(screen({ why }, { width: 18 }).slice(-3)).toEqual(['why         one', '            two', '            three'])
  expect(screen({ why }, { width: 25 }).at(-1)).toBe('why         one two three')
  expect(screen({ why }, { width: 18, wide: true }).at(-1)).toBe('why         one two three')
  expect(labelled('why', {})).toBeUndefined()
})

test('what failed before is told with its time if that is known', () => {
  const Events = [{ Type: 'Terminated', ExitCode: 7, Time: ago(2) }]
  const failed = (events: JsonObject[], more: JsonObject = {}) => ({
    ...runs,
    JobVersion: 3,
    ClientStatus: 'failed',
    DeploymentStatus: { Healthy: false },
    TaskStates: { srv: { Failed: true, Events: events } },
    ...more,
  })
  const said = (showing: Partial<Showing>, ...allocations: JsonObject[]) => labelled('failed', { allocations }, showing)
  expect(said({}, failed(Events))).toMatch(/^version 3, 2m ago: task srv exited with status 7/)
  expect(said(wide, failed(Events))).toMatch(/^version 3, 2026-11-21 11:58 UTC: task srv /)
  expect(said({}, failed([{ Type: 'Terminated', ExitCode: 7 }]))).toMatch(/^version 3: task srv /)
  // The version that the rollout replaced is the newest before the current one.
  expect(said({}, failed(Events, { JobVersion: 2 }), failed(Events))).toMatch(/^version 3, /)
  expect(said({}, failed(Events, { JobVersion: 2 }), { ...runs, JobVersion: 3 })).toBeUndefined()
  for (const more of [
    { JobVersion: undefined },
    { JobVersion: 4 },
    { DeploymentStatus: { Healthy: true } },
    { TaskStates: {} },
  ])
    expect(said({}, failed(Events, more as never))).toBeUndefined()
})
