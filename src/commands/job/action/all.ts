import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { shortId } from './choice.ts'
import type { Stream } from './frames.ts'
import type { ActionRun, Write } from './session.ts'
import { interruption, runAction } from './session.ts'
import type { Target } from './target.ts'

/** Concurrent sessions. */
const mostAtOnce = 16

interface Failure {
  readonly line: string
  readonly hints: readonly string[]
}

/**
 * Runs an action on each target, a few at a time, with the allocation's name before each line of output. Throws partial
 * (10) unless all end with status 0; when interrupted, it names those that keep running.
 */
export async function runOnAll(context: Context, runs: readonly ActionRun[]): Promise<void> {
  const names = namesOf(runs.map(({ target }) => target))
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const underWay = new Set<ActionRun>()
  const failures: Failure[] = []
  const waiting = runs.values()

  async function work(): Promise<void> {
    for (const run of waiting) {
      underWay.add(run)
      const name = names.get(run.target) ?? ''
      const failure = await runWithName(context, run, name, signal)
      if (failure !== undefined) failures.push(failure)
      underWay.delete(run)
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(mostAtOnce, runs.length) }, work))
  } catch (error) {
    stop.abort()
    if (!context.signal.aborted) throw error
    const [first, ...others] = underWay
    if (first === undefined) throw error
    throw interruption(
      first.action,
      [first, ...others].map(({ target }) => target.allocation),
    )
  }
  const summary = `${runs.length - failures.length} of ${runs.length} succeeded`
  if (failures.length === 0) context.io.note(summary)
  else {
    const hints = new Set(failures.flatMap((failure) => failure.hints))
    throw new TugError('partial', summary, { hints: [...failures.map(({ line }) => line), ...hints] })
  }
}

/** Runs one of them and returns what went wrong. Throws errors that end the others too. */
async function runWithName(
  context: Context,
  run: ActionRun,
  name: string,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const lines = prefixLines(name, (stream, bytes) => context.io.write(stream, bytes))
  try {
    const status = await runAction(context, run, lines.write, signal)
    return status === 0 ? undefined : { line: `${name} exited with status ${status}`, hints: [] }
  } catch (error) {
    if (!(error instanceof TugError) || fatal.has(error.code)) throw error
    return { line: `${name} failed: ${error.message}`, hints: error.hints }
  } finally {
    await lines.end()
  }
}

/** True if nobody reads the output or waits any more. */
const fatal = new Set(['closed_pipe', 'interrupted'])

/** Prefixes for the lines: short IDs, with the task if an allocation has several, or whole IDs if short ones are equal. */
function namesOf(targets: readonly Target[]): ReadonlyMap<Target, string> {
  const candidates: readonly ((target: Target) => string)[] = [
    shortId,
    (target) => `${shortId(target)}/${target.task}`,
    ({ allocation, task }) => `${allocation}/${task}`,
  ]
  const isEnough = (name: (target: Target) => string) => new Set(targets.map(name)).size === targets.length
  const name = candidates.find(isEnough) ?? shortId
  return new Map(targets.map((target) => [target, name(target)]))
}

const lineFeed = 0x0a
/** How many bytes of an unfinished line are kept. */
const longestLine = 64 * 1024

/** Prefixes each line of both streams with `name | `; the lines' bytes are unchanged. */
function prefixLines(name: string, write: Write): { readonly write: Write; end(): Promise<void> } {
  const prefix = Buffer.from(`${name} | `)
  const rests = new Map<Stream, Buffer>()

  function prefixed(bytes: Buffer): Buffer {
    const pieces: Buffer[] = []
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(lineFeed, start) + 1 || bytes.length
      pieces.push(prefix, bytes.subarray(start, end))
      start = end
    }
    return Buffer.concat(pieces)
  }

  return {
    async write(stream, bytes) {
      const held = Buffer.concat([rests.get(stream) ?? Buffer.alloc(0), bytes])
      const whole = held.length > longestLine ? held.length : held.lastIndexOf(lineFeed) + 1
      rests.set(stream, held.subarray(whole))
      const cut = whole > 0 && held[whole - 1] !== lineFeed ? [Buffer.from('\n')] : []
      if (whole > 0) await write(stream, Buffer.concat([prefixed(held.subarray(0, whole)), ...cut]))
    },
    async end() {
      for (const [stream, rest] of rests) {
        if (rest.length > 0) await write(stream, Buffer.concat([prefix, rest, Buffer.from('\n')]))
      }
    },
  }
}
