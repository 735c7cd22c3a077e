import type { Failure } from '../../../bulk/account.ts'
import * as api from '../../../api/kv.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Done } from '../../../bulk/task.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planEach } from '../../../bulk/plan.ts'
import { bulkResult } from '../../../bulk/result.ts'
import type { Result, ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import type { VersionRecord } from '../backup/record.ts'
import { currentOf } from '../backup/record.ts'
import { readOutline } from '../backup/snapshot.ts'
import { folderWords } from '../place.ts'
import { secretsBelow } from '../walk.ts'
import { sendWrite } from '../write.ts'

/** A bulk change of the latest versions below a folder. */
export interface Below {
  readonly folder: string
  readonly plan: boolean
  readonly exitCode: boolean
  readonly pace: BulkInput
}

/** The latest version of a secret, if it has one, and the server's time. */
export async function latestOf(
  context: Context,
  path: string,
): Promise<{ readonly latest: VersionRecord | undefined; readonly moment: Date }> {
  const { record, moment } = await readOutline(context, path)
  return { latest: currentOf(record), moment }
}

/** Restores the latest version of every secret below a folder that is deleted, `asked` milliseconds ago at most if given. */
export async function undeleteBelow(context: Context, below: Below, asked: number | undefined): Promise<Result> {
  const { folder, plan, exitCode, pace } = below
  const bulk = await openBulk(context, pace, { action: 'undelete', parallel: secretsAtOnce })
  // A run that goes on means what the first one meant, however much later it is.
  const within = asked === undefined ? undefined : asked + sinceFirstRun(bulk, context)
  const found = await secretsBelow(bulk.context, folder, pace)
  if (plan) return planBelow(bulk, found, { exitCode, stepOf: (path) => undeleteStep(bulk.context, path, within) })
  const account = await bulk.run({
    what: 'restoring secrets',
    items: found.paths,
    total: found.paths.length,
    nameOf: (path) => path,
    act: (path, run) => undeleteOne(run.context, path, within),
  })
  const { done, left_out, unchanged } = account.counts
  const others = left_out + unchanged
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'undelete',
    what: { path: folder },
    done: `restored the latest version of ${plural(done, 'secret')} below ${folderWords(folder)}${others === 0 ? '' : `; ${others} left alone`}`,
    branches: found.failures,
  })
}

/** Milliseconds since the first run of a journal; 0 without one. */
function sinceFirstRun({ past }: Bulk, { now }: Context): number {
  return Math.max(0, now().getTime() - Date.parse(past?.begun ?? '')) || 0
}

async function undeleteOne(context: Context, path: string, within: number | undefined): Promise<Done> {
  const { latest, moment } = await latestOf(context, path)
  if (latest === undefined || latest.state === 'live') return { outcome: 'unchanged', before: latest?.version ?? 0 }
  if (!isMeant(latest, moment, within)) return { outcome: 'left_out' }
  await sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: [latest.version] } }))
  return { before: 'deleted', after: latest.version }
}

/** True for a version that can be restored and was deleted recently enough. */
function isMeant({ state, deletion_time }: VersionRecord, moment: Date, within = Infinity): boolean {
  return state === 'deleted' && !(moment.getTime() - Date.parse(deletion_time) > within)
}

async function undeleteStep(context: Context, path: string, within: number | undefined): Promise<PlanStep> {
  const { latest, moment } = await latestOf(context, path)
  if (latest === undefined) return { item: path, action: 'unchanged', words: 'has no version' }
  const facts = { version: latest.version }
  if (isMeant(latest, moment, within))
    return { item: path, action: 'undelete', words: `undelete version ${latest.version}`, facts }
  const words = latest.state === 'deleted' ? `deleted longer ago: ${latest.deletion_time}` : latest.state
  return { item: path, action: 'unchanged', words, facts }
}

/** Shows what would be done with each secret; nothing is written. */
export function planBelow(
  bulk: Bulk,
  { paths, failures }: { readonly paths: readonly string[]; readonly failures: readonly Failure[] },
  { exitCode, stepOf }: { exitCode: boolean; stepOf: (path: string) => Promise<PlanStep> },
): Promise<ValueResult> {
  const items = paths.map((name) => ({ name }))
  const options = { failures, exitCode, columns: ['version'] }
  return planEach(bulk, items, { what: 'reading secrets', stepOf: ({ name }) => stepOf(name), ...options })
}
