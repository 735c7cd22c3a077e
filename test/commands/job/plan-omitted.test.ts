import { expect, test } from 'vitest'
import type { Job } from '../../../src/api/job-shapes.ts'
import type { Diff } from '../../../src/api/plan-shapes.ts'
import { changesOf } from '../../../src/commands/job/plan/changes.ts'
import { planTree } from '../../../src/commands/job/plan/groups.ts'
import { treeText } from '../../../src/commands/job/plan/view.ts'
import type { JsonObject } from '../../../src/core/json.ts'

/** What the scheduler's diff omits or names otherwise, completed from the documents. */

const jobOf = (task: JsonObject) =>
  ({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'srv', ...task }] }] }) as Job
const field = (Name: string, Old: string, New: string) => ({
  Type: Old === New ? 'None' : Old === '' ? 'Added' : 'Edited',
  Name,
  Old,
  New,
})
const inTask = (Type: string, ...Objects: Diff[]) => ({
  Type,
  ID: 'web',
  TaskGroups: [{ Type, Name: 'app', Tasks: [{ Type, Name: 'srv', Objects }] }],
})
const lines = (live: Job | undefined, next: Job, diff: Diff) => {
  const answer = { Diff: changesOf(live, next, diff) }
  return treeText(planTree({ answer, job: next, showValues: false }), (_, words) => words)
    .split('\n')
    .slice(3)
}

const condition = { LTarget: '${device.attr.memory}', Operand: '>=', RTarget: '2 GiB' }
const withDevice = jobOf({ Resources: { CPU: 100, Devices: [{ Name: 'gpu', Count: 1, Constraints: [condition] }] } })
const device = { Type: 'Added', Name: 'Device', Fields: [field('Name', '', 'gpu'), field('Count', '', '1')] }

test.each<[string, Job | undefined, Diff]>([
  [
    'task',
    jobOf({ Resources: { CPU: 100, Devices: null } }),
    inTask('Edited', { Type: 'Edited', Name: 'Resources', Objects: [device] }),
  ],
  ['job', undefined, inTask('Added', { Type: 'Added', Name: 'Resources', Objects: [device] })],
])('a device that is added to a %s has its constraints', (_, live, diff) => {
  expect(lines(live, withDevice, diff).join('\n')).toMatch(
    /device gpu[^]*constraint +\$\{device.attr.memory\} >= 2 GiB/,
  )
})

test('a renamed service shows what differs, and not all that it has', () => {
  const [live, next] = ['one', 'two'].map((Name) => jobOf({ Services: [{ Name, Provider: 'nomad', Tags: ['a'] }] }))
  const service = {
    Type: 'Edited',
    Name: 'Service',
    Fields: [field('Name', 'one', 'two'), field('TaskName', 'srv', 'srv')],
  }
  expect(lines(live, next as Job, inTask('Edited', service))).toEqual([
    '      ~ service two',
    '        ~ name  one → two',
  ])
})

test("a template's wait, which the scheduler calls a template, has its durations", () => {
  const of = (Min: number) => jobOf({ Templates: [{ DestPath: 'x', Wait: { Min, Max: 10e9 } }] })
  const wait = { Type: 'Edited', Name: 'Template', Fields: [field('Min', '5000000000', '7000000000')] }
  const template = { Type: 'Edited', Name: 'Template', Fields: [field('DestPath', 'x', 'x')], Objects: [wait] }
  expect(lines(of(5e9), of(7e9), inTask('Edited', template))).toEqual([
    '      ~ template x',
    '        ~ wait.min  5s → 7s',
  ])
})

test('a task of a replaced group is not updated in place, whatever the scheduler notes', () => {
  const diff = inTask('Edited')
  const task = {
    Type: 'Edited',
    Name: 'srv',
    Annotations: ['forces in-place update'],
    Fields: [field('User', 'a', 'b')],
  }
  const Diff = { ...diff, TaskGroups: [{ Type: 'Edited', Name: 'app', Tasks: [task] }] }
  const noted = (DesiredTGUpdates: JsonObject | null) => {
    const answer = { Diff, ...(DesiredTGUpdates && { Annotations: { DesiredTGUpdates: { app: DesiredTGUpdates } } }) }
    return JSON.stringify(planTree({ answer: answer as object, job: jobOf({}), showValues: false })).includes(
      'in-place update',
    )
  }
  expect([noted({ DestructiveUpdate: 1 }), noted({ InPlaceUpdate: 1 }), noted(null)]).toEqual([false, false, true])
})
