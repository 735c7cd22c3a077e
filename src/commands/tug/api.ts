import { usageError } from '../../core/errors.ts'
import { serviceArgument, tugCommand } from './context.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, jsonOrNothing, JsonSyntaxError, parseJson } from '../../core/json.ts'
import { argument, flag, readLabelled, readSegment } from '../../core/param.ts'
import { readHeader } from '../../config/settings.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { ServiceName } from '../../core/service.ts'
import { isPublicHeader } from '../../core/secret-names.ts'
import { looksSecret } from '../../output/redact.ts'
import type { Io } from '../../core/context.ts'
import { plainView } from '../../output/columns.ts'
import { isWrite } from '../../core/request.ts'

const methods = ['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const prefixes: Readonly<Record<ServiceName, string>> = { explorer: '/api/v2', secrets: '/v1', scheduler: '/v1' }

export const api = tugCommand({
  name: 'api',
  summary: 'Send any request to a service',
  description:
    'The path may omit the version prefix (/api/v2, /v1) and may contain a query. It is sent unchanged, so encode what needs encoding. The response is printed whatever its status, which is never a reason to repeat the request; one that is not JSON is printed unchanged.\n\nA wrapped secret is unwrapped with its wrapping token as the token: `tug api secrets POST sys/wrapping/unwrap --token-file wrapping-token`.',
  writes: false,
  effect: 'destroys',
  params: {
    service: serviceArgument,
    method: argument.text('HTTP method, or the path of a GET', {
      required: true,
      placeholder: 'METHOD|path',
      offers: methods,
    }),
    path: argument.text('path below the base URL', { placeholder: 'path' }),
    data: flag.text('the body: JSON, @file, or - for standard input', { short: 'd', placeholder: 'json|@file|-' }),
    header: flag.each('header to send, also in place of a usual one', readHeader, {
      short: 'H',
      placeholder: 'name: value',
    }),
    noToken: flag.boolean('send no token (the default for logins and health checks without one)'),
  },
  examples: [
    { line: 'api scheduler /v1/jobs', note: 'a GET' },
    { line: 'api secrets GET sys/health', note: 'an endpoint without a command of its own' },
    { line: 'api scheduler POST jobs/parse --data \'{"JobHCL":"job \\"x\\" {}"}\'', note: 'with a body' },
    { line: 'api secrets GET sys/health --no-token', note: 'without a token; the body is printed whatever the status' },
    { line: "api scheduler GET 'jobs?prefix=web' --query '[].ID'", note: 'select from the answer' },
  ],
  async run({ service, method: first, path: second, data, header, noToken }, context) {
    const method = second === undefined ? 'GET' : readLabelled(readMethod, first, '<METHOD>')
    if (second === undefined && data !== undefined) throw usageError('--data needs a method, such as POST')
    const path = readLabelled(readPath, second ?? first, '<path>')
    const { http, session, settings } = context.openService(service)
    if (settings.format === 'name' && settings.outputFlags.query === undefined)
      throw usageError('the response can be anything, so -o name needs a --query', "the IDs of a list: --query '[].ID'")
    if (isWrite({ method })) await context.allowWrite(session)
    const body = data === undefined ? undefined : await readBody(data, context.io.readText)
    const mark = path.indexOf('?')
    const bare = mark === -1 ? path : path.slice(0, mark)
    const isType = ([name]: readonly [string, string]) => name.toLowerCase() === 'content-type'
    const headers = Object.fromEntries(header.filter((one) => !isType(one)))
    const contentType = header.findLast(isType)?.[1]
    const secret = header.filter(([name]) => !isPublicHeader(name))
    const request: HttpRequest = {
      method,
      path: withPrefix(service, bare) + (mark === -1 ? '' : path.slice(mark)),
      headers,
      secretHeaders: secret.map(([name]) => name),
      secretBody: [''],
      allow: everyFailure,
      ...(noToken === true ? { token: 'none' } : needsNoToken.test(bare) ? { token: 'optional' } : {}),
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    }
    // A server may echo the request.
    for (const [, value] of secret) context.io.secret(value)
    if (body !== undefined) maskSecrets(context.io, body, '')
    const response = await http.send(request)
    const failure = response.status >= 300 ? { failure: response.failure() } : {}
    // A failed response may quote the request.
    const shown = response.status < 300 ? response.body : Buffer.from(context.io.withoutSecrets(response.text()))
    if (response.body.length === 0 || !(response.headers['content-type'] ?? '').includes('json'))
      return { raw: shown, ...failure }
    const value = response.status < 300 ? response.json() : jsonOrNothing(shown.toString())
    if (value === undefined) return { raw: shown, ...failure }
    return { data: value, view: plainView(value), rawBody: shown, ...failure }
  },
})

/** Every status is a result: the body of a failure is printed like any other, and its request is not retried. */
const everyFailure = Array.from({ length: 300 }, (_, index) => 300 + index)

/** Requests that need no token: logins and health checks. */
const needsNoToken =
  /^\/?(?:v1\/)?(?:auth\/.+\/login(?:\/.*)?|sys\/(?:health|seal-status|init|leader|wrapping\/lookup)|status\/(?:leader|peers)|agent\/health)$/

/** Masks strings of a body that look like secrets on stderr. */
function maskSecrets(io: Io, value: Json, name: string): void {
  if (typeof value === 'string' && looksSecret(value, name)) io.secret(value, { name })
  if (Array.isArray(value)) for (const item of value) maskSecrets(io, item, name)
  else if (isObject(value)) for (const [key, item] of entriesOf(value)) maskSecrets(io, item, key)
}

function withPrefix(service: ServiceName, path: string): string {
  const rooted = path.startsWith('/') ? path : `/${path}`
  return rooted.startsWith(`${prefixes[service]}/`) || rooted === prefixes[service]
    ? rooted
    : prefixes[service] + rooted
}

function readMethod(text: string): string {
  const method = text.toUpperCase()
  if (!(methods as readonly string[]).includes(method))
    throw new RangeError(`'${text}' is not one of ${methods.join(', ')}`)
  return method
}

function readPath(text: string): string {
  if (/^[a-z]+:\/\//i.test(text))
    throw new RangeError('expected a path, not an address; the service argument selects the address')
  const [unsendable] = /[^!-~]|[#\\]|%(?![0-9a-f]{2})/iu.exec(text) ?? []
  if (unsendable !== undefined)
    throw new RangeError(`${JSON.stringify(unsendable)} must be percent-encoded: ${encodeURIComponent(unsendable)}`)
  for (const segment of text.split('?')[0]?.split('/') ?? []) if (segment !== '') readSegment(segment)
  return text
}

async function readBody(data: string, readText: (path: string) => Promise<string>): Promise<Json> {
  const content = data === '-' ? await readText('-') : data.startsWith('@') ? await readText(data.slice(1)) : data
  try {
    return parseJson(content)
  } catch (error) {
    throw error instanceof JsonSyntaxError ? usageError(`--data is not JSON: ${error.message}`) : error
  }
}
