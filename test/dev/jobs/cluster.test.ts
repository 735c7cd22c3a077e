import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createJobs, type JobsOptions } from '../../../src/dev/jobs/service.ts'
import { demoNodes } from '../../../src/dev/jobs/seed/nodes.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

/** What official clients look up beside jobs: scaling policies, node pools, and IDs by prefix. */

const task = { Name: 'main', Driver: 'mock', Resources: { CPU: 200, MemoryMB: 64 } }
const scaling = { Max: 5, Min: 1, Policy: { cooldown: '1m' } }

function jobOf(id: string, group: JsonObject = {}): JsonObject {
  return { ID: id, Datacenters: ['dc1'], TaskGroups: [{ Name: 'app', Count: 1, Tasks: [task], ...group }] }
}

function start(options: Partial<JobsOptions> = {}, token = '') {
  const server = createJobs({ clock: new FakeClock(), ...options })
  const headers: Record<string, string> = token === '' ? {} : { 'x-nomad-token': token }
  const get = (path: string) => call(server, 'GET', path, { headers })
  const put = (path: string, body: Json) => call(server, 'PUT', path, { body, headers })
  const register = (job: JsonObject) => put('/v1/jobs', { Job: job })
  const search = async (prefix: string, context: string, query = '') =>
    put(`/v1/search${query}`, { Prefix: prefix, Context: context })
  return { server, get, put, register, search }
}

const tokens = new Map([
  ['root', { accessor: 'a', capabilities: 'management' as const }],
  ['reader', { accessor: 'b', capabilities: { default: ['list-jobs', 'read-job'] } }],
  ['scaler', { accessor: 'c', capabilities: { default: ['scale-job'] } }],
])

describe('GET /v1/scaling/policies', () => {
  it('lists the policies of groups, and each can be read', async () => {
    const { get, register } = start()
    const empty = await get('/v1/scaling/policies')
    expect([empty.json, empty.headers['x-nomad-index']]).toEqual([[], '1'])
    await register(jobOf('web', { Scaling: scaling }))
    await register(jobOf('plain'))
    const [stub, ...others] = listOf(await get('/v1/scaling/policies'))
    expect(others).toEqual([])
    const target = { Namespace: 'default', Job: 'web', Group: 'app' }
    expect(stub).toEqual({
      ID: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      Enabled: true,
      Type: 'horizontal',
      Target: target,
      CreateIndex: expect.any(Number) as number,
      ModifyIndex: stub?.['CreateIndex'],
    })
    const policy = await get(`/v1/scaling/policy/${String(stub?.['ID'])}`)
    expect(policy.headers['x-nomad-index']).toBe(String(stub?.['ModifyIndex']))
    expect(objectOf(policy)).toMatchObject({ ID: stub?.['ID'], ...scaling, Enabled: true, Target: target })
  })

  it('a policy keeps its ID while its group has one, and its index tells of changes', async () => {
    const { server, get, put, register } = start()
    const policies = async () => listOf(await get('/v1/scaling/policies'))
    await register(jobOf('web', { Scaling: scaling }))
    const [first] = await policies()
    await put('/v1/job/web/scale', { Count: 2, Target: { Group: 'app' } })
    expect(await policies()).toEqual([first])
    await register(jobOf('web', { Scaling: { ...scaling, Max: 9 } }))
    const [changed] = await policies()
    expect(changed).toEqual({ ...first, ModifyIndex: changed?.['ModifyIndex'] })
    expect(Number(changed?.['ModifyIndex'])).toBeGreaterThan(Number(first?.['ModifyIndex']))
    await call(server, 'DELETE', '/v1/job/web')
    expect(await policies()).toMatchObject([{ ID: first?.['ID'], Enabled: false }])
    await register(jobOf('web'))
    expect(await policies()).toEqual([])
    await register(jobOf('web', { Scaling: scaling }))
    expect((await policies())[0]?.['ID']).not.toBe(first?.['ID'])
  })

  it('finds them by job, type and prefix', async () => {
    const { get, register } = start()
    for (const id of ['one', 'two']) await register(jobOf(id, { Scaling: scaling }))
    const jobs = async (query: string) =>
      listOf(await get(`/v1/scaling/policies?${query}`)).map(({ Target: target }) => (target as JsonObject)['Job'])
    expect(await jobs('job=two')).toEqual(['two'])
    expect((await jobs('type=horizontal')).length).toBe(2)
    expect(await jobs('type=vertical')).toEqual([])
    const [first] = listOf(await get('/v1/scaling/policies?job=one'))
    expect(await jobs(`prefix=${String(first?.['ID']).slice(0, 8)}`)).toEqual(['one'])
    expect((await jobs('namespace=*')).length).toBe(2)
  })

  it.for([
    ['reader', 200],
    ['scaler', 403],
  ] as const)('a token that is a %s gets %i', async ([token, status]) => {
    const { get } = start({ acl: true, tokens }, token)
    expect((await get('/v1/scaling/policies')).status).toBe(status)
    const missing = await get('/v1/scaling/policy/x')
    expect(missing.status).toBe(status === 200 ? 404 : status)
    if (status === 200) expect(missing.headers['x-nomad-index']).toBe('1')
  })
})

describe('GET /v1/node/pools', () => {
  const nodes = demoNodes.map((node, place) => (place === 0 ? { ...node, pool: 'gpu' } : node))

  it('lists the built-in pools and those of nodes, by pages and prefix', async () => {
    const { get } = start({ nodes })
    const names = async (query: string) => listOf(await get(`/v1/node/pools?${query}`)).map((pool) => pool['Name'])
    expect(await names('')).toEqual(['all', 'default', 'gpu'])
    expect(await names('prefix=g')).toEqual(['gpu'])
    expect(await names('reverse=true')).toEqual(['gpu', 'default', 'all'])
    const page = await get('/v1/node/pools?per_page=2')
    expect(listOf(page).map((pool) => pool['Name'])).toEqual(['all', 'default'])
    expect(page.headers['x-nomad-nexttoken']).toBe('gpu')
    expect(await names('next_token=gpu')).toEqual(['gpu'])
    expect(await names('next_token=gone')).toEqual([])
  })

  it('reads one', async () => {
    const { get } = start({ nodes })
    expect(objectOf(await get('/v1/node/pool/all'))).toMatchObject({
      Name: 'all',
      Description: 'Node pool with all nodes in the cluster.',
    })
    expect(objectOf(await get('/v1/node/pool/gpu'))).toMatchObject({ Name: 'gpu', Description: '' })
    const missing = await get('/v1/node/pool/a%2Fb')
    expect([missing.status, missing.text]).toEqual([404, 'node pool not found'])
  })
})

describe('PUT /v1/search', () => {
  it('finds jobs by prefix, also in other namespaces', async () => {
    const { put, register, search } = start()
    await put('/v1/namespace', { Name: 'team' })
    for (const id of ['web', 'website', 'api']) await register(jobOf(id))
    await register({ ...jobOf('weblog'), Namespace: 'team' })
    const found = async (prefix: string, query = '') => objectOf(await search(prefix, 'jobs', query))
    expect(await found('we')).toMatchObject({ Matches: { jobs: ['web', 'website'] }, Truncations: { jobs: false } })
    expect((await found('we', '?namespace=team'))['Matches']).toEqual({ jobs: ['weblog'] })
    expect((await found('we', '?namespace=*'))['Matches']).toEqual({ jobs: ['web', 'weblog', 'website'] })
    expect((await found('x'))['Matches']).toEqual({ jobs: null })
  })

  it('cuts after 20 and says so', async () => {
    const { register, search } = start()
    for (let n = 0; n < 20; n += 1) await register(jobOf(`job-${n}`))
    const found = async () => objectOf(await search('job-', 'jobs'))
    expect((await found())['Truncations']).toEqual({ jobs: false })
    await register(jobOf('job-last'))
    const { Matches: matches, Truncations: truncations } = await found()
    expect([((matches as JsonObject)['jobs'] as string[]).length, truncations]).toEqual([20, { jobs: true }])
  })

  it('finds everything that has a UUID by its first digits, each kind by its name', async () => {
    const { get, register, search } = start()
    await register(jobOf('web', { Scaling: scaling }))
    const kinds = [
      ['allocs', '/v1/job/web/allocations'],
      ['evals', '/v1/job/web/evaluations'],
      ['deployment', '/v1/job/web/deployments'],
      ['scaling_policy', '/v1/scaling/policies'],
      ['nodes', '/v1/nodes'],
    ] as const
    for (const [kind, path] of kinds) {
      const id = String(listOf(await get(path))[0]?.['ID'])
      expect(objectOf(await search(id.slice(0, 8), kind))['Matches']).toEqual({ [kind]: [id] })
    }
  })

  it('finds all kinds at once, but nothing with a UUID by a prefix that is part of none', async () => {
    const { register, search } = start()
    await register(jobOf('default-job'))
    const { Matches: matches, Truncations: truncations } = objectOf(await search('default', 'all'))
    const named = { jobs: ['default-job'], namespaces: ['default'], node_pools: ['default'] }
    expect(matches).toEqual({ ...named, plugins: null, vars: null, volumes: null })
    expect(Object.keys(truncations as JsonObject)).toEqual(Object.keys(matches as JsonObject))
    expect(Object.keys(objectOf(await search('de', 'all'))['Matches'] as JsonObject)).toContain('allocs')
  })

  it('refuses a kind that does not exist, and other methods', async () => {
    const { get, search } = start()
    const answer = await search('x', 'nope')
    expect(answer.status).toBe(500)
    expect(answer.text).toContain(`or 'all' for all contexts; got "nope"`)
    expect((await get('/v1/search')).status).toBe(405)
  })

  it('finds for a token what it may read', async () => {
    const { server } = start({ acl: true, tokens }, 'root')
    const headers = (token: string) => ({ headers: { 'x-nomad-token': token } })
    await call(server, 'PUT', '/v1/jobs', { body: { Job: jobOf('web') }, ...headers('root') })
    const search = (token: string, context: string) =>
      call(server, 'PUT', '/v1/search', { body: { Prefix: '', Context: context }, ...headers(token) })
    expect((await search('nobody', 'all')).status).toBe(403)
    expect((await search('scaler', 'jobs')).status).toBe(403)
    expect(objectOf(await search('reader', 'jobs'))['Matches']).toEqual({ jobs: ['web'] })
    const kinds = async (token: string) => Object.keys(objectOf(await search(token, 'all'))['Matches'] as JsonObject)
    expect(await kinds('reader')).toContain('jobs')
    expect(await kinds('scaler')).not.toContain('jobs')
  })
})
