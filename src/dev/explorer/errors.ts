import { jsonReply, type DevReply } from '../http.ts'

/** A member of the body, or a parameter of the query. */
export type ErrorSource = { readonly pointer: string } | { readonly parameter: string }

/** Thrown anywhere below the router; {@link errorReply} makes the answer of it. */
export class ExplorerError extends Error {
  readonly status: number
  readonly title: string
  readonly source: ErrorSource | undefined

  constructor(status: number, title: string, detail = '', source?: ErrorSource) {
    super(detail)
    this.status = status
    this.title = title
    this.source = source
  }
}

/** No such organization, view or path; the real service says no more either. */
export function notFound(): ExplorerError {
  return new ExplorerError(404, 'not found')
}

/** A value that cannot be used. */
export function invalid(detail: string, source: ErrorSource): ExplorerError {
  return new ExplorerError(422, 'pointer' in source ? 'invalid attribute' : 'invalid parameter', detail, source)
}

/** Headers of every answer. Nothing is counted: `--fault 429` plays the limit. */
export const commonHeaders = {
  'x-ratelimit-limit': '30',
  'x-ratelimit-remaining': '29',
  'x-ratelimit-reset': '0.0',
}

export function documentReply(status: number, value: unknown): DevReply {
  return jsonReply(status, JSON.stringify(value), {
    ...commonHeaders,
    'content-type': 'application/vnd.api+json; charset=utf-8',
  })
}

export function errorReply({ status, title, message, source }: ExplorerError): DevReply {
  const error = { status: String(status), title, ...(message === '' ? {} : { detail: message }), source }
  return documentReply(status, { errors: [error] })
}
