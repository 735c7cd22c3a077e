import { AwaitedValue } from '../core/answer.ts'
import type { Connection, Http, HttpResponse } from '../core/context.ts'
import { toCurl } from '../core/curl.ts'
import type { Json } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { withPlace } from './client.ts'
import type { Dialect } from '../api/dialect.ts'
import { mediaType, namespaceHeader, standingHeaders, tokenHeader } from '../api/dialect.ts'

/** What the printer needs of the settings. */
export interface PrinterOptions {
  readonly connection: Connection & { readonly socketPath: string | undefined }
  readonly dialect: Dialect
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** True when a token would be sent. */
  readonly hasToken: boolean
  readonly print: (line: string) => Promise<void>
}

/**
 * The transport behind `--dry-run`: prints each request as a curl line, sends nothing, and answers with stand-ins whose
 * places read `<from request 1: .data.version>`.
 */
export function createPrinter(options: PrinterOptions): Http {
  const { connection, dialect } = options
  let printed = 0

  async function print(request: HttpRequest): Promise<HttpResponse> {
    printed += 1
    await options.print(`${curlLine(withPlace(request, options))}\n`)
    const awaited = new AwaitedValue(printed, '')
    return {
      status: 200,
      headers: {},
      body: new Uint8Array(),
      text: () => awaited.toString(),
      json: () => awaited as unknown as Json,
    }
  }

  function curlLine(request: HttpRequest): string {
    const { service } = connection
    const [name, value] = tokenHeader(service, dialect, `$TUG_${service.toUpperCase()}_TOKEN`)
    const namespace = options.namespace === undefined ? undefined : namespaceHeader(service, dialect)
    const body =
      request.body === undefined ? [] : [['Content-Type', request.contentType ?? mediaType(service)] as const]
    // The token of a WebSocket goes in its first frame.
    const isUpgrade = request.headers?.['Upgrade'] !== undefined
    return toCurl(request, {
      base: connection.origin() + connection.basePath(),
      ...(connection.socketPath === undefined ? {} : { socket: connection.socketPath }),
      auth: options.hasToken && !isUpgrade ? [`${name}: ${value}`] : [],
      headers: [
        ...Object.entries(standingHeaders(service, dialect)),
        ...(namespace === undefined ? [] : [[namespace, options.namespace as string] as const]),
        ...Object.entries(request.headers ?? {}),
        ...body,
      ],
    })
  }

  return {
    dryRun: true,
    connection,
    send: print,
    async stream(request) {
      const { status, headers } = await print(request)
      return { status, headers, body: nothing() }
    },
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {
  // Nothing was sent, so nothing comes back.
}
