import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { bulkResult, isWhole } from '../../../bulk/result.ts'
import { mergedSecrets } from '../backup/chain.ts'
import type { SecretRecord } from '../backup/record.ts'
import { below, folderWords, refuseMisplaced } from '../place.ts'
import { openEngine } from './engine.ts'
import { planRestore } from './plan.ts'
import { restoreSecret } from './secret.ts'
import type { SourceInput } from './source.ts'
import { openSource } from './source.ts'

type RestoreInput = SourceInput &
  BulkInput & { readonly literalPath: boolean | undefined; readonly plan: boolean; readonly exitCode: boolean }

/** Restores, or with `plan` says what it would do. */
export async function writeRestore(
  context: Context,
  { file, rest, partial, literalPath, plan, exitCode, ...pace }: RestoreInput,
): Promise<Result> {
  const source = await openSource(context, { file, rest, partial })
  const { base, isPathTyped } = source
  if (isPathTyped) await refuseMisplaced(context, base, literalPath, { before: source.files.map(({ name }) => name) })
  const sha256 = source.files.at(-1)?.end?.sha256
  const bulk = await openBulk(context, pace, {
    action: 'restore',
    parallel: secretsAtOnce,
    ...(sha256 === undefined ? {} : { detail: `from ${sha256.slice(0, 12)}` }),
  })
  if (plan) return planRestore(bulk, source, { exitCode })
  const engine = await openEngine(bulk.context, source, { isResumed: pace.resume !== undefined })
  const account = await bulk.run<SecretRecord>({
    what: 'restoring secrets',
    items: mergedSecrets(source.files),
    fromFile: true,
    nameOf: ({ path }) => below(source.base, path),
    act: async (record, { context: own }) => {
      const { outcome, before } = await restoreSecret(own, below(source.base, record.path), record)
      return { outcome, before, after: record.current_version }
    },
  })
  const { done, unchanged } = account.counts
  await engine.finish(isWhole(account))
  const same = unchanged === 0 ? '' : `, ${unchanged} identical already`
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'restore',
    what: { path: source.base },
    done: `restored ${plural(done, 'secret')}${same} below ${folderWords(source.base)}`,
  })
}
