import { expect, it } from 'vitest'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf } from './calls.ts'

const web = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'main', Driver: 'mock' }] }] }

async function start() {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  await call(server, 'POST', '/v1/jobs', { body: { Job: web } })
  clock.advance(3000)
  const index = async (path: string) => Number((await call(server, 'GET', path)).headers['x-nomad-index'])
  return { clock, server, index }
}

/** What a promise came to so far. */
async function settled<T>(promise: Promise<T>): Promise<T | 'waiting'> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  return Promise.race([promise, Promise.resolve('waiting' as const)])
}

it('holds a read until what it reads changes', async () => {
  const { server, index } = await start()
  const path = '/v1/job/web/allocations'
  const waiting = call(server, 'GET', `${path}?index=${await index(path)}&wait=30s`)
  expect(await settled(waiting)).toBe('waiting')
  await call(server, 'POST', '/v1/job/web/stable', { body: { JobID: 'web', JobVersion: 0, Stable: false } })
  expect(await settled(waiting)).toBe('waiting')
  await call(server, 'POST', '/v1/job/web/scale', { body: { Count: 2, Target: { Group: 'app' }, Message: 'more' } })
  expect(listOf(await waiting)).toHaveLength(2)
})

it('wakes for each step of an allocation', async () => {
  const { clock, server, index } = await start()
  const path = '/v1/job/web/allocations'
  await call(server, 'POST', '/v1/job/web/scale', { body: { Count: 2, Target: { Group: 'app' }, Message: 'more' } })
  const waiting = call(server, 'GET', `${path}?index=${await index(path)}`)
  expect(await settled(waiting)).toBe('waiting')
  clock.advance(300)
  expect(listOf(await waiting).map((alloc) => alloc['ClientStatus'])).toEqual(['running', 'running'])
})

it('answers with what there is when the wait is over, at most a sixteenth late', async () => {
  const { clock, server, index } = await start()
  const present = await index('/v1/job/web')
  const waiting = call(server, 'GET', `/v1/job/web?index=${present}&wait=16s`)
  clock.advance(15_999)
  expect(await settled(waiting)).toBe('waiting')
  clock.advance(1001)
  expect((await waiting).headers['x-nomad-index']).toBe(String(present))
})

it('waits five minutes at most, and when nothing is asked', async () => {
  const { clock, server } = await start()
  const asked = call(server, 'GET', '/v1/job/web?index=100000&wait=1h')
  const bare = call(server, 'GET', '/v1/job/web?index=100000')
  clock.advance(299_999)
  expect(await settled(asked)).toBe('waiting')
  expect(await settled(bare)).toBe('waiting')
  clock.advance(18_751)
  expect([(await asked).status, (await bare).status]).toEqual([200, 200])
})

it('stops waiting when the client disconnects or the server closes', async () => {
  const { server } = await start()
  const client = new AbortController()
  const left = call(server, 'GET', '/v1/jobs?index=100000', { signal: client.signal })
  const stayed = call(server, 'GET', '/v1/jobs?index=100000')
  client.abort()
  expect((await left).status).toBe(200)
  expect(await settled(stayed)).toBe('waiting')
  await server.close()
  expect((await stayed).status).toBe(200)
})

it('does not wait for actions, which have no index', async () => {
  const { server } = await start()
  const answer = await call(server, 'GET', '/v1/job/web/actions?index=100000&wait=5m')
  expect(answer.headers['x-nomad-index']).toBe('0')
})
