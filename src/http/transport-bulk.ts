import type { Transport, TransportOptions } from './transport.ts'

/** How many requests of bulk work `node:http` carries first: undici takes longer to load, and less time for each of many. */
const firstByNode = 500

/**
 * Node's own client, and undici's pool for bulk work after its first requests. `node20` is true there, whose V8
 * would compile undici's parser twice.
 */
export function createTransports(node: Transport, options: TransportOptions, node20: boolean): Transport {
  let count = 0
  let pool: Promise<Transport> | undefined
  return {
    async exchange(exchange) {
      if (exchange.bulk !== true || options.proxy !== undefined) return node.exchange(exchange)
      count += 1
      if (count <= firstByNode) return node.exchange(exchange)
      pool ??= openPool(options, node20)
      return (await pool).exchange(exchange)
    },
    async close() {
      await Promise.all([node.close(), pool?.then(async (transport) => transport.close())])
    },
  }
}

async function openPool(options: TransportOptions, node20: boolean): Promise<Transport> {
  const { setFlagsFromString } = await import('node:v8')
  if (node20) setFlagsFromString('--liftoff-only')
  const { createTransport } = await import('./transport-undici.ts')
  // By default garbage may take four times the memory of what is in use before it is collected.
  setFlagsFromString('--heap-growing-percent=30')
  return createTransport(options)
}
