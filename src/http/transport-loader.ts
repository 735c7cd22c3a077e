import { setFlagsFromString } from 'node:v8'
import type { Transport, TransportOptions } from './transport.ts'

/**
 * Loads undici. On the V8 of Node 20 its WebAssembly parser would be compiled in the background until after the last
 * answer and hold the process for some 90 ms at its end; the baseline compiler is enough.
 */
export async function loadTransport(options: TransportOptions): Promise<Transport> {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--liftoff-only')
  const { createTransport } = await import('./transport.ts')
  return createTransport(options)
}
