import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { createBody } from '../../src/http/transport-node.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A body of a connection that does nothing by itself, with a second of silence allowed; timers are the test's. */
function silentBody(silence = 1000) {
  vi.useFakeTimers()
  const response = Object.assign(new EventEmitter(), { pause: () => undefined, resume: () => undefined })
  const body = createBody(response as unknown as IncomingMessage, silence, () => undefined)
  return { response, pieces: body.pieces()[Symbol.asyncIterator]() }
}

test('a body may take any time while pieces arrive within the limit, and fails once none does', async () => {
  const { response, pieces } = silentBody()
  for (let at = 0; at < 5; at += 1) {
    const next = pieces.next()
    await vi.advanceTimersByTimeAsync(900)
    response.emit('data', Uint8Array.of(at))
    expect((await next).value).toEqual(Uint8Array.of(at))
  }
  const next = pieces.next()
  const failed = expect(next).rejects.toMatchObject({ code: 'BODY_TIMEOUT' })
  await vi.advanceTimersByTimeAsync(1000)
  await failed
})

test('without a limit a connection may be silent for any time', async () => {
  const { response, pieces } = silentBody(0)
  const next = pieces.next()
  await vi.advanceTimersByTimeAsync(1e8)
  response.emit('data', Uint8Array.of(1))
  expect((await next).value).toEqual(Uint8Array.of(1))
})

test('a reader that takes its time is no silence of the connection', async () => {
  const { response, pieces } = silentBody()
  const first = pieces.next()
  response.emit('data', Uint8Array.of(1))
  await first
  await vi.advanceTimersByTimeAsync(5000)
  response.emit('data', Uint8Array.of(2))
  expect((await pieces.next()).value).toEqual(Uint8Array.of(2))
  response.emit('end')
  expect((await pieces.next()).done).toBe(true)
})

test('the connection waits while eight pieces are unread, and goes on when all are read', async () => {
  const said: string[] = []
  const response = Object.assign(new EventEmitter(), {
    pause: () => said.push('pause'),
    resume: () => said.push('resume'),
  })
  const body = createBody(response as unknown as IncomingMessage, 0, () => said.push('leave'))
  const pieces = body.pieces()[Symbol.asyncIterator]()
  const arrive = (count: number) => {
    for (let at = 0; at < count; at += 1) response.emit('data', Uint8Array.of(at))
  }
  arrive(7)
  expect(said).toEqual([])
  arrive(1)
  expect(said).toEqual(['pause'])
  for (let at = 0; at < 8; at += 1) await pieces.next()
  expect(said).toEqual(['pause'])
  const next = pieces.next()
  await new Promise((turn) => setImmediate(turn))
  expect(said).toEqual(['pause', 'resume'])
  arrive(1)
  expect((await next).value).toEqual(Uint8Array.of(0))
  response.emit('end')
  expect((await pieces.next()).done).toBe(true)
  expect(said).toEqual(['pause', 'resume'])
})
