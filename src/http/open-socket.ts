import { originOf } from '../core/address.ts'
import type { Socket } from '../core/connection.ts'
import { interrupted } from '../core/errors.ts'
import type { TugError } from '../core/errors.ts'
import type { Send } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { requestTarget } from '../core/request.ts'
import type { Here } from './here.ts'
import { openSocket, socketFailure } from './socket.ts'

/** Milliseconds between pings. */
const pingInterval = 10_000

/**
 * Opens a socket in a slot of its own, which it keeps while it is open; meanwhile it counts as a connection to the server. Nothing is
 * carried out before its first frame, and only a server that is rate-limiting is asked again.
 */
export function holdSocket<T>(
  { sockets, limiter }: Here,
  request: HttpRequest<T>,
  next: Send,
): ReturnType<typeof next<T>> {
  const policy = { notRetried: ({ facts }: TugError) => facts.status !== 429 }
  return new Promise((done, fail) => {
    const hold = async () => {
      const socket = await next({ ...request, effect: 'reads', policy })
      const release = limiter.hold()
      done(socket)
      await (socket as unknown as Socket).ended.finally(release)
    }
    sockets.run(hold).catch(fail)
  })
}

/** The end of the layers for a WebSocket. Once it is open, `signal` does not close it: something may still have to be sent. */
export async function socketEnd(here: Here, request: HttpRequest, signal: AbortSignal): Promise<Socket> {
  const { service, connection, connectTimeout, dialect, targetFlags, trace, userAgent } = here
  const { basePath } = connection.address()
  const origin = originOf(connection.address())
  const path = basePath + requestTarget(request)
  const headers = { 'User-Agent': userAgent, ...connection.headers }
  const connecting = new AbortController()
  const interrupt = () => connecting.abort()
  signal.addEventListener('abort', interrupt)
  try {
    if (signal.aborted) interrupt()
    // Idle connections also count at the server.
    await here.retire()
    const tls = await connection.tls
    trace?.request(request, origin + path, { 'User-Agent': userAgent })
    const options = { origin, path, headers, tls, proxy: connection.proxy(), connectTimeout, pingInterval }
    return await openSocket({ ...options, signal: connecting.signal })
  } catch (error) {
    if (signal.aborted) throw interrupted()
    throw socketFailure(error, { service, dialect, targetFlags, request, origin, path: basePath + request.path })
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}
