import * as api from '../../../api/kv.ts'
import type { Failure } from '../../../bulk/account.ts'
import { bulkResult } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import type { Done, ItemRun } from '../../../bulk/task.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { currentOf } from '../backup/record.ts'
import { deleteLeft, deletedReader, readOutline } from '../backup/snapshot.ts'
import { forFolder } from '../messages.ts'
import { explainMissing } from '../missing.ts'
import { asFolder, isFolder } from '../place.ts'
import { readMetadata, readOneOfMany } from '../read.ts'
import { keyChanges, mapOf, same } from '../values.ts'
import { momentWords } from '../versions.ts'
import { secretsIn } from '../walk.ts'
import { changeWords } from '../write-change.ts'
import { sendWrite, writeSecret } from '../write.ts'
import { momentInFuture } from './messages.ts'

/** `kv rollback --at`: brings a secret, or everything below a folder, back to its state at a moment. */
export async function rollbackAt(context: Context, path: string, moment: Date, input: BulkInput): Promise<Result> {
  if (moment.getTime() > context.now().getTime()) throw momentInFuture()
  const at = moment.toISOString()
  const own = { ...context, typed: withMoment(context.typed, at) }
  const bulk = await openBulk(own, input, { action: 'rollback', detail: `at ${at}` })
  const branches: Failure[] = []
  const items = await pathsOf(bulk.context, path, { moment, branches })
  if (input.plan === true) {
    const stepOf = (item: string) => stepTo(bulk.context, item, moment)
    return planResult(bulk, { items, stepOf, failures: branches, hidesUnchanged: true })
  }
  const account = await bulk.run<string>({
    what: 'rolling back secrets',
    items,
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
): Promise<Iterable<string> | AsyncIterable<string>> {
  if (!isFolder(path)) {
    const line = context.commandLine('kv rollback', `${path}/`, ['--at', moment.toISOString()])
    await readMetadata(context, path).catch(explainMissing(context, path, () => [forFolder(line)]))
    return [path]
  }
  const found = await secretsIn(context, asFolder(path))
  return (async function* all() {
    for await (const { path: item, failure } of found) {
      if (failure === undefined) yield item
      else branches.push({ item, error: failure })
    }
  })()
}

/** What brings a secret back to its state at a moment. */
interface Return {
  readonly action: 'write' | 'undelete' | 'delete' | 'impossible' | 'unchanged'
  /** Words without values. */
  readonly detail: string
  /** The current version before: that which is undeleted or deleted. */
  readonly current: number
  /** To write. */
  readonly data?: JsonObject | null
}

async function stepTo(context: Context, path: string, moment: Date): Promise<PlanStep> {
  const { action, detail } = await returnOf(context, path, moment)
  return { item: path, action, words: detail }
}

/** Brings a secret back. Throws if its state at that moment cannot be recovered, or if it was written in between. */
async function returnSecret(run: ItemRun, path: string, moment: Date): Promise<Done> {
  const { context } = run
  await deleteLeft(context, path, run.left)
  const { action, detail, current, data = null } = await returnOf(context, path, moment, run)
  if (action === 'unchanged') return { outcome: 'unchanged', before: current, after: current }
  if (action === 'impossible') throw new TugError('partial', detail)
  if (action === 'write') {
    await writeSecret(context, path, data, current)
    return { before: current, after: current + 1 }
  }
  const change = action === 'undelete' ? api.undeleteVersions : api.deleteVersions
  await sendWrite(context, path, change({ path }, { body: { versions: [current] } }))
  return { before: current, after: current }
}

/**
 * Reads a secret and decides what the stored times say: which version was the current one at a moment, and whether it was live. Nothing
 * is guessed: a version that was pruned or destroyed since may have been live then, and cannot come back. The data of deleted versions
 * are read only for a `run` that writes.
 */
async function returnOf(context: Context, path: string, moment: Date, run?: ItemRun): Promise<Return> {
  const record = await readOutline(context, path)
  const { current_version: current } = record
  const unchanged: Return = { action: 'unchanged', detail: 'unchanged', current }
  const impossible = (why: string): Return => ({ action: 'impossible', detail: `${why}: not recoverable`, current })
  const isLive = currentOf(record)?.state === 'live'
  const removal = (why: string): Return =>
    isLive ? { action: 'delete', detail: `${why}: delete version ${current}`, current } : unchanged
  const then = record.versions.findLast(({ created_time }) => isBefore(created_time, moment))
  if (then === undefined && record.oldest_version > 1) return impossible('the version of that moment has been pruned')
  if (then === undefined) return removal('written after that moment')
  if (isBefore(then.deletion_time, moment)) return removal('deleted at that moment')
  if (then.state === 'destroyed') return impossible(`version ${then.version} of that moment was destroyed`)
  if (then.version !== current) return writeOf(context, record, then, run)
  return isLive ? unchanged : { action: 'undelete', detail: `undelete version ${current}`, current }
}

function isBefore(time: string, moment: Date): boolean {
  return time !== '' && Date.parse(time) <= moment.getTime()
}

/** The write of an older version's data, unless the current version has the same. */
async function writeOf(
  context: Context,
  record: SecretRecord,
  { version, state }: VersionRecord,
  run: ItemRun | undefined,
): Promise<Return> {
  const { path, current_version: current } = record
  const head = `${current} → ${current + 1}   as version ${version} was`
  if (state === 'deleted' && run === undefined)
    return { action: 'write', detail: `${head}, which is deleted now`, current }
  let data: JsonObject | null = null
  const read = async () => {
    const found = (await readOneOfMany(context, path, version)).data
    data = found === null ? null : mapOf(found)
  }
  if (state === 'deleted') await deletedReader(context, path, run?.leave)([version], read)
  else await read()
  const isLive = currentOf(record)?.state === 'live'
  const before = isLive ? mapOf((await readOneOfMany(context, path, current)).data) : undefined
  if (before !== undefined && same(before, data)) return { action: 'unchanged', detail: 'unchanged', current }
  const changes = changeWords(keyChanges(before ?? mapOf(null), mapOf(data))).join('; ')
  return { action: 'write', detail: `${head}${changes === '' ? '' : `: ${changes}`}`, current, data }
}
