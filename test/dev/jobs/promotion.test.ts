import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, objectOf } from './calls.ts'

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

describe('promoting a deployment', () => {
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

  it('promotes nothing before the canaries are healthy', async () => {
    const { put, get, server } = start()
    const groups = (image: string) => [
      { Name: 'app', Count: 2, Update: canaries, Tasks: [{ ...task, Env: { image } }] },
    ]
    await put('/v1/jobs', { Job: { ...web, TaskGroups: groups('a') } })
    await put('/v1/jobs', { Job: { ...web, TaskGroups: groups('b') } })
    const { ID: id } = objectOf(await get('/v1/job/web/deployment'))
    const early = await call(server, 'PUT', `/v1/deployment/promote/${String(id)}`, { body: { All: true } })
    const words = '1 error occurred:\n\t* Task group "app" has 0/1 healthy allocations\n\n'
    expect([early.status, early.text]).toEqual([500, words])
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
