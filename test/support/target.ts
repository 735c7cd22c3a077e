import type { Address } from '../../src/core/address.ts'
import { ServerClock } from '../../src/core/clock.ts'
import type { Memory } from '../../src/core/http.ts'
import type { Dialect, Service } from '../../src/core/service.ts'
import { createLimiter } from '../../src/core/limiter.ts'
import type { Here, Server } from '../../src/http/here.ts'
import { Outage } from '../../src/http/outage.ts'
import type { Transport } from '../../src/http/transport.ts'

/** A service in the neutral dialect, without TLS, proxy, namespace or flags: what a client or a dry run gets to know of it. */
export function targetOf(service: Service, address: Partial<Address>, token: string | undefined): Server {
  return {
    service,
    connection: {
      service: service.name,
      address: () => ({ origin: 'http://host', socketPath: undefined, basePath: '', ...address }),
      token: async () => token,
      tls: {},
      headers: {},
      tokenVariable: 'TUG_SECRETS_TOKEN',
      proxy: () => undefined,
    },
    dialect: 'neutral',
    namespace: undefined,
    region: undefined,
    targetFlags: [],
  }
}

/** What is known of a server that has not responded yet; the local time is 1970. */
export function memoryOf(dialect: Dialect = 'neutral'): Memory {
  const clock = new ServerClock(
    () => new Date(0),
    () => undefined,
  )
  return { dialect, hasAnswered: false, isProduct: false, clock }
}

/** What the layers of a client share. Its clock stands still, and nothing is retried in vain. */
export function hereOf(target: Server, exchange: Transport['exchange'], more: Partial<Here> = {}): Here {
  const { sleep = async () => undefined, monotonic = () => 0 } = more
  const limiter = createLimiter({ most: 16, clock: { monotonic, sleep } })
  const ignored = () => undefined
  return {
    ...target,
    memory: memoryOf(),
    route: { org: 'acme', mount: 'm' },
    readOnlyBy: undefined,
    dryRun: undefined,
    timeout: 60_000,
    connectTimeout: 5000,
    retries: 4,
    maxBody: 1e6,
    signal: new AbortController().signal,
    transport: async () => ({ exchange, close: async () => undefined }),
    retire: async () => undefined,
    userAgent: 'tug/test',
    sleep,
    pause: sleep,
    random: () => 0.5,
    monotonic,
    limiter,
    sockets: limiter,
    outage: new Outage(),
    keepsBodies: false,
    note: ignored,
    warn: ignored,
    trace: undefined,
    waiting: () => ({ end: ignored }),
    writing: ignored,
    wrote: ignored,
    ...more,
  }
}
