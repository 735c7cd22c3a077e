import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { socketHost } from '../core/address.ts'
import { networkReason } from './network-failure.ts'

/** A proxy refused the tunnel or was unreachable. */
class ProxyError extends Error {
  /** Its answer; undefined if the proxy was unreachable. */
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
export function openTunnel(proxy: string, target: string, signal: AbortSignal): Promise<Duplex> {
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

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
