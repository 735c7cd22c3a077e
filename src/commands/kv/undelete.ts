import * as api from '../../api/kv.ts'
import { bulkResult } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { BulkInput } from '../../bulk/flags.ts'
import { bulkFlags, planFlags } from '../../bulk/flags.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { planResult } from '../../bulk/plan.ts'
import type { Done } from '../../bulk/task.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { flag, needing } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { readLatest } from './latest.ts'
import { forFolder } from './messages.ts'
import { nameVersion, passRecursive, unknownLatest } from './change-messages.ts'
import { explainMissing } from './missing.ts'
import { asFolder, asSecret, folderWords, secretOrFolder } from './place.ts'
import { changeVersions, noVerifyFlag } from './version-change.ts'
import type { Version } from './versions.ts'
import { versionsFlag } from './versions.ts'
import { secretsBelow } from './walk.ts'
import { sendWrite } from './write.ts'

export const undelete = command({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret, or of every secret below a folder',
  description: `Reads the metadata before and after. A version that doesn't exist or was destroyed is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such, and --versions is required.

--recursive restores the latest version of every secret below a folder that is deleted; with --deleted-within only those that were deleted in that time: the inverse of kv delete --recursive. It ends with an account of every secret (exit status 10 if something failed).`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata, api.list, api.readMount],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to restore (default the latest)', { required: false }),
    recursive: flag.boolean('work on every secret below the folder', { excludes: ['versions'] }),
    deletedWithin: flag.duration('with --recursive, only what was deleted in this time, such as 2h', {
      needs: ['recursive'],
    }),
    noVerify: noVerifyFlag,
    ...needing({ ...planFlags, ...bulkFlags }, 'recursive'),
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2', note: 'an older one' },
    { line: 'kv undelete team/ --recursive --deleted-within 2h', note: 'take back a recursive delete' },
  ],
  async run({ path: typed, versions, recursive, deletedWithin, noVerify, ...input }, context): Promise<Result> {
    if (recursive === true) {
      return undeleteBelow(context, asFolder(typed), deletedWithin, input)
    }
    const path = asSecret(typed, passRecursive)
    if (versions === undefined && noVerify === true)
      throw unknownLatest(context.commandLine('kv undelete', path, '--no-verify'))
    return changeVersions(
      context,
      path,
      {
        wanted: 'live',
        request: (wanted = []) => api.undeleteVersions({ path }, { body: { versions: wanted } }),
      },
      { versions, noVerify },
    ).catch(async (error: unknown) => {
      const isRefused = versions === undefined && error instanceof TugError && error.facts.status === 403
      if (!isRefused) {
        const line = context.commandLine('kv undelete', path, '--recursive')
        return explainMissing(context, path, () => [forFolder(line)])(error)
      }
      const line = context.commandLine('kv undelete', path)
      throw error.with({ hints: [...error.hints, nameVersion(line)] })
    })
  },
})

/** Restores the latest version of every secret below a folder that is deleted, within so many milliseconds if given. */
async function undeleteBelow(
  context: Context,
  folder: string,
  deletedWithin: number | undefined,
  input: BulkInput,
): Promise<Result> {
  const bulk = await openBulk(context, input, { action: 'undelete' })
  // A run that goes on means what the first one meant, however much later it is.
  const within = deletedWithin === undefined ? undefined : deletedWithin + sinceFirstRun(bulk, context)
  const { paths, failures } = await secretsBelow(bulk.context, folder)
  const stepOf = (path: string) => undeleteStep(bulk.context, path, within)
  if (input.plan === true) return planResult(bulk, { items: paths, stepOf, failures, numbers: ['version'] })
  const account = await bulk.run({
    what: 'restoring secrets',
    items: paths,
    act: (path, run) => undeleteOne(run.context, path, within),
  })
  const { done, left_out, unchanged } = account.counts
  const others = left_out + unchanged
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'undelete',
    what: { path: folder },
    done: `restored the latest version of ${plural(done, 'secret')} below ${folderWords(folder)}${others === 0 ? '' : `; ${others} left alone`}`,
    branches: failures,
  })
}

/** Milliseconds since the first run of a journal; 0 without one. */
function sinceFirstRun({ past }: Bulk, { now }: Context): number {
  return Math.max(0, now().getTime() - Date.parse(past?.begun ?? '')) || 0
}

async function undeleteOne(context: Context, path: string, within: number | undefined): Promise<Done> {
  const { latest, moment } = await readLatest(context, path)
  if (latest === undefined || latest.state === 'live') return { outcome: 'unchanged', before: latest?.version ?? 0 }
  if (!isMeant(latest, moment, within)) return { outcome: 'left_out' }
  await sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: [latest.version] } }))
  return { before: 'deleted', after: latest.version }
}

/** True for a version that can be restored and was deleted recently enough. */
function isMeant({ state, deletion_time }: Version, moment: Date, within = Infinity): boolean {
  return state === 'deleted' && !(moment.getTime() - Date.parse(deletion_time) > within)
}

async function undeleteStep(context: Context, path: string, within: number | undefined): Promise<PlanStep> {
  const { latest, moment } = await readLatest(context, path)
  if (latest === undefined) return { item: path, action: 'unchanged', words: 'has no version' }
  const { version, state, deletion_time } = latest
  const about = { item: path, facts: { version } }
  if (isMeant(latest, moment, within)) return { ...about, action: 'undelete', words: `undelete version ${version}` }
  const words = state === 'deleted' ? `deleted longer ago: ${deletion_time}` : state
  return { ...about, action: 'unchanged', words }
}
