import type { Transport, TransportOptions } from './transport.ts'
import { createNodeTransport } from './transport-node.ts'

/**
 * The transport that suits: undici where a proxy applies; else Node's own client, which is ready sooner, until
 * an exchange begins while another one is under way: undici, which is faster at many, takes that one and all after it.
 */
export async function loadTransport(options: TransportOptions): Promise<Transport> {
  if (options.proxy !== undefined) return loadUndici(options)
  const single = createNodeTransport(options)
  let many: Promise<Transport> | undefined
  let underWay = 0
  let closed = false

  /** What closing cuts off is no broken connection: it is not to be tried again. */
  function cutOff(error?: unknown): unknown {
    return closed ? new Error('cut off by the end') : error
  }

  async function* counted(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      throw cutOff(error)
    } finally {
      underWay -= 1
    }
  }

  return {
    async exchange(exchange) {
      if (closed) throw cutOff()
      if (underWay > 0) many ??= loadUndici(options)
      if (many !== undefined) return (await many).exchange(exchange)
      underWay += 1
      try {
        const answer = await single.exchange(exchange)
        return { ...answer, body: counted(answer.body) }
      } catch (error) {
        underWay -= 1
        throw cutOff(error)
      }
    },
    async close() {
      closed = true
      await single.close()
      await (await many)?.close()
    },
  }
}

/**
 * On the V8 of Node 20 the WebAssembly parser of undici would be compiled in the background until after the last answer and
 * hold the process for some 90 ms at its end; the baseline compiler is enough.
 */
async function loadUndici(options: TransportOptions): Promise<Transport> {
  if (process.versions.v8.startsWith('11.')) (await import('node:v8')).setFlagsFromString('--liftoff-only')
  const { createUndiciTransport } = await import('./transport-undici.ts')
  return createUndiciTransport(options)
}
