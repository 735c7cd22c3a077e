import type { ErrorCode } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Service } from '../core/service.ts'
import { isErrorList, withoutHeading } from '../core/words.ts'
import { dialectQuestion, otherDialects, shown, shownIn, tokenHeaders, translate } from './scheduler-dialect.ts'
import { schedulerHints } from './scheduler-hints.ts'

/** No server could handle the request. */
const noServer = /No cluster leader|No path to region|Not ready to serve consistent reads/i

/** Messages that override the status, which is often 500 for the caller's mistakes (docs/servers.md, Scheduler responses). */
const codesByText: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /Enforcing job modify index|enforcing version|job already exists|scaling blocked due to active deployment/i,
    'conflict',
  ],
  [/can't revert to current version/i, 'conflict'],
  [noServer, 'failed'],
  [/ACL token not found|Permission denied/i, 'not_allowed'],
  [
    /parameterized job not found|\bnot found\b|^Unknown job|Unknown allocation|does not have allocation|nonexistent namespace/i,
    'not_found',
  ],
  [
    /^Dispatch |dispatch job priority|Payload (?:is not|provided|exceeds)|is not a parameterized job|is stopped|can't evaluate|can't force|force launch for job|cannot update (?:job from|(?:non-)?(?:periodic|parameterized) job)|'Dispatched' (?:is read-only|set)|job_max_count|Failed to parse|Invalid /i,
    'invalid',
  ],
]

/** The job scheduler, for the HTTP client. */
export const schedulerService: Service = {
  name: 'scheduler',
  needsToken: false,
  mediaType: 'application/json',
  product: 'Nomad',
  shown,
  isBlind: ({ status, headers, body }) =>
    status === 403 && body.trim() === 'Permission denied' && shown(headers) !== 'neutral',
  tokenHeaders,
  headers: () => ({}),
  shownIn,
  dialectQuestion,
  translate,
  otherDialects,
  place(request, { namespace, region }) {
    const query = [...(request.query ?? [])]
    const add = (name: string, value: string | undefined) => {
      if (value !== undefined && !query.some(([known]) => known === name)) query.push([name, value])
    }
    add('namespace', namespace)
    add('region', region)
    if (query.some(([name, value]) => name === 'namespace' && value === '*')) refuseAllNamespaces(request)
    return query.length === 0 ? request : { ...request, query }
  },
  // The scheduler's errors are plain text; JSON is from something in front of it.
  words: ({ headers, body }) =>
    headers['content-type']?.includes('json') === true ? undefined : withoutHeading(body.trim()),
  codeOf({ status, body }, words) {
    if (status < 400 || status === 429) return undefined
    return codesByText.find(([pattern]) => pattern.test(words))?.[1] ?? (isErrorList(body) ? 'invalid' : undefined)
  },
  reasonOf: ({ status }, words) => (status >= 500 && noServer.test(words) ? 'unavailable' : undefined),
  hints: schedulerHints,
}

/** Only the list of jobs spans namespaces; any other request needs the namespace of its job. */
function refuseAllNamespaces({ method, path }: HttpRequest): void {
  const isList = method === 'GET' && path === '/v1/jobs'
  if (isList || !/^\/v1\/jobs?(?:\/|$)/.test(path)) return
  throw usageError(
    "-n '*' means all namespaces, but this command needs the namespace of one job",
    "find it: tug job list -n '*'",
  )
}

/**
 * A response header by the last word of its name (`Index`, `NextToken`), in either dialect. Servers send UTF-8, which Node reads as
 * Latin-1.
 */
export function schedulerHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const word = name.toLowerCase()
  const value = headers[`x-scheduler-${word}`] ?? headers[`x-nomad-${word}`]
  return value === undefined ? undefined : Buffer.from(value, 'latin1').toString()
}
