import { createServer, STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newCredentials } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { createExplorer } from './explorer/service.ts'
import type { Fault } from './faults.ts'
import { createFaults } from './faults.ts'
import { refusalOf } from './guard.ts'
import type { DevClock, DevReply, DevRequest, DevService, Dialect } from './http.ts'
import { systemClock } from './http.ts'
import { demoTokens as schedulerTokens } from './jobs/api/tokens.ts'
import { createJobs } from './jobs/service.ts'
import { createKmip } from './kmip/engine.ts'
import { demoTokens as secretsTokens } from './secrets/policy.ts'
import { createSecrets } from './secrets/service.ts'

/** How the local server is to be. */
export interface DevServerOptions {
  /** 0: any free port. */
  readonly port: number
  readonly faults: readonly Fault[]
  /** The vocabulary of answers to requests whose own words do not tell. */
  readonly dialect: Dialect
  readonly clock?: DevClock
  /** Starts without demo data and history. */
  readonly empty?: boolean
  /** Random ones by default. */
  readonly credentials?: Credentials
}

export interface DevServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  readonly credentials: Credentials
  close(): Promise<void>
}

/** A little more than the largest body that the secrets store takes, so that it can say so itself. */
const largestBody = 40 * 1024 * 1024

/** Starts all three services on one loopback port. Rejects when the port is taken. */
export async function startServer({
  port,
  faults,
  dialect,
  clock = systemClock,
  empty = false,
  credentials = newCredentials(),
}: DevServerOptions): Promise<DevServer> {
  const services = {
    explorer: createExplorer({ clock, token: credentials.explorer.token, seed: !empty }),
    secrets: createSecrets({
      clock,
      tokens: secretsTokens(credentials.secrets),
      seed: !empty,
      kmip: {
        kmip: createKmip({ clock, seed: !empty }),
        ...(empty ? {} : { 'kmip-new': createKmip({ clock, seed: false }) }),
      },
    }),
    scheduler: createJobs({ clock, seed: !empty, acl: true, tokens: schedulerTokens(credentials.scheduler) }),
  }
  const faultsFor = createFaults(faults)
  const sockets = new Set<Socket>()
  let origin = ''
  let boundPort = 0

  const server = createServer((message, response) => {
    void answer(message, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(message.headers, boundPort)
    if (refusal !== undefined) {
      socket.end(rawReply(refusal))
      return
    }
    const request = devRequest(message, Buffer.alloc(0), new AbortController().signal)
    const service = serviceOf(request)
    if (service.upgrade === undefined) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else service.upgrade(request, message, socket, head)
  })

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const refusal = refusalOf(message.headers, boundPort)
    if (refusal !== undefined) return send(response, message.method, refusal)
    const body = await readBody(message)
    const request = devRequest(message, body, gone.signal)
    for (const fault of faultsFor(request.rawPath)) {
      if (fault.kind === 'drop') return void message.socket.destroy()
      if (fault.kind !== 'status') await new Promise<void>((done) => clock.after(fault.milliseconds, done))
      if (fault.kind !== 'latency') return send(response, message.method, faultReply(fault, request))
    }
    const malformed = !request.rawPath.startsWith('/v1/') && !isDecodable(request.rawPath)
    return send(response, message.method, malformed ? badRequest : await serviceOf(request).handle(request))
  }

  function devRequest(message: IncomingMessage, body: Buffer, signal: AbortSignal): DevRequest {
    const target = message.url ?? '/'
    const mark = target.indexOf('?')
    const rawPath = mark === -1 ? target : target.slice(0, mark)
    const rawQuery = mark === -1 ? '' : target.slice(mark + 1)
    return {
      method: message.method ?? 'GET',
      rawPath,
      rawQuery,
      segments: rawPath.split('/').slice(1).map(decoded),
      query: new URLSearchParams(rawQuery),
      headers: message.headers,
      body,
      dialect: dialectOf(message, rawQuery) ?? dialect,
      signal,
      origin,
    }
  }

  function serviceOf({ rawPath }: DevRequest): DevService {
    if (rawPath.startsWith('/api/')) return services.explorer
    return /^\/v1\/jobs?(?:\/|$)/.test(rawPath) ? services.scheduler : services.secrets
  }

  await listen(server, port)
  boundPort = (server.address() as AddressInfo).port
  origin = `http://127.0.0.1:${boundPort}`
  return {
    origin,
    credentials,
    async close() {
      await Promise.all(Object.values(services).map(async (service: DevService) => service.close()))
      const closed = new Promise((done) => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', done)
  })
}

/** The vocabulary that a request's own words tell; undefined where they do not. */
function dialectOf({ headers }: IncomingMessage, rawQuery: string): Dialect | undefined {
  const names = Object.keys(headers)
  if (names.some((name) => /^x-(?:vault|nomad)-/.test(name))) return 'hashicorp'
  if (names.some((name) => /^x-(?:secrets|scheduler)-/.test(name))) return 'neutral'
  if (/go-tfe|terraform|pytfe/i.test(headers['user-agent'] ?? '') || /[_-]terraform[_-]version/.test(rawQuery))
    return 'hashicorp'
  return undefined
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of message as AsyncIterable<Buffer>) {
    length += piece.length
    if (length <= largestBody) pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function send(response: ServerResponse, method: string | undefined, reply: DevReply): Promise<void> {
  response.writeHead(reply.status, { ...reply.headers })
  const { body } = reply
  if (body === undefined || method === 'HEAD') response.end()
  else if (typeof body === 'string' || body instanceof Uint8Array) response.end(body)
  else await pipeline(body, response)
}

/** The reply as text, for a socket that has left HTTP's hands. */
function rawReply({ status, headers = {}, body }: DevReply): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', String(body ?? '')].join('\r\n')
}

function decoded(segment: string): string {
  return isDecodable(segment) ? decodeURIComponent(segment) : segment
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const badRequest: DevReply = { status: 400, headers: { 'content-type': 'text/plain' }, body: '400 Bad Request' }

/** The answer that a fault stands for, in the form of the service that it hits. */
function faultReply({ status, milliseconds }: Fault, { rawPath }: DevRequest): DevReply {
  const title = status === 429 ? 'Too many requests' : `fault injected by --fault (${status})`
  const reset = {
    'retry-after': String(Math.ceil(milliseconds / 1000)),
    'x-ratelimit-reset': String(milliseconds / 1000),
  }
  const headers = status === 429 ? reset : {}
  if (rawPath.startsWith('/api/')) {
    const error = { status: String(status), title, detail: title }
    return {
      status,
      headers: { ...headers, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ errors: [error] }),
    }
  }
  if (/^\/v1\/jobs?(?:\/|$)/.test(rawPath))
    return { status, headers: { ...headers, 'content-type': 'text/plain' }, body: title }
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ errors: [title] }),
  }
}
