import type { TugError } from '../../src/core/errors.ts'
import type { FailedAnswer, Service } from '../../src/core/service.ts'
import { failureOf } from '../../src/http/failure.ts'

/** Makes the error for an answer of a service to a GET of this path: an empty one with status 500, but for what is given. */
export function failing(service: Service, path: string): (answer: Partial<FailedAnswer>) => TugError {
  return (answer) =>
    failureOf(service, {
      dialect: 'neutral',
      request: { method: 'GET', path },
      status: 500,
      headers: {},
      body: '',
      ...answer,
    })
}
