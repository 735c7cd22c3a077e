import { openBulk } from '../../../bulk/engine.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { bulkResult } from '../../../bulk/result.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { firstNames, plural } from '../../../core/words.ts'
import { folderWords } from '../place.ts'
import { secretsBelow } from '../walk.ts'
import { deleteSecrets } from './prune.ts'
import type { Below } from './undelete-below.ts'
import { latestOf, planBelow } from './undelete-below.ts'

/** Deletes the latest version of every secret below a folder. */
export async function deleteBelow(context: Context, { folder, plan, exitCode, pace }: Below): Promise<Result> {
  const bulk = await openBulk(context, pace, { action: 'delete', parallel: secretsAtOnce })
  const found = await secretsBelow(bulk.context, folder, pace)
  if (plan) return planBelow(bulk, found, { exitCode, stepOf: (path) => deleteStep(bulk.context, path) })
  const { paths, failures } = found
  const start = folderWords(folder)
  await context.io.confirm(
    `Delete the latest version of ${plural(paths.length, 'secret')} below ${start}: ${firstNames(paths)}?`,
  )
  const begin = context.now().getTime()
  const account = await deleteSecrets(bulk, bulk.context, paths)
  const { done, unknown } = account.counts
  const undo = context.commandLine(
    'kv undelete',
    `${folder}/`,
    '--recursive',
    '--deleted-within',
    windowSince(begin, context),
  )
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'delete',
    what: { path: folder },
    done: `requested deletion of the latest version of ${plural(done, 'secret')} below ${start}`,
    branches: failures,
    ...(done + unknown === 0 ? {} : { hint: `to undo: ${undo}` }),
  })
}

/** Long enough for a person who sees at once that something is missing; what was deleted long before stays deleted. */
const minutesToThink = 10

function windowSince(begin: number, { now }: Context): string {
  return `${Math.ceil((now().getTime() - begin) / 60_000) + minutesToThink}m`
}

async function deleteStep(context: Context, path: string): Promise<PlanStep> {
  const { latest } = await latestOf(context, path)
  if (latest === undefined) return { item: path, action: 'unchanged', words: 'has no version' }
  const facts = { version: latest.version }
  if (latest.state !== 'live') return { item: path, action: 'unchanged', words: `${latest.state} already`, facts }
  return { item: path, action: 'delete', words: `delete version ${latest.version}`, facts }
}
