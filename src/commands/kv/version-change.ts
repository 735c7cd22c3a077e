import { isPlaceholder } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import { writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { readUntil } from './latest.ts'
import { goneVersion } from './messages.ts'
import { changeUnconfirmed, noSuchVersions, nothingChanged } from './change-messages.ts'
import { isMissing } from './missing.ts'
import type { Metadata } from './read.ts'
import { readMetadata } from './read.ts'
import type { VersionState } from './versions.ts'
import { currentVersion, versionWords, versionsOf } from './versions.ts'
import { sendWrite } from './write.ts'

/** Deleting, restoring and destroying versions: servers report success for a change without effect too, so metadata is read. */
export interface VersionChange {
  readonly wanted: VersionState
  /** The request for these versions; undefined: for the latest. */
  readonly request: (versions: Json[] | undefined) => HttpRequest
  /** Asks before it is sent. */
  readonly confirm?: () => Promise<unknown>
  /** The command line that undoes it. */
  readonly undo?: (versions: readonly number[] | undefined) => string
}

export const noVerifyFlag = flag.boolean('send only the request itself, without reading the metadata before and after')

interface Asked {
  /** Undefined: the latest. */
  readonly versions: readonly number[] | undefined
  readonly noVerify: boolean | undefined
}

/** The versions of a secret at a moment. */
interface Snapshot {
  readonly current: number
  readonly states: ReadonlyMap<number, VersionState>
}

/**
 * Reads the metadata, sends the change, and reads again to report what happened. A secret or version that doesn't exist is
 * "not found", and nothing is sent. If the metadata may not be read, the change is sent and reported as a request.
 */
export async function changeVersions(
  context: Context,
  path: string,
  change: VersionChange,
  asked: Asked,
): Promise<DoneResult> {
  const read = asked.noVerify === true ? undefined : await readIfAllowed(context, path, asked, change)
  const before = read === undefined || isPlaceholder(read.metadata) ? undefined : snapshotOf(read)
  if (before !== undefined) checkTargets(context, path, before, change, asked.versions)
  await change.confirm?.()
  // To undelete the latest version, the request must name it.
  const latest = read && change.wanted === 'live' ? [read.metadata.current_version ?? null] : undefined
  await sendWrite(context, path, change.request(asked.versions === undefined ? latest : [...asked.versions]))
  if (read === undefined) return resultOf(path, change, { asked, before, isConfirmed: false })
  let last: Snapshot | undefined
  const look = async () => {
    try {
      last = snapshotOf(await readMetadata(context, path))
      return isReached(change, last, targetsOf(asked, before, last))
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return undefined
    }
  }
  const isConfirmed = (await readUntil(context, look, (found) => found !== false)) === true
  if (!isConfirmed) context.io.doubt(changeUnconfirmed(context, path, words[change.wanted].noun))
  return resultOf(path, change, { asked, before, last, isConfirmed })
}

/** The metadata before the change; undefined if it may not be read. Undeleting the latest version needs its number. */
async function readIfAllowed(
  context: Context,
  path: string,
  { versions }: Asked,
  { wanted }: VersionChange,
): Promise<Metadata | undefined> {
  try {
    return await readMetadata(context, path)
  } catch (error) {
    const isNeeded = wanted === 'live' && versions === undefined
    if (!isNeeded && error instanceof TugError && error.facts.status === 403) return undefined
    if (isMissing(error)) throw nothingChanged(error, words[wanted].done)
    throw error
  }
}

function snapshotOf({ metadata, moment }: Metadata): Snapshot {
  const states = versionsOf(metadata, moment).map(({ version, state }) => [version, state] as const)
  return { current: currentVersion(metadata), states: new Map(states) }
}

/** Throws "not found" for a version that doesn't exist, and for restoring one that was destroyed. */
function checkTargets(
  context: Context,
  path: string,
  { current, states }: Snapshot,
  { wanted }: VersionChange,
  asked: readonly number[] | undefined,
): void {
  const versions = asked ?? [current]
  const missing = versions.filter((version) => !states.has(version))
  if (missing.length > 0)
    throw noSuchVersions(context, path, asked === undefined ? 'versions' : versionWords(missing), [...states.keys()])
  const destroyed = wanted === 'live' ? versions.find((version) => states.get(version) === 'destroyed') : undefined
  if (destroyed !== undefined) throw goneVersion(context, path, { version: destroyed, state: 'destroyed' })
}

/** The versions that a change is about. The latest may have become another one before the request arrived. */
function targetsOf({ versions }: Asked, before: Snapshot | undefined, now: Snapshot): readonly number[] {
  if (versions !== undefined) return versions
  const first = before?.current ?? now.current
  const isOther = now.current !== first && now.states.get(first) === before?.states.get(first)
  return [isOther ? now.current : first]
}

function isReached({ wanted }: VersionChange, { states }: Snapshot, versions: readonly number[]): boolean {
  return versions.every((version) => {
    const state = states.get(version)
    return state === wanted || (wanted === 'deleted' && state === 'destroyed')
  })
}

/** What was asked for, and what the metadata showed; `last` is what was read last, if anything. */
interface Reads {
  readonly asked: Asked
  readonly before: Snapshot | undefined
  readonly last?: Snapshot | undefined
  readonly isConfirmed: boolean
}

function resultOf(path: string, change: VersionChange, { asked, before, last, isConfirmed }: Reads): DoneResult {
  const versions = last === undefined ? (asked.versions ?? []) : targetsOf(asked, before, last)
  const stateBefore = (version: number) => before?.states.get(version)
  const rows = versions.map((version) => ({
    version,
    before: stateBefore(version) ?? null,
    after: last?.states.get(version) ?? null,
  }))
  const changed = isConfirmed ? rows.some((row) => row.before !== row.after) : null
  return {
    done: isConfirmed ? doneWords(path, change, versions, stateBefore) : requestedWords(path, change, asked.versions),
    data: writeFacts(words[change.wanted].action, { path }, changed, { versions: rows, confirmed: isConfirmed }),
  }
}

/** What a change is called by the state that it leads to: as an action, once it is done, and if nothing shows that it happened. */
const words = {
  deleted: { action: 'delete', done: 'deleted', noun: 'deletion' },
  live: { action: 'undelete', done: 'restored', noun: 'restoration' },
  destroyed: { action: 'destroy', done: 'destroyed', noun: 'destruction' },
} as const

/** `deleted version 5 of app/db; undo: …`. Versions that were in the state before are named as such, and not undone. */
function doneWords(
  path: string,
  { wanted, undo }: VersionChange,
  versions: readonly number[],
  stateBefore: (version: number) => VersionState | undefined,
): string {
  const sentences: string[] = []
  const changed = versions.filter((version) => {
    const state = stateBefore(version)
    return state !== wanted && !(wanted === 'deleted' && state === 'destroyed')
  })
  if (changed.length > 0) sentences.push(`${words[wanted].done} ${versionWords(changed)} of ${path}`)
  for (const state of ['live', 'deleted', 'destroyed'] as const) {
    const already = versions.filter((version) => !changed.includes(version) && stateBefore(version) === state)
    if (already.length > 0) sentences.push(alreadyWords(already, state, path))
  }
  if (changed.length > 0 && undo !== undefined) sentences.push(`undo: ${undo(changed)}`)
  return sentences.join('; ')
}

/** A change that was sent, and that nothing confirms. */
function requestedWords(
  path: string,
  { wanted, undo }: VersionChange,
  versions: readonly number[] | undefined,
): string {
  const what = versions === undefined ? 'the latest version' : versionWords(versions)
  return `requested ${words[wanted].noun} of ${what} of ${path}, not verified${undo === undefined ? '' : `; undo: ${undo(versions)}`}`
}

/** `version 2 was already deleted`, `versions 1, 2 are live already`. */
function alreadyWords(versions: readonly number[], state: VersionState, path: string): string {
  const one = versions.length === 1
  const subject = `${versionWords(versions)} of ${path}`
  if (state === 'live') return `${subject} ${one ? 'is' : 'are'} live already`
  return `${subject} ${one ? 'was' : 'were'} already ${state}`
}
