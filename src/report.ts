import type { ParsedLine } from './cli/parse.ts'
import type { Route } from './cli/route.ts'
import type { Flags } from './config/settings.ts'
import type { ErrorCode } from './core/errors.ts'
import { isYes } from './core/environment.ts'
import { exitCodes, TugError } from './core/errors.ts'
import type { Host } from './process/host.ts'
import type { Interrupts } from './process/interrupts.ts'
import { lineFormats } from './core/output.ts'
import { createMessages } from './output/io.ts'
import { colorLevel, createPaint } from './output/paint.ts'
import type { Redactor } from './output/redact.ts'

/** A command line as far as it has been read, for the report of an error. */
export interface Line {
  readonly host: Host
  readonly redactor: Redactor
  readonly interrupts: Interrupts
  route?: Route
  /** `--quiet`, read early, for errors in the rest of the line. */
  quiet?: boolean
  /** The output format. */
  format?: string | undefined
  parsed?: ParsedLine
  /** True once an action or child runs and its exit status is passed on. */
  passesStatus?: boolean
}

/** Prints the error as text or one line of JSON, and returns the exit status. */
export async function report(error: unknown, line: Line): Promise<number> {
  const { interrupts } = line
  const status = interrupts.status()
  if (status === undefined || (error instanceof TugError && error.code === 'outcome_failed'))
    return printError(error instanceof TugError ? error : unexpected(error), line)
  const failure = interrupts.failure(error)
  if (failure !== undefined) await printError(failure, { ...line, passesStatus: false })
  return status
}

async function printError(failure: TugError, line: Line): Promise<number> {
  const { host, redactor, route, parsed, quiet, passesStatus = false } = line
  if (failure.code === 'closed_pipe' && failure.facts.applied !== true) return exitCodes.closed_pipe
  if (failure.code === 'usage' && route !== undefined) {
    const { withholdMisplaced } = await import('./misplaced.ts')
    withholdMisplaced(route, redactor)
  }
  const isLocated = failure.facts.status !== undefined || failure.facts.service !== undefined
  const place = isLocated && route !== undefined && parsed !== undefined ? placeOf(route, parsed) : ''
  const [first = '', ...more] = failure.lines
  const lines = [place === '' ? first : `${place}: ${first}`, ...more]
  const code: ErrorCode =
    passesStatus && failure.code !== 'outcome_failed' && failure.code !== 'partial' ? 'tug_failed' : failure.code
  const messages = createMessages(host, redactor)
  if (line.format === 'json' || line.format === 'ndjson') {
    // Masked before it is truncated: half a secret is not recognized.
    const whole = redactor.redact(lines.join('\n'))
    const shown = whole.length > longestMessage ? `${whole.slice(0, longestMessage)}…` : whole
    messages.writeJson({ error: failure.with({ code, message: shown }).toRecord() })
    return exitCodes[code]
  }
  const isTerminal = host.stderr.isTTY === true
  const { color } = (parsed?.flags ?? {}) as Flags
  const paint = await createPaint(colorLevel({ flag: color, env: host.env, isTerminal }))
  const hints = (quiet === true ? [] : failure.hints).map((text) => ({ lead: `${paint('dim', 'hint:')} `, text }))
  const limit = isLocated ? { maxLength: longestMessage } : {}
  const shown = failure.facts.listsRows === true && areRowsShown(line) ? lines.slice(0, 1) : lines
  messages.write({ lead: `${paint('bad', 'tug:')} `, text: shown, ...limit }, ...hints)
  messages.annotate(['tug', ...(route?.words ?? [])].join(' '), lines)
  return exitCodes[code]
}

/** True if whoever sees the error, on a terminal or in a log, sees the rows of the result too, as lines that describe failures. */
function areRowsShown({ host: { stdout, stderr, env }, format = '', parsed }: Line): boolean {
  const { columns, query } = (parsed?.flags ?? {}) as Flags
  if (columns !== undefined || query !== undefined || !lineFormats.includes(format)) return false
  return isYes(env['CI']) || (stdout.isTTY === true && stderr.isTTY === true)
}

/** The command and its target: `job get web`. */
function placeOf({ words, target }: Route, { input }: ParsedLine): string {
  const params = target?.kind === 'command' ? target.params : {}
  const named = Object.entries(params)
    .filter(([, { place, kind }]) => place === 'path' && kind === 'argument')
    .map(([key]) => input[key])
    .flatMap((given) => (Array.isArray(given) && given.length > 1 ? [] : [String(given ?? '')]))
    .filter((name) => name !== '')
  return [...words, ...named].join(' ')
}

/** A longer message with server text is truncated. A summary of many items never is. */
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
