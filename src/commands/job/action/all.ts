import { forEachOf } from '../../../core/each-of.ts'
import { below } from '../../../read/bulk.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Stream } from './frames.ts'
import type { ActionRun, Write } from './session.ts'
import { interruption, runAction } from './session.ts'
import type { ActionTask } from './target.ts'
import { lineFor } from './target.ts'
import type { Result } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, plainText } from '../../../core/json.ts'
import { countColumn, plainColumn, shortId } from '../cells.ts'

/** Concurrent sessions, without `--parallel`. */
const sessionsAtOnce = 16

/**
 * Runs an action on each target, a few at a time, with the allocation's name before each line of output, and returns how each
 * ended, in their order. Throws when interrupted, and then names those that keep running.
 */
async function runOnAll(context: Context, runs: readonly ActionRun[], write: Write): Promise<Ended[]> {
  const { parallel = sessionsAtOnce, maxFailures = Infinity } = context.settings.limits
  const names = namesOf(runs.map(({ target }) => target))
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const underWay = new Set<ActionRun>()
  const ends = new Map<ActionTask, Ended>()
  let failures = 0

  async function work(run: ActionRun): Promise<void> {
    const { target } = run
    const name = names.get(target) ?? ''
    if (failures >= maxFailures) {
      ends.set(target, { target, name, end: notStarted })
      return
    }
    underWay.add(run)
    const end = await runWithName(context, run, { name, write }, signal)
    if (end !== 0) failures += 1
    ends.set(target, { target, name, end })
    underWay.delete(run)
  }

  try {
    await forEachOf(runs, work, parallel)
  } catch (error) {
    stop.abort()
    if (!context.signal.aborted) throw error
    const [first] = underWay
    if (first === undefined) throw error
    throw interruption(
      first.action,
      [...underWay].map(({ target }) => target.allocation),
    )
  }
  return runs.flatMap(({ target }) => ends.get(target) ?? [])
}

/** Runs one of them and returns its exit status, or what went wrong. Throws errors that end the others too. */
async function runWithName(
  context: Context,
  run: ActionRun,
  { name, write }: { readonly name: string; readonly write: Write },
  signal: AbortSignal,
): Promise<number | TugError> {
  const lines = prefixLines(name, write)
  try {
    return await runAction(context, run, lines.write, signal)
  } catch (error) {
    if (!(error instanceof TugError) || fatal.has(error.code)) throw error
    return error
  } finally {
    await lines.end()
  }
}

/** True if nobody reads the output or waits any more. */
const fatal = new Set(['closed_pipe', 'interrupted'])

/** Prefixes for the lines: short IDs, with the task if an allocation has several, or whole IDs if short ones are equal. */
function namesOf(targets: readonly ActionTask[]): ReadonlyMap<ActionTask, string> {
  const candidates: readonly ((target: ActionTask) => string)[] = [
    ({ allocation }) => shortId(allocation),
    ({ allocation, task }) => `${shortId(allocation)}/${task}`,
  ]
  const isEnough = (name: (target: ActionTask) => string) => new Set(targets.map(name)).size === targets.length
  const name = candidates.find(isEnough) ?? (({ allocation, task }) => `${allocation}/${task}`)
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

/**
 * Runs an action everywhere. Its output is the result, and how it ended goes to stderr; with an output format it is the other way
 * round. The exit status is 0 or 10.
 */
export async function resultOfAll(context: Context, runs: readonly ActionRun[]): Promise<Result> {
  const { io, settings } = context
  const { output, query, columns } = settings.outputFlags
  // A flag asks for records; TUG_OUTPUT is about results, and here the output of the action is the result.
  const wantsRecords = [output, query, columns].some((flag) => flag !== undefined)
  const ended = await runOnAll(context, runs, (stream, bytes) => io.write(wantsRecords ? 'stderr' : stream, bytes))
  const failed = ended.filter(({ end }) => end !== 0)
  const summary = `${ended.length - failed.length} of ${ended.length} succeeded`
  const finish = () => {
    if (failed.length > 0 && runs[0] !== undefined) throw someFailed(context, runs[0], summary, failed)
    io.note(summary)
  }
  if (wantsRecords) return { data: ended.map(recordOf), view, finish }
  finish()
  return { raw: '' }
}

function recordOf({ target, end }: Ended): Json {
  const { allocation, group, task, node } = target
  const [exit_status, error] = typeof end === 'number' ? [end, null] : [null, end.message]
  return {
    allocation,
    ...(group === undefined ? {} : { group }),
    task,
    ...(node === undefined ? {} : { node }),
    exit_status,
    error,
  }
}

const view = list<Json>(
  [
    plainColumn('allocation', 'allocation', { whole: true }),
    plainColumn('group', 'group'),
    plainColumn('task', 'task'),
    plainColumn('node', 'node'),
    countColumn('exit_status', 'exit_status'),
    plainColumn('error', 'error'),
  ],
  (row) => (isObject(row) ? plainText(row['allocation'] ?? '') : ''),
)

/** How an action ended on one of several targets. */
interface Ended {
  readonly target: ActionTask
  /** The allocation's name in the output. */
  readonly name: string
  /** The exit status, or why the action has none. */
  readonly end: number | TugError
}

const notStarted = new TugError('failed', 'not started: too many failures (--max-failures)')

/** Failures that an error names. */
const mostNamed = 20
function someFailed(
  context: Context,
  { job, action }: { readonly job: string; readonly action: string },
  summary: string,
  failures: readonly Ended[],
): TugError {
  const lines = failures.slice(0, mostNamed).map(({ name, end }) => {
    if (typeof end === 'number') return `${name} exited with status ${end}`
    return end === notStarted ? `${name} was not started` : `${name} failed: ${end.message}`
  })
  if (failures.length > mostNamed) lines.push(`and ${failures.length - mostNamed} more`)
  const hints = new Set(failures.flatMap(({ end }) => (typeof end === 'number' ? [] : end.hints)))
  const first = failures.find(({ end }) => typeof end === 'number')
  if (first !== undefined) hints.add(`run it again on one: ${lineFor(context, { job, action }, first.target)}`)
  return new TugError('partial', below(summary, lines), { hints: [...hints] })
}
