import { createNodeTransport } from '../../src/http/transport-node.ts'
import { createUndiciTransport } from '../../src/http/transport-undici.ts'
import type { Transport, TransportOptions } from '../../src/http/transport.ts'

/** The two transports. What is true of one must be true of the other. */
export const backEnds = ['node', 'undici'] as const

export type BackEnd = (typeof backEnds)[number]

/** Makes a transport of the kind asked for, whatever the loader would choose. */
export async function createTransport(kind: BackEnd, options: Partial<TransportOptions> = {}): Promise<Transport> {
  const whole = { tls: {}, proxy: undefined, socketPath: undefined, connectTimeout: 10_000, ...options }
  return kind === 'node' ? createNodeTransport(whole) : createUndiciTransport(whole)
}
