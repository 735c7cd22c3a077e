import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { jobInForce, servePlan } from '../../support/serve-plan.ts'
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
  const { env, seen } = await servePlan(plan, job)
  const stdin = JSON.stringify({ ID: 'web', ...job })
  expect((await tug('job plan - --exit-code', { env, stdin })).exit).toBe(exit)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/job/web', 'POST /v1/job/web/plan'])
})

test.each<[string, number, JsonObject | null, JsonObject | null]>([
  ['a lifecycle, which no diff shows', 9, null, sidecar],
  ['a sidecar that is none any more', 9, sidecar, { ...sidecar, Sidecar: false }],
  ['the same lifecycle, so that nothing explains it', 9, sidecar, sidecar],
])('edited without a field: %s: %i', async (_, exit, live, wanted) => {
  const { env } = await servePlan(answer(emptyEdit, {}), task(live))
  const stdin = JSON.stringify({ ID: 'web', ...task(wanted) })
  expect((await tug('job plan - --exit-code', { env, stdin })).exit).toBe(exit)
})

test('edited without a field: the first plan after a new scaling policy is no change', async () => {
  const scaled = { TaskGroups: [{ Name: 'app', Scaling: { Min: 1, Max: 2 } }] }
  const { env } = await servePlan(answer(emptyEdit, {}), scaled)
  const stdin = JSON.stringify({ ID: 'web', ...scaled })
  expect((await tug('job plan - --exit-code', { env, stdin })).exit).toBe(0)
})

test.each<[string, JsonObject, number]>([
  ['an unchanged job whose counts are not zero', none, 0],
  ['a changed job', leaf({ Name: 'Priority' }), 9],
])('--no-diff --exit-code asks for the diff, and omits it: %s', async (_, diff, exit) => {
  const { env, seen } = await servePlan(answer(diff, { InPlaceUpdate: 1 }))
  const plan = await tug('job plan - --no-diff --exit-code -o json', { env, stdin: '{"ID":"web"}' })
  expect([plan.exit, JSON.parse(plan.stdout)]).toMatchObject([exit, { Diff: null }])
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ Diff: true })
})

test('a job that cannot be read is compared by the scheduler alone, which is said', async () => {
  const planned = async (plan: JsonObject) => {
    const { env } = await serve(({ method }, response) =>
      json(response, method === 'GET' ? 403 : 200, JSON.stringify(plan)),
    )
    return tug('job plan - --exit-code', { env, stdin: '{"ID":"web"}' })
  }
  expect((await planned(answer(emptyEdit, {}))).exit).toBe(9)
  const same = await planned(answer(none, {}))
  expect([same.exit, same.stderr]).toEqual([0, expect.stringContaining('web')])
})

test('a job that changes between its read and its plan is read and planned again, and then a conflict', async () => {
  const planned = async (isSettled: (count: number) => boolean) => {
    const { env, seen } = await serve(({ method }, response, count) => {
      const live = { ...jobInForce, JobModifyIndex: isSettled(count) ? 77 : 70 }
      json(response, 200, JSON.stringify(method === 'GET' ? live : answer(none, {})))
    })
    return [(await tug('job plan - --exit-code', { env, stdin: '{"ID":"web"}' })).exit, seen.length]
  }
  expect(await planned((count) => count > 2)).toEqual([0, 4])
  expect(await planned(() => false)).toEqual([5, 10])
})

test('the stamp of a restart is carried over, and no part of the diff', async () => {
  const { env, seen } = await servePlan(answer(none, {}), {
    Meta: { owner: 'a', restarted_at: '2026-11-21T07:00:00Z' },
  })
  const { exit, stdout } = await tug('job plan - --exit-code', { env, stdin: '{"ID":"web","Meta":{"owner":"a"}}' })
  expect([exit, stdout]).toEqual([0, 'no changes to job web\n'])
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({
    Job: { ID: 'web', Meta: { owner: 'a', restarted_at: '2026-11-21T07:00:00Z' } },
  })
})

test.each<[string, JsonObject, JsonObject]>([
  ['another type', { Type: 'service' }, { Type: 'batch' }],
  ['periodic', { Type: 'batch' }, { Type: 'batch', Periodic: { Spec: '@daily' } }],
  ['no longer periodic', { Type: 'batch', Periodic: { Spec: '@daily' } }, { Type: 'batch' }],
  ['parameterized', { Type: 'batch' }, { Type: 'batch', ParameterizedJob: {} }],
  ['no longer parameterized', { Type: 'batch', ParameterizedJob: {} }, { Type: 'batch' }],
])('a plan that registering would refuse is shown and ends with 6: %s', async (_, live, wanted) => {
  const { env } = await servePlan(answer(leaf({ Name: 'Priority' }), {}), live)
  const one = await tug('job plan -', { env, stdin: JSON.stringify({ ID: 'web', ...wanted }) })
  expect([one.exit, one.stdout]).toEqual([6, expect.stringMatching(/^REFUSED /m)])
  expect(one.stderr).not.toContain('--check-index')
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'web.json'), JSON.stringify({ ID: 'web', ...wanted }))
  for (const line of ['job plan .', 'job apply . --plan', 'job apply web.json --yes'])
    expect((await tug(line, { env, cwd })).exit, line).toBe(6)
})

test('a folder whose jobs cannot be placed ends as one file does', async () => {
  const scaled = { TaskGroups: [{ Name: 'app', Scaling: { Min: 1, Max: 2 } }] }
  for (const diff of [none, emptyEdit]) {
    const { env } = await servePlan(answer(diff, { Ignore: 1 }, { FailedTGAllocs: { app: {} } }), scaled)
    const cwd = scratchFolder()
    writeFileSync(join(cwd, 'web.json'), JSON.stringify({ ID: 'web', ...scaled }))
    for (const place of ['.', 'web.json'])
      expect((await tug(`job plan ${place} --exit-code`, { env, cwd })).exit, place).toBe(9)
  }
})

test('what a folder has besides jobs is left out with a note, unless it looks like a job', async () => {
  const { env } = await servePlan(answer(none, {}))
  const cwd = scratchFolder()
  const write = (file: string, text: string) => writeFileSync(join(cwd, file), text)
  write('policy.hcl', 'namespace "default" {\n  policy = "read"\n}\n')
  write('dashboard.json', '{"panels":[]}')
  expect((await tug('job plan .', { env, cwd })).exit).toBe(2)
  write('web.json', '{"ID":"web"}')
  const { exit, stdout, stderr } = await tug('job plan . -o json', { env, cwd })
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { jobs: [{ job: 'web' }], failed: [] }])
  for (const file of ['policy.hcl', 'dashboard.json']) expect(stderr).toContain(file)
  expect((await tug('job plan . policy.hcl', { env, cwd })).exit).toBe(2)
  write('old.json', '{"job":{"web":{}}}')
  expect((await tug('job plan .', { env, cwd })).exit).toBe(2)
})

test('an action that changes replaces nothing, whatever the diff notes', async () => {
  const edited = {
    Name: 'srv',
    Type: 'Edited',
    Annotations: ['forces create/destroy update'],
    Objects: [{ Name: 'Action', ...leaf({ Name: 'Command' }) }],
  }
  const shown = async (counts: JsonObject) => {
    const { env } = await servePlan(answer(inGroup({ Tasks: [edited] }), counts))
    return (await tug('job plan -', { env, stdin: '{"ID":"web"}' })).stdout
  }
  expect(await shown({ InPlaceUpdate: 1 })).not.toContain('forces')
  expect(await shown({ DestructiveUpdate: 1 })).toContain('forces')
})

test.each(['plan', 'run'])('job %s --keep-counts sends the counts that the groups have now', async (command) => {
  const { env, seen } = await serve(({ method, url }, response) => {
    const live = { ...jobInForce, TaskGroups: [{ Name: 'app', Count: 7 }] }
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

test('--keep-scaled-counts keeps those of the groups with a scaling block', async () => {
  const { env, seen } = await serve(({ method }, response) => {
    const groups = ['app', 'db'].map((Name) => ({ Name, Count: 7 }))
    json(response, 200, JSON.stringify(method === 'GET' ? { ...jobInForce, TaskGroups: groups } : answer(none, {})))
  })
  const TaskGroups = [
    { Name: 'app', Count: 2, Scaling: { Min: 1, Max: 9 } },
    { Name: 'db', Count: 3 },
  ]
  const stdin = JSON.stringify({ ID: 'web', TaskGroups })
  expect((await tug('job plan - --keep-scaled-counts', { env, stdin })).exit).toBe(0)
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
    Job: {
      TaskGroups: [
        { Name: 'app', Count: 7 },
        { Name: 'db', Count: 3 },
      ],
    },
  })
  expect((await tug('job plan - --keep-scaled-counts --keep-counts', { env, stdin })).exit).toBe(2)
})

test.each(['plan', 'run'])(
  'job %s --keep-counts of a job that does not exist yet sends those of the file',
  async (command) => {
    const { env, seen } = await serve(({ method }, response) =>
      json(
        response,
        method === 'GET' ? 404 : 200,
        command === 'plan'
          ? '{"JobModifyIndex":0,"Diff":{"Type":"Added"}}'
          : '{"EvalID":"","EvalCreateIndex":0,"JobModifyIndex":8}',
      ),
    )
    const stdin = '{"ID":"web","TaskGroups":[{"Name":"app","Count":2}]}'
    expect((await tug(`job ${command} - --keep-counts`, { env, stdin })).exit).toBe(0)
    expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({ Job: { TaskGroups: [{ Name: 'app', Count: 2 }] } })
  },
)

test('--keep-counts reads the job in the namespace that its file names', async () => {
  const { env, seen } = await serve(({ method }, response) =>
    json(response, method === 'GET' ? 404 : 200, '{"JobModifyIndex":0,"Diff":{"Type":"Added"}}'),
  )
  expect((await tug('job plan - --keep-counts', { env, stdin: '{"ID":"web","Namespace":"team-a"}' })).exit).toBe(0)
  expect(seen.map(({ url }) => url)).toEqual(['/v1/job/web?namespace=team-a', '/v1/job/web/plan'])
})
