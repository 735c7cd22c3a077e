import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import { deletedReader, deleteLeft } from '../backup/deleted.ts'
import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { currentOf } from '../backup/record.ts'
import { readOutline } from '../backup/snapshot.ts'
import { changeWords } from '../changes.ts'
import { readOneOfMany } from '../read.ts'
import { stateBy } from '../restore/compare.ts'
import { keyChanges, mapOf, same } from '../values.ts'
import { sendWrite, writeSecret } from '../write.ts'

/** What would bring a secret back to its state at a moment. */
type Return =
  | { readonly kind: 'unchanged' }
  /** The data of that version, unless the current version has the same. `state`: deleted if it was deleted since. */
  | { readonly kind: 'write'; readonly version: number; readonly state: 'live' | 'deleted' }
  | { readonly kind: 'undelete'; readonly version: number }
  /** The current version is live, and at that moment the secret was deleted, or didn't exist. */
  | { readonly kind: 'delete'; readonly version: number; readonly why: string }
  | { readonly kind: 'impossible'; readonly why: string }

/** What is to be done with a secret, with the words for its row in a plan. */
export interface Action {
  readonly kind: Return['kind']
  readonly words: string
  /** The current version before. */
  readonly current: number
  readonly wanted: Return
  /** To write. */
  readonly data?: JsonObject | null
}

/** Reads a secret and decides how it returns to its state at a moment. The data of deleted versions are read only for a `run` that writes. */
export async function actionOf(context: Context, path: string, moment: Date, run?: ItemRun): Promise<Action> {
  await deleteLeft(context, path, run?.left)
  const { record, moment: now } = await readOutline(context, path)
  const wanted = returnTo(record, moment, now)
  const { current_version: current } = record
  const action = (words: string): Action => ({ kind: wanted.kind, words, current, wanted })
  switch (wanted.kind) {
    case 'unchanged':
      return action('unchanged')
    case 'impossible':
      return action(`${wanted.why}: not recoverable`)
    case 'undelete':
      return action(`undelete version ${wanted.version}`)
    case 'delete':
      return action(`${wanted.why}: delete version ${wanted.version}`)
    case 'write': {
      const head = `${current} → ${current + 1}   as version ${wanted.version} was`
      if (wanted.state === 'deleted' && run === undefined) return action(`${head}, which is deleted now`)
      const data = await dataOf(context, path, wanted, run?.leave)
      const live = currentOf(record)?.state === 'live'
      const before = live ? mapOf((await readOneOfMany(context, path, current)).data) : undefined
      if (before !== undefined && same(before, data)) return { ...action('unchanged'), kind: 'unchanged' }
      const changes = changeWords(keyChanges(before ?? mapOf(null), mapOf(data))).join('; ')
      return { ...action(`${head}${changes === '' ? '' : `: ${changes}`}`), data }
    }
    default:
      return wanted satisfies never
  }
}

async function dataOf(
  context: Context,
  path: string,
  { version, state }: { version: number; state: 'live' | 'deleted' },
  leave: ItemRun['leave'] | undefined,
): Promise<JsonObject | null> {
  let data: JsonObject | null = null
  const read = async () => {
    const found = (await readOneOfMany(context, path, version)).data
    data = found === null ? null : mapOf(found)
  }
  if (state === 'live') await read()
  else await deletedReader(context, path, leave)([version], read)
  return data
}

/** Brings a secret back. Throws if its state at that moment cannot be recovered, or if it was written in between. */
export async function returnSecret(
  run: ItemRun,
  path: string,
  moment: Date,
): Promise<{ readonly outcome: 'done' | 'unchanged'; readonly before: number; readonly after: number }> {
  const { context } = run
  const { kind, words, current, wanted, data } = await actionOf(context, path, moment, run)
  const done = (after = current) => ({ outcome: 'done', before: current, after }) as const
  if (kind === 'unchanged') return { outcome: 'unchanged', before: current, after: current }
  if (kind === 'impossible') throw new TugError('partial', words)
  if (kind === 'undelete' && wanted.kind === 'undelete') {
    await sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: [wanted.version] } }))
    return done()
  }
  if (kind === 'delete' && wanted.kind === 'delete') {
    await sendWrite(context, path, api.deleteVersions({ path }, { body: { versions: [wanted.version] } }))
    return done()
  }
  await writeSecret(context, path, data ?? null, current)
  return done(current + 1)
}

/**
 * What the stored times say: which version was the current one at a moment, and whether it was live. Nothing is guessed: a version
 * that was pruned or destroyed since may have been live then, and cannot come back.
 */
function returnTo(record: SecretRecord, moment: Date, now: Date): Return {
  const current = currentOf(record)
  const isLive = current !== undefined && stateBy(now, current) === 'live'
  const then = versionAt(record, moment)
  if (then === 'pruned') return { kind: 'impossible', why: 'the version of that moment has been pruned' }
  if (then === undefined) return isLive ? gone(record, 'written after that moment') : { kind: 'unchanged' }
  if (isBefore(then.deletion_time, moment))
    return isLive ? gone(record, 'deleted at that moment') : { kind: 'unchanged' }
  if (then.state === 'destroyed')
    return { kind: 'impossible', why: `version ${then.version} of that moment was destroyed` }
  const state = stateBy(now, then)
  if (then.version !== record.current_version)
    return { kind: 'write', version: then.version, state: state === 'live' ? 'live' : 'deleted' }
  return state === 'live' ? { kind: 'unchanged' } : { kind: 'undelete', version: then.version }
}

function gone({ current_version }: SecretRecord, why: string): Return {
  return { kind: 'delete', version: current_version, why }
}

/** The current version at a moment; undefined if the secret had none yet. */
function versionAt({ versions, oldest_version }: SecretRecord, moment: Date): VersionRecord | 'pruned' | undefined {
  const before = versions.filter(({ created_time }) => isBefore(created_time, moment))
  if (before.length > 0) return before.at(-1)
  return oldest_version > 1 ? 'pruned' : undefined
}

function isBefore(time: string, moment: Date): boolean {
  return time !== '' && Date.parse(time) <= moment.getTime()
}
