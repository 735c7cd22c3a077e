import type { DevClock } from '../http.ts'
import type { KvEngines } from '../secrets/engine.ts'
import { createKv } from './engine.ts'
import { demoStore } from './seed.ts'
import { KvStore } from './store.ts'
import { createKvVersion1 } from './version1.ts'

/** Makes key-value engines with and without versions. */
export function kvEngines(clock: DevClock): KvEngines {
  return {
    versioned(content = []) {
      if (content === 'demo') return createKv(demoStore(clock))
      const store = new KvStore(clock)
      for (const [path, data] of content) store.write(path, data, 'key overrides')
      return createKv(store)
    },
    plain: () => createKvVersion1(new Map()),
  }
}
