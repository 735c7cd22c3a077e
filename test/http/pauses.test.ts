import { expect, test } from 'vitest'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { openPipe } from '../../src/http/pipe.ts'
import type { Answer, Exchange } from '../../src/http/transport.ts'
import { hereOf, targetOf } from '../support/target.ts'

/** A client whose requests are answered with these statuses, and then with success; its waits end when the test says so. */
function clientOf(statuses: number[], headers: Record<string, string>) {
  let clock = 0
  const notes: string[] = []
  const exchanges: Exchange[] = []
  const waits: { readonly milliseconds: number; readonly end: () => void }[] = []
  const sleep = (milliseconds: number) =>
    new Promise<void>((end) =>
      waits.push({
        milliseconds,
        end: () => {
          clock += milliseconds
          end()
        },
      }),
    )
  async function* body() {
    yield Buffer.from('{}')
  }
  const exchange = async (exchanged: Exchange): Promise<Answer> => {
    exchanges.push(exchanged)
    const status = statuses.shift() ?? 200
    return { status, headers: status === 200 ? {} : headers, hasEnd: true, body: body() }
  }
  const target = targetOf(schedulerService, { origin: 'http://127.0.0.1:1' }, undefined)
  const client = openPipe(
    hereOf(target, exchange, { sleep, monotonic: () => clock, random: () => 0, note: (line) => void notes.push(line) }),
  )
  return { client, notes, waits, exchanges }
}

/** Lets everything run that can run. */
async function settle() {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve()
}

test.each([
  [429, { 'retry-after': '3' }],
  [503, {}],
])('requests that wait at the same time say so once, and are all sent again: %i', async (status, headers) => {
  const { client, notes, waits } = clientOf([status, status, status, status], headers)
  const all = Promise.all(
    Array.from({ length: 6 }, async () => (await client.send({ method: 'GET', path: '/v1/jobs' })).status),
  )
  await settle()
  expect(notes).toHaveLength(1)
  for (let turn = 0; turn < 20 && waits.length > 0; turn += 1) {
    waits.splice(0).forEach(({ end }) => end())
    await settle()
  }
  expect(await all).toEqual([200, 200, 200, 200, 200, 200])
  expect(notes).toHaveLength(1)
})

test('a quota that is used up for days holds the next request back for no longer than --timeout', async () => {
  const { client, waits } = clientOf([404], { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999' })
  const ask = (allow: number[]) => client.send({ method: 'GET', path: '/v1/jobs', allow })
  expect((await ask([404])).status).toBe(404)
  void ask([])
  await settle()
  expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([60_000])
  waits[0]?.end()
  await settle()
})
