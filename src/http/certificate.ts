import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { socketHost } from '../core/address.ts'
import type { Connection } from '../core/context.ts'
import { secureOptions } from './tls-options.ts'

/** Milliseconds until a server that doesn't answer is given up. */
const responseTimeout = 5000

/** The expiry of the server's certificate (RFC 3339), from a connection of its own; null without TLS or behind a proxy. */
export async function certificateEnd(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const origin = new URL(connection.address().origin)
  if (origin.protocol !== 'https:' || connection.proxy() !== undefined) return null
  const host = socketHost(origin)
  return new Promise((done) => {
    const socket = connect({
      host,
      port: Number(origin.port || 443),
      // SNI takes names only; Node warns about addresses.
      servername: isIP(host) === 0 ? host : '',
      ...secureOptions(connection.tls),
      // Its end is of interest even if it is not accepted.
      rejectUnauthorized: false,
    })
    const end = (value: string | null) => {
      socket.destroy()
      done(value)
    }
    socket.setTimeout(responseTimeout, () => end(null))
    signal.addEventListener('abort', () => end(null), { once: true })
    socket.on('error', () => end(null))
    socket.on('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate()
      end(until ? new Date(until).toISOString() : null)
    })
  })
}
