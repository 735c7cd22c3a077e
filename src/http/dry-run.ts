import { isSecretHeader } from '../core/secret-names.ts'
import { DryRunEnd } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import type { Layer } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { maskedBody, withheldPlaces } from './trace.ts'
import { isUpgrade, isWrite, requestTarget } from '../core/request.ts'
import type { Here, Server } from './here.ts'
import { posixQuote } from '../core/shell.ts'

/** Options of `--dry-run`. */
export interface DryRunOptions {
  /** The variable with the token, `VAULT_TOKEN`; undefined if no token would be sent. */
  readonly tokenVariable: () => string | undefined
  readonly print: (line: string) => Promise<void>
  /** True for a command that writes: its reads are sent. */
  readonly sendsReads: boolean
}

/**
 * The layer of `--dry-run`: the run minus its writes. Each write is printed as a curl line and ends there, because what follows may need
 * the response. Of a command that only reads, the first request is printed, whatever it is. A line with a withheld secret is a comment.
 */
export function createDryRun({ tokenVariable, print, sendsReads }: DryRunOptions): Layer<Here> {
  let isPrinted = false
  return (next, here) => async (request) => {
    if (sendsReads && !isWrite(request) && !isUpgrade(request)) return next(request)
    const isFirst = !isPrinted
    isPrinted = true
    // There is nothing to clean up, and a command that only reads shows only its first request.
    if (request.policy?.cleanup !== true && (sendsReads || isFirst))
      await print(`${curlLine(isUpgrade(request) ? upgradeOf(request) : request, here, tokenVariable)}\n`)
    throw new DryRunEnd()
  }
}

/** A curl line for a POSIX shell. The token's header is in double quotes, because its value is a shell variable. */
function curlLine(
  request: HttpRequest,
  { connection, service, dialect, namespace }: Server,
  tokenVariable: DryRunOptions['tokenVariable'],
): string {
  const variable = request.token === 'none' ? undefined : tokenVariable()
  // A WebSocket's token is in its first frame.
  const token = variable === undefined || isUpgrade(request) ? {} : service.tokenHeaders(dialect, `$${variable}`)
  const { origin, basePath, socketPath } = connection.address()
  const isHidden = (name: string) => isSecretHeader(name) || request.secretHeaders?.includes(name) === true
  const headers = [
    ...Object.entries(service.headers(dialect, namespace)),
    ...Object.keys(connection.headers).map((name) => [name, '<redacted>'] as const),
    ...Object.entries(request.headers ?? {}).map(
      ([name, value]) => [name, isHidden(name) ? '<redacted>' : value] as const,
    ),
    ...(request.body === undefined ? [] : [['Content-Type', request.contentType ?? service.mediaType] as const]),
  ]
  const words = ['curl', '-X', request.method]
  if (socketPath !== undefined) words.push('--unix-socket', posixQuote(socketPath))
  words.push(posixQuote(origin + basePath + requestTarget(request)))
  for (const [name, value] of Object.entries(token)) words.push('-H', `"${name}: ${value}"`)
  for (const [name, value] of headers) words.push('-H', posixQuote(`${name}: ${value}`))
  if (request.body !== undefined) words.push('--data-binary', posixQuote(stringifyJson(maskedBody(request))))
  const secretHeaders = Object.keys(request.headers ?? {}).filter(isHidden)
  return asComment(words.join(' '), [...Object.keys(connection.headers), ...secretHeaders, ...withheldPlaces(request)])
}

/** A line that cannot be run because of a withheld secret starts with `# ` and ends with the reason. */
function asComment(line: string, secretPlaces: readonly string[]): string {
  if (!line.includes('<redacted>')) return line
  const places = secretPlaces.map((place) => (place === '' ? 'the body' : place)).join(', ')
  return `# ${line}  # withheld: ${places === '' ? 'secrets' : places}`
}

/** What a dry run prints for an upgrade. No header has the token, which goes in the first frame. */
function upgradeOf(request: HttpRequest): HttpRequest {
  return {
    ...request,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      // Any 16 bytes work; these are from the example in the WebSocket standard.
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  }
}
