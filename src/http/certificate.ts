import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { socketHost } from '../core/address.ts'
import type { Connection } from '../core/context.ts'

/** Milliseconds until a server that doesn't answer is given up. */
const patience = 5000

/** The expiry of the server's certificate (RFC 3339), from a connection of its own; null without TLS or behind a proxy. */
export async function certificateEnd(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const origin = new URL(connection.origin())
  if (origin.protocol !== 'https:' || connection.proxy() !== undefined) return null
  const host = socketHost(origin)
  const { tls } = connection
  return new Promise((done) => {
    const socket = connect({
      host,
      port: Number(origin.port || 443),
      // SNI takes names only; Node warns about addresses.
      servername: tls.serverName ?? (isIP(host) === 0 ? host : ''),
      rejectUnauthorized: false,
      ...(tls.cert === undefined || tls.key === undefined ? {} : { cert: tls.cert, key: tls.key }),
    })
    const end = (value: string | null) => {
      socket.destroy()
      done(value)
    }
    socket.setTimeout(patience, () => end(null))
    signal.addEventListener('abort', () => end(null), { once: true })
    socket.on('error', () => end(null))
    socket.on('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate()
      end(until ? new Date(until).toISOString() : null)
    })
  })
}
