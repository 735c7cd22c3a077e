import type { EndpointFacts } from '../core/endpoint.ts'
import type { ServiceName } from '../core/request.ts'
import type { Program } from './catalogue.ts'
import { commandsOf } from './catalogue.ts'

/** An endpoint with the command that is for it. */
export interface CoveredEndpoint extends EndpointFacts {
  readonly service: ServiceName | undefined
  readonly command: string
}

/** Every endpoint once; of the commands that call it, the one that is for it: the one that calls the fewest. */
export function coverageOf({ entries }: Program): CoveredEndpoint[] {
  const found = new Map<string, CoveredEndpoint & { calls: number }>()
  for (const loaded of entries) {
    for (const [words, { endpoints }] of commandsOf(loaded)) {
      for (const endpoint of endpoints) {
        const key = `${loaded.entry.name} ${endpoint.method} ${endpoint.path.replace(/\{\w+\}/g, '{}')}`
        const known = found.get(key)
        if (known !== undefined && known.calls <= endpoints.length) continue
        found.set(key, { ...endpoint, service: loaded.entry.service, command: words, calls: endpoints.length })
      }
    }
  }
  return [...found.values()]
}
