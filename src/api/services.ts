import type { Service, ServiceName } from '../core/service.ts'

/** How each service is spoken to. A run loads only those that it talks to. */
const services: Readonly<Record<ServiceName, () => Promise<Service>>> = {
  explorer: async () => (await import('./explorer-service.ts')).explorerService,
  secrets: async () => (await import('./secrets-service.ts')).secretsService,
  scheduler: async () => (await import('./scheduler-service.ts')).schedulerService,
}

/** A service by its name. */
export async function serviceNamed(name: ServiceName): Promise<Service> {
  return services[name]()
}
