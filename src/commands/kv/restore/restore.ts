import * as api from '../../../api/kv.ts'
import { bulkResult, isWhole } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { bulkFlags, planFlags } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { mergedSecrets } from '../backup/file.ts'
import type { SecretRecord } from '../backup/record.ts'
import { readSnapshot } from '../backup/snapshot.ts'
import { below, folderWords, refuseMisplaced } from '../place.ts'
import { refuseVersion1 } from '../version1.ts'
import { openEngine } from './engine.ts'
import { restoreSecret } from './secret.ts'
import { openSource, sourceParams } from './source.ts'
import { compareWith, historyStep } from './steps.ts'

export const restore = command({
  name: 'restore',
  summary: 'Write a backup back: every version, state and setting',
  description: `Writes the secrets of a file of kv backup, by default where they came from; --mount writes them to another mount, and a folder after the file below another folder. No history is ever replaced: a path that is empty gets the whole history, one that has the beginning of it is continued, one that is identical is skipped, and any other is a conflict that is left alone. Every write is guarded by check-and-set, so a restore that was cut off can simply be run again, or resumed with its journal.

Times cannot be restored. Versions that were pruned are destroyed where the mount keeps more versions than the source did. The settings of the engine are restored only into an empty mount, from a backup of a whole mount. kv verify is the test of the result.`,
  endpoint: [],
  also: [
    api.readConfig,
    api.list,
    api.readMetadata,
    api.readData,
    api.writeConfig,
    api.writeMetadata,
    api.writeData,
    api.deleteVersions,
    api.destroyVersions,
    api.readMount,
  ],
  params: {
    ...sourceParams,
    ...planFlags,
    ...bulkFlags,
  },
  examples: [
    { line: 'kv restore secret.tugkv --mount secret --plan', note: 'what would be done?' },
    { line: 'kv restore team.tugkv scratch --journal restore.ndjson', note: 'below another folder, with a journal' },
    { line: 'kv restore team.tugkv scratch --resume restore.ndjson', note: 'go on after an interruption' },
  ],
  async run({ file, rest, partial, ...input }, context): Promise<Result> {
    const source = await openSource(context, { file, rest, partial })
    const { base, files, isPathTyped } = source
    if (isPathTyped) await refuseMisplaced(context, base, { before: files.map(({ name }) => name) })
    const sha256 = files.at(-1)?.end?.sha256
    const detail = sha256 === undefined ? undefined : `from ${sha256.slice(0, 12)}`
    const bulk = await openBulk(context, input, { action: 'restore', detail })
    const items = mergedSecrets(files)
    const nameOf = ({ path }: SecretRecord) => below(base, path)
    if (input.plan === true)
      return planResult(bulk, {
        items,
        nameOf,
        stepOf: (record) => stepOf(bulk.context, nameOf(record), record),
        numbers: ['writes'],
      })
    const engine = await openEngine(bulk.context, source, { isResumed: input.resume !== undefined })
    const account = await bulk.run<SecretRecord>({
      what: 'restoring secrets',
      items,
      fromFile: true,
      nameOf,
      act: async (record, { context: own }) => {
        const { outcome, before } = await restoreSecret(own, nameOf(record), record, {
          refuseVersion1: (place) => refuseVersion1(bulk.context, place),
        })
        return { outcome, before, after: record.current_version }
      },
    })
    const { done, unchanged } = account.counts
    await engine.finish(isWhole(account))
    const same = unchanged === 0 ? '' : `, ${unchanged} identical already`
    return bulkResult(bulk, account, {
      noun: 'secret',
      action: 'restore',
      what: { path: base },
      done: `restored ${plural(done, 'secret')}${same} below ${folderWords(base)}`,
    })
  },
})

async function stepOf(context: Context, path: string, record: SecretRecord): Promise<PlanStep> {
  const actual = await readSnapshot(context, path, { name: record.path })
  return historyStep(path, record, actual, compareWith(record, actual, context.now()))
}
