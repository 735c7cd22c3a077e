import * as api from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, Rows } from '../../../core/command.ts'
import { command, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, exitCodes } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import type { BulkReads, Failure } from '../../../read/bulk.ts'
import { openReads, throwFailures } from '../../../read/bulk.ts'
import { below, relativeTo } from '../data/paths.ts'
import type { SecretRecord } from '../histories/record.ts'
import { compareSecret, settingDifferences } from '../histories/compare.ts'
import { markIn, markWords } from '../histories/mark.ts'
import { readSnapshot } from '../histories/record.ts'
import type { Found } from '../mount/walk.ts'
import { secretsIn } from '../mount/walk.ts'
import { readEngine } from './engine.ts'
import type { Source } from './file.ts'
import { openSource, sourceParams } from './file.ts'

export const verify = command({
  name: 'verify',
  summary: 'Compare a backup with what is stored: every version, state and setting',
  description: `Compares with where the secrets came from, with --mount with another mount, and with the folder after the file. Times are not compared, nor the data of deleted versions, which a restore destroys. One row for each secret that is missing, differs, is only in the mount, or has the mark of an unfinished copy, move or restore; the exit status is then 9. Values are never shown.

For a backup of a whole mount the engine's settings are compared too.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData, api.readConfig, api.readMount],
  exitsOnDifference: true,
  params: { ...sourceParams },
  examples: [
    { line: 'kv verify secret.tugkv', note: 'has anything changed since the backup?' },
    { line: 'kv verify team.tugkv team -o json', note: 'compare with a folder, for a script' },
  ],
  async run(typed, context): Promise<Result> {
    const source = await openSource(context, typed)
    const bulk = openReads(context)
    const found =
      source.only === undefined
        ? await secretsIn(bulk.context, `${source.base}/`, { mayBeMissing: true })
        : [{ path: below(source.base, source.only) }]
    const tally: Tally = { identical: 0, differing: 0, failures: [], prunedVersions: 0 }
    return { rows: rowsOf(bulk, source, found, tally), view, finish: () => report(context, tally) }
  },
})

const view = list<Finding>(
  [
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'finding', value: ({ finding }) => finding },
    { name: 'detail', value: ({ detail }) => detail, long: true },
  ],
  ({ path }) => path,
  { empty: '' },
)

interface Tally {
  identical: number
  differing: number
  readonly failures: Failure[]
  /** Versions that are pruned in the backup and destroyed here. */
  prunedVersions: number
}

interface Finding {
  readonly path: string
  readonly finding: 'missing' | 'extra' | 'differs' | 'unfinished' | 'unreadable'
  readonly detail: string
}

async function* rowsOf({ context, read }: BulkReads, source: Source, found: Found, tally: Tally): Rows {
  const engine = source.isMount ? await engineFinding(context, source) : undefined
  if (engine !== undefined) {
    tally.differing += 1
    yield [asJson(engine)]
  }
  const tasks = tasksOf(source.base, found, source.secrets())
  const compare = (task: Task) => findingOf(context, source, task, tally)
  for await (const outcome of read('comparing secrets', tasks, compare)) {
    if ('error' in outcome) {
      const { item, error } = outcome
      tally.failures.push({ item: item.path, error })
      yield [asJson({ path: item.path, finding: 'unreadable', detail: error.message } satisfies Finding)]
    } else if (outcome.value === undefined) tally.identical += 1
    else {
      tally.differing += 1
      yield [asJson(outcome.value)]
    }
  }
}

/** A secret to compare: of the mount, of the backup, or of both. */
interface Task {
  /** Relative to the mount. */
  readonly path: string
  /** Relative to the folder of the backup. */
  readonly name: string
  readonly record?: SecretRecord
  /** True for a secret of the backup that the mount doesn't list. */
  readonly isMissing?: boolean
  /** Its folder could not be listed. */
  readonly failure?: TugError
}

/** The secrets that were found, and those of the backup that were not, in path order. */
async function* tasksOf(base: string, found: Found, records: AsyncGenerator<SecretRecord>): AsyncGenerator<Task> {
  const next = async () => {
    const result = await records.next()
    return result.done === true ? undefined : result.value
  }
  let record = await next()
  // What is in a folder that could not be listed is not missing.
  let unread = '/'
  const missing = (one: SecretRecord): Task[] =>
    one.path.startsWith(unread) ? [] : [{ path: one.path, name: one.path, record: one, isMissing: true }]
  for await (const { path, failure } of found) {
    const name = relativeTo(base, path)
    for (; record !== undefined && record.path < name; record = await next()) yield* missing(record)
    if (failure !== undefined) unread = name
    if (record?.path === name) {
      yield { path, name, record }
      record = await next()
    } else yield { path, name, ...(failure === undefined ? {} : { failure }) }
  }
  for (; record !== undefined; record = await next()) yield* missing(record)
}

async function engineFinding(context: Context, { header }: Source): Promise<Finding | undefined> {
  const expected = header.config
  const actual = expected === null ? null : await readEngine(context)
  if (expected === null || actual === null) return undefined
  const differences = settingDifferences(expected, actual)
  if (differences.length === 0) return undefined
  return { path: '/', finding: 'differs', detail: `settings of the engine: ${differences.join('; ')}` }
}

async function findingOf(context: Context, { base }: Source, task: Task, tally: Tally): Promise<Finding | undefined> {
  const path = below(base, task.name)
  if (task.failure !== undefined) throw task.failure
  const missing: Finding = { path, finding: 'missing', detail: 'in the backup only' }
  if (task.isMissing === true) return missing
  if (task.record === undefined) return { path, finding: 'extra', detail: 'not in the backup' }
  const actual = await readSnapshot(context, path, task.name)
  if (actual === undefined) return missing
  const { differences, prunedVersions } = compareSecret(task.record, actual, context.now())
  const mark = markIn(actual.custom_metadata)
  if (mark !== undefined && mark !== markIn(task.record.custom_metadata))
    return { path, finding: 'unfinished', detail: markWords(context, path, mark) }
  tally.prunedVersions += prunedVersions.length
  return differences.length === 0 ? undefined : { path, finding: 'differs', detail: differences.join('; ') }
}

function report({ io }: Context, { identical, differing, failures, prunedVersions }: Tally): number | undefined {
  const pruned = prunedVersions === 0 ? '' : ` (${plural(prunedVersions, 'pruned version')} shown as destroyed here)`
  const others = [
    differing > 0 ? `${differing} different` : '',
    failures.length > 0 ? `${failures.length} unreadable` : '',
  ]
  const rest = others.filter((part) => part !== '').map((part) => `, ${part}`)
  io.note(`${plural(identical, 'secret')} identical except for times${pruned}${rest.join('')}`)
  throwFailures(failures, identical + differing)
  return differing > 0 ? exitCodes.differences : undefined
}
