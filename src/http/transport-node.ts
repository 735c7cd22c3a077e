import { Agent, request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { isLoopback, socketHost } from '../core/address.ts'
import type { BodySource } from './body.ts'
import { createBody } from './body.ts'
import { connectionError, failure, onAbort } from './transport.ts'
import type { Answer, Exchange, Transport, TransportOptions } from './transport.ts'

/** Milliseconds after which an idle connection is closed, before servers do so. */
const idleTime = 4000

/** `request` of node:http or node:https, with its connections. */
interface Client {
  readonly agent: Agent
  readonly request: (options: RequestOptions) => ClientRequest
}

/**
 * Exchanges over Node's HTTP client with keep-alive connections. They fail with system errors, or with the codes CONNECT_TIMEOUT,
 * HEADERS_TIMEOUT, BODY_TIMEOUT or CLOSED_EARLY.
 */
export function createTransport(options: TransportOptions): Transport {
  const { tls, socketPath, mostConnections } = options
  const closing = new AbortController()
  const keeping = { keepAlive: true, timeout: idleTime, maxSockets: mostConnections, lookup: lookUpOnce() }
  const plain: Client = { agent: throughProxy(new Agent(keeping), options, closing.signal), request: requestPlain }
  let secure: Promise<Client> | undefined

  async function loadSecure(): Promise<Client> {
    const [https, { secureOptions }] = await Promise.all([import('node:https'), import('./tls.ts')])
    const agent = new https.Agent({ ...keeping, ...secureOptions(tls) })
    return { agent: throughProxy(agent, options, closing.signal), request: https.request }
  }

  return {
    async exchange(exchange) {
      const { method, origin, target, headers, body, signal } = exchange
      const { agent, request } = origin.startsWith('https:') ? await (secure ??= loadSecure()) : plain
      signal.throwIfAborted()
      // Destroyed agents would still open new connections.
      if (closing.signal.aborted) throw cutOff()
      const url = new URL(origin)
      // On loopback, compression costs more than it saves.
      const encoding = socketPath !== undefined || isLoopback(socketHost(url)) ? 'identity' : 'gzip'
      const asksForEncoding = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding')
      const sent = request({
        agent,
        method,
        host: socketHost(url),
        port: url.port,
        ...(socketPath === undefined ? {} : { socketPath }),
        path: target,
        headers: {
          ...(asksForEncoding ? {} : { 'Accept-Encoding': encoding }),
          ...headers,
          ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
        },
      })
      if (body === undefined && !['POST', 'PUT', 'PATCH'].includes(method)) {
        sent.removeHeader('Content-Length')
        sent.removeHeader('Transfer-Encoding')
      }
      const answer = answerTo(sent, exchange, options.connectTimeout, closing.signal)
      // As bytes: Node would write the headers in the string's encoding.
      sent.end(body === undefined ? undefined : Buffer.from(body))
      return encoding === 'gzip' ? decoded(await answer) : answer
    },
    retire() {
      void secure?.then(({ agent }) => retire(agent))
      retire(plain.agent)
    },
    async close() {
      closing.abort()
      plain.agent.destroy()
      const client = await secure
      client?.agent.destroy()
    },
  }
}

function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/** An exchange cut off by closing is not a broken connection and must not be retried. */
function cutOff(): Error {
  return new Error('cut off by the end')
}

/** Makes the agent open its connections through the proxy's tunnel, if there is one; plain HTTP too. */
function throughProxy(agent: Agent, { proxy, tls }: TransportOptions, closing: AbortSignal): Agent {
  if (proxy === undefined) return agent
  const secure = 'https:' === (agent as { protocol?: string }).protocol
  return Object.assign(agent, {
    createConnection({ host, port }: { host: string; port: number }, done: (error: unknown, socket?: Socket) => void) {
      const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
      import('./dial.ts')
        .then(({ dial }) => dial({ origin: `${secure ? 'https' : 'http'}://${authority}`, tls, proxy }, closing))
        .then((socket) => done(null, socket as Socket), done)
    },
  })
}

/** A lookup that resolves each name once, however many connections are opened. */
function lookUpOnce(): LookupFunction {
  const lookups = new Map<string, Promise<readonly { address: string; family: number }[]>>()
  return (name, lookupOptions, done) => {
    const found =
      lookups.get(name) ?? import('node:dns/promises').then((dns) => dns.lookup(name, { ...lookupOptions, all: true }))
    lookups.set(name, found)
    found.then(
      (addresses) => {
        const [first] = addresses
        if (lookupOptions.all === true) done(null, [...addresses])
        else done(null, first?.address ?? '', first?.family)
      },
      (error: NodeJS.ErrnoException) => {
        lookups.delete(name)
        done(error, '')
      },
    )
  }
}

/** The response, decompressed. */
function decoded(answer: Answer): Answer {
  const { 'content-encoding': encoding, 'content-length': length, ...headers } = answer.headers
  if (encoding !== 'gzip') return answer
  const isEmpty = length === '0' || [204, 304].includes(answer.status)
  return { ...answer, headers, body: isEmpty ? answer.body : gunzip(answer.body) }
}

async function* gunzip(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const [{ createGunzip }, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  // Errors of the body or its encoding end the decoder, which throws them here.
  const decoder = pipeline(Readable.from(body), createGunzip(), () => undefined)
  try {
    yield* decoder as AsyncIterable<Uint8Array>
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? failure('CLOSED_EARLY') : error
  }
}

/** Waits for the headers, at most `connectTimeout` for the connection and then `headersTimeout`. */
function answerTo(
  sent: ClientRequest,
  exchange: Exchange,
  connectTimeout: number,
  closing: AbortSignal,
): Promise<Answer> {
  const { origin, headersTimeout, bodyTimeout, signal } = exchange
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    let source: BodySource | undefined
    let timer: NodeJS.Timeout | undefined
    let isEstablished = false
    const fail = (error: unknown) => {
      clearTimeout(timer)
      if (source === undefined) reject(error)
      else source.fail(error)
      sent.destroy()
    }
    const breakOff = (error: Error) => {
      // Errors after a complete response don't matter.
      if (response?.complete !== true) fail(closing.aborted ? cutOff() : connectionError(error, isEstablished))
    }
    const limit = (milliseconds: number, code: string) => {
      clearTimeout(timer)
      timer = milliseconds === 0 ? undefined : setTimeout(() => fail(failure(code)), milliseconds)
    }

    limit(connectTimeout, 'CONNECT_TIMEOUT')
    sent.on(
      'close',
      onAbort(signal, () => fail(signal.reason)),
    )
    sent.on('error', breakOff)
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      fail(failure('CLOSED_EARLY'))
    })
    sent.on('socket', (socket) => {
      const connected = () => {
        isEstablished = true
        limit(headersTimeout, 'HEADERS_TIMEOUT')
      }
      if (!socket.connecting) connected()
      else socket.once(origin.startsWith('https:') ? 'secureConnect' : 'connect', connected)
    })
    sent.on('response', (incoming) => {
      clearTimeout(timer)
      response = incoming
      const created = createBody({
        silenceTimeout: bodyTimeout,
        resume: () => incoming.resume(),
        leave: () => sent.destroy(),
      })
      source = created
      // Not `read`, which copies everything that has arrived into one chunk.
      incoming.on('data', (piece: Uint8Array) => {
        if (!created.push(piece)) incoming.pause()
      })
      incoming.on('end', () => created.end())
      incoming.on('error', breakOff)
      const headers = joinHeaders(incoming)
      const hasEnd = 'content-length' in headers || 'transfer-encoding' in headers
      resolve({ status: incoming.statusCode as number, headers, hasEnd, body: created.body })
    })
  })
}

function joinHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (values !== undefined) joined[name] = values.join(', ')
  }
  return joined
}
