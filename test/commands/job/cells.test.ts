import { expect, test } from 'vitest'
import type { Allocation } from '../../../src/api/allocation-shapes.ts'
import { allocationColumns } from '../../../src/commands/job/allocs.ts'
import { idColumn, newestFirst, noticedColumn, spanOf, statusCell, timeOf } from '../../../src/commands/job/cells.ts'
import { liveAllocations, restartsOf } from '../../../src/commands/job/facts/allocation.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Showing } from '../../../src/core/output.ts'

/** What the cells of lists show, and how they stand out. */

const now = new Date('2026-11-21T07:30:00Z')
const terminal: Showing = { now, wide: false, absoluteTimes: false, draws: true, width: 80 }
const wide = { ...terminal, wide: true }
const markdown = { ...terminal, absoluteTimes: true, width: undefined }
const pipe = { ...terminal, draws: false, width: undefined }

test.each([
  ['running', 'good'],
  ['pending', 'warn'],
  ['dead', 'dim'],
  ['running (stopping)', 'good'],
  ['failed, again', 'bad'],
  ['something new', undefined],
  ['', undefined],
])('the status %j stands out: %s', (status, tone) =>
  expect(statusCell(status)).toEqual(tone === undefined ? { text: status } : { text: status, tone }),
)

test.each([
  ['2026-11-21T07:30:00Z', now],
  [1_795_246_200_000_000_000, now],
  [0, undefined],
  ['1970-01-01T00:00:00Z', undefined],
  ['1970-01-01T00:00:00.001Z', new Date(1)],
  ['0001-01-01T00:00:00Z', undefined],
  ['never', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('the moment %j is %s', (value, moment) => expect(timeOf(value)).toEqual(moment))

test.each([
  [90_000_000_000, '1m 30s'],
  [1, '1ns'],
  [0, ''],
  [-1, ''],
  [null, ''],
  [undefined, ''],
])('%j nanoseconds are %j', (nanoseconds, words) => expect(spanOf(nanoseconds)).toBe(words))

test('an ID is short only in the table of a terminal', () => {
  const column = idColumn<{ ID?: string | null }>('id', 'ID')
  const ID = '3a309388-0000-4000-8000-000000000001'
  const shown = [terminal, wide, markdown, pipe].map((showing) => column.show?.({ ID }, showing))
  expect(shown).toEqual(['3a309388', ID, ID, ID])
  expect(column.show?.({ ID: null }, terminal)).toBe('')
})

test('a count stands out if it is not 0', () => {
  const column = noticedColumn<{ Failed?: number | null }>('failed', 'Failed', 'bad')
  const shown = (Failed: number | null) => column.show?.({ Failed }, terminal)
  expect([shown(null), shown(0), shown(1)]).toEqual(['', '0', { text: '1', tone: 'bad' }])
})

test('the newest come first, what has no index last', () => {
  const rows = [{ CreateIndex: 1 }, {}, { CreateIndex: 10 }, { CreateIndex: 9 }]
  expect(rows.toSorted(newestFirst)).toEqual([{ CreateIndex: 10 }, { CreateIndex: 9 }, { CreateIndex: 1 }, {}])
})

const cellOf = (name: string, row: JsonObject, showing = terminal) =>
  allocationColumns.find((column) => column.name === name)?.show?.(row as Allocation, showing)

test.each([
  ['running', 'run', {}, 'running'],
  ['pending', 'run', {}, 'pending'],
  ['running', 'stop', {}, 'stopping'],
  ['pending', 'evict', {}, 'stopping'],
  ['complete', 'stop', {}, 'complete'],
  ['failed', 'stop', {}, 'failed'],
  ['running', 'run', { Canary: true }, 'running (canary)'],
  ['running', 'run', { Canary: false }, 'running'],
])('an allocation that is %s and is to %s %j is shown as %s', (ClientStatus, DesiredStatus, DeploymentStatus, text) => {
  expect(cellOf('status', { ClientStatus, DesiredStatus, DeploymentStatus })).toMatchObject({ text })
})

test.each([
  [true, { text: 'healthy', tone: 'good' }],
  [false, { text: 'unhealthy', tone: 'bad' }],
  [null, ''],
])('an allocation whose health is %j is shown as %j', (Healthy, cell) => {
  expect(cellOf('health', { DeploymentStatus: { Healthy } })).toEqual(cell)
})

test('the reason of a failed allocation is short in a terminal, and never cut if it has up to 24 characters', () => {
  const failed = (name: string, showing?: Showing) => {
    const TaskStates = { [name]: { Failed: true, Events: [{ Type: 'Terminated', ExitCode: 7 }] } }
    return cellOf('event', { ClientStatus: 'failed', TaskStates }, showing)
  }
  expect(failed('x'.repeat(8))).toEqual({ text: 'exit status 7 (xxxxxxxx)', tone: 'bad', whole: true })
  expect(failed('x'.repeat(9))).toEqual({ text: 'exit status 7 (xxxxxxxxx)', tone: 'bad', whole: false })
  const whole = { text: 'task x exited with status 7', tone: 'bad' }
  for (const showing of [wide, markdown, pipe]) expect(failed('x', showing)).toEqual(whole)
})

test('the last event of an allocation that has not failed is dim', () => {
  const running = { ClientStatus: 'running', TaskStates: { t: { Events: [{ Type: 'Started' }] } } }
  expect(cellOf('event', running)).toEqual({ text: 'Started', tone: 'dim' })
})

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()
const restarting = { Type: 'Restarting' }
const task = (Restarts: number | null, LastRestart: string | null, ...Events: JsonObject[]) => ({
  Restarts,
  LastRestart,
  Events,
})
const allocation = (TaskStates: JsonObject, more: JsonObject = {}) => ({ ID: 'a', TaskStates, ...more }) as Allocation

test('restarts are those that the server counts, or the events that it still has; the latest task comes first', () => {
  const found = restartsOf(
    allocation({
      none: task(0, null),
      counted: task(5, ago(60), restarting),
      kept: task(1, null, restarting, { ...restarting, Time: (now.getTime() - 30_000) * 1e6 }),
      unknown: task(null, null, restarting),
    }),
  )
  expect(found).toMatchObject({ count: 8, last: new Date(ago(30)) })
  expect(found.tasks.map((one) => [one.task, one.count, one.last?.toISOString()])).toEqual([
    ['kept', 2, ago(30)],
    ['counted', 5, ago(60)],
    ['unknown', 1, undefined],
  ])
})

test.each<[JsonObject, Showing, JsonObject]>([
  [{}, terminal, { text: '0' }],
  [{ t: task(2, ago(10)), u: task(1, ago(20)) }, terminal, { text: '3 (10s ago)', tone: 'warn' }],
  [{ t: task(2, null) }, terminal, { text: '2', tone: 'warn' }],
  [{ t: task(2, ago(10)) }, wide, { text: '2', tone: 'warn' }],
  [{ t: task(2, ago(10)) }, markdown, { text: '2', tone: 'warn' }],
  [{ t: task(2, ago(-10)) }, terminal, { text: '2 (0s ago)', tone: 'warn' }],
])('the restarts of %j are shown as %j', (states, showing, cell) => {
  expect(cellOf('restarts', { TaskStates: states }, showing)).toEqual(cell)
})

const rows = (...all: JsonObject[]) => liveAllocations(all as unknown as Allocation[]).map(({ ID }) => ID)
const failed = (ID: string, more: JsonObject = {}) => ({
  ID,
  Name: 'web.app[0]',
  JobType: 'service',
  ClientStatus: 'failed',
  DesiredStatus: 'stop',
  JobVersion: 1,
  CreateIndex: 5,
  ...more,
})

test.each<[string, JsonObject[], string[]]>([
  ['failed, of the newest version', [failed('a')], ['a']],
  ['lost, of the newest version', [failed('a', { ClientStatus: 'lost' })], ['a']],
  ['of an older version', [failed('a'), failed('b', { JobVersion: 2 })], ['b']],
  [
    'of an older version, but to run',
    [failed('a', { DesiredStatus: 'run' }), failed('b', { JobVersion: 2 })],
    ['a', 'b'],
  ],
  ['replaced', [failed('a', { NextAllocation: 'b' })], []],
  ['complete and stopped', [failed('a', { ClientStatus: 'complete' })], []],
  ['complete and to run', [failed('a', { ClientStatus: 'complete', DesiredStatus: 'run' })], ['a']],
  ['running, though to stop', [failed('a', { ClientStatus: 'running' })], ['a']],
  ['pending', [failed('a', { ClientStatus: 'pending' })], ['a']],
  ['on a node that is unknown', [failed('a', { ClientStatus: 'unknown' })], ['a']],
  ['with a later one in its place', [failed('a'), failed('b', { ClientStatus: 'running', CreateIndex: 6 })], ['b']],
  [
    'with an earlier one in its place',
    [failed('a'), failed('b', { ClientStatus: 'running', CreateIndex: 5 })],
    ['a', 'b'],
  ],
  [
    'with a later one of another name',
    [failed('a'), failed('b', { ClientStatus: 'running', CreateIndex: 6, Name: 'web.app[1]' })],
    ['a', 'b'],
  ],
  [
    'of a batch job, with a later one in its place',
    [failed('a', { JobType: 'batch' }), failed('b', { ClientStatus: 'running', CreateIndex: 6 })],
    ['b'],
  ],
  [
    'of a system job, whose allocations share a name',
    [failed('a', { JobType: 'system' }), failed('b', { ClientStatus: 'running', CreateIndex: 6 })],
    ['a', 'b'],
  ],
])('an allocation that is %s: live are %j', (_, all, ids) => expect(rows(...all)).toEqual(ids))
