import { afterEach, expect, test, vi } from 'vitest'
import { createBody } from '../../src/http/body.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A body of a connection that does nothing by itself, with a second of silence allowed; timers are the test's. */
function silentBody(silence = 1000) {
  vi.useFakeTimers()
  const { body, ...source } = createBody({
    silenceTimeout: silence,
    resume: () => undefined,
    leave: () => undefined,
  })
  return { source, body, pieces: body[Symbol.asyncIterator]() }
}

test('a body may take any time while pieces arrive within the limit, and fails once none does', async () => {
  const { source, pieces } = silentBody()
  for (let at = 0; at < 5; at += 1) {
    const next = pieces.next()
    await vi.advanceTimersByTimeAsync(900)
    source.push(Uint8Array.of(at))
    expect((await next).value).toEqual(Uint8Array.of(at))
  }
  const next = pieces.next()
  const failed = expect(next).rejects.toMatchObject({ code: 'BODY_TIMEOUT' })
  await vi.advanceTimersByTimeAsync(1000)
  await failed
})

test('without a limit a connection may be silent for any time', async () => {
  const { source, pieces } = silentBody(0)
  const next = pieces.next()
  await vi.advanceTimersByTimeAsync(1e8)
  source.push(Uint8Array.of(1))
  expect((await next).value).toEqual(Uint8Array.of(1))
})

test('a reader that takes its time is no silence of the connection', async () => {
  const { source, pieces } = silentBody()
  const first = pieces.next()
  source.push(Uint8Array.of(1))
  await first
  await vi.advanceTimersByTimeAsync(5000)
  source.push(Uint8Array.of(2))
  expect((await pieces.next()).value).toEqual(Uint8Array.of(2))
  source.end()
  expect((await pieces.next()).done).toBe(true)
})

test('the connection waits while eight pieces are unread, and goes on when all are read', async () => {
  const said: string[] = []
  const { body, ...source } = createBody({
    silenceTimeout: 0,
    resume: () => said.push('resume'),
    leave: () => said.push('leave'),
  })
  const pieces = body[Symbol.asyncIterator]()
  for (let at = 0; at < 7; at += 1) expect(source.push(Uint8Array.of(at))).toBe(true)
  expect(source.push(Uint8Array.of(7))).toBe(false)
  for (let at = 0; at < 8; at += 1) await pieces.next()
  expect(said).toEqual([])
  const next = pieces.next()
  await new Promise((turn) => setImmediate(turn))
  expect(said).toEqual(['resume'])
  source.push(Uint8Array.of(0))
  expect((await next).value).toEqual(Uint8Array.of(0))
  source.end()
  expect((await pieces.next()).done).toBe(true)
  expect(said).toEqual(['resume'])
})

test('a body that has arrived can be taken at once; one that failed or is not complete cannot', () => {
  const { source, body } = silentBody()
  source.push(Uint8Array.of(1))
  expect(body.arrived?.()).toBeUndefined()
  source.end()
  expect(body.arrived?.()).toEqual([Uint8Array.of(1)])
  const { source: broken, body: truncated } = silentBody()
  broken.fail(new Error('broken'))
  broken.end()
  expect(truncated.arrived?.()).toBeUndefined()
})
