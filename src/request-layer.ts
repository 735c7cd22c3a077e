import { serviceNamed } from './api/services.ts'
import type { Session } from './config/session.ts'
import { isVariable } from './config/tokens.ts'
import { DryRunEnd } from './core/answer.ts'
import type { Http } from './core/context.ts'
import { TugError } from './core/errors.ts'
import type { Limiter } from './core/limiter.ts'
import { createLimiter } from './core/limiter.ts'
import type { HttpRequest, ServiceName } from './core/request.ts'
import { bindSettings, isWrite } from './core/request.ts'
import type { Client, Target } from './http/client.ts'
import { createClient } from './http/client.ts'
import type { Translator } from './http/dialect.ts'
import { createTranslator } from './http/dialect.ts'
import type { Trace } from './http/trace.ts'
import type { Transport } from './http/transport.ts'
import { createCleaner, writeAll } from './output/io.ts'
import type { Host } from './process/host.ts'
import { version } from './commands/index.ts'
import type { Run } from './run.ts'

/** 1 GiB: more than any response worth waiting for, less than the memory of most machines. */
const defaultMaxBody = 1024 ** 3

const userAgent = `tug/${version}`

/** Time limit in milliseconds for connection and upgrade, unless `--timeout` is shorter. */
const longestConnect = 10_000

/** Closes the connections of a run. */
export async function closeConnections({ transports }: Run): Promise<void> {
  await Promise.all(transports.map(async (transport) => (await transport).close().catch(() => undefined)))
}

/** The connection to one service. Its client is created on first use: a command that needs no service needs no address. */
export function openHttp(session: Session, run: Run): Http {
  const { connection } = session
  const { dryRun } = run
  let opened: Promise<Translator> | undefined
  const translator = () => (opened ??= openTranslator(session, run))
  return {
    connection,
    send: (request) =>
      whileWaiting(session, run, async () => {
        const full = boundTo(session, request, run)
        const response = await (await translator()).send(full)
        run.hasWritten ||= isWrite(request) && response.status < 300
        return response
      }),
    stream: (request) =>
      whileWaiting(session, run, async () => {
        const full = boundTo(session, request, run)
        return (await translator()).stream(full)
      }),
    async openSocket(request, signal) {
      const full = boundTo(session, request, run)
      if (dryRun) {
        const [{ upgradeOf }, printer] = await Promise.all([import('./http/dry-run.ts'), translator()])
        await printer.send(upgradeOf(full))
        throw new DryRunEnd()
      }
      const { openSocketOf } = await import('./http/open-socket.ts')
      const service = await serviceNamed(connection.service)
      const trace = await openTrace(session, run)
      const target = { ...session.commandSettings, service, connection, trace, userAgent }
      // Idle connections also count at the server.
      for (const transport of await Promise.all(run.transports)) transport.retire?.()
      const limiters = { sockets: socketLimiterOf(session, run), all: limiterOf(session, run) }
      return openSocketOf(full, signal, target, await translator(), limiters)
    },
    async takesInput(abort, timeout) {
      const { dialectQuestion } = await serviceNamed(connection.service)
      return takesInput(await translator(), dialectQuestion, () => run.host.sleep(timeout, abort))
    },
    async certificateEnd() {
      if (dryRun) return null
      const { certificateEnd } = await import('./http/tls.ts')
      return certificateEnd(connection, run.signal)
    },
  }
}

/** The request with the settings in its path filled in. Throws for a write in a read-only run. */
function boundTo<T>(session: Session, request: HttpRequest<T>, { dryRun }: Run): HttpRequest<T> {
  const full = bindSettings(request, session.commandSettings.route)
  if (session.readOnlyBy !== undefined && !dryRun) refuseWrite(full, session.readOnlyBy)
  return full
}

/** True for a product, whose actions read input. If unknown, a read probes it after a delay that can be aborted. */
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

/** Shows what is being waited for. */
async function whileWaiting<T>({ service }: Session, { io }: Run, call: () => Promise<T>): Promise<T> {
  const activity = io.progress(`waiting for the ${service} service`, { background: true })
  try {
    return await call()
  } finally {
    activity.end()
  }
}

async function openTranslator(session: Session, run: Run): Promise<Translator> {
  const { connection, commandSettings } = session
  const { dialect, namespace, region, targetFlags } = commandSettings
  const service = await serviceNamed(connection.service)
  const target = { service, connection, dialect, namespace, region, targetFlags }
  const client = await (run.dryRun ? openDryRun : openClient)(target, session, run)
  return createTranslator(client, { service, dialect, targetFlags, warn: run.io.doubt })
}

async function openDryRun(target: Target, session: Session, run: Run): Promise<Client> {
  const { host, redactor, writes } = run
  const { createDryRun } = await import('./http/dry-run.ts')
  let opened: Promise<Client> | undefined
  return createDryRun({
    ...target,
    tokenVariable: () => variableInCurl(session, target.service.name),
    print: (line) => writeAll(host.stdout, redactor.redact(line), 'stdout'),
    reader: writes ? () => (opened ??= openClient(target, session, run)) : undefined,
  })
}

async function openClient(target: Target, session: Session, run: Run): Promise<Client> {
  const { host, signal, sleep, interrupts, io, transports } = run
  const { random, now, monotonic } = host
  let transport: Promise<Transport> | undefined
  return createClient({
    ...target,
    timeout: session.commandSettings.timeout,
    retries: session.setting('retries')?.value ?? 0,
    maxBody: session.setting('maxBody')?.value ?? defaultMaxBody,
    signal,
    transport: () => {
      if (transport === undefined) transports.push((transport = openTransport(session, host)))
      return transport
    },
    userAgent,
    sleep,
    random,
    now,
    monotonic,
    limiter: limiterOf(session, run),
    keepsBodies: run.flags.raw === true,
    note: (line) => io.note(line, 'dim'),
    trace: await openTrace(session, run),
    writing: (request) => {
      interrupts.writing = request === undefined ? undefined : `${request.method} ${request.path}`
    },
  })
}

/** A WebSocket keeps its slot while it is open. */
function socketLimiterOf(session: Session, { limiters }: Run): Limiter {
  const key = `sockets of ${session.connection.address().origin}`
  const limiter = limiters.get(key) ?? createLimiter({ most: connectionsOf(session) })
  limiters.set(key, limiter)
  return limiter
}

/** Connections to one server. */
function connectionsOf(session: Session): number {
  return session.setting('maxConnections')?.value ?? 16
}

function limiterOf(session: Session, { host, sleep, limiters }: Run): Limiter {
  const { origin } = session.connection.address()
  const clock = { monotonic: host.monotonic, sleep }
  const limiter = limiters.get(origin) ?? createLimiter({ most: connectionsOf(session), clock })
  limiters.set(origin, limiter)
  return limiter
}

/** The shell variable that holds the token; undefined if none would be sent. */
function variableInCurl(session: Session, service: ServiceName): string | undefined {
  const source = session.tokenSource()?.source
  if (source !== undefined && isVariable(source)) return source
  return source === undefined && service === 'scheduler' ? undefined : session.connection.tokenVariable
}

async function openTrace(session: Session, { host, redactor }: Run): Promise<Trace | undefined> {
  if (session.setting('trace')?.value !== true) return undefined
  const { createTrace } = await import('./http/trace.ts')
  const clean = createCleaner(host, redactor)
  return createTrace((line) => host.stderr.write(`${clean(line)}\n`))
}

async function openTransport(session: Session, { nodeVersion }: Host): Promise<Transport> {
  const { connection, commandSettings } = session
  const [{ createTransport }, { createTransports }] = await Promise.all([
    import('./http/transport-node.ts'),
    import('./http/transport.ts'),
  ])
  const options = {
    tls: connection.tls,
    proxy: connection.proxy(),
    socketPath: connection.address().socketPath,
    mostConnections: connectionsOf(session),
    connectTimeout: Math.min(longestConnect, commandSettings.timeout),
  }
  return createTransports(createTransport(options), options, nodeVersion.startsWith('20.'))
}

/** Throws a usage error for a request that could change something. `by` is the source of read-only mode. */
function refuseWrite(request: HttpRequest, by: string): void {
  if (isWrite(request) || asksToWrap(request)) throw readOnlyError(by, `${request.method} ${request.path}`)
}

/** Wrapping a response stores it, and a token for it, on the server. */
function asksToWrap({ headers = {} }: HttpRequest): boolean {
  return Object.keys(headers).some((name) => /^x-(?:secrets|vault)-wrap-ttl$/i.test(name))
}

/** The error for a request that was not sent because the run is read-only. */
export function readOnlyError(by: string, what: string): TugError {
  const message = `${by} makes this run read-only; ${what} was not sent`
  const hints = by.startsWith('profile ') ? [] : ['run it without --read-only and TUG_READ_ONLY to allow writes']
  return new TugError('usage', message, { reason: 'read_only', hints })
}
