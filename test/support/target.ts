import type { Address } from '../../src/core/address.ts'
import { ServerClock } from '../../src/core/clock.ts'
import type { Memory } from '../../src/core/http.ts'
import type { Dialect, Service } from '../../src/core/service.ts'
import type { Target } from '../../src/http/client.ts'

/** A service in the neutral dialect, without TLS, proxy, namespace or flags: what a client or a dry run gets to know of it. */
export function targetOf(service: Service, address: Partial<Address>, token: string | undefined): Target {
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
