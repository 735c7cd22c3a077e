import { describe, expect, it, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { entriesOf, isObject, objectFrom, parseJson } from '../../../src/core/json.ts'
import { annotateDiff, diffJobs } from '../../../src/dev/jobs/diff/diff.ts'
import { edited, groupOf, plans, sides, versions, web } from './diff-data.ts'

describe('recorded plans', () => {
  // Not here: plans of jobs that were never read (api, elastic, giant, nightly-report), so that the old job is unknown.
  test.each(plans.map((plan) => [plan.name, plan] as const))('%s', (name, plan) => {
    const [old, next] = sides(name, plan.job)
    const diff = annotateDiff(diffJobs(old, next), plan.desired)
    expect(diff).toEqual(plan.diff)
    expect(orderOfKeys(diff)).toEqual(orderOfKeys(plan.diff))
  })
})

test('recorded diffs of versions, newest first', () => {
  const history = [
    web,
    web,
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'hola'),
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'bonjour'),
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'hello'),
  ]
  const diffs = history.slice(0, -1).map((next, index) => diffJobs(history[index + 1] as JsonObject, next))
  expect(diffs).toEqual(versions['Diffs'])
})

describe('diffJobs', () => {
  const service = (name: string, port: string, tag: string): JsonObject => ({
    Name: name,
    PortLabel: port,
    Tags: [tag],
  })

  it('shows what did not change beside what did', () => {
    const next = edited(web, ['TaskGroups', 0, 'Tasks', 0, 'Config', 'args'], ['1', '2'])
    const [config] = objectsOfTask(diffJobs(web, next), 0, 0) as JsonObject[]
    expect(config).toMatchObject({ Name: 'Config', Objects: null, Type: 'Edited' })
    expect(config?.['Fields']).toEqual([
      { Annotations: null, Name: 'args[0]', New: '1', Old: '3600', Type: 'Edited' },
      { Annotations: null, Name: 'args[1]', New: '2', Old: '', Type: 'Added' },
      { Annotations: null, Name: 'command', New: '/bin/sleep', Old: '/bin/sleep', Type: 'None' },
    ])
  })

  it('does not mistake server-owned numbers, order of keys or empty lists for changes', () => {
    const next = edited(web, ['Version'], 9, ['ModifyIndex'], 500, ['Constraints'], [], ['Stable'], false)
    const shuffled = objectFrom(entriesOf(next).toReversed())
    expect(diffJobs(web, shuffled)).toMatchObject({ Type: 'None', Fields: null, Objects: null })
  })

  it('pairs secrets of a task by name, and shows their settings', () => {
    const secret = (name: string, path: string, more: JsonObject = {}) => ({
      Name: name,
      Provider: 'vault',
      Path: path,
      Config: null,
      Env: null,
      ...more,
    })
    const at = ['TaskGroups', 0, 'Tasks', 0, 'Secrets']
    const old = edited(web, at, [secret('db', 'kv/db', { Env: { ROLE: 'a' } }), secret('gone', 'kv/gone')])
    const next = edited(web, at, [
      secret('api', 'kv/api', { Config: { engine: 'kv_v2' } }),
      secret('db', 'kv/db2', { Env: { ROLE: 'b' } }),
    ])
    const [edit, add, remove] = objectsOfTask(diffJobs(old, next), 0, 0) as JsonObject[]
    const changed = (object: JsonObject = {}) =>
      (object['Fields'] as JsonObject[]).map(({ Name, Type, Old, New }) => [Name, Type, Old, New])
    expect([edit, add, remove].map((object) => [object?.['Name'], object?.['Type']])).toEqual([
      ['Secret', 'Edited'],
      ['Secret', 'Added'],
      ['Secret', 'Deleted'],
    ])
    expect(changed(edit)).toEqual([
      ['Env[ROLE]', 'Edited', 'a', 'b'],
      ['Name', 'None', 'db', 'db'],
      ['Path', 'Edited', 'kv/db', 'kv/db2'],
      ['Provider', 'None', 'vault', 'vault'],
    ])
    expect(changed(add)).toContainEqual(['Name', 'Added', '', 'api'])
    expect(add?.['Objects']).toMatchObject([
      { Name: 'Config', Type: 'Added', Fields: [{ Name: 'engine', New: 'kv_v2' }] },
    ])
    expect(changed(remove)).toContainEqual(['Path', 'Deleted', 'kv/gone', ''])
  })

  it('pairs services by name and port before position, and names what is left', () => {
    const old = edited(web, ['TaskGroups', 0, 'Services'], [service('a', 'http', '1'), service('b', 'rpc', '1')])
    const next = edited(web, ['TaskGroups', 0, 'Services'], [service('b', 'rpc', '2'), service('c', 'admin', '1')])
    const objects = groupOf(diffJobs(old, next), 0)['Objects'] as JsonObject[]
    expect(objects.map((object) => [object['Name'], object['Type']])).toEqual([
      ['Service', 'Edited'],
      ['Service', 'Added'],
      ['Service', 'Deleted'],
    ])
  })

  it('shows networks and ports with the values that answers leave out', () => {
    const next = edited(web, ['TaskGroups', 0, 'Networks', 0, 'Mode'], 'bridge')
    const objects = groupOf(diffJobs(web, next), 0)['Objects'] as JsonObject[]
    expect(objects.map((object) => [object['Name'], object['Type']])).toEqual([
      ['Network', 'Added'],
      ['Network', 'Deleted'],
    ])
    expect(objects[0]).toMatchObject({
      Fields: [
        { Name: 'Hostname', New: '' },
        { Name: 'MBits', New: '0' },
        { Name: 'Mode', New: 'bridge' },
      ],
      Objects: [{ Name: 'Dynamic Port', Fields: [{ Name: 'HostNetwork' }, { Name: 'IgnoreCollision' }, {}, {}] }],
    })
  })

  it('keeps digits that a double would lose', () => {
    const next = edited(web, ['TaskGroups', 0, 'ShutdownDelay'], parseJson('9007199254740993'))
    expect(groupOf(diffJobs(web, next), 0)['Fields']).toEqual([
      { Annotations: null, Name: 'ShutdownDelay', New: '9007199254740993', Old: '', Type: 'Added' },
    ])
  })
})

describe('annotateDiff', () => {
  it('leaves the diff it was given alone, and groups without desired counts without updates', () => {
    const next = edited(web, ['TaskGroups', 0, 'Count'], 5)
    const diff = diffJobs(web, next)
    const annotated = annotateDiff(diff, { app: { Place: 2, Ignore: 3 } })
    expect(groupOf(annotated, 0)['Updates']).toEqual({ create: 2, ignore: 3 })
    expect(groupOf(annotated, 1)['Updates']).toBeNull()
    expect(groupOf(diff, 0)).toMatchObject({ Updates: null, Fields: [{ Annotations: null }] })
  })

  test('a change of the log configuration is made in place', () => {
    const next = edited(web, ['TaskGroups', 0, 'Tasks', 0, 'LogConfig', 'MaxFiles'], 3)
    const diff = annotateDiff(diffJobs(web, next), {})
    expect(groupOf(diff, 0)['Tasks']).toMatchObject([{ Annotations: ['forces in-place update'] }])
  })
})

function objectsOfTask(diff: JsonObject, group: number, task: number): Json | undefined {
  return (groupOf(diff, group)['Tasks'] as JsonObject[])[task]?.['Objects']
}

/** The keys of every object on the way, but not of Updates, which the server answers in any order. */
function orderOfKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => orderOfKeys(item))
  if (!isObject(value)) return null
  return entriesOf(value).map(([key, item]) => [key, key === 'Updates' ? null : orderOfKeys(item)])
}
