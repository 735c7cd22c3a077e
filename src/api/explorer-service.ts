import type { Service } from '../core/service.ts'
import { commandLine } from '../core/shell.ts'
import { otherDialects, shown, shownIn, translate } from './explorer-dialect.ts'

/** The organization data explorer, for the HTTP client. */
export const explorerService: Service = {
  name: 'explorer',
  needsToken: true,
  mediaType: 'application/vnd.api+json',
  retriedStatuses: [],
  product: 'HCP Terraform',
  shown,
  shownIn,
  tokenHeaders: (_, token) => ({ Authorization: `Bearer ${token}` }),
  headers: () => ({}),
  translate,
  otherDialects,
  place: (request) => request,
  words: () => undefined,
  codeOf: () => undefined,
  hints({ status, request, targetFlags = [] }, code) {
    const login = commandLine(targetFlags, 'login explorer')
    if (status === 401) return [`the token was not accepted: ${login}, or TUG_EXPLORER_TOKEN=…`]
    if (code === 'not_found' || code === 'not_allowed') {
      return [
        `the request was ${request.method} ${request.path}`,
        "this answer has four possible causes: the organization or view doesn't exist; the token may not see it (owners, teams that can read all workspaces or all projects, and the organization token may); the explorer isn't enabled; or the address is that of another service",
      ]
    }
    if (status === 504) return ['the service aborts a query after 60 s: simplify its filters, or select fewer --fields']
    return []
  },
}
