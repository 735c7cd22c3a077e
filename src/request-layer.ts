import { serviceNamed } from './api/services.ts'
import type { Session } from './config/session.ts'
import { isVariable } from './config/tokens.ts'
import { DryRunEnd } from './core/answer.ts'
import type { Http, Io } from './core/context.ts'
import { interrupted } from './core/errors.ts'
import type { HttpRequest, ServiceName } from './core/request.ts'
import { bindSettings, isWrite, serviceVariable } from './core/request.ts'
import type { Service } from './core/service.ts'
import type { Host } from './process/host.ts'
import { originOf } from './core/address.ts'
import type { Client } from './http/client.ts'
import { createClient } from './http/client.ts'
import { requestTarget } from './http/curl.ts'
import type { Translator } from './http/dialect.ts'
import { createTranslator } from './http/dialect.ts'
import { createDryRun } from './http/dry-run.ts'
import { refuseWrite } from './http/read-only.ts'
import { createPace } from './http/pace.ts'
import type { Pace } from './http/pace.ts'
import type { Transport } from './http/transport.ts'
import type { Interrupts } from './process/interrupts.ts'
import { createCleaner, writeAll } from './output/io.ts'
import type { Redactor } from './output/redact.ts'
import { version } from './program.ts'

/** What the request layer of a run is made from. */
export interface LayerOptions {
  readonly host: Host
  readonly redactor: Redactor
  readonly signal: AbortSignal
  readonly interrupts: Interrupts
  readonly io: Io
  readonly dryRun: boolean
  /** True if bodies are the output: `--raw`. */
  readonly raw: boolean
}

/** Opens the services for a run: for each session its way to send requests, or to print them (`--dry-run`). */
export interface RequestLayer {
  open(session: Session): Http
  /** True once a write was answered with success. */
  readonly hasWritten: boolean
  /** Ends the connections. */
  close(): Promise<void>
}

/** A gibibyte: more than any answer that a person waits for, less than the memory of most machines. */
const defaultMaxBody = 1024 ** 3

const userAgent = `tug/${version}`

/** Milliseconds between pings of a WebSocket. */
const pingInterval = 10_000
/** Milliseconds for connection and upgrade, if `--timeout` is not shorter. */
const longestConnect = 10_000

/** The request layer. */
export function createRequestLayer(options: LayerOptions): RequestLayer {
  const run: RunState = { transports: [], paces: new Map(), hasWritten: false }
  return {
    open: (session) => openHttp(session, options, run),
    get hasWritten() {
      return run.hasWritten
    },
    async close() {
      await Promise.all(run.transports.map(async (transport) => (await transport).close().catch(() => undefined)))
    },
  }
}

/** What the clients of one run share. */
interface RunState {
  readonly transports: Promise<Transport>[]
  /** By origin. */
  readonly paces: Map<string, Pace>
  hasWritten: boolean
}

/** The way to one service. Its client is made for the first request: what needs no service needs no address either. */
function openHttp(session: Session, options: LayerOptions, run: RunState): Http {
  const { io, dryRun } = options
  let opened: Promise<Translator> | undefined
  const translator = () => (opened ??= translatorOf(session, options, run))
  const bound = <T>(request: HttpRequest<T>) => boundTo(session, request, dryRun)
  return {
    get connection() {
      return session.connection
    },
    async send(request) {
      const response = await whileWaiting(session, io, async () => {
        const full = bound(request)
        return (await translator()).send(full)
      })
      run.hasWritten ||= isWrite(request) && response.status < 300 && !dryRun
      return response
    },
    stream: (request) =>
      whileWaiting(session, io, async () => {
        const full = bound(request)
        return (await translator()).stream(full)
      }),
    async openSocket(request, signal) {
      if (!dryRun) return openSocketOf(session, bound(request), signal, options)
      await (await translator()).send(upgradeOf(bound(request)))
      throw new DryRunEnd()
    },
    takesInput: async (abort, timeout) => {
      const { dialectQuestion } = await serviceOf(session)
      return takesInput(await translator(), dialectQuestion, () => options.host.sleep(timeout, abort))
    },
    async certificateEnd() {
      if (dryRun) return null
      const { certificateEnd } = await import('./http/certificate.ts')
      return certificateEnd(session.connection, options.signal)
    },
  }
}

/** The request with the settings that its path names. Throws for a write of a read-only run. */
function boundTo<T>(session: Session, request: HttpRequest<T>, dryRun: boolean): HttpRequest<T> {
  const full = bindSettings(request, session.commandSettings.route)
  if (session.readOnlyBy !== undefined && !dryRun) refuseWrite(full, session.readOnlyBy)
  return full
}

/** True for a product, whose actions read input. Where nothing has shown it yet, a read asks, after a pause that may end it. */
async function takesInput(
  translator: Translator,
  question: HttpRequest | undefined,
  pause: () => Promise<void>,
): Promise<boolean> {
  if (translator.dialect === 'auto' && question !== undefined) {
    await pause()
    await translator.send(question).catch(() => undefined)
  }
  return translator.dialect === 'hashicorp'
}

/** Shows a person who waits for an answer what is waited for. */
async function whileWaiting<T>({ service }: Session, io: Io, call: () => Promise<T>): Promise<T> {
  const activity = io.progress(`waiting for the ${service} service`, { background: true })
  try {
    return await call()
  } finally {
    activity.end()
  }
}

async function translatorOf(session: Session, options: LayerOptions, run: RunState): Promise<Translator> {
  const service = await serviceOf(session)
  const { dialect, targetFlags } = session.commandSettings
  return createTranslator(clientOf(session, service, options, run), {
    service,
    dialect,
    targetFlags,
    warn: (line) => options.io.warn(line),
  })
}

async function serviceOf({ service }: Session): Promise<Service> {
  if (service === undefined) throw new Error('this command talks to no service')
  return serviceNamed(service)
}

function clientOf(session: Session, service: Service, options: LayerOptions, run: RunState): Client {
  const { host, redactor, signal, interrupts, io, dryRun } = options
  const { dialect, namespace, region, targetFlags, timeout } = session.commandSettings
  const shared = { service, connection: session.connection, dialect, namespace, region, targetFlags }
  if (dryRun) {
    return createDryRun({
      ...shared,
      tokenVariable: () => variableInCurl(session, service.name),
      print: (line) => writeAll(host.stdout, redactor.redact(line), 'stdout'),
    })
  }
  let transport: Promise<Transport> | undefined
  return createClient({
    ...shared,
    timeout,
    retries: session.retries,
    maxBody: session.setting('maxBody')?.value ?? defaultMaxBody,
    signal,
    transport: () => {
      if (transport === undefined) run.transports.push((transport = openTransport(session, host)))
      return transport
    },
    userAgent,
    sleep: host.sleep,
    random: host.random,
    now: host.now,
    monotonic: host.monotonic,
    pace: paceOf(session.connection.origin(), options, run),
    keepsBodies: options.raw,
    note: (line) => io.note(line, 'dim'),
    trace: traceOf(session, options),
    writing: (request) => {
      interrupts.writing = request === undefined ? undefined : `${request.method} ${request.path}`
    },
  })
}

function paceOf(origin: string, { host, signal }: LayerOptions, { paces }: RunState): Pace {
  const { monotonic, sleep } = host
  const pace = paces.get(origin) ?? createPace({ monotonic, sleep: (span) => sleep(span, signal) })
  paces.set(origin, pace)
  return pace
}

/** The shell variable that holds the token; undefined if none would be sent. */
function variableInCurl(session: Session, service: ServiceName): string | undefined {
  const source = session.tokenSource()?.source
  if (source !== undefined && isVariable(source)) return source
  return source === undefined && service === 'scheduler' ? undefined : serviceVariable(service, 'TOKEN')
}

function traceOf(session: Session, { host, redactor }: LayerOptions): ((line: string) => void) | undefined {
  if (!session.trace) return undefined
  const clean = createCleaner(host, redactor)
  return (line) => host.stderr.write(`${clean(line)}\n`)
}

async function openTransport({ connection, commandSettings }: Session, { nodeVersion }: Host): Promise<Transport> {
  const [{ createTransport }, { createTransports }] = await Promise.all([
    import('./http/transport-node.ts'),
    import('./http/transport-bulk.ts'),
  ])
  const options = {
    tls: connection.tls,
    proxy: connection.proxy(),
    socketPath: connection.socketPath,
    connectTimeout: Math.min(longestConnect, commandSettings.timeout),
  }
  return createTransports(createTransport(options), options, nodeVersion.startsWith('20.'))
}

/** What a dry run shows of an upgrade. No header carries the token: it goes in the first frame. */
function upgradeOf(request: HttpRequest): HttpRequest {
  return {
    ...request,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      // Any 16 bytes do; these are the ones of the WebSocket standard's own example.
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  }
}

/** Opens a WebSocket. Once it is open, `signal` does not close it: something may still have to be sent. */
async function openSocketOf(session: Session, request: HttpRequest, signal: AbortSignal, options: LayerOptions) {
  const { connection, commandSettings } = session
  const { namespace, region, timeout } = commandSettings
  const service = await serviceNamed(connection.service)
  const placed = service.translate(service.place(request, { namespace, region }), commandSettings.dialect)
  const origin = originOf(session.address())
  const path = connection.basePath() + requestTarget(placed)
  const headers = { 'User-Agent': userAgent }
  const trace = traceOf(session, options)
  if (trace !== undefined) (await import('./http/trace.ts')).traceRequest(trace, placed, origin + path, headers)
  const { openSocket, socketFailure } = await import('./http/socket.ts')
  const connecting = new AbortController()
  const interrupt = () => connecting.abort()
  signal.addEventListener('abort', interrupt)
  try {
    if (signal.aborted) interrupt()
    return await openSocket({
      origin,
      path,
      headers,
      tls: connection.tls,
      proxy: connection.proxy(),
      connectTimeout: Math.min(longestConnect, timeout),
      pingInterval,
      signal: connecting.signal,
    })
  } catch (error) {
    if (signal.aborted) throw interrupted()
    throw socketFailure(error, {
      service,
      dialect: commandSettings.dialect,
      targetFlags: commandSettings.targetFlags,
      request: placed,
      origin,
      path: connection.basePath() + placed.path,
    })
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}
