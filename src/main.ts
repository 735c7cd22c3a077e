import type { Route } from './cli/route.ts'
import { beforeDashes, findRoute } from './cli/route.ts'
import type { ParsedLine } from './cli/parse.ts'
import { parseLine, parseTexts } from './cli/parse.ts'
import type { Flags } from './config/settings.ts'
import type { Command } from './core/command.ts'
import type { ErrorCode } from './core/errors.ts'
import { exitCodes, TugError, usageError } from './core/errors.ts'
import { stringifyJson } from './core/json.ts'
import { quoteFor } from './core/shell.ts'
import { execute } from './execute.ts'
import type { Host } from './process/host.ts'
import { startProcess } from './process/host.ts'
import type { Interrupts } from './process/interrupts.ts'
import { watchInterrupts } from './process/interrupts.ts'
import { errorAnnotation, inGitHub, withoutCommandsInJson, escapeControl, escapeJson } from './output/safe.ts'
import { createCleaner, writeAll } from './output/io.ts'
import { colorLevel, createPaint } from './output/paint.ts'
import type { Redactor } from './output/redact.ts'
import { createRedactor } from './output/redact.ts'
import { summary, tree, version } from './commands/index.ts'
import { closeConnections } from './request-layer.ts'
import { createRun } from './run.ts'

/** Runs `tug` as a process; `self` is the command that starts it again. */
export function start(target: NodeJS.Process, self: readonly string[]): void {
  startProcess(target, self, run)
}

/**
 * Parses, runs, prints, and returns the exit status. Never throws: every failure is one message on stderr and a status of the table of
 * exit codes. The caller sets the status and lets the event loop drain.
 */
export async function run(host: Host): Promise<number> {
  quoteFor(host.platform, host.env)
  const redactor = createRedactor()
  const interrupts = watchInterrupts(host)
  const state: ReportState = { json: false, started: false, command: 'tug', place: () => '' }
  try {
    return await runLine(host, redactor, interrupts, state)
  } catch (error) {
    const status = interrupts.status()
    if (status !== undefined && !(error instanceof TugError && error.code === 'outcome_failed')) {
      const failure = interrupts.failure(error)
      if (failure !== undefined) await report(failure, host, redactor, { ...state, started: false })
      return status
    }
    return await report(error, host, redactor, state)
  } finally {
    interrupts.end()
  }
}

/** State of the run, for error reports. */
interface ReportState {
  json: boolean
  /** True once an action or child runs whose exit status is passed on. */
  started: boolean
  /** The words of the command: `tug job get`. */
  command: string
  /** `--quiet`, read early, for errors in the rest of the line. */
  quiet?: boolean
  /** The value of `--color`, once parsed. */
  color?: 'auto' | 'always' | 'never' | undefined
  /** The command and its target: `job get web`. */
  place: () => string
  /** The typed line, once parsed. */
  route?: Route
}

async function runLine(host: Host, redactor: Redactor, interrupts: Interrupts, state: ReportState): Promise<number> {
  const { argv } = host
  const program = { tree, version, summary }
  if (argv[0] === '__complete')
    return (await import('./commands/tug/complete.ts')).complete(argv.slice(1), host, { tree, run })
  if (argv[0] === '__generate') return (await import('./commands/tug/generate.ts')).generate(argv.slice(1), program)
  if (argv[0] === '__texts') return (await import('./commands/tug/generate.ts')).printTexts(host, program)
  const route = await findRoute(argv, tree)
  const { target: command, words } = route
  state.command = ['tug', ...words].join(' ')
  state.route = route
  state.quiet = beforeDashes(argv).some((token) => token === '-q' || token === '--quiet')
  state.json = isJson(route.output ?? host.env['TUG_OUTPUT'])
  if (route.problem !== undefined) throw route.problem
  if (route.version && !route.help) {
    const facts = stringifyJson({ version, node: host.nodeVersion, platform: host.platform })
    await writeAll(host.stdout, `${state.json ? facts : version}\n`, 'stdout')
    return 0
  }
  if (route.help) return showHelp(route, host)
  const typed = await parseTexts(route)
  if (command?.kind !== 'command') return showHelp(route, host)
  const texts =
    host.platform === 'win32' ? (await import('./cli/windows.ts')).onWindows(typed, route.params, host.cwd) : typed
  const parsed = await parseLine(command, { ...tree.globals, ...tree.groupParams[words[0] as string] }, route, texts)
  state.place = () => placeOf(command, route, parsed.input)
  state.color = (parsed.flags as Flags).color
  await refuseOutput(command, parsed, route)
  const started = () => {
    if (command.passesThrough !== true) return
    state.started = true
    host.passesStatus()
  }
  const options = { host, redactor, interrupts, route, parsed, command, started }
  const commandRun = await createRun(options)
  state.json = isJson(commandRun.session.commandSettings.format)
  try {
    return await execute(commandRun)
  } finally {
    await closeConnections(commandRun)
  }
}

/** Prints the help for a route. A group without a command is a usage error: its help goes to stderr, status 2. */
async function showHelp(route: Route, host: Host): Promise<number> {
  const [{ helpOf }, { pageStyle }] = await Promise.all([import('./cli/help.ts'), import('./output/paint.ts')])
  const mistaken = route.target?.kind === 'group' && !route.help
  const stream = mistaken ? host.stderr : host.stdout
  await writeAll(stream, helpOf(route, tree, await pageStyle(stream, host)), mistaken ? 'stderr' : 'stdout')
  return mistaken ? 2 : 0
}

/** Raw output has its own format: an output flag contradicts it, an environment variable doesn't. */
async function refuseOutput(command: Command, { input, flags }: ParsedLine, route: Route): Promise<void> {
  const { rawOutput = false } = command
  if (flags['raw'] === true) {
    const { output = 'json' } = flags as Flags
    const others = (['query', 'columns'] as const)
      .filter((name) => flags[name] !== undefined)
      .map((name) => `--${name}`)
    const [other] = output === 'json' ? others : [`-o ${output}`]
    if (other !== undefined)
      throw usageError(`--raw prints the response body unchanged; it cannot be used together with ${other}`)
  }
  if (!(typeof rawOutput === 'function' ? rawOutput(input) : rawOutput)) return
  for (const name of ['output', 'query', 'columns'] as const) {
    if (flags[name] === undefined) continue
    const flag = name === 'output' ? '-o' : `--${name}`
    const { suggestionFor } = await import('./cli/usage-error.ts')
    const suggestion = await suggestionFor(`${flag}=${String(flags[name])}`, route)
    throw usageError(
      `this command prints raw output; ${flag} is not supported`,
      ...(suggestion === undefined ? [] : [suggestion]),
    )
  }
}

function placeOf(command: Command, { words }: Route, input: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(command.params)
    .filter(([, { place, kind }]) => place === 'path' && kind === 'argument')
    .map(([key]) => input[key])
    .flatMap((given) => (Array.isArray(given) && given.length > 1 ? [] : [String(given ?? '')]))
    .filter((name) => name !== '')
  return [...words, ...named].join(' ')
}

/** Prints the error as text or one line of JSON, and returns the exit status. */
async function report(error: unknown, host: Host, redactor: Redactor, state: ReportState): Promise<number> {
  const failure = error instanceof TugError ? error : unexpected(error)
  if (failure.code === 'closed_pipe' && failure.facts.applied !== true) return exitCodes.closed_pipe
  if (failure.code === 'usage' && state.route !== undefined) {
    const { typedSecrets } = await import('./cli/usage-error.ts')
    for (const text of typedSecrets(state.route)) redactor.add(text)
  }
  const located = failure.facts.status !== undefined || failure.facts.service !== undefined
  const place = located ? state.place() : ''
  const message = place === '' ? failure.message : `${place}: ${failure.message}`
  const code: ErrorCode =
    state.started && failure.code !== 'outcome_failed' && failure.code !== 'partial' ? 'tug_failed' : failure.code
  if (state.json) {
    const record = failure.with({ code, message: shortened(redactor.redact(message)) }).toRecord()
    host.stderr.write(`${withoutCommandsInJson(escapeJson(redactor.redact(stringifyJson({ error: record }))))}\n`)
    return exitCodes[code]
  }
  const clean = createCleaner(host, redactor)
  const isTerminal = host.stderr.isTTY === true
  const paint = await createPaint(colorLevel({ flag: state.color, env: host.env, isTerminal }))
  const hints = (state.quiet === true ? [] : failure.hints).map((hint) => `${paint('dim', 'hint:')} ${clean(hint)}\n`)
  host.stderr.write(
    [`${paint('bad', 'tug:')} ${located ? shortened(clean(message)) : clean(message)}\n`, ...hints].join(''),
  )
  if (inGitHub(host))
    host.stderr.write(errorAnnotation(state.command, escapeControl(redactor.redact(message), { newlines: true })))
  return exitCodes[code]
}

/** Server text is masked before it is truncated, because half a secret is not recognised. A summary of many items is never truncated. */
function shortened(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}

const longestMessage = 4000

function unexpected(error: unknown): TugError {
  const { message, code, stack } = error as NodeJS.ErrnoException
  const where =
    stack
      ?.split('\n')
      .find((line) => line.includes(' at '))
      ?.trim() ?? ''
  return new TugError('failed', `internal error: ${message} ${where}`.trim(), {
    cause: error,
    hints: code === undefined ? ['this is a bug in tug; please report it with the command line and this message'] : [],
  })
}

function isJson(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson'
}
