import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { request } from 'node:http'
import { loginOf, socketHost } from '../core/address.ts'
import type { TlsOptions } from '../core/connection.ts'
import { secureOptions } from './tls.ts'
import { connectionError } from './transport.ts'
import { networkReason } from './network-failure.ts'

/** Where to connect, and how. */
export interface DialOptions {
  /** `http://host:port`, `https://host:port` or `unix:///path`. */
  readonly origin: string
  readonly tls?: TlsOptions | undefined
  /** `http://user:password@host:port`; not for Unix sockets. */
  readonly proxy?: string | undefined
}

/**
 * Opens a connection for HTTP: through the proxy if there is one, encrypted for https.
 * Rejects with the system's error, a ProxyError, or the signal's reason.
 */
export async function dial({ origin, tls = {}, proxy }: DialOptions, signal: AbortSignal): Promise<Duplex> {
  if (origin.startsWith('unix://')) return ready(connect({ path: origin.slice(7) }), 'connect', signal)

  const url = new URL(origin)
  const secure = url.protocol === 'https:'
  const host = socketHost(url)
  const port = Number(url.port) || (secure ? 443 : 80)
  const plain =
    proxy === undefined
      ? await ready(connect({ host, port }), 'connect', signal)
      : await openTunnel(proxy, `${url.hostname}:${port}`, signal)
  if (!secure) return plain

  const encrypted = connectTls({
    socket: plain,
    host,
    // SNI needs a name, not an address.
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    ...secureOptions(tls),
  })
  return ready(encrypted, 'secureConnect', signal)
}

async function ready<S extends Duplex>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : connectionError(error as NodeJS.ErrnoException, false)
  }
}

/** A proxy refused the tunnel or was unreachable. */
class ProxyError extends Error {
  /** The proxy's response; undefined if it was unreachable. */
  readonly status: number | undefined

  constructor(proxy: URL, target: string, reason: string, status?: number) {
    super(`the proxy ${proxy.host} did not connect to ${target}: ${reason}`)
    this.name = 'ProxyError'
    this.status = status
  }
}

/**
 * Opens a tunnel to `host:port` through a proxy (`http://user:password@host:port`) with CONNECT; the socket then
 * talks to the target. Rejects with {@link ProxyError} or the signal's reason.
 */
function openTunnel(proxy: string, target: string, signal: AbortSignal): Promise<Duplex> {
  const url = new URL(proxy)
  if (url.protocol !== 'http:') {
    return Promise.reject(new Error(`a proxy must be http://host:port, not ${url.protocol}//${url.host}`))
  }
  return new Promise((resolve, reject) => {
    const asked = request({
      host: socketHost(url),
      port: url.port || 80,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...credentials(url) },
      agent: false,
      signal,
    })
    asked.on('connect', (response, socket: Socket, head: Buffer) => {
      const { statusCode = 0, statusMessage = '' } = response
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      } else {
        socket.destroy()
        reject(new ProxyError(url, target, `${statusCode} ${statusMessage}`.trimEnd(), statusCode))
      }
    })
    asked.on('error', (error) => {
      reject(signal.aborted ? (signal.reason as Error) : new ProxyError(url, target, networkReason(error)))
    })
    asked.end()
  })
}

function credentials(proxy: URL): Record<string, string> {
  const login = loginOf(proxy)
  return login === undefined ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
}
