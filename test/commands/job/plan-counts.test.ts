import { expect, test } from 'vitest'
import { countsOf, isBlocked, launchWords, totalCounts } from '../../../src/commands/job/plan/groups.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { told } from '../../support/told.ts'

const web = (more: JsonObject = {}) => ({ TaskGroups: [{ Name: 'app', ...more }] })
const parallel = (MaxParallel: number) => ({ Update: { MaxParallel } })

test.each<[string, Record<string, number>, JsonObject]>([
  ['', {}, web()],
  ['', { Ignore: 3 }, web()],
  [
    '1 create, 2 destroy, 3 migrate, 4 canary, 5 in-place, 6 replaced, 7 preempted, 8 disconnect, 9 reconnect, 10 reschedule now, 11 reschedule later',
    {
      RescheduleLater: 11,
      Place: 1,
      Stop: 2,
      Migrate: 3,
      Canary: 4,
      InPlaceUpdate: 5,
      DestructiveUpdate: 6,
      Preemptions: 7,
      Disconnect: 8,
      Reconnect: 9,
      RescheduleNow: 10,
    },
    web(),
  ],
  ['3 replaced, one at a time', { DestructiveUpdate: 1, Ignore: 2 }, web()],
  ['3 replaced, 2 at a time', { DestructiveUpdate: 2, Ignore: 1 }, web(parallel(2))],
  ['3 replaced, 2 at a time', { DestructiveUpdate: 2, Ignore: 1 }, { ...web(), ...parallel(2) }],
  ['3 replaced, 2 at a time', { DestructiveUpdate: 2, Ignore: 1 }, { ...web(parallel(2)), ...parallel(5) }],
  ['3 replaced', { DestructiveUpdate: 3 }, web()],
  ['2 replaced', { DestructiveUpdate: 2, Ignore: 1 }, web(parallel(0))],
  ['1 create', { Place: 1, Ignore: 2 }, web()],
  [
    '1 canary beside the 2 that run; after promotion they are replaced one at a time: 2 in all',
    { Canary: 1, Ignore: 2 },
    web(),
  ],
  [
    '1 canary beside the 3 that run; after promotion they are replaced 2 at a time: 3 in all',
    { Canary: 1, Ignore: 3 },
    web(parallel(2)),
  ],
  [
    '1 canary beside the 2 that run; after promotion they are replaced at once: 2 in all',
    { Canary: 1, Ignore: 2 },
    web(parallel(0)),
  ],
  [
    '1 canary, 1 replaced beside the 2 that run; after promotion they are replaced one at a time: 2 in all',
    { Canary: 1, DestructiveUpdate: 1, Ignore: 2 },
    web(),
  ],
  [
    '1 canary beside the 3 that run; after promotion they are replaced one at a time: 5 in all',
    { Canary: 1, Ignore: 3 },
    web({ Count: 5 }),
  ],
  ['1 canary', { Canary: 1 }, web()],
  ['1 canary beside the 1 that runs; after promotion it is stopped', { Canary: 1, Ignore: 1 }, web({ Count: 1 })],
  ['2 canary beside the 2 that run; after promotion they are stopped', { Canary: 2, Ignore: 2 }, web()],
  ['1 replaced', { Place: 1, DestructiveUpdate: 1 }, { ...web(), Type: 'system' }],
  ['1 create, 1 in-place', { Place: 3, InPlaceUpdate: 1, Ignore: 1 }, { ...web(), Type: 'system' }],
  ['2 replaced', { DestructiveUpdate: 2, Ignore: 1 }, { ...web(parallel(1)), Type: 'batch' }],
  ['2 replaced', { DestructiveUpdate: 2, Ignore: 1 }, { ...web(parallel(1)), Type: 'sysbatch' }],
  ['3 replaced, one at a time', { DestructiveUpdate: 3, Ignore: 1 }, { ...web(parallel(1)), Type: 'system' }],
  ['1 replaced', { DestructiveUpdate: 1, Ignore: 4 }, { ...web(parallel(1)), Type: 'system' }],
  ['1 create at each launch', { Place: 1 }, { ...web(), Periodic: {} }],
  ['1 create at each dispatch', { Place: 1 }, { ...web(), ParameterizedJob: {} }],
  ['1 replaced at each launch', { DestructiveUpdate: 1, Ignore: 2 }, { ...web(), Periodic: {} }],
])('%s', (words, updates, job) => expect(countsOf(updates, 'app', job)).toBe(words))

test.each<[string, Record<string, number>, JsonObject]>([
  ['2 create, 3 replaced, one at a time', { Place: 2, Ignore: 3 }, web()],
  ['1 create, 3 replaced, 2 at a time', { Place: 1, DestructiveUpdate: 1, Ignore: 2 }, web(parallel(2))],
  ['2 create, 3 in-place', { Place: 2, InPlaceUpdate: 3 }, web()],
  ['2 create', { Place: 2, Ignore: 3 }, web(parallel(0))],
  ['2 create', { Place: 2, Ignore: 3 }, { ...web(), Type: 'batch' }],
])('what a new version replaces beside a higher count: %s', (words, updates, job) =>
  expect(countsOf(updates, 'app', job, { isEdited: true })).toBe(words),
)

test.each<[string, Record<string, number>, number, JsonObject]>([
  ['no replacement can be placed, so the 2 that run would stay', { DestructiveUpdate: 1, Ignore: 1 }, 1, web()],
  ['no replacement can be placed, so the 1 that runs would stay', { DestructiveUpdate: 1 }, 1, web()],
  ['3 replaced, 2 at a time', { DestructiveUpdate: 2, Ignore: 1 }, 1, web(parallel(2))],
  ['1 destroy', { DestructiveUpdate: 1 }, 1, { ...web(), Type: 'system' }],
  ['1 destroy, 2 replaced', { Place: 2, DestructiveUpdate: 3 }, 1, { ...web(parallel(0)), Type: 'system' }],
])('without room: %s', (words, updates, unplaced, job) =>
  expect(countsOf(updates, 'app', job, { unplaced })).toBe(words),
)

test('a group that the job does not have is updated as the job says', () => {
  const job = { ...web(parallel(7)), ...parallel(3) }
  expect(countsOf({ DestructiveUpdate: 1, Ignore: 2 }, 'other', job)).toMatch(told('3 replaced, 3 …'))
  expect(countsOf(undefined, 'app', job)).toBe('')
})

test('only jobs that start others are launched or dispatched', () => {
  expect(launchWords(web())).toBeUndefined()
  expect(launchWords({ Periodic: {}, ParameterizedJob: {} })).toBe('at each launch')
})

test('the counts of all groups are added up', () => {
  const of = (DesiredTGUpdates: Record<string, Record<string, number>>) =>
    totalCounts({ Annotations: { DesiredTGUpdates } })
  expect(of({ app: { Place: 1, InPlaceUpdate: 2 }, db: { Place: 2, Ignore: 9 } })).toBe(
    '3 create, 2 in-place in 2 groups',
  )
  expect(of({ app: { Stop: 1 } })).toBe('1 destroy in 1 group')
  expect(of({ app: { Ignore: 1 } })).toBeUndefined()
  expect(totalCounts({})).toBeUndefined()
})

test('work waits for room if an evaluation of the plan is blocked', () => {
  expect(isBlocked({ CreatedEvals: [{ Status: 'complete' }, { Status: 'blocked' }] })).toBe(true)
  expect(isBlocked({ CreatedEvals: [{ Status: 'complete' }] })).toBe(false)
  expect(isBlocked({})).toBe(false)
})
