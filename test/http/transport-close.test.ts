import { expect, test } from 'vitest'
import { isBrokenConnection } from '../../src/http/network-failure.ts'
import { createTransport } from '../../src/http/transport-node.ts'
import { serve } from '../support/serve.ts'
import { plainGet } from './open-transport.ts'

test('a request that closing cuts off is not retried as a broken connection', async () => {
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  const { origin } = await serve(() => arrived())
  const transport = createTransport({
    tls: {},
    proxy: undefined,
    socketPath: undefined,
    mostConnections: 16,
    connectTimeout: 10_000,
  })
  const pending = transport.exchange({ ...plainGet, origin })
  const failure = pending.catch((error: unknown) => error)
  await arrival
  await transport.close()
  expect(await failure).toBeInstanceOf(Error)
  expect(isBrokenConnection(await failure)).toBe(false)
})
