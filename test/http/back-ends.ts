import { onTestFinished } from 'vitest'
import { readWhole } from '../../src/http/response.ts'
import { createNodeTransport } from '../../src/http/transport-node.ts'
import { createUndiciTransport } from '../../src/http/transport-undici.ts'
import type { Answer, Exchange, Transport, TransportOptions } from '../../src/http/transport.ts'

/** The two transports, which must behave alike. */
export const backEnds = ['node', 'undici'] as const

export type BackEnd = (typeof backEnds)[number]

/** Creates the given kind of transport, whatever the loader would choose. */
export async function createTransport(kind: BackEnd, options: Partial<TransportOptions> = {}): Promise<Transport> {
  const whole = { tls: {}, proxy: undefined, socketPath: undefined, connectTimeout: 10_000, ...options }
  return kind === 'node' ? createNodeTransport(whole) : createUndiciTransport(whole)
}

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
export async function openTransport(kind: BackEnd, origin: string, options: Partial<TransportOptions> = {}) {
  const transport = await createTransport(kind, options)
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
