import { usageError, type TugError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Dialect, Service } from '../core/service.ts'
import type { ServiceName } from '../core/request.ts'
import { commandLine, withoutFlag } from '../core/shell.ts'

/** Keeps requests that rely on a name of the neutral dialect from a product, which would ignore that name. */
export interface DialectGuard {
  answered(headers: Readonly<Record<string, string>>): void
  /** Throws a usage error if the answers so far were a product's. */
  check(request: HttpRequest): void
}

/** A guard for the requests of one client; it lets everything pass in the products' dialect. */
export function createDialectGuard(service: Service, dialect: Dialect, targetFlags: readonly string[]): DialectGuard {
  let product: string | undefined
  return {
    answered(headers) {
      product ??= productBehind(service, dialect, headers)
    },
    check({ neutralOnly }) {
      if (product === undefined || neutralOnly === undefined) return
      throw ignoredByProduct(product, neutralOnly, service.name, targetFlags)
    },
  }
}

/** The product that an answer to a request in the neutral dialect gives away; undefined in the products' own. */
function productBehind(
  service: Service,
  dialect: Dialect,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  return dialect === 'neutral' && service.shown(headers) === 'hashicorp' ? service.product : undefined
}

/** What to do where a product answers to the neutral dialect. */
export function dialectRemedy(service: ServiceName, targetFlags: readonly string[]): string {
  const login = commandLine(withoutFlag(targetFlags, '--dialect'), `login ${service}`)
  return `add --dialect auto, or run ${login}`
}

/** The error for something of the neutral dialect that a product would silently ignore. */
export function ignoredByProduct(
  product: string,
  what: string,
  service: ServiceName,
  targetFlags: readonly string[],
): TugError {
  const remedy = dialectRemedy(service, targetFlags)
  return usageError(`${product} answers there, and it ignores ${what} of the neutral dialect`, remedy)
}
