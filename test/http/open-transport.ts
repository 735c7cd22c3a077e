import { onTestFinished } from 'vitest'
import { readWhole } from '../../src/http/response.ts'
import { createTransport } from '../../src/http/transport-node.ts'
import type { Answer, Exchange, TransportOptions } from '../../src/http/transport.ts'

/** A GET of `/` without limits. */
export const plainGet: Omit<Exchange, 'origin'> = {
  method: 'GET',
  socketPath: undefined,
  target: '/',
  headers: {},
  body: undefined,
  headersTimeout: 0,
  bodyTimeout: 0,
  signal: new AbortController().signal,
}

/** A transport that is closed when the test ends; `send` takes the differences from a plain GET. */
export function openTransport(origin: string, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({
    tls: {},
    proxy: undefined,
    socketPath: undefined,
    mostConnections: 16,
    connectTimeout: 10_000,
    ...options,
  })
  onTestFinished(() => transport.close())
  return {
    close: () => transport.close(),
    send: (exchange: Partial<Exchange> = {}) => transport.exchange({ ...plainGet, origin, ...exchange }),
  }
}

/** The whole body, one character per byte. */
export async function textOf({ body }: Answer): Promise<string> {
  return Buffer.from(await readWhole(body)).toString('latin1')
}

/** A promise's rejection; undefined if it is fulfilled. */
export async function failureOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => undefined,
    (error: unknown) => error,
  )
}
