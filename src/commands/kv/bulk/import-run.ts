import { throwFailures } from '../../../bulk/account.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { refuseBesidePlan, secretsAtOnce } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import { bulkResult, isWhole } from '../../../bulk/result.ts'
import type { Result, ValueResult } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import { asFolder, folderWords, refuseMisplaced } from '../place.ts'
import { readPresent } from '../read.ts'
import { isRecursive } from './formats.ts'
import type { Secrets } from './import-file.ts'
import { readSecretsFile } from './import-file.ts'
import { confirmSurplus, deleteSecrets, refuseEmptySource, surplusSecrets } from './prune.ts'
import type { Counts } from './write-item.ts'
import { countsData, countsWords, planColumns, planItem, planRemoval, writeItem } from './write-item.ts'
import type { Context } from '../../../core/context.ts'
import type { ImportSecretsInput } from './import.ts'

/** The work of the command. */
export async function importSecrets(
  { file, path, format, plan, update, prune, force, exitCode, ...rest }: ImportSecretsInput,
  context: Context,
): Promise<Result> {
  const { recursive: typed, noRecursive, literalPath, ...pace } = rest
  if (force === true && (update === true || plan === true))
    throw usageError('--force writes every secret; it cannot be combined with --update or --plan')
  refuseBesidePlan({ plan, exitCode, ...pace })
  const recursive = isRecursive({ recursive: typed, noRecursive })
  if (prune === true && !recursive) throw usageError('--prune and --no-recursive cannot be combined')
  const folder = asFolder(path)
  const secrets = await readSecretsFile(context, file, { folder, format, recursive })
  if (prune === true && secrets.has(folder))
    throw usageError('--prune needs a file with paths; this one is a single secret')
  if (prune === true) refuseEmptySource(secrets.size, 'the file')
  const bulk = await openBulk(context, pace, { action: 'import', parallel: secretsAtOnce })
  await refuseMisplaced(bulk.context, folder, literalPath, { before: [file], from: context })
  const options = { folder, update: update === true, prune: prune === true }
  if (plan === true) return planImport(bulk, secrets, { ...options, exitCode: exitCode === true })
  const isKept = (place: string) => secrets.has(place)
  const surplus = prune === true ? await surplusSecrets(bulk, bulk.context, folder, isKept) : []
  await confirmSurplus(context, surplus, 'the file')
  return writeAll(bulk, secrets, { ...options, force: force === true, surplus })
}

interface PlanOptions {
  readonly folder: string
  readonly prune: boolean
  readonly exitCode: boolean
}

/** Reads every secret of an import, and says what it would do to each; nothing is written and no value is shown. */
async function planImport(bulk: Bulk, secrets: Secrets, options: PlanOptions): Promise<ValueResult> {
  const { folder, prune, exitCode } = options
  const { context } = bulk
  const steps: PlanStep[] = []
  const failures: Failure[] = []
  const read = (path: string) => readPresent(context, path)
  for await (const outcome of bulk.read('reading secrets', secrets.keys(), read, { total: secrets.size })) {
    if ('error' in outcome) failures.push(outcome)
    // What an import leaves alone without --update is shown as the change it would be.
    else steps.push(planItem(outcome.item, outcome.value, secrets.get(outcome.item) ?? null, 'update'))
  }
  const isKept = (path: string) => secrets.has(path)
  for (const path of prune ? await surplusSecrets(bulk, context, folder, isKept) : []) steps.push(planRemoval(path))
  if (steps.length === 0) throwFailures(failures, 0)
  return planResult(context, steps, { failures, exitCode, columns: planColumns })
}

interface WriteOptions {
  readonly folder: string
  readonly update: boolean
  readonly prune: boolean
  readonly force: boolean
  readonly surplus: readonly string[]
}

/** Writes the secrets of the file, and deletes the surplus once all of them are written. */
async function writeAll(bulk: Bulk, secrets: Secrets, options: WriteOptions): Promise<Result> {
  const { folder, update, prune, force, surplus } = options
  const counts: Counts = { created: 0, changed: 0, unchanged: 0, deleted: 0, earlier: 0 }
  const mode = force ? 'force' : update ? 'update' : 'new'
  const hint = prune ? 'pass --update to write what changed' : 'pass --force to write a new version of it'
  let account = await bulk.run({
    what: 'importing secrets',
    items: secrets.keys(),
    total: secrets.size,
    nameOf: (place) => place,
    // An engine of the wrong version would store whatever is sent to it.
    firstAlone: true,
    act: async (place, { context, resuming }) => {
      const compare = resuming || (prune && !force)
      const item = await writeItem(context, place, secrets.get(place) ?? null, { mode, compare, hint })
      counts[item.outcome === 'unchanged' ? 'unchanged' : item.created ? 'created' : 'changed'] += 1
      return item
    },
  })
  const written = account.counts.done
  counts.earlier = written - counts.created - counts.changed
  if (isWhole(account)) {
    account = await deleteSecrets(bulk, bulk.context, surplus)
    counts.deleted = account.counts.done - written
  }
  const where = folderWords(folder)
  const compares = update || prune || account.counts.unchanged > 0
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'import',
    what: { path: folder },
    done: compares
      ? `${countsWords(counts)} below ${where}`
      : `${plural(account.counts.done, 'secret')} written ${secrets.has(folder) ? 'to' : 'below'} ${where}`,
    data: countsData(counts),
  })
}
