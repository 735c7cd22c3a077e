import { findRoute } from './cli/route.ts'
import type { Route } from './cli/route.ts'
import { checkFlags, parseLine } from './cli/parse.ts'
import { withheld } from './withheld.ts'
import { createContext } from './context.ts'
import type { Result } from './core/command.ts'
import { isAccessible, isSimpleTerminal } from './core/environment.ts'
import { TugError, untilAborted, usageError, DryRunEnd } from './core/errors.ts'
import { quoteFor } from './core/shell.ts'
import type { Invocation } from './invocation.ts'
import { createInvocation } from './invocation.ts'
import type { Host } from './process/host.ts'
import { startProcess } from './process/host.ts'
import { watchInterrupts } from './process/interrupts.ts'
import { inGitHub } from './output/safe.ts'
import { createMessages } from './output/io.ts'
import { widthOf, writeAll } from './output/streams.ts'
import type { PresentOptions } from './output/present.ts'
import { present } from './output/present.ts'
import type { StepSummary } from './output/step-summary.ts'
import { createRedactor } from './output/redact.ts'
import { tree, version } from './commands/index.ts'
import type { Line } from './report.ts'
import { report } from './report.ts'

/** Runs `tug` as a process; `self` is the command that starts it again. */
export function start(target: NodeJS.Process, self: readonly string[]): void {
  startProcess(target, self, invoke)
}

/**
 * One invocation, from the command line to the exit status. Never throws: every failure is one message on stderr and a status of
 * the table of exit codes. The caller sets the status and lets the event loop drain.
 */
export async function invoke(host: Host): Promise<number> {
  quoteFor(host.platform, host.env)
  const line: Line = { host, redactor: createRedactor(), interrupts: watchInterrupts(host) }
  try {
    return await (host.argv[0]?.startsWith('__') === true ? runHidden(host.argv, host) : runLine(line))
  } catch (error) {
    return await report(error, line)
  } finally {
    line.interrupts.end()
  }
}

/** The stages of a command line: find the command, parse, read the settings, check the output flags, run. */
async function runLine(line: Line): Promise<number> {
  const { host, redactor, interrupts } = line
  let route = await findRoute(host.argv, tree)
  line.route = route
  for (const text of withheld(route, host)) redactor.add(text, 'credential')
  const last = (key: string) => route.line.findLast((word) => word.key === key && word.value !== undefined)?.value
  line.quiet = last('quiet') === 'true'
  line.format = last('output') ?? host.env['TUG_OUTPUT']?.trimEnd()
  if (route.problem !== undefined) throw route.problem
  if (route.help) return printHelp(route, host)
  if (route.version) {
    const isText = ['table', 'wide', 'box', 'name'].includes(line.format || 'table')
    const isData = !isText || (last('query') ?? last('columns')) !== undefined
    if (route.words.length > 0 || !isData) {
      await writeAll(host.stdout, `${version}\n`, 'stdout')
      return 0
    }
    // For machines it is a command of its own.
    const { versionCommand } = await import('./commands/tug/help.ts')
    route = { ...route, target: versionCommand, words: ['version'] }
    line.route = route
  }
  const { target: command } = route
  if (command?.kind !== 'command') {
    await checkFlags(route)
    return printHelp(route, host)
  }
  if (host.platform === 'win32')
    route = { ...route, line: (await import('./cli/windows.ts')).onWindows(route.line, host.cwd) }
  const parsed = await parseLine(command, route)
  line.parsed = parsed
  const started = () => {
    if (command.passesThrough !== true) return
    line.passesStatus = true
    host.passesStatus()
  }
  const invocation = await createInvocation({ host, redactor, interrupts, route, parsed, command, started })
  try {
    const { flags } = invocation
    const ofOutput = [flags.raw, flags.query, flags.columns, flags.csvSafe, flags.csvBom, flags.null]
    if (ofOutput.some((typed) => typed !== undefined) || (command.rawOutput && flags.output !== undefined))
      await (await import('./output-flags.ts')).checkOutputFlags(invocation)
    line.format = invocation.session.commandSettings.format
    return await runCommand(invocation)
  } finally {
    const { transports } = invocation
    await Promise.all(transports.map(async (transport) => (await transport).close().catch(() => undefined)))
  }
}

/** The stages of a command: confirm, run, print. */
async function runCommand(invocation: Invocation): Promise<number> {
  const { host, command, flags, dryRun, parsed } = invocation
  const context = createContext(invocation)
  const summary = flags.summary === true ? await openSummary(invocation) : undefined
  await confirm(invocation, context)
  let result: Result | undefined
  try {
    result = await command.run(parsed.input as never, context)
    if (!dryRun) {
      const status = await print(result, invocation, { summary, now: context.now })
      await summary?.write({ status })
      return status
    }
    const { presentDryRun } = await import('./output/present-write.ts')
    const messages = createMessages(host, invocation.redactor)
    return await presentDryRun(result, invocation.io, (text) => messages.write({ text }))
  } catch (caught) {
    if (caught instanceof DryRunEnd) return 0
    const error = caught instanceof TugError ? ((await caught.facts.explain?.(caught)) ?? caught) : caught
    await summary?.write({ failure: error })
    // With `--raw`, the body of the failed response.
    const body = error instanceof TugError ? error.facts.body : undefined
    if (flags.raw === true && body !== undefined) await invocation.io.write('stdout', body)
    throw invocation.hasWritten && !dryRun ? (await import('./after-write.ts')).afterWrite(error, result) : error
  }
}

async function openSummary({ host, route, command }: Invocation): Promise<StepSummary> {
  const { openSummary: open } = await import('./output/step-summary.ts')
  return open(route.words.join(' '), { isWrite: command.decides !== undefined, env: host.env })
}

/** Completion, and the generators that the build runs. */
async function runHidden([word, ...rest]: readonly string[], host: Host): Promise<number> {
  if (word === '__complete')
    return (await import('./commands/tug/complete.ts')).complete(rest, host, { tree, run: invoke })
  const { generate, printTexts } = await import('./commands/tug/generate.ts')
  return word === '__texts' ? printTexts(host, tree, version) : generate(rest, tree, version)
}

/** Prints the help for a route; also for a group without a command. */
async function printHelp(route: Route, host: Host): Promise<number> {
  const [{ helpOf }, { pageStyle }] = await Promise.all([import('./cli/help.ts'), import('./output/paint.ts')])
  await writeAll(host.stdout, helpOf(route, tree, await pageStyle(host.stdout, host)), 'stdout')
  return 0
}

/** Refuses a write in read-only mode before it reads or asks anything, and confirms one with a protected profile. */
async function confirm(invocation: Invocation, context: ReturnType<typeof createContext>): Promise<void> {
  const { session, command, dryRun, parsed, writes } = invocation
  const { input } = parsed
  const isPlan = input['plan'] === true
  if (isPlan && dryRun) throw usageError('--plan and --dry-run cannot be used together')
  if ((writes || isPlan) && command.writesElsewhere?.(input) !== true) await context.allowWrite(session, { isPlan })
}

async function print(
  result: Result | undefined,
  invocation: Invocation,
  { summary, now }: { readonly summary: StepSummary | undefined; readonly now: () => Date },
): Promise<number> {
  if (result === undefined) return 0
  const { host, session, command, flags, io, masks, signal, stdoutPaint, writes } = invocation
  type Write = (text: string | Uint8Array) => Promise<void>
  // The response to a write may exist only once.
  const untilSignal = (write: Write): Write => (writes ? write : (text) => untilAborted(write(text), signal))
  const terminal = host.stdout.isTTY === true
  const options: PresentOptions = {
    format: session.commandSettings.format,
    raw: flags.raw === true,
    writes,
    hasEndpoints: command.endpoints.length > 0,
    query: flags.query,
    columns: flags.columns,
    headers: flags.noHeaders !== true,
    nul: flags.null === true,
    csvSafe: flags.csvSafe === true,
    csvBom: flags.csvBom === true,
    terminal,
    draws: terminal && !isSimpleTerminal(host.env),
    records: isAccessible(host.env),
    ciLog: inGitHub(host),
    width: widthOf(host.stdout, host.env),
    paint: stdoutPaint,
    now,
    note: (line) => io.note(line),
    write: untilSignal((text) => {
      masks?.announce()
      return writeAll(host.stdout, text, 'stdout')
    }),
    writeRaw: untilSignal((bytes) => io.write('stdout', bytes)),
    // Other commands show settings and messages of ours.
    see: command.endpoints.length > 0 || command.name === 'api' ? masks?.see : undefined,
    io,
    host,
    signal,
  }
  return present(summary?.keep(result, options) ?? result, options)
}
