import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { credentials } from '../../support/credentials.ts'
import { demoTokens } from '../../../src/dev/jobs/api/tokens.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, requestOf } from './calls.ts'

const service = createJobs({ clock: new FakeClock(), seed: true, tokens: demoTokens(credentials.scheduler) })
const server = createServer().on('upgrade', (message, socket, head) => {
  const headers = message.headers as Record<string, string>
  service.upgrade?.(requestOf('GET', message.url ?? '', { headers }), message, socket, head)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo

afterAll(async () => {
  await service.close()
  server.close()
})

/** The frames of a session, and how it was closed. */
async function session(token: string, alloc: string, action: string) {
  const query = new URLSearchParams({ action, task: 'srv', allocID: alloc })
  const headers = { 'x-nomad-token': token }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/job/web/action?${query.toString()}`, { headers })
  const frames: Record<string, unknown>[] = []
  socket.on('open', () => socket.send('{"stdin":{"close":true}}'))
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Record<string, unknown>))
  const reason = await new Promise<string>((resolve) => socket.on('close', (_, text) => resolve(text.toString())))
  return { frames, reason }
}

async function runningAllocation(): Promise<string> {
  const headers = { 'x-nomad-token': credentials.scheduler.token }
  const found = listOf(await call(service, 'GET', '/v1/job/web/allocations', { headers }))
  return String(found.find((item) => item['ClientStatus'] === 'running' && item['TaskGroup'] === 'app')?.['ID'])
}

it('runs an action of a demo job', async () => {
  const { frames } = await session(credentials.scheduler.token, await runningAllocation(), 'hello')
  const output = frames.map((frame) => (frame['stdout'] as { data?: string } | undefined)?.data ?? '')
  expect(Buffer.from(output.join(''), 'base64').toString()).toBe('hello from srv\n')
  expect(frames.at(-1)).toEqual({ exited: true, result: {} })
})

it('refuses a token that may only read', async () => {
  const { frames, reason } = await session(credentials.scheduler.limitedToken, await runningAllocation(), 'hello')
  expect([frames, reason]).toEqual([[], 'Permission denied'])
})
