import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { bulkResult } from '../../../bulk/result.ts'
import { secretsIn } from '../walk.ts'
import { orMeant } from '../missing.ts'
import { asFolder, isFolder } from '../place.ts'
import { readMetadata } from '../read.ts'
import { momentWords } from './events.ts'
import type { Action } from './return.ts'
import { actionOf, returnSecret } from './return.ts'

/** What would be done with one secret. */
interface PlanRow {
  readonly path: string
  readonly action: Action['kind']
  readonly detail: string
}

const marks: Readonly<Record<Action['kind'], readonly [mark: string, tone: Tone]>> = {
  write: ['~', 'change'],
  undelete: ['+', 'good'],
  delete: ['-', 'bad'],
  impossible: ['!', 'bad'],
  unchanged: ['=', 'dim'],
}

const view = list<PlanRow>(
  [
    {
      name: 'action',
      title: '',
      value: ({ action }) => action,
      show: ({ action }) => cell(...marks[action]),
    },
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'detail', value: ({ detail }) => detail, long: true },
  ],
  ({ path }) => path,
  { empty: 'nothing to change' },
)

/** `kv rollback --at`: brings a secret, or everything below a folder, back to its state at a moment. */
export async function rollbackAt(
  context: Context,
  {
    path,
    moment,
    plan,
    exitCode,
    pace,
  }: {
    readonly path: string
    readonly moment: Date
    readonly plan: boolean
    readonly exitCode: boolean
    readonly pace: BulkInput
  },
): Promise<Result> {
  if (moment.getTime() > context.now().getTime()) throw usageError('--at is in the future')
  const at = moment.toISOString()
  const bulk = await openBulk({ ...context, typed: withMoment(context.typed, at) }, pace, {
    action: 'rollback',
    parallel: secretsAtOnce,
    detail: `at ${at}`,
  })
  const branches: Failure[] = []
  const items = await pathsOf(bulk.context, path, { moment, branches })
  if (plan) return planRollback(bulk, items, branches, { moment, exitCode })
  const account = await bulk.run<string>({
    what: 'rolling back secrets',
    items,
    nameOf: (item) => item,
    act: (item, run) => returnSecret(run, item, moment),
  })
  const { done, unchanged } = account.counts
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'rollback',
    what: { path },
    done: `rolled back ${plural(done, 'secret')}, ${unchanged} unchanged, to ${momentWords(at)}`,
    branches,
  })
}

/** The typed words with the moment itself in place of `2h`, so that the line that resumes means the same one. */
function withMoment(typed: readonly string[], at: string): string[] {
  return typed.map((word, index) => {
    if (word.startsWith('--at=')) return `--at=${at}`
    return typed[index - 1] === '--at' ? at : word
  })
}

/** The secrets that are meant. */
async function pathsOf(
  context: Context,
  path: string,
  { moment, branches }: { moment: Date; branches: Failure[] },
): Promise<AsyncIterable<string>> {
  if (!isFolder(path)) {
    await readMetadata(context, path).catch(async (error: unknown) => {
      const line = context.commandLine('kv rollback', `${path}/`, '--at', moment.toISOString())
      throw await orMeant(context, path, error, [`for the folder: ${line}`])
    })
    return (async function* one() {
      yield path
    })()
  }
  const found = await secretsIn(context, asFolder(path))
  return (async function* all() {
    for await (const { path: item, failure } of found) {
      if (failure === undefined) yield item
      else branches.push({ item, error: failure })
    }
  })()
}

function planRollback(
  { context, read }: Bulk,
  items: AsyncIterable<string>,
  branches: readonly Failure[],
  { moment, exitCode }: { moment: Date; exitCode: boolean },
): Result {
  const counts = { write: 0, undelete: 0, delete: 0, impossible: 0, unchanged: 0 }
  const failures: Failure[] = []
  async function* rows() {
    const work = (path: string) => actionOf(context, path, moment)
    for await (const outcome of read('reading secrets', items, work)) {
      if ('error' in outcome) failures.push(outcome)
      else {
        const { kind, words } = outcome.value
        counts[kind] += 1
        if (kind !== 'unchanged') yield [asJson({ path: outcome.item, action: kind, detail: words } satisfies PlanRow)]
      }
    }
  }
  return {
    rows: rows(),
    view,
    finish: () => {
      const { impossible, unchanged, ...changes } = counts
      const changed = changes.write + changes.undelete + changes.delete
      const lost = impossible === 0 ? '' : `, ${impossible} not recoverable`
      context.io.note(`${plural(changed, 'secret')} to roll back, ${unchanged} unchanged${lost}; nothing was written`)
      for (const { item, error } of [...branches, ...failures]) context.io.warn(`${item}: ${error.message}`)
      if (branches.length + failures.length > 0) throw new TugError('partial', 'the plan is incomplete')
      if (impossible > 0) return exitCodes.partial
      return exitCode && changed > 0 ? exitCodes.differences : undefined
    },
  }
}
