import type { ParsedLine } from './cli/parse.ts'
import type { Route } from './cli/route.ts'
import type { Session, SessionOptions } from './config/session.ts'
import { wideFiles } from './config/profiles.ts'
import { serverWarning } from './config/resolve.ts'
import { createSession } from './config/session.ts'
import type { Flags } from './config/settings.ts'
import type { Command } from './core/command.ts'
import type { Io } from './core/context.ts'
import { isYes } from './core/environment.ts'
import { interrupted } from './core/errors.ts'
import type { Limiter } from './core/limiter.ts'
import type { Paint } from './core/output.ts'
import { isWrite } from './core/request.ts'
import type { Outage } from './http/outage.ts'
import type { Transport } from './http/transport.ts'
import { createIo } from './output/io.ts'
import { colorLevel, createPaint } from './output/paint.ts'
import type { Masks } from './output/masks.ts'
import type { Redactor } from './output/redact.ts'
import { inGitHub } from './output/safe.ts'
import type { Host, OutputStream } from './process/host.ts'
import type { Interrupts } from './process/interrupts.ts'

/** The input of {@link createInvocation}. */
interface InvocationOptions {
  readonly host: Host
  readonly redactor: Redactor
  readonly interrupts: Interrupts
  readonly route: Route
  readonly parsed: ParsedLine
  readonly command: Command
  /** Called when a child or action has started and its exit status is passed on. */
  readonly started: () => void
}

/** State shared by all parts of the program while a command line runs. */
export interface Invocation extends InvocationOptions {
  readonly signal: AbortSignal
  readonly flags: Flags
  readonly dryRun: boolean
  /** Undefined outside GitHub workflows. */
  readonly masks: Masks | undefined
  readonly io: Io
  readonly stdoutPaint: Paint
  readonly session: Session
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** The settings for another service or with other flags, from the same command line. */
  readonly openSession: (given: Pick<SessionOptions, 'entry'> & Partial<SessionOptions>) => Session
  /** Connections, created on first use. */
  readonly transports: Promise<Transport>[]
  /** By origin. */
  readonly limiters: Map<string, Limiter>
  readonly outages: Map<string, Outage>
  /** True if the command may change something; with `--plan`, it only reads. */
  readonly writes: boolean
  /** True once a write succeeded, or was printed by a dry run. */
  hasWritten: boolean
}

/** Reads the settings of a command's service and prepares its streams. */
export async function createInvocation(options: InvocationOptions): Promise<Invocation> {
  const { host, redactor, route, parsed, interrupts, command } = options
  const { signal } = interrupts
  const flags = parsed.flags as Flags
  const dryRun = flags.dryRun === true
  for (const name of namesTyped(options)) redactor.keep(name)
  const masks = inGitHub(host) ? (await import('./output/masks.ts')).createMasks(host, redactor) : undefined
  const sleep: Invocation['sleep'] = (milliseconds) =>
    host.sleep(milliseconds, signal).catch(() => {
      throw interrupted()
    })
  const openSession: Invocation['openSession'] = (given) =>
    createSession({
      host,
      flags,
      signal,
      io: () => io,
      addSecret: (text) => redactor.add(text, 'credential'),
      ...given,
    })
  const session = openSession({ entry: route.entry })
  const paintOf = ({ isTTY }: OutputStream) =>
    createPaint(colorLevel({ flag: flags.color, env: host.env, isTerminal: isTTY === true }))
  const stdoutPaint = await paintOf(host.stdout)
  const io = createIo(host, {
    quiet: flags.quiet === true,
    yes: flags.yes === true,
    noInput: session.setting('noInput')?.value === true || isYes(host.env['CI']),
    dryRun,
    paint: await paintOf(host.stderr),
    stdoutPaint,
    redactor,
    masks,
    signal,
  })
  for (const warning of warningsOf(session, options)) io.warn(warning)
  const declared = command.writes ?? command.endpoints.some(isWrite)
  const mayWrite = typeof declared === 'function' ? declared(parsed.input) : declared
  const writes = mayWrite && parsed.input['plan'] !== true
  const shared = { transports: [], limiters: new Map<string, Limiter>(), outages: new Map<string, Outage>() }
  const own = { signal, flags, dryRun, masks, io, stdoutPaint, session, sleep, openSession, writes, hasWritten: false }
  return { ...options, ...own, ...shared }
}

/** Names in the command line: of targets and places, of files, and others that completion offers. */
function namesTyped({ command, parsed: { input, flags } }: InvocationOptions): string[] {
  const params = Object.entries(command.params).filter(
    ([, { place, complete }]) => place === 'path' || (complete !== undefined && complete !== 'explorer-filter'),
  )
  const places = ['profile', 'mount', 'namespace', 'region', 'org'].map((key) => flags[key])
  return [...params.map(([key]) => input[key]), ...places].flat().filter((value) => typeof value === 'string')
}

/** Warnings about settings that are unsafe, ambiguous or ignored. */
function warningsOf({ saved, service, sources, setting }: Session, { host, parsed }: InvocationOptions): string[] {
  const { env } = host
  const warnings: (string | undefined)[] = []
  if (saved.problem !== undefined) warnings.push(`${saved.problem}; using flags and variables only`)
  else warnings.push(...wideFiles(saved.folder, host.platform), serverWarning(sources))
  if ([service, parsed.input['service']].includes('explorer') && sources.flags.namespace !== undefined)
    warnings.push('-n is ignored: the explorer has no namespaces')
  if (setting('insecure')?.value === true)
    warnings.push('--insecure: the TLS certificate is not verified; anyone in between can read the token')
  if (service === 'secrets' && sources.isVendors && parsed.input['wrapTtl'] === undefined) {
    const name = ['BAO_WRAP_TTL', 'VAULT_WRAP_TTL'].find((one) => !/^0?s?$/.test(env[one] ?? ''))
    // The vendors' tools wrap responses with it.
    if (name !== undefined) warnings.push(`${name} is ignored: only kv get --wrap-ttl wraps an answer`)
  }
  return warnings.filter((warning) => warning !== undefined)
}
