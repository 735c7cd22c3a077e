import { expect, it } from 'vitest'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { demoTokens } from '../../../src/dev/jobs/api/tokens.ts'
import { FakeClock, call, objectOf } from './calls.ts'

const clock = new FakeClock()
const server = createJobs({ clock, tokens: demoTokens({ token: 'all', limitedToken: 'limited' }) })
const task = { Name: 'main', Driver: 'mock' }
const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [task] }] }

function as(token: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { 'x-nomad-token': token }
    return call(server, method, path, {
      headers,
      ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) }),
    })
  }
}

const registered = await as('all')('POST', '/v1/jobs', { Job: job })

it('lets one token do everything, and stamps its accessor into jobs', async () => {
  expect(registered.status).toBe(200)
  const stored = objectOf(await as('all')('GET', '/v1/job/web'))
  expect(stored['NomadTokenID']).toMatch(/^5eedacce-/)
})

it('plans an unchanged service as a change in place, since only a registration stamps the accessor', async () => {
  clock.advance(2000)
  const plan = objectOf(await as('all')('POST', '/v1/job/web/plan', { Job: job, Diff: true }))
  expect(plan).toMatchObject({
    Annotations: { DesiredTGUpdates: { app: { InPlaceUpdate: 1, Ignore: 0, DestructiveUpdate: 0 } } },
    Diff: { Type: 'None' },
  })
})

it.each([
  ['GET', '/v1/jobs', 200],
  ['GET', '/v1/jobs?namespace=*', 200],
  ['GET', '/v1/jobs?namespace=team-b', 403],
  ['GET', '/v1/job/web/allocations', 200],
  ['POST', '/v1/job/web/evaluate', 403],
  ['DELETE', '/v1/job/web', 403],
  ['POST', '/v1/jobs/parse', 403],
  ['PUT', '/v1/deployment/promote/x', 403],
] as const)('answers %s %s of the token that reads with %s', async (method, path, status) => {
  const body = method === 'GET' || method === 'DELETE' ? undefined : { JobHCL: 'job "x" {}', JobID: 'web' }
  expect((await as('limited')(method, path, body)).status).toBe(status)
})

it('refuses other tokens', async () => {
  expect((await as('other')('GET', '/v1/jobs')).status).toBe(403)
  expect((await as('')('GET', '/v1/job/web')).status).toBe(403)
})
