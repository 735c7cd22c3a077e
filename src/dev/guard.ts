import type { IncomingHttpHeaders } from 'node:http'
import type { DevReply } from './http.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The refusal of a request that a web page may have sent; undefined for any other. Browsers send the page's origin in
 * `Origin`, and in `Host` the name from the address bar, which may be anybody's even if it resolves to 127.0.0.1.
 */
export function refusalOf(headers: IncomingHttpHeaders, port: number): DevReply | undefined {
  const host = (headers.host ?? '').toLowerCase()
  const isOurs = loopbackNames.some((name) => host === `${name}:${port}` || (port === 80 && host === name))
  if (!isOurs) {
    return plain(421, `this server answers only to 127.0.0.1:${port} and localhost:${port}`)
  }
  if (headers.origin !== undefined) return plain(403, 'this server does not answer web pages')
  return undefined
}

function plain(status: number, body: string): DevReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }, body: `${body}\n` }
}
