import * as api from '../../../api/kv.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { bulkResult } from '../../../bulk/result.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { folderWords } from '../place.ts'
import { secretsBelow } from '../walk.ts'
import { namedIn } from './names.ts'
import { sendWrite } from '../write.ts'

/** Deletes the latest version of every secret below a folder. */
export async function deleteBelow(context: Context, folder: string, input: BulkInput): Promise<Result> {
  const bulk = await openBulk(context, input, { action: 'delete', parallel: secretsAtOnce })
  const { paths, failures } = await secretsBelow(bulk.context, folder)
  const start = folderWords(folder)
  await context.io.confirm(
    `Delete the latest version of ${plural(paths.length, 'secret')} below ${start}: ${namedIn(paths)}?`,
  )
  const account = await bulk.run({
    what: 'deleting secrets',
    items: paths,
    total: paths.length,
    nameOf: (path) => path,
    act: async (path, { context: here }) => {
      await sendWrite(here, path, api.deleteLatest({ path }))
      return { after: 'deleted' }
    },
  })
  return bulkResult(bulk, account, {
    noun: 'secret',
    done: `asked to delete the latest version of ${plural(account.counts.done, 'secret')} below ${start}`,
    branches: failures.map(({ what, error }) => ({ item: what, error })),
  })
}
