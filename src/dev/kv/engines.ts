import type { DevClock } from '../http.ts'
import type { KvEngines } from '../secrets/engine.ts'
import { createKv } from './engine.ts'
import { demoStore } from './seed.ts'
import { KvStore } from './store.ts'
import { createKvVersion1 } from './version1.ts'

/** Makes key-value engines with and without versions. */
export function kvEngines(clock: DevClock): KvEngines {
  return {
    versioned: (content) => createKv(content === 'demo' ? demoStore(clock) : new KvStore(clock)),
    plain: () => createKvVersion1(new Map()),
  }
}
