import { isSecretHeader } from '../core/secret-names.ts'
import { DryRunEnd, placeholder } from '../core/answer.ts'
import type { HttpResponse } from '../core/context.ts'
import type { Json } from '../core/json.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { maskedBody, withheldPlaces } from './trace.ts'
import { requestTarget } from '../core/request.ts'
import type { Client, Target } from './client.ts'
import { shellQuote } from '../core/shell.ts'

/** The settings that `--dry-run` needs. */
export interface DryRunOptions extends Target {
  /** The variable with the token, `VAULT_TOKEN`; undefined if no token would be sent. */
  readonly tokenVariable: () => string | undefined
  readonly print: (line: string) => Promise<void>
}

/**
 * The client behind `--dry-run`: prints each request as a curl line, sends nothing, and answers with placeholders whose members
 * are `<from request 1: .data.version>`. A line with a placeholder or a withheld secret is a comment.
 */
export function createDryRun(options: DryRunOptions): Client {
  const { connection, dialect, service } = options
  let printed = 0

  async function print<T>(request: HttpRequest<T>): Promise<HttpResponse<T>> {
    printed += 1
    // Others may be printed before this one is.
    const awaited = placeholder(printed)
    await options.print(`${curlLine(service.place(request, options))}\n`)
    return {
      status: 200,
      headers: {},
      body: new Uint8Array(),
      text: () => String(awaited),
      value: awaited as T,
      json: () => awaited as unknown as Json,
      failure() {
        throw new DryRunEnd()
      },
    }
  }

  function curlLine(request: HttpRequest): string {
    const variable = request.token === 'none' ? undefined : options.tokenVariable()
    // A WebSocket's token is in its first frame.
    const isUpgrade = request.headers?.['Upgrade'] !== undefined
    const token = variable === undefined || isUpgrade ? {} : service.tokenHeaders(dialect, `$${variable}`)
    const { origin, basePath, socketPath } = connection.address()
    const line = toCurl(request, {
      base: origin + basePath,
      ...(socketPath === undefined ? {} : { socket: socketPath }),
      auth: Object.entries(token).map(([name, value]) => `${name}: ${value}`),
      headers: [
        ...Object.entries(service.headers(dialect, options.namespace)),
        ...Object.entries(request.headers ?? {}).map(
          ([own, text]) => [own, isSecretHeader(own) ? '<redacted>' : text] as const,
        ),
        ...(request.body === undefined ? [] : [['Content-Type', request.contentType ?? service.mediaType] as const]),
      ],
    })
    const secretHeaders = Object.keys(request.headers ?? {}).filter(isSecretHeader)
    return asComment(line, [...secretHeaders, ...withheldPlaces(request)])
  }

  return {
    connect: () => Promise.reject(new DryRunEnd()),
    send: print,
    async stream(request) {
      const { status, headers } = await print(request)
      return { status, headers, body: unsent }
    },
  }
}

/** A line that cannot be run starts with `# ` and ends with the reason: a withheld secret or a value from an answer. */
function asComment(line: string, secretPlaces: readonly string[]): string {
  const places = secretPlaces.map((place) => (place === '' ? 'the body' : place)).join(', ')
  const earlier = [...new Set([...line.matchAll(/<from request (\d+): /g)].map(([, number]) => number))].join(', ')
  const reasons = [
    ...(line.includes('<redacted>') ? [`withheld: ${places === '' ? 'secrets' : places}`] : []),
    ...(earlier === '' ? [] : [`needs the answer to request ${earlier}`]),
  ]
  return reasons.length === 0 ? line : `# ${line}  # ${reasons.join('; ')}`
}

/** Nothing was sent, so nothing comes back. */
const unsent: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => {
    throw new DryRunEnd()
  },
}

/**
 * A curl line that sends the request. `auth` are header lines in double quotes, so the token stays a
 * shell variable; the path is appended to `base`.
 */
function toCurl(
  request: HttpRequest,
  options: { base: string; socket?: string; headers: readonly (readonly [string, string])[]; auth: readonly string[] },
): string {
  const words = ['curl', '-X', request.method]
  if (options.socket !== undefined) words.push('--unix-socket', shellQuote(options.socket))
  words.push(shellQuote(options.base + requestTarget(request)))
  for (const line of options.auth) words.push('-H', `"${line}"`)
  for (const [name, value] of options.headers) words.push('-H', shellQuote(`${name}: ${value}`))
  if (request.body !== undefined) words.push('--data-binary', shellQuote(stringifyJson(maskedBody(request))))
  return words.join(' ')
}
