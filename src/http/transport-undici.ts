import type { Dispatcher } from 'undici'
import { Pool } from 'undici'
import type { BodySource } from './body.ts'
import { createBody } from './body.ts'
import { secureOptions } from './tls.ts'
import { asUnsent, failure, onAbort } from './transport.ts'
import type { Answer, Exchange, Transport, TransportOptions } from './transport.ts'

/** undici's error codes mapped to those of `network-failure.ts`. */
const codes: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'HEADERS_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'BODY_TIMEOUT',
  UND_ERR_SOCKET: 'CLOSED_EARLY',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'CLOSED_EARLY',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'CLOSED_EARLY',
  UND_ERR_HEADERS_OVERFLOW: 'HEADERS_OVERFLOW',
  UND_ERR_INVALID_ARG: 'ERR_INVALID_CHAR',
}

/**
 * Exchanges over undici's pool, which is faster than Node's client for many requests. They fail like those of `transport-node.ts`. It
 * supports no proxy and requests no compression.
 */
export function createTransport({ tls, socketPath, connectTimeout, mostConnections }: TransportOptions): Transport {
  const pools = new Map<string, Dispatcher>()

  function poolOf(origin: string): Dispatcher {
    const known = pools.get(origin)
    if (known !== undefined) return known
    const secure = origin.startsWith('https:') ? secureOptions(tls) : {}
    const pool = new Pool(origin, {
      connections: mostConnections,
      keepAliveTimeout: 4000,
      connect: { ...secure, timeout: connectTimeout, ...(socketPath === undefined ? {} : { socketPath }) },
    })
    pools.set(origin, pool)
    return pool
  }

  return {
    exchange: (exchange) => answerOf(poolOf(exchange.origin), exchange),
    async close() {
      await Promise.all([...pools.values()].map(async (pool) => pool.destroy().catch(() => undefined)))
    },
  }
}

/** Sends the request to the pool itself: undici's `request` makes a stream of each response, which costs more than a small one is worth. */
function answerOf(pool: Dispatcher, exchange: Exchange): Promise<Answer> {
  const { method, target, headers, body, headersTimeout, bodyTimeout, signal } = exchange
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    let source: BodySource | undefined
    let abort: ((reason: Error) => void) | undefined
    const fail = (error: unknown) => {
      forget()
      if (source === undefined) reject(poolError(error, exchange))
      else source.fail(poolError(error, exchange))
    }
    const forget = onAbort(signal, () => {
      abort?.(signal.reason)
      fail(signal.reason)
    })
    const options = {
      method,
      path: target,
      headers: { 'Accept-Encoding': 'identity', ...headers },
      body: body ?? null,
      headersTimeout,
      bodyTimeout,
    }
    pool.dispatch(options, {
      onConnect(stop) {
        if (signal.aborted) stop(signal.reason)
        else abort = stop
      },
      onHeaders(status, raw, resume) {
        // An informational response comes before the real one.
        if (status < 200) return true
        const received = headersIn(raw)
        const hasEnd = 'content-length' in received || 'transfer-encoding' in received
        const created = createBody({
          silenceTimeout: 0,
          resume,
          leave: () => abort?.(new Error('not read to its end')),
        })
        source = created
        resolve({ status, headers: received, hasEnd, body: created.body })
        return true
      },
      onData: (piece) => source?.push(piece) ?? true,
      onComplete() {
        forget()
        source?.end()
      },
      onError: fail,
    })
  })
}

/** Names and values alternate. */
function headersIn(raw: readonly Uint8Array[]): Record<string, string> {
  const joined: Record<string, string> = {}
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as Buffer).toString('latin1').toLowerCase()
    const value = (raw[index + 1] as Buffer).toString('latin1')
    joined[name] = joined[name] === undefined ? value : `${joined[name]}, ${value}`
  }
  return joined
}

/** The error with a code of `network-failure.ts`; `unsent` if there was no connection to send the request on. */
function poolError(error: unknown, { signal }: Exchange): unknown {
  if (signal.aborted) return signal.reason
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  const known = codes[code]
  if (known !== undefined) return known === 'CONNECT_TIMEOUT' ? asUnsent(failure(known)) : failure(known)
  if (message.includes('before secure TLS connection')) return asUnsent(failure('CLOSED_CONNECTING'))
  return syscall === 'connect' || syscall === 'getaddrinfo' ? asUnsent(error as Error) : error
}
