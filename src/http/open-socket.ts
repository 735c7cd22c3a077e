import { originOf } from '../core/address.ts'
import type { CommandSettings } from '../core/context.ts'
import type { Connection, Socket } from '../core/connection.ts'
import { interrupted } from '../core/errors.ts'
import type { Limiter } from '../core/limiter.ts'
import type { HttpRequest } from '../core/request.ts'
import { requestTarget } from '../core/request.ts'
import type { Service } from '../core/service.ts'
import type { Client } from './client.ts'
import { openSocket, socketFailure } from './socket.ts'
import type { Trace } from './trace.ts'

/** Milliseconds between pings. */
const pingInterval = 10_000

interface SocketTarget extends Pick<CommandSettings, 'namespace' | 'region' | 'dialect' | 'targetFlags'> {
  readonly service: Service
  readonly connection: Connection
  /** Milliseconds, for connection and upgrade. */
  readonly connectTimeout: number
  readonly userAgent: string
  readonly trace: Trace | undefined
}

/**
 * Opens a WebSocket once fewer than the limit are open. It counts as a connection to the server until it is closed. Once it is open,
 * `signal` does not close it: something may still have to be sent.
 */
export function openSocketOf(
  request: HttpRequest,
  signal: AbortSignal,
  target: SocketTarget,
  client: Client,
  limiters: { readonly sockets: Limiter; readonly all: Limiter },
): Promise<Socket> {
  return new Promise((done, fail) => {
    const hold = async () => {
      const socket = await connect(request, signal, target, client)
      const release = limiters.all.hold()
      done(socket)
      await socket.ended.finally(release)
    }
    limiters.sockets.run(hold).catch(fail)
  })
}

async function connect(request: HttpRequest, signal: AbortSignal, target: SocketTarget, client: Client) {
  const { service, connection, namespace, region, connectTimeout, dialect, targetFlags, trace } = target
  const placed = service.translate(service.place(request, { namespace, region }), dialect)
  const { basePath } = connection.address()
  const origin = originOf(connection.address())
  const path = basePath + requestTarget(placed)
  const headers = { 'User-Agent': target.userAgent, ...connection.headers }
  const connecting = new AbortController()
  const interrupt = () => connecting.abort()
  signal.addEventListener('abort', interrupt)
  const tls = await connection.tls
  const options = { origin, path, headers, tls, proxy: connection.proxy(), connectTimeout, pingInterval }
  try {
    if (signal.aborted) interrupt()
    return await client.connect(placed, async () => {
      trace?.request(placed, origin + path, { 'User-Agent': target.userAgent })
      try {
        return await openSocket({ ...options, signal: connecting.signal })
      } catch (error) {
        if (signal.aborted) throw interrupted()
        const place = { service, dialect, targetFlags, request: placed, origin, path: basePath + placed.path }
        throw socketFailure(error, place)
      }
    })
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}
