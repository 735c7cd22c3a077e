import { createHash } from 'node:crypto'
import * as api from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden } from '../../../core/errors.ts'
import { stringifyJson } from '../../../core/json.ts'
import type { Applied, Decision, ItemRun } from '../../../write/work.ts'
import { seeVersions } from '../data/versions.ts'
import type { SecretRecord } from '../histories/record.ts'
import { readOutline } from '../histories/record.ts'
import { findSecret, sendWrite } from '../secret/index.ts'
import type { Route, Sides } from './sides.ts'

/** Identifies a source as it was when a move was decided: by all of its metadata, or by its version where they may not be read. */
export type SourceGuard = string

/** The guard of a source whose metadata were read. */
export function guardOf({ versions, ...record }: SecretRecord): SourceGuard {
  const outlines = versions.map((version) => ({ ...version, data: undefined }))
  return createHash('sha256')
    .update(stringifyJson(asJson({ ...record, path: undefined, versions: outlines })))
    .digest('hex')
    .slice(0, 16)
}

/** The guard of a source as it is now; undefined if it doesn't exist any more. */
export async function readGuard(context: Context, path: string): Promise<SourceGuard | undefined> {
  try {
    const record = await readOutline(context, path)
    return record === undefined ? undefined : guardOf(record)
  } catch (error) {
    unlessForbidden(error)
    const secret = await findSecret(context, path)
    return secret.state === 'missing' ? undefined : `version ${secret.version}`
  }
}

interface Removal {
  readonly sides: Sides
  readonly route: Route
  readonly guard: SourceGuard
  /** How the new path is if nothing needs to be written. */
  readonly equal: 'equal' | 'identical'
}

/** The move of a secret whose copy was decided: the copy, if it isn't there already, and then the removal of the secret. */
export function moveOf(copy: Decision, removal: Removal): Decision {
  const { sides, route, equal } = removal
  const [here, there] = [sides.sourceWords(route.from), sides.targetWords(route.to)]
  const { apply } = copy
  const isEqual = copy.action === 'unchanged'
  if (apply === undefined && !isEqual) return copy
  return {
    ...copy,
    action: isEqual ? 'remove' : 'move',
    words: isEqual ? `${equal} already; removes ${here}` : `from ${here}   ${copy.words}`,
    subject: `${here} or ${there}`,
    enforced: false,
    apply: async (item) => {
      const done = isEqual ? `${there} is ${equal}` : `wrote ${there}`
      const applied = (await apply?.(item)) ?? { words: `removed ${here}, which is ${equal} to ${there}` }
      const ended = await removeSource(item, removal, done, applied)
      const hasChanged = !isEqual || ended.failure === undefined || ended.failure.reason === 'in_doubt'
      return hasChanged ? ended : { ...ended, outcome: 'unchanged' }
    },
  }
}

/** Times that a removal is sent again because the server was down. */
const mostResent = 4

/**
 * Removes a secret that is at its new path, unless it has changed since it was read. What fails is the failure of the result. `done` is
 * what was done so far: `wrote b`. `wasLost`: an earlier attempt may have removed it.
 */
async function removeSource(
  item: ItemRun,
  removal: Removal,
  done: string,
  applied: Applied,
  { resent, wasLost } = { resent: 0, wasLost: false },
): Promise<Applied> {
  const { guard } = removal
  const { source } = removal.sides
  const { from } = removal.route
  let isUnknown = wasLost
  const failed = (error: TugError, message: string, hints = error.hints): Applied => ({
    ...applied,
    failure: error.with({ message, hints }),
  })
  try {
    const now = await readGuard(source, from)
    isUnknown = false
    if (now !== undefined && now !== guard)
      throw new TugError('conflict', 'it has changed in the meantime', {
        service: 'secrets',
        hints: [seeVersions(source, from)],
      })
    if (now !== undefined) await sendWrite(item.within(source), from, api.deleteMetadata({ path: from }))
    return applied
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    if (error.code === 'conflict') return failed(error, `${done}, but kept ${from}: ${error.message}`)
    const { isDown } = error.facts
    isUnknown ||= error.reason === 'in_doubt'
    if (isDown !== undefined && resent < mostResent) {
      if (isDown === 'perhaps') await source.sleep(250 * 2 ** resent)
      return removeSource(item, removal, done, applied, { resent: resent + 1, wasLost: isUnknown })
    }
    if (isUnknown && (await readGuard(source, from).catch(() => '')) === undefined) return applied
    const message = `${done}, but ${isUnknown ? 'removing' : 'could not remove'} ${from}: ${error.message}`
    const remove = `to remove ${from}: ${source.commandLine('kv metadata delete', from)}`
    return failed(error, message, [...error.hints, remove])
  }
}

/**
 * Refuses to remove a source because the target is equal to it if both are the same secret: one place may have several addresses, and its
 * namespace several names. Where that cannot be read, nothing is removed.
 */
export async function refuseSameSecret({ isSamePlace, source, target }: Sides, { from, to }: Route): Promise<void> {
  if (isSamePlace || from !== to) return
  const [here, there] = await Promise.all([readOutline(source, from), readOutline(target, to)])
  if (here?.created_time === there?.created_time)
    throw new TugError('conflict', 'both seem to be the same secret, at two addresses', { service: 'secrets' })
}
