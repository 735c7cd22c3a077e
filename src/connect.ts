import { constants } from 'node:buffer'
import { serviceNamed } from './api/services.ts'
import { version } from './commands/index.ts'
import type { Session } from './config/session.ts'
import type { Socket } from './core/connection.ts'
import { ServerClock } from './core/clock.ts'
import { formatSpan } from './core/duration.ts'
import type { Http, Memory } from './core/http.ts'
import type { Limiter } from './core/limiter.ts'
import { createLimiter } from './core/limiter.ts'
import type { HttpRequest } from './core/request.ts'
import type { Client, Target } from './http/client.ts'
import { createClient } from './http/client.ts'
import type { Translator } from './http/dialect.ts'
import { createTranslator } from './http/dialect.ts'
import { Outage } from './http/outage.ts'
import { createHttp } from './http/http.ts'
import type { Trace } from './http/trace.ts'
import type { Transport } from './http/transport.ts'
import type { Invocation } from './invocation.ts'
import { createMessages } from './output/io.ts'
import { writeAll } from './output/streams.ts'
import type { Host } from './process/host.ts'

/** About 512 MiB: a body is one string. */
const defaultMaxBody = constants.MAX_STRING_LENGTH

type ServerTarget = Target & { readonly memory: Memory }

const userAgent = `tug/${version}`

/** Time limit in milliseconds for connection and upgrade. */
const connectTimeoutOf = ({ commandSettings }: Session) => Math.min(10_000, commandSettings.timeout)

/** The HTTP client of a session's service. */
export function openHttp(session: Session, invocation: Invocation): Http {
  const { service, connection, readOnlyBy } = session
  const { host, io, dryRun, signal } = invocation
  const memory = openMemory(session, invocation)
  return createHttp({
    connection,
    memory,
    service: () => serviceNamed(connection.service),
    route: () => session.commandSettings.route,
    readOnlyBy,
    dryRun,
    signal,
    sleep: host.sleep,
    async open(): Promise<Translator> {
      const { dialect, namespace, region, targetFlags } = session.commandSettings
      const product = await serviceNamed(connection.service)
      const target = { service: product, connection, dialect, namespace, region, targetFlags }
      const client = await (dryRun ? openDryRun : openClient)({ ...target, memory }, session, invocation)
      return createTranslator(client, { service: product, dialect, targetFlags, memory, warn: io.warnAlways })
    },
    openSocket: (request, ended, client) => openSocket(session, invocation, request, ended, client),
    waiting: () => io.progress(`waiting for the ${service} service`, { background: true }),
    wrote: () => {
      invocation.hasWritten = true
    },
  })
}

/** What is known of a session's server: nothing yet. */
function openMemory({ connection, commandSettings }: Session, { host, io }: Invocation): Memory {
  const warn = (offset: number) => {
    const difference = formatSpan(Math.round(Math.abs(offset) / 1000) * 1000)
    const words = `${difference} ${offset > 0 ? 'behind' : 'ahead of'} the clock of ${connection.address().origin}`
    io.warn(`this machine's clock is ${words}, which counts`)
  }
  const clock = new ServerClock(host.now, warn)
  return { dialect: commandSettings.dialect, hasAnswered: false, isProduct: false, clock }
}

async function openSocket(
  session: Session,
  invocation: Invocation,
  request: HttpRequest,
  signal: AbortSignal,
  client: Translator,
): Promise<Socket> {
  const { openSocketOf } = await import('./http/open-socket.ts')
  const { connection, commandSettings } = session
  const service = await serviceNamed(connection.service)
  const trace = await openTrace(session, invocation)
  // Idle connections also count at the server.
  for (const transport of await Promise.all(invocation.transports)) transport.retire?.()
  const limiters = {
    sockets: limiterOf(session, invocation, { isForSockets: true }),
    all: limiterOf(session, invocation),
  }
  const target = {
    ...commandSettings,
    connectTimeout: connectTimeoutOf(session),
    service,
    connection,
    trace,
    userAgent,
  }
  return openSocketOf(request, signal, target, client, limiters)
}

async function openDryRun(target: ServerTarget, session: Session, invocation: Invocation): Promise<Client> {
  const { host, redactor, writes } = invocation
  const { createDryRun } = await import('./http/dry-run.ts')
  let opened: Promise<Client> | undefined
  return createDryRun({
    ...target,
    tokenVariable() {
      const found = session.tokenSource()
      if (found === undefined && !target.service.needsToken) return undefined
      return found?.isVariable === true ? found.source : session.connection.tokenVariable
    },
    print: (line) => writeAll(host.stdout, redactor.redact(line), 'stdout'),
    reader: writes ? () => (opened ??= openClient(target, session, invocation)) : undefined,
  })
}

async function openClient(target: ServerTarget, session: Session, invocation: Invocation): Promise<Client> {
  const { host, signal, sleep, interrupts, io, transports } = invocation
  const { random, monotonic } = host
  let transport: Promise<Transport> | undefined
  return createClient({
    ...target,
    timeout: session.commandSettings.timeout,
    retries: session.setting('retries')?.value as number,
    maxBody: session.setting('maxBody')?.value ?? defaultMaxBody,
    signal,
    transport: () => {
      if (transport === undefined) transports.push((transport = openTransport(session, host)))
      return transport
    },
    userAgent,
    sleep,
    random,
    monotonic,
    limiter: limiterOf(session, invocation),
    outage: outageOf(session, invocation),
    keepsBodies: invocation.flags.raw === true,
    note: (line) => io.note(line, 'dim'),
    trace: await openTrace(session, invocation),
    writing: (request) => {
      interrupts.writing = request === undefined ? undefined : `${request.method} ${request.path}`
    },
  })
}

/** The limiter of requests to the session's server. A WebSocket keeps its slot in one of its own while it is open. */
function limiterOf(
  session: Session,
  { host, sleep, limiters }: Invocation,
  { isForSockets = false }: { isForSockets?: boolean } = {},
): Limiter {
  const { origin } = session.connection.address()
  const key = isForSockets ? `sockets of ${origin}` : origin
  const clock = isForSockets ? {} : { clock: { monotonic: host.monotonic, sleep } }
  const limiter =
    limiters.get(key) ?? createLimiter({ most: session.setting('maxConnections')?.value as number, ...clock })
  limiters.set(key, limiter)
  return limiter
}

/** Whether the session's server is down. */
function outageOf({ connection }: Session, { outages }: Invocation): Outage {
  const { origin } = connection.address()
  const outage = outages.get(origin) ?? new Outage()
  outages.set(origin, outage)
  return outage
}

/** Undefined without `--trace`. */
async function openTrace(session: Session, { host, redactor }: Invocation): Promise<Trace | undefined> {
  if (session.setting('trace')?.value !== true) return undefined
  const { createTrace } = await import('./http/trace.ts')
  const messages = createMessages(host, redactor)
  return createTrace((text) => messages.write({ text }))
}

async function openTransport(session: Session, { nodeVersion }: Host): Promise<Transport> {
  const { connection } = session
  const [{ createTransport }, { createTransports }] = await Promise.all([
    import('./http/transport-node.ts'),
    import('./http/transport.ts'),
  ])
  const options = {
    tls: await connection.tls,
    proxy: connection.proxy(),
    socketPath: connection.address().socketPath,
    mostConnections: session.setting('maxConnections')?.value as number,
    connectTimeout: connectTimeoutOf(session),
  }
  return createTransports(createTransport(options), options, nodeVersion.startsWith('20.'))
}
