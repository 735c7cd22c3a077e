import type { ServiceName } from '../core/request.ts'
import type { Service } from '../core/service.ts'
import { explorerService } from './explorer-service.ts'
import { schedulerService } from './scheduler-service.ts'
import { secretsService } from './secrets-service.ts'

/** The three services, by name. */
export const services: Readonly<Record<ServiceName, Service>> = {
  explorer: explorerService,
  secrets: secretsService,
  scheduler: schedulerService,
}
