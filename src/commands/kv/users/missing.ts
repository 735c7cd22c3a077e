import type { Context } from '../../../core/context.ts'
import type { Failure } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { currentOf } from '../backup/record.ts'
import { readOutlineIfThere } from '../backup/snapshot.ts'
import { asFolder } from '../place.ts'
import { secretsIn } from '../walk.ts'

/** The rows whose secret doesn't exist, or whose latest version is deleted; each secret is looked up once. */
export async function danglingPaths<Row extends { readonly path: string | null }>(
  context: Context,
  rows: readonly Row[],
  { pace, failures }: { pace: BulkInput; failures: Failure[] },
): Promise<(Row & { readonly use: 'missing' | 'deleted' })[]> {
  const bulk = await openBulk(context, pace, { action: 'users', parallel: secretsAtOnce })
  const states = new Map<string, 'missing' | 'deleted' | 'live'>()
  const paths = [...new Set(rows.map(({ path }) => path ?? ''))].filter((path) => !path.endsWith('/'))
  for await (const outcome of bulk.read('looking up secrets', paths, (path) => stateOf(bulk.context, path))) {
    if ('error' in outcome) failures.push(outcome)
    else states.set(outcome.item, outcome.value)
  }
  return rows.flatMap((row) => {
    const state = states.get(row.path ?? '')
    return state === undefined || state === 'live' ? [] : [{ ...row, use: state }]
  })
}

async function stateOf(context: Context, path: string): Promise<'missing' | 'deleted' | 'live'> {
  const found = await readOutlineIfThere(context, path)
  if (found === undefined) return 'missing'
  return currentOf(found.record)?.state === 'live' ? 'live' : 'deleted'
}

/** The secrets below a folder that are not among the names, nor in a folder that is. */
export async function orphanPaths(
  context: Context,
  folder: string,
  { names, failures }: { names: ReadonlySet<string>; failures: Failure[] },
): Promise<string[]> {
  const folders = [...names].filter((name) => name.endsWith('/'))
  const orphans: string[] = []
  for await (const { path, failure } of await secretsIn(context, asFolder(folder))) {
    if (failure !== undefined) failures.push({ item: path, error: failure })
    else if (!names.has(path) && folders.every((one) => !path.startsWith(one))) orphans.push(path)
  }
  return orphans
}
