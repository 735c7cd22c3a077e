import type { EndpointFacts } from '../core/endpoint.ts'
import type { ServiceName } from '../core/request.ts'
import type { Program } from './catalogue.ts'
import { commandsOf } from './catalogue.ts'

/** An endpoint with the command that is for it. */
export interface CoveredEndpoint extends EndpointFacts {
  readonly service: ServiceName | undefined
  readonly command: string
}

/** Every endpoint with the one command that is for it, in the order of the command tree. */
export function coverageOf({ entries }: Program): CoveredEndpoint[] {
  return entries.flatMap((loaded) =>
    commandsOf(loaded).flatMap(([command, { endpoint }]) =>
      endpoint.map(({ method, path, acl, blocking, answers }) => ({
        method,
        path,
        answers,
        ...(acl === undefined ? {} : { acl }),
        ...(blocking === undefined ? {} : { blocking }),
        service: loaded.entry.service,
        command,
      })),
    ),
  )
}
