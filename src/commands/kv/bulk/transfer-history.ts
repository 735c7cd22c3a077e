import type { PlanStep } from '../../../bulk/plan.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import { deletedReader, deleteLeft } from '../backup/deleted.ts'
import type { SecretRecord } from '../backup/record.ts'
import type { DeletedReader } from '../backup/snapshot.ts'
import { readOutlineIfThere, readSnapshot } from '../backup/snapshot.ts'
import type { Follows } from '../restore/follow.ts'
import { restoreSecret } from '../restore/secret.ts'
import { compareWith } from '../restore/steps.ts'
import type { Sides } from './sides.ts'
import type { Route } from './transfer-one.ts'
import { removeSource } from './transfer-one.ts'
import type { WrittenItem, Writing } from './write-item.ts'

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
  options: Writing & Repeated,
  run?: ItemRun,
): Promise<CopiedHistory | undefined> {
  const { moves, compare, hint } = options
  if (moves) await deleteLeft(sides.source, from, run?.left)
  const found = await readHistory(sides.source, from, moves ? deletedReader(sides.source, from, run?.leave) : undefined)
  if (found === undefined) return undefined
  const record = { ...found, path: to }
  if (!compare && (await readOutlineIfThere(sides.target, to)) !== undefined) {
    throw new TugError('conflict', `${to} already exists`, {
      service: 'secrets',
      hints: [hint],
    })
  }
  const { outcome, before, isConfirmed } = await restoreSecret(sides.target, to, record, followsOf(options))
  if (moves && !isConfirmed)
    throw new TugError('conflict', `wrote ${sides.targetWords(to)}, but kept ${from}: the copy is not confirmed`, {
      service: 'secrets',
      hints: ['run it again with --update: it removes the old path once the copy is seen to be identical'],
    })
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

/** What a copy does where it was made before. */
interface Repeated extends Pick<Writing, 'mode'> {
  readonly moves: boolean
  readonly prune?: boolean
}

/** A move removes the source, so there must be nothing in which the two differ. */
function followsOf({ moves, mode, prune = false }: Repeated): Follows | undefined {
  return mode === 'update' && !moves ? { deletes: prune } : undefined
}

/** A secret with all its data; a move reads that of deleted versions too, because it removes them. */
function readHistory(context: Context, path: string, deleted?: DeletedReader): Promise<SecretRecord | undefined> {
  return readSnapshot(context, path, { name: path, ...(deleted === undefined ? {} : { deleted }) })
}

/** What {@link transferHistory} would do; undefined for a secret that doesn't exist. Deleted versions are not read. */
export async function planHistory(sides: Sides, { from, to }: Route, options: Repeated): Promise<PlanStep | undefined> {
  const expected = await readHistory(sides.source, from)
  if (expected === undefined) return undefined
  const actual = await readSnapshot(sides.target, to, { name: to })
  const comparison = compareWith({ ...expected, path: to }, actual, sides.target.now(), followsOf(options))
  const facts = { versions: expected.current_version }
  if (comparison.kind === 'identical') return { item: to, action: 'unchanged', words: 'up to date', facts }
  if (comparison.kind === 'conflict')
    return { item: to, action: 'conflict', words: `exists with another history: ${comparison.why}`, facts }
  const words = `${plural(expected.current_version, 'version')}, settings`
  if (comparison.kind === 'restore') return { item: to, action: 'create', words, facts }
  const before = actual?.current_version ?? 0
  const deleted = comparison.steps.flatMap((step) => (step.kind === 'delete' ? step.versions : []))
  const gone = deleted.filter((version) => version <= before)
  const parts = [
    ...(before < expected.current_version ? [`continues at version ${before}: ${words}`] : ['settings']),
    ...(gone.length === 0 ? [] : [`deletes version ${gone.join(', ')}`]),
  ]
  return { item: to, action: 'change', words: parts.join('; '), facts }
}
