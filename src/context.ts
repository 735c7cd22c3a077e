import type { Route } from './cli/route.ts'
import type { ParsedLine } from './cli/parse.ts'
import { configurationWarnings, createSession } from './config/session.ts'
import type { Session, SessionOptions } from './config/session.ts'
import type { Flags } from './config/settings.ts'
import { isYes } from './core/environment.ts'
import type { Command, Result } from './core/command.ts'
import type { CommandSettings, Context, Format, Http } from './core/context.ts'
import { usageError } from './core/errors.ts'
import type { ServiceName } from './core/request.ts'
import type { Host } from './host.ts'
import { createClient } from './http/client.ts'
import { createPrinter } from './http/dry-run.ts'
import type { Transport } from './http/transport.ts'
import type { Interrupts } from './interrupts.ts'
import { createMasks } from './output/ci.ts'
import type { Masks } from './output/ci.ts'
import { createIo, widthOf, writeAll } from './output/io.ts'
import { colorLevel, createPaint } from './output/paint.ts'
import type { Redactor } from './output/redact.ts'
import { present } from './output/present.ts'
import { tree, version } from './program.ts'

/** What a run is made from. */
export interface RunOptions {
  readonly host: Host
  readonly redactor: Redactor
  readonly route: Route
  readonly parsed: ParsedLine
  readonly command: Command
  readonly signal: AbortSignal
  readonly interrupts: Interrupts
}

/** One command, ready to run. */
export interface Run {
  /** How the result will be printed. */
  readonly format: Format
  /** Runs the command and prints its result; gives the exit status. `started` is called when a child or action runs. */
  execute(input: Readonly<Record<string, unknown>>, started: () => void): Promise<number>
  /** Ends the connections. */
  close(): Promise<void>
}

/** Builds the world of one command: settings of its service, the HTTP core (or the printer of `--dry-run`), streams. */
export async function createContext(options: RunOptions): Promise<Run> {
  const { host, redactor, route, parsed, command, signal, interrupts } = options
  const globals = parsed.flags as Flags
  const colour = colorLevel({ flag: globals.color, env: host.env, isTerminal: host.stderr.isTTY === true })
  const dryRun = globals.dryRun === true
  const masks = createMasks(host)
  const io = createIo(host, {
    quiet: globals.quiet === true,
    yes: globals.yes === true,
    noInput: globals.noInput === true || isYes(host.env['TUG_NO_INPUT']) || isYes(host.env['CI']),
    dryRun,
    paint: await createPaint(colour),
    redactor,
    masks,
    signal,
  })
  const openSession = (given: Pick<SessionOptions, 'entry' | 'token'> & Partial<Pick<SessionOptions, 'flags'>>) =>
    createSession({ host, flags: globals, io: () => io, addSecret: (text) => redactor.add(text), ...given })
  const session = openSession({ entry: route.entry })
  for (const warning of configurationWarnings(session, host)) io.warn(warning)
  if (session.setting('insecure')?.value === true)
    io.warn('--insecure: the TLS certificate is not verified; anyone in between can read the token')

  const transports: Promise<Transport>[] = []
  const openHttp = (of: Session) => lazyHttp(of, { ...options, dryRun, io, transports })

  const opened = (of: Session): OpenService => ({ session: of, http: openHttp(of), settings: of.commandSettings })

  const context: Context = {
    http: openHttp(session),
    io,
    settings: session.commandSettings,
    now: host.now,
    signal,
    commandPath: route.words,
    sleep: (milliseconds) => host.sleep(milliseconds, signal),
    random: host.random,
    user: host.user,
  }
  const world: World = {
    host,
    session,
    interrupts,
    redactor,
    masks,
    tree,
    userAgent,
    openService: (service) => opened(openSession({ entry: { service } })),
    openWith(service, { address, token, org }) {
      const flags = { ...globals, address, ...(org === undefined ? {} : { org }) }
      return opened(openSession({ entry: { service }, flags, token }))
    },
  }

  const writes = command.writes ?? command.endpoints.some(isWrite)

  return {
    format: session.commandSettings.format,
    async execute(input, started) {
      if (globals.query !== undefined) (await import('./output/query.ts')).checkQuery(globals.query)
      if (writes) await confirmProtected(session, context)
      worlds.set(context, { ...world, started })
      const result = await command.run(input as never, context)
      if (dryRun) return 0
      return presentResult(result)
    },
    async close() {
      await Promise.all(transports.map(async (transport) => (await transport).close().catch(() => undefined)))
    },
  }

  async function presentResult(result: Result | undefined): Promise<number> {
    if (result === undefined) return 0
    const stdoutColour = colorLevel({ flag: globals.color, env: host.env, isTerminal: host.stdout.isTTY === true })
    return present(result, {
      format: session.commandSettings.format,
      raw: globals.raw === true,
      hasWritten: writes,
      hasEndpoints: command.endpoints.length > 0,
      query: globals.query,
      columns: globals.columns,
      headers: globals.noHeaders !== true,
      nul: globals.null === true,
      csvSafe: globals.csvSafe === true,
      csvBom: globals.csvBom === true,
      quiet: globals.quiet === true,
      terminal: host.stdout.isTTY === true,
      width: widthOf(host.stdout, host.env),
      paint: await createPaint(stdoutColour),
      now: host.now(),
      write: (text) => io.write('stdout', text),
      io,
      host,
      redact: (text) => redactor.redact(text),
      signal,
    })
  }
}

/** What the few commands that are about `tug` itself (profile, status, dev, completion) need beyond their context. */
export interface World {
  readonly host: Host
  readonly session: Session
  readonly interrupts: Interrupts
  readonly redactor: Redactor
  readonly masks: Masks
  readonly tree: typeof tree
  /** How requests name the program that sends them. */
  readonly userAgent: string
  /** The settings and the HTTP core of a service that is not the group's own (`status`, `login`, `api`). */
  readonly openService: (service: ServiceName) => OpenService
  /** The same with an address, a token and an organization that are not configured yet (`login`). */
  readonly openWith: (
    service: ServiceName,
    given: { address: string; token: string; org: string | undefined },
  ) => OpenService
  /** To be called once an action or child runs: failures of `tug` are then 125. */
  readonly started?: () => void
}

/** One of the services, ready to be asked. */
export interface OpenService {
  readonly session: Session
  readonly http: Http
  readonly settings: CommandSettings
}

const userAgent = `tug/${version}`

const worlds = new WeakMap<Context, World>()

/** The world behind a context, for commands about `tug` itself and those that run children. */
export function worldOf(context: Context): World {
  const world = worlds.get(context)
  if (world === undefined) throw new Error('this context has no world')
  return world
}

/** The HTTP core is made when the first request is sent: what needs no service needs no address either. */
function lazyHttp(
  session: Session,
  options: RunOptions & { dryRun: boolean; io: Context['io']; transports: Promise<Transport>[] },
): Http {
  const { host, redactor, signal, interrupts, io, dryRun } = options
  const settings = session.commandSettings
  let http: Http | undefined
  let transport: Promise<Transport> | undefined
  const open = () => {
    if (session.service === undefined) throw new Error('this command talks to no service')
    const shared = {
      connection: session.connection,
      dialect: settings.dialect,
      namespace: settings.namespace,
      region: settings.region,
    }
    http ??= dryRun
      ? createPrinter({
          ...shared,
          hasToken: session.service !== 'scheduler' || session.tokenSource() !== undefined,
          print: (line) => writeAll(host.stdout, redactor.redact(line), 'stdout'),
        })
      : createClient({
          ...shared,
          tokenNeeded: session.service !== 'scheduler',
          timeout: settings.timeout,
          retries: session.retries,
          signal,
          transport: () => {
            if (transport === undefined) options.transports.push((transport = openTransport(session)))
            return transport
          },
          userAgent,
          sleep: host.sleep,
          random: host.random,
          now: host.now,
          note: (line) => io.note(line, 'dim'),
          trace: session.trace ? (line) => host.stderr.write(`${redactor.redact(line)}\n`) : undefined,
          writing: (request) => {
            interrupts.writing = request === undefined ? undefined : `${request.method} ${request.path}`
          },
        })
    return http
  }
  return {
    dryRun,
    get connection() {
      return session.connection
    },
    send: (request) => open().send(request),
    stream: (request) => open().stream(request),
  }
}

async function openTransport({ connection, commandSettings }: Session): Promise<Transport> {
  const { loadTransport } = await import('./http/transport-loader.ts')
  return loadTransport({
    tls: connection.tls,
    proxy: connection.proxy(),
    socketPath: connection.socketPath,
    connectTimeout: Math.min(10_000, commandSettings.timeout),
  })
}

/** True for a method that may change something. */
export function isWrite({ method }: { readonly method: string }): boolean {
  return !['GET', 'LIST'].includes(method)
}

/** A write with a protected profile asks for the profile's name. */
export async function confirmProtected(session: Session, { io, http }: Context): Promise<void> {
  const { profile, profileName } = session.saved
  if (http.dryRun || !isYes(profile?.protected) || session.service === undefined) return
  if (session.sources.flags.yes === true) return
  const answer = await io.ask(`to go on, the name of the protected profile ${profileName}: `, {
    otherwise: 'answer it ahead with --yes',
  })
  if (answer.trim() !== profileName) throw usageError('not confirmed; nothing was changed')
}
