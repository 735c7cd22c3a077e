import { isIP } from 'node:net'
import { originOf } from '../../core/address.ts'
import type { Context } from '../../core/context.ts'
import type { OpenService } from './context.ts'

/** The expiry of the service's certificate; null without TLS. */
export async function certificateEnd({ session }: OpenService, { signal }: Context): Promise<string | null> {
  const { connection } = session
  const origin = new URL(connection.origin())
  if (origin.protocol !== 'https:' || connection.proxy() !== undefined) return null
  const { connect } = await import('node:tls')
  const host = origin.hostname.replace(/^\[|\]$/g, '')
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
    socket.setTimeout(5000, () => end(null))
    signal.addEventListener('abort', () => end(null), { once: true })
    socket.on('error', () => end(null))
    socket.on('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate()
      end(until ? new Date(until).toISOString() : null)
    })
  })
}

/** Whether the action endpoint answers an upgrade with 101, whatever follows. */
export async function socketComesThrough({ session, settings }: OpenService, { signal }: Context): Promise<boolean> {
  const { connection } = session
  const { openSocket, UpgradeError } = await import('../../http/socket.ts')
  try {
    const socket = await openSocket({
      origin: originOf(session.address()),
      path: `${connection.basePath()}/v1/job/tug-status/action?ws_handshake=true`,
      headers: {},
      tls: connection.tls,
      proxy: connection.proxy(),
      connectTimeout: Math.min(5000, settings.timeout),
      signal,
    })
    socket.close()
    return true
  } catch (error) {
    // 403 and the like come from the service itself, so the upgrade reached it.
    return error instanceof UpgradeError && [401, 403, 404].includes(error.status)
  }
}
