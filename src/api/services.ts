import type { Service, ServiceName } from '../core/service.ts'

/** Each service is loaded on first use. */
const services: Readonly<Record<ServiceName, () => Promise<Service>>> = {
  explorer: async () => (await import('./explorer-service.ts')).explorerService,
  secrets: async () => (await import('./secrets-service.ts')).secretsService,
  scheduler: async () => (await import('./scheduler-service.ts')).schedulerService,
}

/** A service by its name. */
export async function serviceNamed(name: ServiceName): Promise<Service> {
  return services[name]()
}
