import type { ServerResponse } from 'node:http'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { loadTransport } from '../../src/http/transport-loader.ts'
import { createUndiciTransport } from '../../src/http/transport-undici.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { plainGet, textOf } from './back-ends.ts'
import { serveProxy } from './socket-server.ts'

vi.mock(import('../../src/http/transport-undici.ts'), async (original) => {
  const { createUndiciTransport: create } = await original()
  return { createUndiciTransport: vi.fn(create) }
})

const loads = vi.mocked(createUndiciTransport)

afterEach(() => void loads.mockClear())

/** A transport from the loader; `send` returns the response's text. */
async function open(origin: string, proxy?: string) {
  const transport = await loadTransport({ tls: {}, proxy, socketPath: undefined, connectTimeout: 10_000 })
  onTestFinished(() => transport.close())
  const ask = () => transport.exchange({ ...plainGet, origin })
  return { ask, send: async () => textOf(await ask()) }
}

test("sequential requests don't load undici, even if they fail", async () => {
  const { origin } = await serve((_, response, count) => void (count === 2 ? response.destroy() : response.end('ok')))
  const { send } = await open(origin)
  expect(await send()).toBe('ok')
  await expect(send()).rejects.toThrow(Error)
  expect(await send()).toBe('ok')
  expect(loads).not.toHaveBeenCalled()
})

test('the first concurrent request loads undici, once', async () => {
  const waiting: ServerResponse[] = []
  const { origin } = await serve((_, response) => {
    if (waiting.push(response) === 8) for (const one of waiting) one.end('ok')
    if (waiting.length > 8) response.end('later')
  })
  const { send } = await open(origin)
  expect(await Promise.all(Array.from({ length: 8 }, send))).toEqual(Array.from({ length: 8 }, () => 'ok'))
  expect(await send()).toBe('later')
  expect(loads).toHaveBeenCalledTimes(1)
})

test('a response counts as in progress until its body is read', async () => {
  const { origin } = await serve((_, response) => response.end('ok'))
  const { ask, send } = await open(origin)
  const answer = await ask()
  expect(loads).not.toHaveBeenCalled()
  expect(await send()).toBe('ok')
  expect(loads).toHaveBeenCalledTimes(1)
  expect(await textOf(answer)).toBe('ok')
})

test('a proxy needs undici', async () => {
  const { origin } = await serve((_, response) => response.end('ok'))
  const proxy = await serveProxy()
  const { send } = await open(origin, proxy.origin)
  expect(await send()).toBe('ok')
  expect(proxy.asked).toHaveLength(1)
  expect(loads).toHaveBeenCalledTimes(1)
})

test('a closed transport sends nothing and loads nothing', async () => {
  const { origin, seen } = await serve((_, response) => response.end('ok'))
  const transport = await loadTransport({ tls: {}, proxy: undefined, socketPath: undefined, connectTimeout: 10_000 })
  const answer = await transport.exchange({ ...plainGet, origin })
  await transport.close()
  await expect(transport.exchange({ ...plainGet, origin })).rejects.toThrow('cut off by the end')
  await expect(textOf(answer)).resolves.toBe('ok')
  expect(seen).toHaveLength(1)
  expect(loads).not.toHaveBeenCalled()
})

test('a walk over many folders uses both transports and misses nothing', async () => {
  const folders = Array.from({ length: 40 }, (_, index) => `folder-${String(index).padStart(2, '0')}/`)
  const { env, seen } = await serve(({ url }, response) => {
    const keys = /metadata\/?\?/.test(url) ? folders : ['a', 'b']
    json(response, 200, JSON.stringify({ data: { keys } }))
  })
  const { exit, stdout, stderr } = await tug('kv tree -o name', { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout).toBe(folders.map((folder) => `${folder}a\n${folder}b\n`).join(''))
  expect(new Set(seen.map(({ url }) => url)).size).toBe(41)
  expect(seen).toHaveLength(41)
  expect(loads).toHaveBeenCalledTimes(1)
})
