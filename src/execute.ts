import { speaksFamily } from './config/resolve.ts'
import type { Session } from './config/session.ts'
import { createContext } from './context.ts'
import { at as memberOf, DryRunEnd } from './core/answer.ts'
import type { Command, Result } from './core/command.ts'
import { isSimpleTerminal } from './core/environment.ts'
import { TugError, usageError } from './core/errors.ts'
import { isWrite } from './core/request.ts'
import type { RowSink, WriteResult } from './core/write-result.ts'
import { readOnlyError } from './request-layer.ts'
import { inGitHub } from './output/safe.ts'
import { untilAborted, widthOf, writeAll } from './output/io.ts'
import { present } from './output/present.ts'
import type { Run } from './run.ts'
import { writesOf } from './run.ts'

/** Runs the command, prints its result and returns the exit status. */
export async function execute(run: Run): Promise<number> {
  const { host, session, command, flags, dryRun } = run
  const { input } = run.parsed
  const context = createContext(run)
  if (flags.query !== undefined) (await import('./output/query.ts')).checkQuery(flags.query)
  warnOfWrapping(session, run, input)
  const declared = writesOf(command)
  if (typeof declared === 'function') run.writes = declared(input)
  // With `--plan`, every command only reads.
  if (input['plan'] === true) {
    if (dryRun) throw usageError('--plan and --dry-run cannot be used together')
    run.writes = false
  }
  if (run.writes && !dryRun) refuseReadOnly(session, command)
  if (run.writes && command.writesElsewhere?.(input) !== true) await context.confirmProtected(session)
  let result: Result | undefined
  try {
    result = await command.run(input as never, context)
    return await (dryRun ? printRequests(result) : presentResult(result, run))
  } catch (error) {
    if (error instanceof DryRunEnd) return 0
    // With `--raw`, the body of the failed response.
    const body = error instanceof TugError ? error.facts.body : undefined
    if (flags.raw === true && body !== undefined) await writeAll(host.stdout, body, 'stdout')
    throw run.hasWritten && !dryRun ? afterWrite(error, result) : error
  }
}

/** Decides every target up to its first write; starts a watch, so its first request is printed. */
async function printRequests(result: Result | undefined): Promise<number> {
  if (result !== undefined && 'carryOut' in result) {
    const { failure } = await result.carryOut(noRows)
    if (failure !== undefined) throw failure
    return 0
  }
  if (result !== undefined && 'snapshots' in result) for await (const _ of result.snapshots) break
  return 0
}

/** A dry run prints requests in place of rows. */
const noRows: RowSink = {
  decided: () => undefined,
  shown: () => Promise.resolve(),
  ended: () => undefined,
  step: () => undefined,
  stop: undefined,
}

async function presentResult(result: Result | undefined, run: Run): Promise<number> {
  if (result === undefined) return 0
  const { host, session, command, flags, io, signal, stdoutPaint, writes } = run
  const terminal = host.stdout.isTTY === true
  return present(result, {
    format: session.commandSettings.format,
    raw: flags.raw === true,
    hasWritten: writes,
    hasEndpoints: command.endpoints.length > 0,
    query: flags.query,
    columns: flags.columns,
    headers: flags.noHeaders !== true,
    nul: flags.null === true,
    csvSafe: flags.csvSafe === true,
    csvBom: flags.csvBom === true,
    terminal,
    draws: terminal && !isSimpleTerminal(host.env),
    ciLog: inGitHub(host),
    width: widthOf(host.stdout, host.env),
    paint: stdoutPaint,
    now: host.now(),
    note: (line) => io.note(line),
    // The response to a write may exist only once.
    write: (text) => (writes ? io.write('stdout', text) : untilAborted(io.write('stdout', text), signal)),
    io,
    host,
    signal,
  })
}

/** Warns about a variable with which the vendors' tools wrap responses; here that needs a flag. */
function warnOfWrapping(
  { service, sources }: Session,
  { host, io }: Run,
  input: Readonly<Record<string, unknown>>,
): void {
  if (service !== 'secrets' || input['wrapTtl'] !== undefined || !speaksFamily(sources)) return
  const name = ['BAO_WRAP_TTL', 'VAULT_WRAP_TTL'].find((one) => !/^0?s?$/.test(host.env[one] ?? ''))
  if (name !== undefined) io.warn(`${name} is ignored: only kv get --wrap-ttl wraps an answer`)
}

/** A command that can only write fails before it reads or asks anything. */
function refuseReadOnly({ readOnlyBy }: Session, { endpoint }: Command): void {
  if (readOnlyBy === undefined || endpoint.length === 0 || !endpoint.every(isWrite)) return
  throw readOnlyError(readOnlyBy, 'a write')
}

/** The error of a run that wrote before it failed. If its result couldn't be printed, the error contains what was written. */
function afterWrite(error: unknown, result: Result | undefined): unknown {
  if (!(error instanceof TugError) || error.facts.applied === false) return error
  if (result !== undefined && 'carryOut' in result)
    return error.with({ applied: true, code: error.code === 'usage' ? 'failed' : error.code })
  const isOfOutput = error.facts.status === undefined && error.facts.service === undefined
  const written = result === undefined || result.failure === error ? '' : whatWasWritten(result)
  // A usage error says that nothing was changed.
  const code = error.code === 'usage' ? 'failed' : error.code
  if (written === '' || !isOfOutput || endsOfWaits.has(code)) return error.with({ applied: true, code })
  return error.with({ applied: true, code, message: `${written}, but ${error.message}` })
}

/** Codes of waits, which have already reported their write. */
const endsOfWaits: ReadonlySet<string> = new Set(['interrupted', 'outcome_failed', 'wait_timeout'])

/** Describes what a write did: its line, or identifiers from the response. */
function whatWasWritten(result: Exclude<Result, WriteResult>): string {
  if (result.written !== undefined) return result.written
  if ('done' in result) return result.done
  const data = 'data' in result ? result.data : null
  const names = madeNames.flatMap((key) => {
    const value = memberOf(data, key)
    return typeof value === 'string' && value !== '' ? [`${key} ${value}`] : []
  })
  return `the write was carried out${names.length === 0 ? '' : ` (${names.join(', ')})`}`
}

/** Members of responses that identify what a write created. */
const madeNames = ['DispatchedJobID', 'EvalID', 'serial_number', 'id', 'name']
