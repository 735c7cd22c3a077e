/** A refusal, thrown anywhere below the router. Its source is a member of the body or a parameter of the query. */
export class ExplorerError extends Error {
  readonly status: number
  readonly title: string
  readonly source: { readonly pointer: string } | { readonly parameter: string } | undefined

  constructor(status: number, title: string, detail = '', source?: ExplorerError['source']) {
    super(detail)
    this.status = status
    this.title = title
    this.source = source
  }
}

/** No such organization, view or path. */
export function notFound(): ExplorerError {
  return new ExplorerError(404, 'not found')
}

/** A value that cannot be used. */
export function invalid(detail: string, source: NonNullable<ExplorerError['source']>): ExplorerError {
  return new ExplorerError(422, 'pointer' in source ? 'invalid attribute' : 'invalid parameter', detail, source)
}
