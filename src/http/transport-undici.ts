import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import requestOf from 'undici/lib/api/api-request.js'
import { secureOptions } from './transport.ts'
import type { Transport, TransportOptions } from './transport.ts'

/** A transport on undici; paths go out untouched (its `URL` handling would resolve dot segments). */
export async function createUndiciTransport(options: TransportOptions): Promise<Transport> {
  const closing = new AbortController()
  const agent = new Agent({
    connect: options.proxy === undefined ? directly(options) : tunnelled(options, closing.signal),
  })
  return {
    async exchange({ origin, method, target, headers, body, headersTimeout, bodyTimeout, signal }) {
      const answer = await requestOf.call(agent, {
        origin,
        method,
        path: target,
        headers,
        body: body ?? null,
        headersTimeout,
        bodyTimeout,
        signal,
      })
      return { status: answer.statusCode, headers: joinHeaders(answer.headers), body: answer.body }
    },
    close() {
      closing.abort()
      return agent.destroy()
    },
  }
}

function directly({ tls, socketPath, connectTimeout }: TransportOptions) {
  return {
    timeout: connectTimeout,
    ...(socketPath === undefined ? {} : { socketPath }),
    ...secureOptions(tls),
  }
}

/** Connections through a proxy's tunnel, for plain HTTP too, as the WebSocket's. */
function tunnelled({ tls, proxy, connectTimeout }: TransportOptions, closing: AbortSignal): buildConnector.connector {
  return ({ protocol, host }, done) => {
    const deadline = new AbortController()
    const tooLate = Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
    const timer = connectTimeout === 0 ? undefined : setTimeout(() => deadline.abort(tooLate), connectTimeout)
    import('./dial.ts')
      .then(({ dial }) =>
        dial({ origin: `${protocol}//${host}`, tls, proxy }, AbortSignal.any([deadline.signal, closing])),
      )
      .then(
        (socket) => done(null, socket as Socket),
        (error: Error) => done(error, null),
      )
      .finally(() => clearTimeout(timer))
  }
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return joined
}
