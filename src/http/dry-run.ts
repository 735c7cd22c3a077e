import { isSecretHeader } from '../core/secret-names.ts'
import { DryRunEnd } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { maskedBody, withheldPlaces } from './trace.ts'
import { isWrite, requestTarget } from '../core/request.ts'
import type { Client, Target } from './client.ts'
import { posixQuote } from '../core/shell.ts'

/** Options of `--dry-run`. */
export interface DryRunOptions extends Target {
  /** The variable with the token, `VAULT_TOKEN`; undefined if no token would be sent. */
  readonly tokenVariable: () => string | undefined
  readonly print: (line: string) => Promise<void>
  /** Sends the reads of a command that writes; undefined for one that only reads. */
  readonly reader: (() => Promise<Client>) | undefined
}

/**
 * The client for `--dry-run`: the run minus its writes. `reader` sends the reads. Each write is printed as a curl line and ends there,
 * because what follows may need the response. Without a reader, the first request is printed, whatever it is. A line with a withheld
 * secret is a comment.
 */
export function createDryRun(options: DryRunOptions): Client {
  const { connection, dialect, service, reader } = options
  let isPrinted = false

  async function print(request: HttpRequest): Promise<never> {
    const isFirst = !isPrinted
    isPrinted = true
    // There is nothing to clean up, and a command that only reads shows only its first request.
    if (request.policy?.cleanup !== true && (reader !== undefined || isFirst))
      await options.print(`${curlLine(service.place(request, options))}\n`)
    throw new DryRunEnd()
  }

  /** A curl line for a POSIX shell. The token's header is in double quotes, because its value is a shell variable. */
  function curlLine(request: HttpRequest): string {
    const variable = request.token === 'none' ? undefined : options.tokenVariable()
    // A WebSocket's token is in its first frame.
    const isUpgrade = request.headers?.['Upgrade'] !== undefined
    const token = variable === undefined || isUpgrade ? {} : service.tokenHeaders(dialect, `$${variable}`)
    const { origin, basePath, socketPath } = connection.address()
    const isHidden = (name: string) => isSecretHeader(name) || request.secretHeaders?.includes(name) === true
    const headers = [
      ...Object.entries(service.headers(dialect, options.namespace)),
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
    return asComment(words.join(' '), [
      ...Object.keys(connection.headers),
      ...secretHeaders,
      ...withheldPlaces(request),
    ])
  }

  const isRead = (request: HttpRequest) => !isWrite(request) && request.headers?.['Upgrade'] === undefined
  return {
    connect: () => Promise.reject(new DryRunEnd()),
    send: async (request) =>
      reader !== undefined && isRead(request) ? (await reader()).send(request) : print(request),
    stream: async (request) =>
      reader !== undefined && isRead(request) ? (await reader()).stream(request) : print(request),
  }
}

/** A line that cannot be run because of a withheld secret starts with `# ` and ends with the reason. */
function asComment(line: string, secretPlaces: readonly string[]): string {
  if (!line.includes('<redacted>')) return line
  const places = secretPlaces.map((place) => (place === '' ? 'the body' : place)).join(', ')
  return `# ${line}  # withheld: ${places === '' ? 'secrets' : places}`
}

/** What a dry run prints for an upgrade. No header has the token, which goes in the first frame. */
export function upgradeOf(request: HttpRequest): HttpRequest {
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
