import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

/** What the scheduler serves beside the jobs endpoints. */

const task = { Name: 'main', Driver: 'mock', Resources: { CPU: 200, MemoryMB: 64 } }
const web = { ID: 'web', Datacenters: ['dc1'], TaskGroups: [{ Name: 'app', Count: 2, Tasks: [task] }] }
const canaries = { Canary: 1, MaxParallel: 1, AutoRevert: true, MinHealthyTime: 1e9 }

function start() {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  const get = (path: string) => call(server, 'GET', path)
  const put = async (path: string, body: Json) => objectOf(await call(server, 'PUT', path, { body }))
  const register = async (job: JsonObject) => {
    const answer = await put('/v1/jobs', { Job: job })
    clock.advance(3000)
    return answer
  }
  return { clock, server, get, put, register }
}

describe('promoting and failing a deployment', () => {
  async function startCanary() {
    const world = start()
    const versionOf = (image: string) => ({
      ...web,
      TaskGroups: [{ Name: 'app', Count: 2, Update: canaries, Tasks: [{ ...task, Env: { image } }] }],
    })
    await world.register(versionOf('a'))
    await world.register(versionOf('b'))
    const waiting = objectOf(await world.get('/v1/job/web/deployment'))
    expect(waiting['StatusDescription']).toBe('Deployment is running but requires manual promotion')
    return { ...world, id: String(waiting['ID']) }
  }

  it('promotes healthy canaries, and the deployment goes on', async () => {
    const { clock, get, put, id } = await startCanary()
    expect(await put(`/v1/deployment/promote/${id}`, { DeploymentID: id, All: true })).toMatchObject({
      EvalID: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      RevertedJobVersion: null,
    })
    clock.advance(5000)
    expect(objectOf(await get('/v1/job/web/deployment'))['Status']).toBe('successful')
  })

  it('fails a deployment, and the job goes back to its stable version', async () => {
    const { server, get, put, id } = await startCanary()
    expect(await put(`/v1/deployment/fail/${id}`, { DeploymentID: id })).toMatchObject({ RevertedJobVersion: 2 })
    expect(listOf(await get('/v1/job/web/deployments')).find(({ ID }) => ID === id)).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Deployment marked as failed - rolling back to job version 0',
    })
    for (const verb of ['promote', 'fail']) {
      const again = await call(server, 'PUT', `/v1/deployment/${verb}/${id}`, {
        body: { DeploymentID: id },
      })
      expect([again.status, again.text]).toEqual([500, `can't ${verb} terminal deployment`])
    }
  })

  it('promotes only the named groups, if their canaries are healthy', async () => {
    const { clock, server, get, put, register } = start()
    const groups = (image: string) => [
      { Name: 'app', Count: 2, Update: canaries, Tasks: [{ ...task, Env: { image } }] },
      { Name: 'side', Count: 2, Update: canaries, Tasks: [{ ...task, Env: { image } }] },
    ]
    await register({ ...web, TaskGroups: groups('a') })
    clock.advance(5000)
    await put('/v1/jobs', { Job: { ...web, TaskGroups: groups('b') } })
    const { ID: id } = objectOf(await get('/v1/job/web/deployment'))
    const promote = (body: JsonObject) =>
      call(server, 'PUT', `/v1/deployment/promote/${String(id)}`, { body: { DeploymentID: id ?? null, ...body } })
    const early = await promote({ Groups: ['side'] })
    expect([early.status, early.text]).toEqual([
      500,
      '1 error occurred:\n\t* Task group "side" has 0/1 healthy allocations\n\n',
    ])
    clock.advance(3000)
    expect((await promote({ Groups: ['nope'] })).text).toContain('no canaries to promote')
    expect((await promote({})).text).toContain('no canaries to promote')
    expect((await promote({ Groups: ['side'] })).status).toBe(200)
    clock.advance(5000)
    expect(objectOf(await get('/v1/job/web/deployment'))).toMatchObject({
      Status: 'running',
      StatusDescription: 'Deployment is running but requires manual promotion',
      TaskGroups: { app: { Promoted: false, PlacedAllocs: 1 }, side: { Promoted: true, PlacedAllocs: 2 } },
    })
    expect((await promote({ Groups: ['app'] })).status).toBe(200)
    clock.advance(5000)
    expect(objectOf(await get('/v1/job/web/deployment'))['Status']).toBe('successful')
  })

  it.for([
    ['promote', {}, 'DeploymentID must be specified'],
    ['promote', { DeploymentID: 'other' }, 'Deployment ID does not match'],
  ] as const)('%s refuses the body %j', async ([verb, body, text]) => {
    const answer = await call(start().server, 'PUT', `/v1/deployment/${verb}/some`, { body })
    expect([answer.status, answer.text]).toEqual([400, text])
  })

  it('refuses to promote what has no canaries', async () => {
    const { server, get, clock, put } = start()
    await put('/v1/jobs', { Job: web })
    const { ID: id } = objectOf(await get('/v1/job/web/deployment'))
    const body = { DeploymentID: id ?? null, All: true }
    const answer = await call(server, 'PUT', `/v1/deployment/promote/${String(id)}`, { body })
    expect([answer.status, answer.text]).toEqual([500, '1 error occurred:\n\t* no canaries to promote\n\n'])
    clock.advance(1)
  })
})

it.each(['/v1/volumes', '/v1/search/fuzzy'])('%s is not served', async (path) => {
  const answer = await start().get(path)
  expect([answer.status, answer.text]).toEqual([404, `the local server of tug doesn't serve GET ${path}`])
})

it('fails no deployment whose ID is no UUID', async () => {
  const answer = await call(start().server, 'PUT', '/v1/deployment/fail/nope', { body: {} })
  const text = 'deployment lookup failed: index error: UUID must be 36 characters'
  expect([answer.status, answer.text]).toEqual([500, text])
})
