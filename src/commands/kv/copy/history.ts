import type { PlanStep } from '../../../bulk/plan.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import type { Context } from '../../../core/context.ts'
import type { SecretRecord } from '../backup/record.ts'
import type { DeletedReader } from '../backup/snapshot.ts'
import { deleteLeft, deletedReader, readOutline, readSnapshot } from '../backup/snapshot.ts'
import { ifThere } from '../latest.ts'
import { alreadyExists } from '../messages.ts'
import type { Follows } from '../restore/compare.ts'
import { restoreSecret } from '../restore/secret.ts'
import { compareWith, historyStep } from '../restore/steps.ts'
import type { WrittenItem } from '../write-item.ts'
import { copyUnconfirmed } from './messages.ts'
import type { Route, Transfer } from './one.ts'
import { removeSource } from './one.ts'
import type { Sides } from './sides.ts'

/** What became of a secret that was copied with its history. */
export interface CopiedHistory extends WrittenItem {
  readonly versions: number
  /** Deleted versions whose data was not read, and is missing in the copy. */
  readonly withoutData: number
}

/**
 * Copies a secret with every version, its settings and custom metadata. A history is never replaced: a path that has another one is a
 * conflict; one with the beginning of this one is continued where `compare` is set, and a repeated copy follows it. A move also takes
 * the data of deleted versions.
 * Undefined if the secret doesn't exist.
 */
export async function transferHistory(
  sides: Sides,
  { from, to }: Route,
  options: Transfer,
  run?: ItemRun,
): Promise<CopiedHistory | undefined> {
  const { moves, compare, hint } = options
  if (moves) await deleteLeft(sides.source, from, run?.left)
  const found = await readHistory(sides.source, from, moves ? deletedReader(sides.source, from, run?.leave) : undefined)
  if (found === undefined) return undefined
  const record = { ...found, path: to }
  if (!compare && (await ifThere(readOutline(sides.target, to))) !== undefined) throw alreadyExists(to, hint)
  const { outcome, before, isConfirmed } = await restoreSecret(sides.target, to, record, {
    refuseVersion1: sides.refuseVersion1,
    follows: followsOf(options),
  })
  if (moves && !isConfirmed) throw copyUnconfirmed(from, sides.targetWords(to))
  const item: CopiedHistory = {
    outcome,
    before,
    after: record.current_version,
    created: before === 0,
    versions: record.current_version,
    withoutData: record.versions.filter(
      ({ version, state, data }) => version > before && state === 'deleted' && data === undefined,
    ).length,
  }
  if (moves) await removeSource(sides, { from, to }, record.current_version, item)
  return item
}

/** A move removes the source, so there must be nothing in which the two differ. */
function followsOf({ moves, mode, prune }: Transfer): Follows | undefined {
  return mode === 'update' && !moves ? { deletes: prune } : undefined
}

/** A secret with all its data; a move reads that of deleted versions too, because it removes them. */
function readHistory(context: Context, path: string, deleted?: DeletedReader): Promise<SecretRecord | undefined> {
  return readSnapshot(context, path, { name: path, ...(deleted === undefined ? {} : { deleted }) })
}

const planned = { restore: 'create', continue: 'change', identical: 'unchanged', conflict: 'conflict' } as const

/** What {@link transferHistory} would do; undefined for a secret that doesn't exist. Deleted versions are not read. */
export async function planHistory(sides: Sides, { from, to }: Route, options: Transfer): Promise<PlanStep | undefined> {
  const expected = await readHistory(sides.source, from)
  if (expected === undefined) return undefined
  const actual = await readSnapshot(sides.target, to, { name: to })
  const comparison = compareWith({ ...expected, path: to }, actual, sides.target.now(), followsOf(options))
  const { words } = historyStep(to, expected, actual, comparison)
  const facts = { versions: expected.current_version }
  // A path that follows a history may have more versions, so it need not be identical.
  const isSame = comparison.kind === 'identical'
  return { item: to, action: planned[comparison.kind], words: isSame ? 'up to date' : words, facts }
}
