import type { Address } from '../../src/core/address.ts'
import type { Service } from '../../src/core/service.ts'
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
