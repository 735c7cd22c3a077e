import { constants } from 'node:buffer'
import { serviceNamed } from './api/services.ts'
import { version } from './commands/index.ts'
import type { Session } from './config/session.ts'
import { ServerClock } from './core/clock.ts'
import { formatSpan } from './core/duration.ts'
import type { Http, Memory } from './core/http.ts'
import type { Limiter } from './core/limiter.ts'
import { createLimiter } from './core/limiter.ts'
import type { Here } from './http/here.ts'
import { Outage } from './http/outage.ts'
import { createHttp } from './http/pipe.ts'
import type { Trace } from './http/trace.ts'
import type { Transport } from './http/transport.ts'
import type { Invocation } from './invocation.ts'
import { createMessages } from './output/io.ts'
import { writeAll } from './output/streams.ts'
import type { Host } from './process/host.ts'

/** About 512 MiB: a body is one string. */
const defaultMaxBody = constants.MAX_STRING_LENGTH

/** Time limit in milliseconds for connection and upgrade. */
const connectTimeoutOf = ({ commandSettings }: Session) => Math.min(10_000, commandSettings.timeout)

/** The HTTP client of a session's service. */
export function openHttp(session: Session, invocation: Invocation): Http {
  const memory = openMemory(session, invocation)
  return createHttp({ connection: session.connection, memory }, () => openHere(session, memory, invocation))
}

/** What the requests of a session share. */
async function openHere(session: Session, memory: Memory, invocation: Invocation): Promise<Here> {
  const { connection, readOnlyBy } = session
  const { host, signal, sleep, interrupts, io, transports, flags } = invocation
  let transport: Promise<Transport> | undefined
  return {
    ...session.commandSettings,
    service: await serviceNamed(connection.service),
    connection,
    memory,
    readOnlyBy,
    dryRun: invocation.dryRun ? await openDryRun(session, invocation) : undefined,
    connectTimeout: connectTimeoutOf(session),
    retries: session.setting('retries')?.value as number,
    maxBody: session.setting('maxBody')?.value ?? defaultMaxBody,
    signal,
    transport: () => {
      if (transport === undefined) transports.push((transport = openTransport(session, host)))
      return transport
    },
    async retire() {
      for (const one of await Promise.all(transports)) one.retire?.()
    },
    userAgent: `tug/${version}`,
    sleep,
    pause: host.sleep,
    random: host.random,
    monotonic: host.monotonic,
    get limiter() {
      return limiterOf(session, invocation)
    },
    get sockets() {
      return limiterOf(session, invocation, 'sockets of ')
    },
    get outage() {
      return outageOf(session, invocation)
    },
    keepsBodies: flags.raw === true,
    note: (line) => io.note(line, 'dim'),
    warn: io.warnAlways,
    trace: await openTrace(session, invocation),
    waiting: () => io.progress(`waiting for the ${connection.service} service`, { background: true }),
    writing: (request) => {
      interrupts.writing = request === undefined ? undefined : `${request.method} ${request.path}`
    },
    wrote: () => {
      invocation.hasWritten = true
    },
  }
}

async function openDryRun(session: Session, { host, redactor, writes }: Invocation): Promise<Here['dryRun']> {
  const { createDryRun } = await import('./http/dry-run.ts')
  const { needsToken } = await serviceNamed(session.connection.service)
  return createDryRun({
    tokenVariable() {
      const found = session.tokenSource()
      if (found === undefined && !needsToken) return undefined
      return found?.isVariable === true ? found.source : session.connection.tokenVariable
    },
    print: (line) => writeAll(host.stdout, redactor.redact(line), 'stdout'),
    sendsReads: writes,
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

/** The limiter of requests to the session's server. A WebSocket keeps its slot in one of its own while it is open. */
function limiterOf(session: Session, { host, sleep, limiters }: Invocation, kind = ''): Limiter {
  const key = kind + session.connection.address().origin
  const known = limiters.get(key)
  if (known !== undefined) return known
  const most = session.setting('maxConnections')?.value as number
  const limiter = createLimiter({ most, clock: { monotonic: host.monotonic, sleep } })
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
