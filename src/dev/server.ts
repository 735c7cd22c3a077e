import { createServer, ServerResponse, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createListener, type AddressInfo, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newCredentials, type Credentials } from './credentials.ts'
import { createExplorer } from './explorer/service.ts'
import { createFaults, faultReply, type Fault } from './faults.ts'
import { serviceOf, systemClock } from './http.ts'
import type { ServiceName } from '../core/service.ts'
import type { DevClock, DevReply, DevRequest, DevService, Dialect } from './http.ts'
import { demoTokens as schedulerTokens } from './jobs/api/tokens.ts'
import { createJobs } from './jobs/service.ts'
import { createKmip } from './kmip/engine.ts'
import { demoTokens as secretsTokens } from './secrets/request.ts'
import { createSecrets } from './secrets/service.ts'

export interface DevServerOptions {
  /** 0: any free port. */
  readonly port: number
  readonly faults: readonly Fault[]
  /** The dialect of answers to requests that don't show which one they expect. */
  readonly dialect: Dialect
  /** As servers outside do, ignores what only the other dialect has, and answers in its own whatever the request shows. */
  readonly strict?: boolean
  readonly clock?: DevClock
  readonly empty?: boolean
  readonly credentials?: Credentials
}

export interface DevServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  readonly credentials: Credentials
  /** The writes that it has carried out, such as `POST /v1/secret/data/app/db`, oldest first. */
  readonly writes: readonly string[]
  close(): Promise<void>
}

/** A little more than the largest body that the secrets store accepts, so that it can refuse larger ones itself. */
const largestBody = 40 * 1024 * 1024
/** The largest body of a request without a known token: services read small bodies before they check the token. */
const largestStrangersBody = 64 * 1024

/** Starts all three services on one loopback port. Rejects if the port is taken. */
export async function startServer({
  port,
  faults,
  dialect,
  strict = false,
  clock = systemClock,
  empty = false,
  credentials = newCredentials(),
}: DevServerOptions): Promise<DevServer> {
  // Each is created by its first request: the demo data of all three costs more than most requests.
  const create: Readonly<Record<ServiceName, () => DevService>> = {
    explorer: () => createExplorer({ clock, token: credentials.explorer.token, seed: !empty }),
    secrets: () =>
      createSecrets({
        clock,
        tokens: secretsTokens(credentials.secrets),
        seed: !empty,
        kmip: createKmip({ clock, seed: !empty }),
      }),
    scheduler: () => createJobs({ clock, seed: !empty, tokens: schedulerTokens(credentials.scheduler) }),
  }
  const services: Partial<Record<ServiceName, DevService>> = {}
  const faultsFor = createFaults(faults)
  const other = dialect === 'neutral' ? 'hashicorp' : 'neutral'
  const writes: string[] = []
  let origin = ''
  let boundPort = 0

  const server = createServer((message, response) => {
    void answer(message, response).catch(() => response.destroy())
  })
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const request = devRequest(message, Buffer.alloc(0), new AbortController().signal)
    const service = serviceFor(request)
    const refusal = refusalOf(message.headers, boundPort) ?? (service?.upgrade === undefined ? badRequest : undefined)
    if (refusal === undefined) return service?.upgrade?.(request, message, socket, head)
    const response = new ServerResponse(message)
    response.assignSocket(socket as Socket)
    response.on('finish', () => socket.end())
    void send(response, 'GET', refusal)
  })

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.sendDate = false
    if (clock.isHidden !== true) response.setHeader('date', clock.now().toUTCString())
    const refusal = refusalOf(message.headers, boundPort)
    if (refusal !== undefined) return send(response, message.method, refusal)
    const bare = devRequest(message, Buffer.alloc(0), gone.signal)
    const limit = serviceFor(bare)?.knows(bare) === true ? largestBody : largestStrangersBody
    const body = await readBody(message, limit)
    if (body === undefined) return send(response, message.method, limit === largestBody ? tooLarge : unknownToken)
    const request = { ...bare, body }
    for (const fault of faultsFor(request.rawPath)) {
      if (fault.kind === 'drop') return void message.socket.destroy()
      if (fault.kind !== 'status') await new Promise<void>((done) => clock.after(fault.milliseconds, done))
      if (fault.kind !== 'latency') return send(response, message.method, faultReply(fault, request))
    }
    const malformed = !request.rawPath.startsWith('/v1/') && decoded(request.rawPath) === undefined
    const reply = malformed ? badRequest : ((await serviceFor(request)?.handle(request)) ?? notServed)
    if (isWrite(request) && reply.status < 300) writes.push(`${request.method} ${request.rawPath}`)
    return send(response, message.method, reply)
  }

  function serviceFor(request: DevRequest): DevService | undefined {
    const name = serviceOf(request)
    return name === undefined ? undefined : (services[name] ??= create[name]())
  }

  function devRequest(message: IncomingMessage, body: Buffer, signal: AbortSignal): DevRequest {
    const [rawPath = '/', rawQuery = ''] = (message.url ?? '/').split(/\?(.*)/s)
    const shown = strict ? dialect : dialectOf(message, rawQuery)
    return {
      method: message.method === substitute ? 'LIST' : (message.method ?? 'GET'),
      rawPath,
      rawQuery,
      segments: rawPath
        .split('/')
        .slice(1)
        .map((segment) => decoded(segment) ?? segment),
      query: new URLSearchParams(rawQuery),
      headers: strict
        ? Object.fromEntries(Object.entries(message.headers).filter(([name]) => !headersOf[other].test(name)))
        : message.headers,
      body,
      dialect: shown ?? dialect,
      assumed: shown === undefined,
      signal,
      origin,
    }
  }

  const sockets = new Set<Socket>()
  const listener = createListener({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    server.emit('connection', acceptList(socket))
  })
  await new Promise<void>((done, fail) => {
    listener.once('error', fail)
    listener.listen(port, '127.0.0.1', done)
  })
  boundPort = (listener.address() as AddressInfo).port
  origin = `http://127.0.0.1:${boundPort}`
  return {
    origin,
    credentials,
    writes,
    async close() {
      await Promise.all(Object.values(services).map(async (service) => service.close()))
      const closed = new Promise((done) => listener.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Node's HTTP parser refuses the method LIST. It reads this one instead, which no service has. */
const substitute = 'LINK'

/**
 * The connection for `http.Server` to read: each request with the method LIST has the substitute. No client pipelines, so a
 * request starts a piece of its own.
 */
function acceptList(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (piece: Buffer, _encoding, done) => void socket.write(piece, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (piece) => {
    if (/^LIST \S+ HTTP\/1\.1\r\n/.test(piece.toString('latin1', 0, 16_384))) piece.write(substitute, 'latin1')
    if (!stream.push(piece)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  return stream
}

/** Some requests that only read are sent with POST or PUT. */
function isWrite({ method, rawPath }: DevRequest): boolean {
  if (['GET', 'HEAD', 'LIST'].includes(method)) return false
  return !/^\/v1\/(?:jobs\/parse|validate\/job|job\/.+\/plan|sys\/(?:wrapping\/unwrap|capabilities-self))$/.test(
    rawPath,
  )
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The refusal of a request that a web page may have sent; undefined for any other. Browsers send the page's origin in
 * `Origin`, and in `Host` the name from the address bar, which may be anybody's even if it resolves to 127.0.0.1.
 */
function refusalOf(headers: IncomingHttpHeaders, port: number): DevReply | undefined {
  const host = (headers.host ?? '').toLowerCase()
  const isOurs = loopbackNames.some((name) => host === `${name}:${port}` || (port === 80 && host === name))
  if (!isOurs) return refuse(421, `this server answers only to 127.0.0.1:${port} and localhost:${port}`)
  if (headers.origin !== undefined) return refuse(403, 'this server does not answer web pages')
  return undefined
}

function refuse(status: number, body: string): DevReply {
  return { status, headers: { ...text, connection: 'close' }, body: `${body}\n` }
}

/** The dialect that a request's own headers or field names show, if any; headers of both show none. */
function dialectOf({ headers }: IncomingMessage, rawQuery: string): Dialect | undefined {
  const names = Object.keys(headers)
  const isProduct = names.some((name) => headersOf.hashicorp.test(name))
  const isNeutral = names.some((name) => headersOf.neutral.test(name))
  if (isProduct !== isNeutral) return isProduct ? 'hashicorp' : 'neutral'
  if (/go-tfe|terraform|pytfe/i.test(headers['user-agent'] ?? '') || /[_-]terraform[_-]version/.test(rawQuery))
    return 'hashicorp'
  return undefined
}

const headersOf = { neutral: /^x-(?:secrets|scheduler)-/, hashicorp: /^x-(?:vault|nomad)-/ }

/** The body, or undefined as soon as it is larger than the limit; the rest is dropped. */
function readBody(message: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    message.on('data', (piece: Buffer) => {
      length += piece.length
      if (length <= limit) pieces.push(piece)
      else resolve(undefined)
    })
    message.on('end', () => resolve(Buffer.concat(pieces)))
    message.on('error', reject)
  })
}

async function send(response: ServerResponse, method: string | undefined, reply: DevReply): Promise<void> {
  const { status, headers, body } = reply
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  response.writeHead(status, { ...headers, ...(isWhole ? { 'content-length': Buffer.byteLength(body) } : {}) })
  if (body === undefined || method === 'HEAD') response.end()
  else if (isWhole) response.end(body)
  else await pipeline(body, response)
}

/** Undefined if it has a broken escape. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const text = { 'content-type': 'text/plain; charset=utf-8' }
const badRequest: DevReply = { status: 400, headers: text, body: '400 Bad Request' }
const tooLarge: DevReply = { status: 413, headers: text, body: 'request body too large\n' }
const unknownToken: DevReply = { status: 403, headers: text, body: 'Permission denied' }
const notServed: DevReply = { status: 404, headers: text, body: 'the local server does not serve this path\n' }
