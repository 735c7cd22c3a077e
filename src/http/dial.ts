import { once } from 'node:events'
import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { socketHost } from '../core/address.ts'
import type { TlsOptions } from '../core/context.ts'
import { openTunnel } from './proxy-tunnel.ts'
import { secureOptions } from './tls-options.ts'
import { explained } from './transport.ts'

/** Where to connect, and how. */
export interface DialOptions {
  /** `http://host:port`, `https://host:port` or `unix:///path`. */
  readonly origin: string
  readonly tls?: TlsOptions | undefined
  /** `http://user:password@host:port`; not for Unix sockets. */
  readonly proxy?: string | undefined
}

/**
 * Opens a connection that is ready for HTTP: through the proxy if any, encrypted for https.
 * Rejects with the system's error, a ProxyError, or the signal's reason.
 */
export async function dial({ origin, tls = {}, proxy }: DialOptions, signal: AbortSignal): Promise<Duplex> {
  const socketPath = /^unix:(?:\/\/)?(\/.*)$/.exec(origin)?.[1]
  if (socketPath !== undefined) return ready(connect({ path: socketPath }), 'connect', signal)

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

async function ready<Socket extends Duplex>(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : explained(error as NodeJS.ErrnoException, false)
  }
}
