import { isIP } from 'node:net'
import type { PeerCertificate } from 'node:tls'
import { checkServerIdentity, connect } from 'node:tls'
import type { TlsOptions, Connection } from '../core/connection.ts'
import { socketHost } from '../core/address.ts'

/** The options for Node's TLS. Verification is off by --insecure alone: Node's own NODE_TLS_REJECT_UNAUTHORIZED has no effect. */
export function secureOptions({ ca, cert, key, serverName, insecure }: TlsOptions) {
  return {
    // A certificate configured as trusted is trusted even if it is not a root: some users have only the server's own.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : nameOptions(serverName)),
    rejectUnauthorized: insecure !== true,
  }
}

/** A name is sent and verified; an address is only verified: SNI accepts only names, and Node warns about addresses. */
function nameOptions(serverName: string) {
  if (isIP(serverName) === 0) return { servername: serverName }
  return {
    servername: '',
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(serverName, certificate),
  }
}

/** Timeout in milliseconds for a server that doesn't respond. */
const responseTimeout = 5000

/** The expiry of the server's certificate (RFC 3339), from a connection of its own; null without TLS or behind a proxy. */
export async function certificateEnd(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const origin = new URL(connection.address().origin)
  if (origin.protocol !== 'https:' || connection.proxy() !== undefined) return null
  const host = socketHost(origin)
  const tls = await connection.tls
  return new Promise((done) => {
    const socket = connect({
      host,
      port: Number(origin.port || 443),
      // SNI accepts only names; Node warns about addresses.
      servername: isIP(host) === 0 ? host : '',
      ...secureOptions(tls),
      // Its expiry is of interest even if it is not accepted.
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
