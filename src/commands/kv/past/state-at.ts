import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { stateBy } from '../restore/compare.ts'

/** What would bring a secret back to its state at a moment. */
export type Return =
  | { readonly kind: 'unchanged' }
  /** The data of that version, unless the current version has the same. `state`: deleted if it was deleted since. */
  | { readonly kind: 'write'; readonly version: number; readonly state: 'live' | 'deleted' }
  | { readonly kind: 'undelete'; readonly version: number }
  /** The current version is live, and at that moment the secret was deleted, or didn't exist. */
  | { readonly kind: 'delete'; readonly version: number; readonly why: string }
  | { readonly kind: 'impossible'; readonly why: string }

/**
 * What the stored times say: which version was the current one at a moment, and whether it was live. Nothing is guessed: a version
 * that was pruned or destroyed since may have been live then, and cannot come back.
 */
export function returnTo(record: SecretRecord, moment: Date, now: Date): Return {
  const current = record.versions.find(({ version }) => version === record.current_version)
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
