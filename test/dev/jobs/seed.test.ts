import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { credentials } from '../../support/credentials.ts'
import { demoTokens } from '../../../src/dev/jobs/api/tokens.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { webSource, webVersions } from '../../../src/dev/jobs/seed/jobs.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

describe('the demo jobs', () => {
  const demo = (clock: FakeClock) => createJobs({ clock, seed: true, tokens: demoTokens(credentials.scheduler) })
  const server = demo(new FakeClock())
  const headers = { 'x-scheduler-token': credentials.scheduler.token }
  const get = (path: string, from = server) => call(from, 'GET', path, { headers })
  afterAll(() => server.close())

  it('are there at once, each in its own state', async () => {
    const jobs = listOf(await get('/v1/jobs?namespace=*'))
    const states = jobs.map((job) => [String(job['ID']).replace(/\d{10}/, '*'), job['Type'], job['Status']])
    expect(states).toEqual([
      ['api', 'service', 'running'],
      ['batch-broken', 'batch', 'dead'],
      ['batch-report', 'batch', 'dead'],
      ['café', 'service', 'running'],
      ['cleanup', 'batch', 'running'],
      ['cleanup/periodic-*', 'batch', 'dead'],
      ['legacy', 'service', 'dead'],
      ['nightly', 'batch', 'running'],
      ['nightly/dispatch-*-b2c4d6e8', 'batch', 'dead'],
      ['nightly/dispatch-*-0f1e2d3c', 'batch', 'dead'],
      ['stuck', 'service', 'pending'],
      ['team-a/site', 'service', 'running'],
      ['web', 'service', 'running'],
      ['audit', 'batch', 'dead'],
    ])
  })

  it('have a past: versions, deployments and sources', async () => {
    const { Versions: versions } = objectOf(await get('/v1/job/web/versions')) as { Versions: JsonObject[] }
    expect(versions.map((version) => [version['Version'], version['Stable']])).toEqual([
      [3, true],
      [2, true],
      [1, true],
      [0, true],
    ])
    const submission = objectOf(await get('/v1/job/web/submission?version=1'))
    expect(submission['Source']).toContain('web:1f1')
    const deployments = listOf(await get('/v1/job/web/deployments'))
    expect(deployments.map((deployment) => deployment['Status'])).toEqual(Array.from({ length: 4 }, () => 'successful'))
    expect(listOf(await get('/v1/job/web/services'))).toHaveLength(3)
    const actions = listOf(await get('/v1/job/web/actions')).map((action) => action['Name'])
    expect(actions).toEqual(['hello', 'migrate', 'flush', 'check'])
  })

  it('lead up to examples/web.hcl, which differs in three lines', () => {
    const example = readFileSync(new URL('../../../examples/web.hcl', import.meta.url), 'utf8')
    const next = example.slice(example.indexOf('variable')).split('\n')
    const present = webSource(webVersions[3]).split('\n')
    expect(next).toHaveLength(present.length)
    expect(next.filter((line, place) => line !== present[place]).map((line) => line.trim())).toEqual([
      'image = "web:1f3"',
      'DB_POOL     = "10"',
      'workers   = 4',
    ])
  })

  it('go on by the clock: the periodic job launches a child the next night', async () => {
    const clock = new FakeClock()
    const own = demo(clock)
    const before = listOf(await get('/v1/jobs?prefix=cleanup/', own)).length
    clock.advance(24 * 3_600_000)
    expect(listOf(await get('/v1/jobs?prefix=cleanup/', own))).toHaveLength(before + 1)
    await own.close()
  })

  it('are shown only to those who may see them', async () => {
    expect((await call(server, 'GET', '/v1/jobs')).status).toBe(403)
    const limited = { authorization: `Bearer ${credentials.scheduler.limitedToken}` }
    expect((await call(server, 'GET', '/v1/jobs', { headers: limited })).status).toBe(200)
    expect((await call(server, 'GET', '/v1/jobs?namespace=team-b', { headers: limited })).status).toBe(403)
    expect((await call(server, 'DELETE', '/v1/job/web', { headers: limited })).status).toBe(403)
  })
})
