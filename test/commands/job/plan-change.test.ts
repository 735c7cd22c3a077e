import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'

/** Each row of what a live scheduler answers, and whether `job plan --exit-code` calls it a change. */

const none = { Type: 'None', TaskGroups: [{ Name: 'app', Type: 'None', Tasks: [{ Name: 'srv', Type: 'None' }] }] }
const emptyEdit = { Type: 'Edited', TaskGroups: [{ Name: 'app', Type: 'Edited', Fields: null, Tasks: null }] }
const leaf = (field: JsonObject) => ({ Type: 'Edited', Fields: [{ Type: 'Edited', Old: 'a', New: 'b', ...field }] })
const inGroup = (group: JsonObject) => ({ Type: 'Edited', TaskGroups: [{ Name: 'app', Type: 'Edited', ...group }] })
const task = (Lifecycle: JsonObject | null) => ({ TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'srv', Lifecycle }] }] })
const sidecar = { Hook: 'prestart', Sidecar: true }
const answer = (Diff: JsonObject, counts: JsonObject, more: JsonObject = {}) => ({
  JobModifyIndex: 77,
  Annotations: { DesiredTGUpdates: { app: counts } },
  Diff,
  ...more,
})

test.each<[string, number, JsonObject, JsonObject]>([
  ['a service under ACLs', 0, {}, answer(none, { InPlaceUpdate: 3 })],
  ['a rollout under way', 0, {}, answer(none, { DestructiveUpdate: 1, Ignore: 2 })],
  ['a system job', 0, { Type: 'system' }, answer(none, { Place: 5 })],
  ['a sysbatch job', 0, { Type: 'sysbatch' }, answer(none, { Place: 5 })],
  ['a periodic job', 0, { Type: 'batch', Periodic: {} }, answer(none, { Place: 1 })],
  ['a parameterized job', 0, { Type: 'batch', ParameterizedJob: {} }, answer(none, { Place: 1 })],
  ['missing allocations', 9, { Type: 'service' }, answer(none, { Place: 1 })],
  ['an allocation without room', 9, {}, answer(none, { Ignore: 1 }, { FailedTGAllocs: { app: {} } })],
  ['a blocked evaluation', 9, {}, answer(none, { Ignore: 1 }, { CreatedEvals: [{ Status: 'blocked' }] })],
  ['a new job', 9, {}, answer({ Type: 'Added' }, { Place: 1 })],
  ['a field of the job', 9, {}, answer(leaf({ Name: 'Priority' }), { InPlaceUpdate: 1 })],
  ['a periodic job that differs', 9, { Type: 'batch', Periodic: {} }, answer(leaf({ Name: 'Meta[a]' }), { Place: 1 })],
  ['a stopped job', 9, {}, answer(leaf({ Name: 'Stop', Old: 'true', New: 'false' }), { Place: 1 })],
  ['a count', 9, {}, answer(inGroup({ Fields: [{ Name: 'Count', Type: 'Edited' }] }), { Stop: 2 })],
  ['an object of a group', 9, {}, answer(inGroup({ Objects: [{ Name: 'Scaling', Type: 'Added' }] }), {})],
  [
    'an action',
    9,
    {},
    answer(inGroup({ Tasks: [{ Type: 'Edited', Objects: [leaf({ Name: 'Command' })] }] }), { InPlaceUpdate: 1 }),
  ],
])('%s: %i', async (_, exit, job, plan) => {
  const { env, seen } = await serve((__, response) => json(response, 200, JSON.stringify(plan)))
  const stdin = JSON.stringify({ ID: 'web', ...job })
  expect((await tug('job plan - --exit-code', { env, stdin })).exit).toBe(exit)
  expect(seen).toHaveLength(1)
})

test.each([
  ['a scaling block, whose first plan differs in no field', 0, null, null],
  ['a lifecycle, which no diff shows', 9, null, sidecar],
  ['a sidecar that is none any more', 9, sidecar, { ...sidecar, Sidecar: false }],
  ['the same lifecycle', 0, sidecar, sidecar],
])('edited without a field: %s: %i', async (_, exit, live, wanted) => {
  const { env, seen } = await serve(({ method }, response) =>
    json(response, 200, JSON.stringify(method === 'GET' ? { ID: 'web', ...task(live) } : answer(emptyEdit, {}))),
  )
  const stdin = JSON.stringify({ ID: 'web', ...task(wanted) })
  expect((await tug('job plan - --exit-code', { env, stdin })).exit).toBe(exit)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /v1/job/web/plan', 'GET /v1/job/web'])
})

test('edited without a field, and the job cannot be read: it counts as changed', async () => {
  const { env } = await serve(({ method }, response) =>
    json(response, method === 'GET' ? 403 : 200, JSON.stringify(answer(emptyEdit, {}))),
  )
  expect((await tug('job plan - --exit-code', { env, stdin: '{"ID":"web"}' })).exit).toBe(9)
})

test('the stamp of a restart is carried over, and no part of the diff', async () => {
  const stamped = leaf({ Name: 'Meta[restarted_at]', Type: 'Deleted', Old: '2026-11-21T07:00:00Z', New: '' })
  const { env, seen } = await serve(({ body }, response) => {
    const plan = body.includes('restarted_at') ? answer(none, {}) : answer(stamped, { DestructiveUpdate: 1 })
    json(response, 200, JSON.stringify(plan))
  })
  const { exit, stdout } = await tug('job plan - --exit-code', { env, stdin: '{"ID":"web","Meta":{"owner":"a"}}' })
  expect([exit, stdout]).toEqual([0, 'no changes to job web\n'])
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({
    Job: { ID: 'web', Meta: { owner: 'a', restarted_at: '2026-11-21T07:00:00Z' } },
  })
})

test('a type that changes is planned, and said to be refused', async () => {
  const plan = answer(leaf({ Name: 'Type', Old: 'service', New: 'batch' }), {})
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(plan)))
  const { stdout } = await tug('job plan -', { env, stdin: '{"ID":"web"}' })
  expect(stdout).toMatch(/^REFUSED .*service to batch/m)
})

test('an action that changes replaces nothing, whatever the diff notes', async () => {
  const edited = {
    Name: 'srv',
    Type: 'Edited',
    Annotations: ['forces create/destroy update'],
    Objects: [{ Name: 'Action', ...leaf({ Name: 'Command' }) }],
  }
  const shown = async (counts: JsonObject) => {
    const { env } = await serve((_, response) =>
      json(response, 200, JSON.stringify(answer(inGroup({ Tasks: [edited] }), counts))),
    )
    return (await tug('job plan -', { env, stdin: '{"ID":"web"}' })).stdout
  }
  expect(await shown({ InPlaceUpdate: 1 })).not.toContain('forces')
  expect(await shown({ DestructiveUpdate: 1 })).toContain('forces')
})

test.each(['plan', 'run'])('job %s --keep-counts sends the counts that the groups have now', async (command) => {
  const { env, seen } = await serve(({ method, url }, response) => {
    const live = { ID: 'web', TaskGroups: [{ Name: 'app', Count: 7 }] }
    const written = { EvalID: 'e-1', EvalCreateIndex: 80, JobModifyIndex: 80 }
    const done = url.endsWith('/plan') ? answer(none, {}) : written
    json(response, 200, JSON.stringify(method === 'GET' ? live : done))
  })
  const stdin = '{"ID":"web","TaskGroups":[{"Name":"app"},{"Name":"new","Count":2}]}'
  expect((await tug(`job ${command} - --keep-counts`, { env, stdin })).exit).toBe(0)
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/v1/job/web' })
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
    Job: {
      TaskGroups: [
        { Name: 'app', Count: 7 },
        { Name: 'new', Count: 2 },
      ],
    },
  })
})

test.each(['plan', 'run'])(
  'job %s --keep-counts of a job that does not exist yet sends those of the file',
  async (command) => {
    const { env, seen } = await serve(({ method }, response) =>
      json(
        response,
        method === 'GET' ? 404 : 200,
        '{"EvalID":"","EvalCreateIndex":0,"JobModifyIndex":8,"Diff":{"Type":"Added"}}',
      ),
    )
    const stdin = '{"ID":"web","TaskGroups":[{"Name":"app","Count":2}]}'
    expect((await tug(`job ${command} - --keep-counts`, { env, stdin })).exit).toBe(0)
    expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({ Job: { TaskGroups: [{ Name: 'app', Count: 2 }] } })
  },
)

test('--keep-counts reads the job in the namespace that its file names', async () => {
  const { env, seen } = await serve(({ method }, response) =>
    json(response, method === 'GET' ? 404 : 200, '{"JobModifyIndex":8,"Diff":{"Type":"Added"}}'),
  )
  expect((await tug('job plan - --keep-counts', { env, stdin: '{"ID":"web","Namespace":"team-a"}' })).exit).toBe(0)
  expect(seen.map(({ url }) => url)).toEqual(['/v1/job/web?namespace=team-a', '/v1/job/web/plan'])
})
