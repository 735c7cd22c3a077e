import * as api from '../../api/kv.ts'
import { bulkResult } from '../../bulk/account.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { BulkInput } from '../../bulk/flags.ts'
import { bulkFlags, planFlags } from '../../bulk/flags.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { planResult } from '../../bulk/plan.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { flag, needing } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { readLatest } from './latest.ts'
import { forFolder } from './messages.ts'
import { deleteQuestion, passRecursive, toUndo } from './change-messages.ts'
import { explainMissing } from './missing.ts'
import { asFolder, asSecret, folderWords, secretOrFolder } from './place.ts'
import type { VersionChange } from './version-change.ts'
import { changeVersions, noVerifyFlag } from './version-change.ts'
import { versionsFlag } from './versions.ts'
import { secretsBelow } from './walk.ts'
import { deleteSecrets } from './write-item.ts'

export const remove = command({
  name: 'delete',
  summary: 'Delete the latest version of a secret, or other versions; kv undelete undoes it',
  description: `Marks versions as deleted; their data is kept, and kv undelete restores it. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such. --recursive deletes the latest version of every secret below a folder, and asks first; it ends with an account of every secret and the line that undoes it, and --resume goes on with the journal of an earlier run. kv destroy removes data permanently, kv metadata delete the whole secret.`,
  endpoint: [api.deleteLatest, api.deleteVersions],
  also: [api.list, api.readMetadata, api.readMount],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to delete (default the latest)', { required: false }),
    recursive: flag.boolean('work on every secret below the folder', { excludes: ['versions'] }),
    noVerify: noVerifyFlag,
    ...needing({ ...planFlags, ...bulkFlags }, 'recursive'),
  },
  examples: [
    { line: 'kv delete app/db', note: 'the latest version' },
    { line: 'kv delete app/db --versions 2..3', note: 'two older ones' },
    { line: 'kv delete team/search/ --recursive', note: 'the latest version of everything below a folder' },
    { line: 'kv delete team/search/ --recursive --plan', note: 'what would that be?' },
  ],
  async run({ path, versions, recursive, noVerify, ...input }, context): Promise<Result> {
    if (recursive === true) {
      return deleteBelow(context, asFolder(path), input)
    }
    const secret = asSecret(path, passRecursive)
    return changeVersions(context, secret, deletion(context, secret), { versions, noVerify }).catch(
      explainMissing(context, secret, () => [forFolder(context.commandLine('kv delete', secret, '--recursive'))]),
    )
  },
})

function deletion(context: Context, path: string): VersionChange {
  return {
    wanted: 'deleted',
    request: (versions) =>
      versions === undefined ? api.deleteLatest({ path }) : api.deleteVersions({ path }, { body: { versions } }),
    undo: (versions) =>
      context.commandLine('kv undelete', path, ...(versions === undefined ? [] : ['--versions', versions.join(',')])),
  }
}

/** Deletes the latest version of every secret below a folder. */
async function deleteBelow(context: Context, folder: string, input: BulkInput): Promise<Result> {
  const bulk = await openBulk(context, input, { action: 'delete' })
  const { paths, failures } = await secretsBelow(bulk.context, folder)
  const stepOf = (path: string) => deleteStep(bulk.context, path)
  if (input.plan === true) return planResult(bulk, { items: paths, stepOf, failures, numbers: ['version'] })
  const start = folderWords(folder)
  await context.io.confirm(deleteQuestion(paths, start))
  const begin = context.now().getTime()
  const account = await deleteSecrets(bulk, bulk.context, paths)
  const { done, unknown } = account.counts
  const minutes = Math.ceil((context.now().getTime() - begin) / 60_000) + minutesToThink
  const undo = context.commandLine('kv undelete', `${folder}/`, '--recursive', '--deleted-within', `${minutes}m`)
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'delete',
    what: { path: folder },
    done: `requested deletion of the latest version of ${plural(done, 'secret')} below ${start}`,
    branches: failures,
    ...(done + unknown === 0 ? {} : { hint: toUndo(undo) }),
  })
}

/** Long enough for a person who sees at once that something is missing; what was deleted long before stays deleted. */
const minutesToThink = 10

async function deleteStep(context: Context, path: string): Promise<PlanStep> {
  const { latest } = await readLatest(context, path)
  if (latest === undefined) return { item: path, action: 'unchanged', words: 'has no version' }
  const { version, state } = latest
  const about = { item: path, facts: { version } }
  if (state !== 'live') return { ...about, action: 'unchanged', words: `${state} already` }
  return { ...about, action: 'delete', words: `delete version ${version}` }
}
