import { expect, test, vi } from 'vitest'
import { openTransport, textOf } from './open-transport.ts'
import { serveRaw } from './raw-server.ts'

const lookups = vi.hoisted(() => ({ count: 0, failing: 0 }))

vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    lookups.count += 1
    if (lookups.failing-- > 0) throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' })
    return [{ address: '127.0.0.1', family: 4 }]
  },
}))

test('a name is looked up once, and again only after a failure', async () => {
  // A connection for each request.
  const { origin } = await serveRaw((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'),
  )
  const { send } = openTransport(origin.replace('127.0.0.1', 'service.test'))
  lookups.failing = 1
  await expect(send()).rejects.toMatchObject({ code: 'EAI_AGAIN' })
  expect(await textOf(await send())).toBe('ok')
  expect(await textOf(await send())).toBe('ok')
  expect(lookups.count).toBe(2)
})
