import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import { bulkFlags, refuseBulkFlags } from '../../../bulk/flags.ts'
import { literalPathFlag } from '../place.ts'
import { sourceParams } from './params.ts'

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
    literalPath: literalPathFlag,
    plan: flag.boolean('show what would be done with each secret, and write nothing'),
    exitCode: flag.boolean('with --plan, exit with 9 if there is something to do'),
    ...bulkFlags,
  },
  examples: [
    { line: 'kv restore secret.tugkv --mount secret --plan', note: 'what would be done?' },
    { line: 'kv restore team.tugkv scratch --journal restore.ndjson', note: 'below another folder, with a journal' },
    { line: 'kv restore team.tugkv scratch --resume restore.ndjson', note: 'go on after an interruption' },
  ],
  async run({ plan, exitCode, ...input }, context): Promise<Result> {
    if (exitCode === true && plan !== true) throw usageError('--exit-code needs --plan')
    const { journal, resume, maxFailures } = input
    if (plan === true) refuseBulkFlags({ journal, resume, maxFailures }, 'and --plan cannot be combined')
    const { writeRestore } = await import('./run.ts')
    return writeRestore(context, { ...input, plan: plan === true, exitCode: exitCode === true })
  },
})
