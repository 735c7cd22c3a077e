import { JsonNumber, type JsonObject } from '../../core/json.ts'
import type { DevClock } from '../http.ts'
import { KvStore } from './store.ts'

const day = 24 * 60 * 60 * 1000

/** The demo's mount `secret/`, with some history: the newest write is an hour old, the oldest forty days. */
export function demoStore(clock: DevClock): KvStore {
  let age = 0
  const store = new KvStore({ now: () => new Date(clock.now().getTime() - age) })
  const write = (daysAgo: number, path: string, data: JsonObject): void => {
    age = daysAgo * day
    store.write(path, data, 'key overrides')
  }

  for (const [index, daysAgo] of [40, 21, 9, 1 / 24].entries()) {
    const password = `demo-password-${index + 1}`
    write(daysAgo, 'app/db', { host: 'db.app.internal', port: 5432, user: 'app', password })
  }
  store.destroy('app/db', [1])
  store.delete('app/db', [2])

  write(30, 'app/api', { url: 'https://api.app.internal', token: 'demo-api-token' })
  store.getOrMake('app/api').customMetadata = new Map([
    ['owner', 'platform'],
    ['rotation', '90d'],
  ])
  write(28, 'app/cache', { host: 'cache.app.internal', port: 6379 })
  write(12, 'app/features', {
    flags: { checkout: { enabled: true, share: 0.25 }, search: { enabled: false } },
    regions: ['north', 'south'],
    // Comes back as …992: this engine passes numbers through a double.
    build: new JsonNumber('9007199254740993'),
  })

  write(20, 'team/payments/ledger', { user: 'ledger', password: 'demo-password' })
  write(18, 'team/payments/gateway/webhook', { signing_key: 'demo-signing-key' })
  write(17, 'team/search/index', { endpoint: 'https://index.search.internal', user: 'reader' })
  write(60, 'team/payments/old-gateway', { user: 'gateway', password: 'demo-password' })
  age = 3 * day
  store.delete('team/payments/old-gateway', [1])
  age = 0
  return store
}
