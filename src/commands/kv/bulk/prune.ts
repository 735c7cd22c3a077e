import type { Failure } from '../../../bulk/account.ts'
import { throwFailures } from '../../../bulk/account.ts'
import * as api from '../../../api/kv.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Account } from '../../../bulk/account.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { firstNames, plural } from '../../../core/words.ts'
import { isGone, isMissing } from '../missing.ts'
import { readOneOfMany, readPresent } from '../read.ts'
import { secretsBelow } from '../walk.ts'
import { sendWrite } from '../write.ts'

/** The live secrets below a folder that the other side doesn't have. Throws if any folder or secret cannot be read. */
export async function surplusSecrets(
  bulk: Bulk,
  context: Context,
  folder: string,
  isKept: (path: string) => boolean,
): Promise<string[]> {
  const found = await secretsBelow(context, folder, { parallel: bulk.input.parallel, mayBeMissing: true })
  throwFailures(found.failures, 0)
  const others = found.paths.filter((path) => !isKept(path))
  const live: string[] = []
  const failures: Failure[] = []
  const read = (path: string) => readPresent(context, path)
  for await (const outcome of bulk.read('reading secrets', others, read, { total: others.length })) {
    if ('error' in outcome) failures.push(outcome)
    else if (outcome.value.state === 'live') live.push(outcome.item)
  }
  throwFailures(failures, live.length)
  return live
}

/** The secrets whose current version is deleted or destroyed, and how many have a live one, or may have. */
export async function deletedAmong(
  bulk: Bulk,
  context: Context,
  paths: readonly string[],
): Promise<{ readonly deleted: ReadonlySet<string>; readonly live: number }> {
  const deleted = new Set<string>()
  let live = 0
  const read = (path: string) => readOneOfMany(context, path)
  for await (const outcome of bulk.read('reading secrets', paths, read, { total: paths.length })) {
    if (!('error' in outcome) || !(isGone(outcome.error) || isMissing(outcome.error))) live += 1
    else if (isGone(outcome.error)) deleted.add(outcome.item)
  }
  return { deleted, live }
}

/** Refuses a source without a secret: it is more likely a mistake than meant, and everything would be deleted. */
export function refuseEmptySource(count: number, whose: string): void {
  if (count > 0) return
  throw usageError(
    `${whose} contains no secret, and --prune would delete everything`,
    'to delete a folder, use kv delete --recursive',
  )
}

/** Asks before secrets are deleted that the other side, `whose`, doesn't have. */
export async function confirmSurplus({ io }: Context, surplus: readonly string[], whose: string): Promise<void> {
  if (surplus.length === 0) return
  await io.confirm(`Delete ${plural(surplus.length, 'secret')} that ${whose} doesn't contain: ${firstNames(surplus)}?`)
}

/** Deletes the latest version of each secret. */
export function deleteSecrets(bulk: Bulk, context: Context, paths: readonly string[]): Promise<Account> {
  return bulk.run({
    what: 'deleting secrets',
    items: paths,
    total: paths.length,
    nameOf: (path) => path,
    act: async (path, { within }) => {
      await sendWrite(within(context), path, api.deleteLatest({ path }))
      return { after: 'deleted' }
    },
  })
}
