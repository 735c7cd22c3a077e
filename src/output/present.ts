import { resolve } from 'node:path'
import { isRedrawn } from '../core/environment.ts'
import type { DoneResult, EventsResult, RawResult, Result, SnapshotsResult, WriteResult } from '../core/command.ts'
import type { Io } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Host } from '../process/host.ts'
import { jsonLine } from './safe.ts'
import { widthOf } from './streams.ts'
import type { RenderOptions } from './render.ts'

/** Options for printing a result. */
export interface PresentOptions extends RenderOptions {
  /** `--raw`. */
  readonly raw: boolean
  /** False for a command without a service, for which `--raw` has no bytes to print. */
  readonly hasEndpoints: boolean
  /** True for a command that writes. */
  readonly writes: boolean
  /** Writes the server's bytes, or other text that isn't rendered from data. */
  readonly writeRaw: (bytes: string | Uint8Array) => Promise<void>
  readonly io: Io
  readonly host: Host
  readonly signal: AbortSignal
}

/**
 * Prints a command's result and returns the exit status. If columns or a query don't match the result of a write, the whole result is
 * printed, because it may exist only once, and the run fails.
 */
export async function present(result: Result, options: PresentOptions): Promise<number> {
  if ('carryOut' in result) return (await import('./present-write.ts')).presentWrite(result, options)
  let status: number
  try {
    status = await presentAny(result, options)
  } catch (error) {
    const isMistake = error instanceof TugError && error.code === 'usage'
    if (!isMistake || !options.writes || !('data' in result)) throw error
    await presentAny(result, { ...options, columns: undefined, query: undefined })
    throw result.failure ?? error
  }
  if (result.failure !== undefined) throw result.failure
  return status
}

async function presentAny(result: Exclude<Result, WriteResult>, options: PresentOptions): Promise<number> {
  if ('done' in result) return presentDone(result, options)
  if ('raw' in result) return presentRaw(result, options)
  if ('events' in result) return presentEvents(result, options)
  if ('snapshots' in result) return presentSnapshots(result, options)
  if ('rows' in result) {
    if (!(await writeBody(result, options))) await (await import('./render.ts')).renderRows(result, options)
    // Notes at the end refer to the rows.
    else for await (const _ of result.rows) continue
    return result.finish?.() ?? result.exitCode ?? 0
  }
  if (!(await writeBody(result, options))) await (await import('./render.ts')).renderValue(result, options)
  result.finish?.()
  return result.exitCode ?? 0
}

/** Facts on stdout in a data format, otherwise a line on stderr. */
async function presentDone({ done, data, hint, exitCode }: DoneResult, options: PresentOptions): Promise<number> {
  const isData = ['json', 'ndjson', 'yaml'].includes(options.format) || options.query !== undefined
  if (isData) {
    const [{ renderValue }, { plainView }] = await Promise.all([import('./render.ts'), import('./columns.ts')])
    await renderValue({ data, view: plainView(data) }, options)
  } else for (const line of [done].flat()) if (line !== '') options.io.note(line)
  if (hint !== undefined) options.io.hint(hint)
  return exitCode ?? 0
}

/** With `--raw`, prints the server's bytes if one response is the result. Returns false if the result is still to be printed. */
async function writeBody({ rawBody }: { readonly rawBody?: Uint8Array }, options: PresentOptions): Promise<boolean> {
  if (!options.raw) return false
  if (rawBody === undefined) {
    if (options.hasEndpoints) options.io.warn('--raw: the result combines several responses; this is its JSON')
    return false
  }
  await options.writeRaw(rawBody)
  return true
}

async function presentRaw(result: RawResult, options: PresentOptions): Promise<number> {
  const { file } = result
  const { csvSafe, csvBom } = options
  let { raw } = result
  let bytes = 0
  const isAdapted = result.csv === true && (csvSafe || csvBom)
  if (isAdapted && typeof raw !== 'string' && !(raw instanceof Uint8Array))
    raw = (await import('./csv.ts')).guardCsv(raw, { safe: csvSafe, bom: csvBom })
  if (file !== undefined) {
    const { writeFileWhole } = await import('./files.ts')
    const path = resolve(options.host.cwd, file.path)
    bytes = await writeFileWhole(path, raw, {
      replace: file.replace,
      private: file.private === true,
      ...(file.remedy === undefined ? {} : { remedy: file.remedy }),
      onExit: options.host.onExit,
      signal: options.signal,
    })
  } else if (typeof raw === 'string' || raw instanceof Uint8Array) {
    await options.writeRaw(raw)
    bytes = raw.length
  } else {
    for await (const piece of raw) {
      await options.writeRaw(piece)
      bytes += piece.length
    }
  }
  result.finish?.(bytes)
  return result.exitCode ?? 0
}

async function presentEvents(result: EventsResult, options: PresentOptions): Promise<number> {
  const machine = options.format === 'ndjson'
  const { openSteps } = await import('./steps.ts')
  const steps = openSteps(options.io)
  try {
    for (;;) {
      const step = await result.events.next()
      if (step.done === true) {
        steps.end()
        return await present(step.value, machine ? { ...options, write: async () => undefined } : options)
      }
      const { event, data } = step.value
      options.see?.(data)
      if (machine) await options.write(jsonLine({ event, ...(data as object) }, options.host))
      else steps.show(step.value)
    }
  } finally {
    steps.end()
  }
}

async function presentSnapshots(result: SnapshotsResult, options: PresentOptions): Promise<number> {
  const { host, format, terminal } = options
  const { renderValue } = await import('./render.ts')
  if (!isRedrawn(format, terminal, host.env)) {
    for await (const data of result.snapshots) {
      await renderValue({ data, view: result.view }, options)
    }
    return result.exitCode ?? 0
  }
  const { createScreen } = await import('./screen.ts')
  let last: Json | undefined
  /** Redraws the last response at the terminal's current size, unless a newer one has arrived. */
  const draw = async () => {
    const data = last
    if (data === undefined) return
    const width = widthOf(host.stdout, host.env)
    let text = ''
    const write = async (piece: string | Uint8Array) => {
      text += piece.toString()
    }
    const note = (line: string) => void (text += `${line}\n`)
    const drawn = { ...options, width, note, write }
    await renderValue({ data, view: result.view }, drawn)
    if (data === last && width === widthOf(host.stdout, host.env)) screen.draw(text)
  }
  const screen = createScreen(host.stdout, { onExit: host.onExit })
  const resumeProgress = options.io.pauseProgress()
  const ignoreResize = host.onSignal('SIGWINCH', () => void draw())
  try {
    for await (const data of result.snapshots) {
      last = data
      await draw()
    }
  } finally {
    ignoreResize()
    last = undefined
    screen.close()
    resumeProgress()
  }
  return result.exitCode ?? 0
}
