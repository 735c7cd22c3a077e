import type { Route } from './cli/route.ts'
import type { ParsedLine } from './cli/parse.ts'
import { createRequestLayer } from './request-layer.ts'
import type { TugContext } from './commands/tug/context.ts'
import { configurationWarnings, createSession } from './config/session.ts'
import type { Session, SessionOptions } from './config/session.ts'
import type { Flags } from './config/settings.ts'
import { speaksFamily } from './config/resolve.ts'
import { serverFlags } from './config/settings.ts'
import { at as memberOf, DryRunEnd } from './core/answer.ts'
import { isYes } from './core/environment.ts'
import type { Command, Result } from './core/command.ts'
import type { Context, Format, Place } from './core/context.ts'
import { TugError, usageError } from './core/errors.ts'
import { isWrite } from './core/request.ts'
import { shellQuote } from './core/shell.ts'
import { readOnlyError } from './http/read-only.ts'
import type { Host } from './process/host.ts'
import type { Interrupts } from './process/interrupts.ts'
import { createMasks } from './output/ci.ts'
import { createIo, untilAborted, widthOf, writeAll } from './output/io.ts'
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

/** Builds the world of one command: the settings of its service, the request layer, streams. */
export async function createContext(options: RunOptions): Promise<Run> {
  const { host, redactor, route, parsed, command, signal, interrupts } = options
  const globals = parsed.flags as Flags
  const colour = colorLevel({ flag: globals.color, env: host.env, isTerminal: host.stderr.isTTY === true })
  const dryRun = globals.dryRun === true
  const masks = createMasks(host)
  const openSession = (given: Pick<SessionOptions, 'entry'> & Partial<SessionOptions>) =>
    createSession({ host, flags: globals, signal, io: () => io, addSecret: (text) => redactor.add(text), ...given })
  const session = openSession({ entry: route.entry })
  const io = createIo(host, {
    quiet: globals.quiet === true,
    yes: globals.yes === true,
    noInput: session.setting('noInput')?.value === true || isYes(host.env['CI']),
    dryRun,
    paint: await createPaint(colour),
    redactor,
    masks,
    signal,
  })
  for (const warning of configurationWarnings(session, host)) io.warn(warning)
  if (session.setting('insecure')?.value === true)
    io.warn('--insecure: the TLS certificate is not verified; anyone in between can read the token')

  const layer = createRequestLayer({ host, redactor, signal, interrupts, io, dryRun, raw: globals.raw === true })
  const opened = (of: Session) => ({ session: of, http: layer.open(of), settings: of.commandSettings })
  const declared = command.writes ?? command.endpoints.some(isWrite)
  // Until the input is known, a command that may write counts as one that does.
  let writes = declared !== false
  let started = () => {}
  const at = (place: Place): { session: Session; context: Context } => {
    const other = openSession({ entry: route.entry, flags: flagsElsewhere(globals, place) })
    return { session: other, context: { ...context, ...opened(other), commandLine: commandLineOf(other) } }
  }

  const context: TugContext = {
    ...opened(session),
    io,
    now: host.now,
    monotonic: host.monotonic,
    signal,
    commandPath: route.words,
    typed: route.rest,
    sleep: (milliseconds) => host.sleep(milliseconds, signal),
    random: host.random,
    user: host.user,
    commandLine: commandLineOf(session),
    lineAgain(from, to) {
      if (writes) return context.commandLine(route.words.join(' '), to)
      const rest = route.rest.map((word) => (word.replace(/\/$/, '') === from ? to : word))
      return ['tug', ...route.words, ...rest.map(shellQuote)].join(' ')
    },
    elsewhere: (place) => at(place).context,
    async elsewhereToWrite(place) {
      const { session: other, context: there } = at(place)
      if (place.profile !== undefined) await context.confirmProtected(other)
      return there
    },
    otherService(service) {
      const flags = Object.fromEntries(Object.entries(globals).filter(([name]) => !ownFlags.includes(name)))
      return opened(openSession({ entry: { service }, flags }))
    },
    started: () => started(),
    onExit: host.onExit,
    onResize: (call) => host.onSignal('SIGWINCH', call),
    terminalSize() {
      const shown = [host.stdout, host.stderr].find(({ isTTY }) => isTTY === true)
      return { rows: shown?.rows || 24, columns: shown?.columns || 80 }
    },
    async runChild(words, env) {
      if (dryRun) throw new DryRunEnd()
      // What the child may print of our secrets is masked in a GitHub workflow's log first.
      masks.announce()
      const { runChild } = await import('./process/child.ts')
      return runChild(words, env, { host, interrupts, started: () => started() })
    },
    host,
    tree,
    version,
    openService: (service, { newProfile = false } = {}) => opened(openSession({ entry: { service }, newProfile })),
    openWith(service, { address, token, org, dialect }) {
      const flags = { ...globals, address, dialect, ...(org === undefined ? {} : { org }) }
      return opened(openSession({ entry: { service }, flags, token, newProfile: true }))
    },
    confirmProtected: (of) => (dryRun ? Promise.resolve() : confirmProtected(of, io)),
    confirmProfile: (name, purpose) => (dryRun ? Promise.resolve() : confirmName(session, io, name, purpose)),
    async updateConfig(change) {
      if (dryRun) throw new DryRunEnd()
      const { updateConfig } = await import('./config/write.ts')
      await updateConfig(session.saved.folder, host, change)
    },
    async updateCredentials(change) {
      if (dryRun) throw new DryRunEnd()
      const { updateCredentials } = await import('./config/write.ts')
      await updateCredentials(session.saved.folder, host, change)
    },
  }

  return {
    format: session.commandSettings.format,
    async execute(input, whenStarted) {
      started = whenStarted
      if (globals.query !== undefined) (await import('./output/query.ts')).checkQuery(globals.query)
      refuseWrapping(session, host.env, input)
      if (typeof declared === 'function') writes = declared(input)
      if (writes && !dryRun) refuseReadOnly(session, command, input)
      if (writes) await context.confirmProtected(session)
      let result: Result | undefined
      try {
        result = await command.run(input as never, context)
        return await (dryRun ? printFirst(result) : presentResult(result))
      } catch (error) {
        if (error instanceof DryRunEnd) return 0
        await printFailureBody(error)
        throw layer.hasWritten ? afterWrite(error, result) : error
      }
    },
    close: () => layer.close(),
  }

  /** A watch starts, so that its first request is printed; what only follows an outcome does not. */
  async function printFirst(result: Result | undefined): Promise<number> {
    if (result !== undefined && 'snapshots' in result) for await (const _ of result.snapshots) break
    return 0
  }

  /** With `--raw`, the body of the answer that was the failure. */
  async function printFailureBody(error: unknown): Promise<void> {
    const body = error instanceof TugError ? error.facts.body : undefined
    if (globals.raw === true && body !== undefined) await writeAll(host.stdout, body, 'stdout')
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
      terminal: host.stdout.isTTY === true,
      width: widthOf(host.stdout, host.env),
      paint: await createPaint(stdoutColour),
      now: host.now(),
      // What a write answered may exist only once.
      write: (text) => (writes ? io.write('stdout', text) : untilAborted(io.write('stdout', text), signal)),
      io,
      host,
      signal,
    })
  }
}

/** The error of a run that wrote before it failed. If its result couldn't be printed, the error tells what was written. */
function afterWrite(error: unknown, result: Result | undefined): unknown {
  if (!(error instanceof TugError)) return error
  const isOfOutput = error.facts.status === undefined && error.facts.service === undefined
  const written = result === undefined || result.failure === error ? '' : whatWasWritten(result)
  if (written === '' || !isOfOutput || endsOfWaits.has(error.code)) return error.with({ applied: true })
  return error.with({ applied: true, message: `${written}, but ${error.message}` })
}

/** How a wait ends after a write that it has reported already. */
const endsOfWaits: ReadonlySet<string> = new Set(['interrupted', 'outcome_failed', 'wait_timeout'])

/** What a write did, in words: its line, or the names in the answer of what it made. */
function whatWasWritten(result: Result): string {
  if ('done' in result) return result.done
  const data = 'data' in result ? result.data : null
  const names = madeNames.flatMap((key) => {
    const value = memberOf(data, key)
    return typeof value === 'string' && value !== '' ? [`${key} ${value}`] : []
  })
  return `the write was carried out${names.length === 0 ? '' : ` (${names.join(', ')})`}`
}

/** Members of answers that name what a write made. */
const madeNames = ['DispatchedJobID', 'EvalID', 'serial_number', 'id', 'name']

/** Makes command lines for hints: with the flags that say where, as they were typed on this line. */
function commandLineOf(session: Session): Context['commandLine'] {
  return (words, ...args) => {
    const [before = '', ...after] = words.split(/ (?=-- )/)
    const { targetFlags } = session.commandSettings
    // A path of `tug api` contains its mount.
    const isMount = (index: number) => targetFlags[index] === '--mount'
    const isKept = (_: string, index: number) => !words.startsWith('api ') || !(isMount(index) || isMount(index - 1))
    const place = targetFlags.filter(isKept).map(shellQuote)
    return ['tug', before, ...args.map(shellQuote), ...place, ...after].join(' ')
  }
}

/** Refuses a variable that asks for wrapped answers, where ignoring it would print what must not be printed. */
function refuseWrapping(
  { service, sources }: Session,
  env: Host['env'],
  input: Readonly<Record<string, unknown>>,
): void {
  if (service !== 'secrets' || input['wrapTtl'] !== undefined || !speaksFamily(sources)) return
  const name = ['BAO_WRAP_TTL', 'VAULT_WRAP_TTL'].find((one) => !/^0?s?$/.test(env[one] ?? ''))
  if (name !== undefined)
    throw usageError(`${name} is set, but only kv get --wrap-ttl wraps an answer`, `unset ${name}`)
}

/** The flags of a line for another profile, to which typed addresses, tokens and namespaces do not apply, mount or namespace. */
function flagsElsewhere(flags: Flags, { profile, mount, namespace }: Place): Flags {
  const kept = Object.entries(flags).filter(([name]) => profile === undefined || !serverFlags.includes(name))
  return {
    ...Object.fromEntries(kept),
    ...(profile === undefined ? {} : { profile }),
    ...(mount === undefined ? {} : { mount }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

/** Flags that are about the one server of a command, and no other that it also asks. */
const ownFlags: readonly string[] = ['address', 'tokenFile', 'namespace', 'tlsServerName']

/** A write with a protected profile asks for the profile's name; `--yes` is no answer to that. */
async function confirmProtected(session: Session, io: Context['io']): Promise<void> {
  const { profile, profileName } = session.saved
  if (!isYes(profile?.protected) || session.service === undefined) return
  await confirmName(session, io, profileName, 'continue')
}

/** Has a person type the name of a protected profile, unless `--confirm-profile` names it. */
async function confirmName(session: Session, io: Context['io'], name: string, purpose: string): Promise<void> {
  const given = session.setting('confirmProfile')
  if (given?.value === name) return
  if (given !== undefined) throw usageError(`${given.source} names ${given.value}, but this is profile ${name}`)
  const answer = await io.ask(`Profile ${name} is protected. Type its name to ${purpose}: `, {
    otherwise: `profile ${name} is protected: pass --confirm-profile ${shellQuote(name)}`,
  })
  if (answer.trim() !== name) throw usageError('not confirmed; nothing was changed')
}

/** A command that could do nothing but write fails before it reads or asks anything. */
function refuseReadOnly(
  { readOnlyBy }: Session,
  { endpoint }: Command,
  input: Readonly<Record<string, unknown>>,
): void {
  if (readOnlyBy === undefined || endpoint.length === 0 || !endpoint.every(isWrite) || input['plan'] === true) return
  throw readOnlyError(readOnlyBy, 'a write')
}
