import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

/** What the official command-line client asks beside the jobs endpoints, command by command. */

const task = { Name: 'main', Driver: 'mock', Resources: { CPU: 200, MemoryMB: 64 } }
const large = { ...task, Resources: { CPU: 200, MemoryMB: 900_000 } }
const web = { ID: 'web', Datacenters: ['dc1'], TaskGroups: [{ Name: 'app', Count: 2, Tasks: [task] }] }
const canaries = { Canary: 1, MaxParallel: 1, AutoRevert: true, MinHealthyTime: 1e9 }

const absent = '11111111-2222-3333-4444-555555555555'

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

describe('nomad job run', () => {
  it('follows the evaluation, its allocations and its deployment to the end', async () => {
    const { get, register } = start()
    const { EvalID: id } = await register(web)
    const evaluation = objectOf(await get(`/v1/evaluation/${String(id)}`))
    expect(evaluation).toMatchObject({ ID: id, JobID: 'web', Status: 'complete', TriggeredBy: 'job-register' })
    const deployment = String(evaluation['DeploymentID'])
    expect(objectOf(await get(`/v1/deployment/${deployment}`))).toMatchObject({ ID: deployment, Status: 'successful' })
    const placed = listOf(await get(`/v1/evaluation/${String(id)}/allocations`))
    const deployed = listOf(await get(`/v1/deployment/allocations/${deployment}`))
    expect([placed.length, deployed.length]).toEqual([2, 2])
  })

  it('validates a job without registering it', async () => {
    const { put, get } = start()
    const valid = await put('/v1/validate/job', { Job: web })
    expect(valid).toEqual({ DriverConfigValidated: true, Error: '', ValidationErrors: null, Warnings: '' })
    const invalid = await put('/v1/validate/job', { Job: { ID: 'web' } })
    expect(invalid).toMatchObject({ ValidationErrors: ['Missing job task groups'] })
    const nameless = await put('/v1/validate/job', { Job: { ...web, ID: null, Name: 'web' } })
    expect(nameless).toMatchObject({ ValidationErrors: ['Missing job ID'] })
    expect((await get('/v1/job/web')).status).toBe(404)
  })
})

describe('nomad job promote and nomad deployment fail', () => {
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
    expect(objectOf(await get(`/v1/deployment/${id}`))['Status']).toBe('successful')
  })

  it('fails a deployment, and the job goes back to its stable version', async () => {
    const { server, get, put, id } = await startCanary()
    expect(await put(`/v1/deployment/fail/${id}`, { DeploymentID: id })).toMatchObject({ RevertedJobVersion: 2 })
    expect(objectOf(await get(`/v1/deployment/${id}`))).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Deployment marked as failed - rolling back to job version 0',
    })
    for (const verb of ['promote', 'pause', 'fail', 'unblock']) {
      const again = await call(server, 'PUT', `/v1/deployment/${verb}/${id}`, {
        body: { DeploymentID: id, Pause: true },
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
    expect(objectOf(await get(`/v1/deployment/${String(id)}`))).toMatchObject({
      Status: 'running',
      StatusDescription: 'Deployment is running but requires manual promotion',
      TaskGroups: { app: { Promoted: false, PlacedAllocs: 1 }, side: { Promoted: true, PlacedAllocs: 2 } },
    })
    expect((await promote({ Groups: ['app'] })).status).toBe(200)
    clock.advance(5000)
    expect(objectOf(await get(`/v1/deployment/${String(id)}`))['Status']).toBe('successful')
  })

  it.for([
    ['promote', {}, 'DeploymentID must be specified'],
    ['pause', { DeploymentID: 'other', Pause: true }, 'Deployment ID does not match'],
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

describe('nomad deployment pause, resume and unblock', () => {
  it('replaces nothing while it is paused, and goes on when it is resumed', async () => {
    const { clock, server, get, put, register } = start()
    const versionOf = (image: string) => ({
      ...web,
      TaskGroups: [{ Name: 'app', Count: 3, Update: { MaxParallel: 1 }, Tasks: [{ ...task, Env: { image } }] }],
    })
    await register(versionOf('a'))
    clock.advance(5000)
    await put('/v1/jobs', { Job: versionOf('b') })
    const { ID: id } = objectOf(await get('/v1/job/web/deployment'))
    const path = `/v1/deployment/pause/${String(id)}`
    expect(await put(path, { DeploymentID: id ?? null, Pause: true })).toMatchObject({ EvalID: '', EvalCreateIndex: 0 })
    clock.advance(30_000)
    expect(objectOf(await get(`/v1/deployment/${String(id)}`))).toMatchObject({
      Status: 'paused',
      StatusDescription: 'Deployment is paused',
      TaskGroups: { app: { PlacedAllocs: 1, HealthyAllocs: 1, DesiredTotal: 3 } },
    })
    const scaled = await call(server, 'PUT', '/v1/job/web/scale', { body: { Count: 4, Target: { Group: 'app' } } })
    expect([scaled.status, scaled.text]).toEqual([400, 'job scaling blocked due to active deployment'])
    const unblocked = await call(server, 'PUT', `/v1/deployment/unblock/${String(id)}`, { body: {} })
    expect([unblocked.status, unblocked.text]).toEqual([500, "can't unblock paused deployment"])
    const resumed = await put(path, { DeploymentID: id ?? null, Pause: false })
    expect(resumed['EvalID']).toMatch(/^[\da-f-]{36}$/)
    clock.advance(30_000)
    expect(objectOf(await get(`/v1/deployment/${String(id)}`))).toMatchObject({
      Status: 'successful',
      TaskGroups: { app: { PlacedAllocs: 3, HealthyAllocs: 3 } },
    })
  })
})

describe('nomad eval delete', () => {
  const configuration = '/v1/operator/scheduler/configuration'
  const ask = (server: ReturnType<typeof start>['server'], ...ids: string[]) =>
    call(server, 'DELETE', '/v1/evaluations', { body: { EvalIDs: ids } })

  it('deletes evaluations while the scheduler is paused, which then proceeds', async () => {
    const { server, get, put, register } = start()
    const { EvalID: first } = await register(web)
    const refused = await ask(server, String(first))
    expect([refused.status, refused.text]).toEqual([
      500,
      'eval broker is enabled; eval broker must be paused to delete evals',
    ])
    const { SchedulerConfig: before } = objectOf(await get(configuration))
    const { ModifyIndex: index } = before as JsonObject
    const stale = await put(`${configuration}?cas=${Number(index) + 1}`, { PauseEvalBroker: true })
    expect(stale['Updated']).toBe(false)
    const paused = await put(`${configuration}?cas=${String(index)}`, { PauseEvalBroker: true })
    expect(paused['Updated']).toBe(true)
    expect(objectOf(await get(configuration))).toMatchObject({ SchedulerConfig: { PauseEvalBroker: true } })

    const [unsafe, unknown] = [await ask(server, String(first)), await ask(server, 'nope')]
    expect([unsafe.text, unknown.text]).toEqual([`eval ${String(first)} is not safe to delete`, 'eval not found'])
    const { EvalID: held } = await register({ ...web, ID: 'late' })
    const { EvalID: kept } = await register({ ...web, ID: 'kept' })
    expect(objectOf(await get(`/v1/evaluation/${String(held)}`))['Status']).toBe('pending')
    expect(objectOf(await ask(server, String(held)))).toMatchObject({ Count: 1 })
    expect((await get(`/v1/evaluation/${String(held)}`)).status).toBe(404)
    await put(configuration, { PauseEvalBroker: false })
    expect(objectOf(await get(`/v1/evaluation/${String(kept)}`))['Status']).toBe('complete')
    const allocations = async (id: string) => listOf(await get(`/v1/job/${id}/allocations`)).length
    expect([await allocations('late'), await allocations('kept')]).toEqual([0, 2])
  })

  it('deletes by filter what is safe to delete', async () => {
    const { server, get, put, register } = start()
    await register(web)
    const batch = { ...task, Config: { run_for: '1s' } }
    await register({ ...web, ID: 'done', Type: 'batch', TaskGroups: [{ Name: 'app', Count: 1, Tasks: [batch] }] })
    await put(configuration, { PauseEvalBroker: true })
    const bad = await call(server, 'DELETE', '/v1/evaluations', { body: { Filter: 'Nope == 1' } })
    expect(bad.status).toBe(400)
    const answer = await call(server, 'DELETE', '/v1/evaluations', {
      body: { Filter: 'TriggeredBy == "job-register"' },
    })
    expect(objectOf(answer)).toMatchObject({ Count: 1 })
    const left = listOf(await get('/v1/evaluations'))
    expect(new Set(left.map((evaluation) => evaluation['JobID']))).toEqual(new Set(['web']))
  })

  it.for([
    [{}, 400, 'evals must be deleted by either ID or filter'],
    [{ EvalIDs: ['a'], Filter: 'x' }, 400, 'evals cannot be deleted by both ID and filter'],
  ] as const)('refuses %j', async ([body, status, text]) => {
    const answer = await call(start().server, 'DELETE', '/v1/evaluations', { body: JSON.stringify(body) })
    expect([answer.status, answer.text]).toEqual([status, text])
  })
})

describe('nomad action', () => {
  it('reads the allocation with its job, and connects to the address of its node', async () => {
    const { get, register } = start()
    await register(web)
    const [stub] = listOf(await get('/v1/job/web/allocations'))
    const alloc = objectOf(await get(`/v1/allocation/${String(stub?.['ID'])}`))
    expect(alloc).toMatchObject({
      ID: stub?.['ID'],
      Job: { ID: 'web', TaskGroups: [{ Name: 'app' }] },
      AllocatedResources: { Tasks: { main: { Cpu: { CpuShares: 200 }, Memory: { MemoryMB: 64 } } } },
    })
    const node = objectOf(await get(`/v1/node/${String(alloc['NodeID'])}`))
    expect(node).toMatchObject({ HTTPAddr: '127.0.0.1:1', Status: 'ready', NodePool: 'default' })
  })
})

describe('version tags', () => {
  it('are set, compared with, kept beyond six versions and removed, and the job stays', async () => {
    const { server, get, put, register } = start()
    await register(web)
    expect(await put('/v1/job/web/versions/gold/tag', { Version: 0, Description: 'good' })).toMatchObject({
      Name: 'gold',
      Description: 'good',
    })
    for (let n = 0; n < 8; n += 1) await register({ ...web, Meta: { n: String(n) } })
    expect(await put('/v1/job/web/versions/newest/tag', { Version: 0, Latest: true })).toMatchObject({ Name: 'newest' })
    const [newest] = objectOf(await get('/v1/job/web/versions'))['Versions'] as JsonObject[]
    expect(newest).toMatchObject({ Version: 8, VersionTag: { Name: 'newest' } })
    const versions = async () =>
      (objectOf(await get('/v1/job/web/versions'))['Versions'] as JsonObject[]).map((version) => version['Version'])
    expect(await versions()).toEqual([8, 7, 6, 5, 4, 3, 0])
    expect((await get('/v1/job/web/versions?diffs=true&diff_tag=gold')).status).toBe(200)
    expect((await get('/v1/job/web/versions?diffs=true&diff_tag=silver')).status).toBe(500)
    expect((await call(server, 'DELETE', '/v1/job/web/versions/gold/tag')).status).toBe(200)
    expect((await call(server, 'DELETE', '/v1/job/web/versions/gold/tag')).status).toBe(404)
    expect(objectOf(await get('/v1/job/web'))).toMatchObject({ Stop: false, Status: 'running' })
  })
})

describe('nomad namespace apply and delete', () => {
  it('makes a namespace for jobs, and removes it once none is left running', async () => {
    const { server, get, put } = start()
    const inTeam = { Job: { ...web, Namespace: 'team-c' } }
    expect((await call(server, 'PUT', '/v1/jobs', { body: inTeam })).status).toBe(500)
    const made = await call(server, 'PUT', '/v1/namespace', {
      body: { Name: 'team-c', Description: 'the third', Meta: { owner: 'c' } },
    })
    expect(made.status).toBe(200)
    expect(objectOf(await get('/v1/namespace/team-c'))).toMatchObject({
      Name: 'team-c',
      Description: 'the third',
      Meta: { owner: 'c' },
    })
    expect((await put('/v1/jobs', inTeam))['EvalID']).toMatch(/^[\da-f-]{36}$/)
    const busy = await call(server, 'DELETE', '/v1/namespace/team-c')
    expect([busy.status, busy.text]).toEqual([500, 'namespace "team-c" has non-terminal jobs in regions: [global]'])
    await call(server, 'DELETE', '/v1/job/web?namespace=team-c&purge=true')
    expect((await call(server, 'DELETE', '/v1/namespace/team-c')).status).toBe(200)
    expect((await get('/v1/namespace/team-c')).status).toBe(404)
  })

  it.for([
    ['PUT', '/v1/namespace', { Name: 'a b' }, 'invalid name "a b"'],
    ['PUT', '/v1/namespace/a', { Name: 'b' }, 'Namespace name does not match request path'],
    ['DELETE', '/v1/namespace/default', {}, 'default namespace can not be deleted'],
    ['DELETE', '/v1/namespace/nope', {}, 'namespace "nope" does not exist'],
  ] as const)('%s %s %j is refused: %s', async ([method, path, body, text]) => {
    expect((await call(start().server, method, path, { body })).text).toContain(text)
  })
})

describe('about the cluster', () => {
  it.for([
    ['/v1/namespaces', [{ Name: 'default' }]],
    ['/v1/nodes', [{ Name: 'alpha' }, { Name: 'beta' }, { Name: 'gamma' }]],
    ['/v1/namespace/default', { Name: 'default', Description: 'Default shared namespace' }],
    ['/v1/agent/self', { member: { Status: 'alive' } }],
    ['/v1/regions', ['global']],
    ['/v1/evaluations', []],
  ] as const)('%s', async ([path, expected]) => {
    const answer = await start().get(path)
    expect([answer.status, answer.json]).toMatchObject([200, expected])
  })

  it('names a leader', async () => {
    expect((await start().get('/v1/status/leader')).json).toBe('127.0.0.1:4647')
  })

  it.for([
    [`/v1/evaluation/${absent}`, 'eval not found'],
    [`/v1/allocation/${absent}`, 'alloc not found'],
    [`/v1/deployment/${absent}`, 'deployment not found'],
    [`/v1/node/${absent}`, 'node not found'],
    ['/v1/namespace/nope', 'Namespace not found'],
    ['/v1/node/pool/nope', 'node pool not found'],
    ['/v1/scaling/policy/', 'policy not found'],
    ['/v1/scaling/policy/nope', 'policy not found'],
    ['/v1/volumes', "the local server of tug doesn't serve GET /v1/volumes"],
    ['/v1/search/fuzzy', "the local server of tug doesn't serve GET /v1/search/fuzzy"],
  ] as const)('%s is a 404: %s', async ([path, text]) => {
    const answer = await start().get(path)
    expect([answer.status, answer.text]).toEqual([404, text])
  })

  it.for([
    ['GET', '/v1/evaluation/nope', 'eval'],
    ['GET', '/v1/allocation/nope', 'alloc'],
    ['GET', '/v1/allocation/nope/services', 'alloc'],
    ['GET', '/v1/deployment/nope', 'deployment'],
    ['GET', '/v1/node/nope', 'node'],
    ['PUT', '/v1/deployment/fail/nope', 'deployment'],
  ] as const)('%s %s is no UUID', async ([method, path, noun]) => {
    const answer = await call(start().server, method, path, method === 'GET' ? {} : { body: {} })
    const text = `${noun} lookup failed: index error: UUID must be 36 characters`
    expect([answer.status, answer.text]).toEqual([500, text])
  })

  it('lists evaluations oldest first, by pages, filter, job and status, and with what they are related to', async () => {
    const { get, register } = start()
    await register(web)
    await register({ ...web, ID: 'huge', TaskGroups: [{ Name: 'app', Count: 1, Tasks: [large] }] })
    const list = async (query: string) => listOf(await get(`/v1/evaluations?${query}`))
    const all = await list('')
    const order = all.map((evaluation) => Number(evaluation['CreateIndex']))
    expect(order).toEqual(order.toSorted((left, right) => left - right))
    const first = await get('/v1/evaluations?per_page=2')
    const token = String(first.headers['x-nomad-nexttoken'])
    expect([...listOf(first), ...(await list(`next_token=${token}`))]).toEqual(all)
    expect(await list('reverse=true')).toEqual(all.toReversed())
    const jobs = (evaluations: JsonObject[]) => evaluations.map(({ JobID: id, Status: status }) => [id, status])
    expect(jobs(await list('job=huge&status=blocked'))).toEqual([['huge', 'blocked']])
    const filter = encodeURIComponent('JobID == "huge" and BlockedEval != ""')
    const [cause] = await list(`filter=${filter}`)
    expect(cause).toMatchObject({ JobID: 'huge', Status: 'complete' })
    expect((await get('/v1/evaluations?filter=x%20=')).status).toBe(400)
    const whole = objectOf(await get(`/v1/evaluation/${String(cause?.['ID'])}?related=true`))
    expect(whole['RelatedEvals']).toMatchObject([{ ID: cause?.['BlockedEval'], Status: 'blocked' }])
  })

  it('finds evaluations by prefix', async () => {
    const { get, register } = start()
    const { EvalID: id } = await register(web)
    const found = listOf(await get(`/v1/evaluations?prefix=${String(id).slice(0, 8)}`))
    expect(found.map((evaluation) => evaluation['ID'])).toEqual([id])
  })
})
