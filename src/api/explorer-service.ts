import type { Service } from '../core/service.ts'

/** The organization data explorer, for the HTTP client. */
export const explorerService: Service = {
  name: 'explorer',
  needsToken: true,
  mediaType: 'application/vnd.api+json',
  // The service aborts a query after 60 s; a shorter time-out would miss its answer.
  timeout: 75_000,
  retriedStatuses: [],
  tokenHeader: (_, token) => ['Authorization', `Bearer ${token}`],
  headers: () => ({}),
  place: (request) => request,
  words: () => undefined,
  codeOf: () => undefined,
  hints({ status, request }) {
    if (status === 401) return ['the token was not accepted: tug login explorer, or TUG_EXPLORER_TOKEN=…']
    if (status === 404 || status === 403) {
      return [
        `asked for: ${request.method} ${request.path}`,
        'the service answers the same for four causes: the organization or view does not exist; the token may not see it (owners, or teams that read all workspaces or all projects, or the organization token may); the explorer is not enabled there; or the address is another service',
      ]
    }
    if (status === 504) return ['the service ends a query after 60 s: use fewer filters, or ask for fewer --fields']
    return []
  },
}
