import type { Result } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, objectFrom, plainText } from '../../../core/json.ts'
import { countColumn, plainColumn } from '../cells.ts'
import type { Ended } from './all.ts'
import { runOnAll } from './all.ts'
import type { ActionRun } from './session.ts'

/** Failures that an error names. */
const mostNamed = 20

/**
 * Runs an action everywhere. Its output is the result, and how it ended goes to stderr; with an output format it is the other way
 * round. The exit status is 0 or 10.
 */
export async function resultOfAll(context: Context, runs: readonly ActionRun[]): Promise<Result> {
  const { io } = context
  const asked = wantsRecords(context)
  const ended = await runOnAll(context, runs, (stream, bytes) => io.write(asked ? 'stderr' : stream, bytes))
  const failed = ended.filter(({ end }) => end !== 0)
  const summary = `${ended.length - failed.length} of ${ended.length} succeeded`
  if (asked) {
    return {
      data: ended.map(recordOf),
      view,
      finish: () => io.note(summary),
      ...(failed.length === 0 ? {} : { exitCode: exitCodes.partial }),
    }
  }
  if (failed.length > 0) throw failureOf(context, summary, failed, runs)
  io.note(summary)
  return { raw: '' }
}

/** A flag asks for records; TUG_OUTPUT is about results, and here the output of the action is the result. */
function wantsRecords({ settings: { outputFlags } }: Context): boolean {
  return [outputFlags.output, outputFlags.query, outputFlags.columns].some((flag) => flag !== undefined)
}

function failureOf(
  { commandLine }: Context,
  summary: string,
  failed: readonly Ended[],
  [run]: readonly ActionRun[],
): TugError {
  const lines = failed.slice(0, mostNamed).map(({ name, end }) => `${name} ${wordsFor(end)}`)
  if (failed.length > mostNamed) lines.push(`and ${failed.length - mostNamed} more`)
  const hints = new Set(failed.flatMap(({ end }) => (typeof end === 'number' ? [] : end.hints)))
  const first = failed.find(({ end }) => typeof end === 'number')
  if (run !== undefined && first !== undefined) {
    const { allocation, task } = first.target
    const line = commandLine('job action', run.job, run.action, '--alloc', allocation, '--task', task)
    hints.add(`run it again on one: ${line}`)
  }
  return new TugError('partial', [summary, ...lines].join('\n  '), { hints: [...hints] })
}

function wordsFor(end: Ended['end']): string {
  return typeof end === 'number' ? `exited with status ${end}` : `failed: ${end.message}`
}

function recordOf({ target, end }: Ended): Json {
  const { allocation, group, task, node } = target
  const place: [string, Json][] = []
  if (group !== undefined) place.push(['group', group])
  place.push(['task', task])
  if (node !== undefined) place.push(['node', node])
  const isStatus = typeof end === 'number'
  return objectFrom([
    ['allocation', allocation],
    ...place,
    ['exit_status', isStatus ? end : null],
    ['error', isStatus ? null : end.message],
  ])
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
