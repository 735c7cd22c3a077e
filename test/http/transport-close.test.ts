import { expect, test } from 'vitest'
import { isBrokenConnection } from '../../src/http/network-failure.ts'
import { loadTransport } from '../../src/http/transport-loader.ts'
import { serve } from '../support/serve.ts'

test('a request that closing cuts off is not retried as a broken connection', async () => {
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  const { origin } = await serve(() => arrived())
  const transport = await loadTransport({ tls: {}, proxy: undefined, socketPath: undefined, connectTimeout: 10_000 })
  const pending = transport.exchange({
    method: 'GET',
    origin,
    socketPath: undefined,
    target: '/',
    headers: {},
    body: undefined,
    headersTimeout: 0,
    bodyTimeout: 0,
    signal: new AbortController().signal,
  })
  const failure = pending.catch((error: unknown) => error)
  await arrival
  await transport.close()
  expect(await failure).toBeInstanceOf(Error)
  expect(isBrokenConnection(await failure)).toBe(false)
})
