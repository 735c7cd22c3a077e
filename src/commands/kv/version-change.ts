import type { SecretMetadata } from '../../api/kv.ts'
import { whenKnown } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import { writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { alreadyWords, existingWords, versionWords } from './messages.ts'
import { goneError, isMissing } from './missing.ts'
import { readMetadata } from './read.ts'
import type { VersionState } from './versions.ts'
import { currentVersion, momentOf, versionsOf } from './versions.ts'
import { sendWrite } from './write.ts'

/** Deleting, restoring and destroying versions: servers report success for a change without effect too, so metadata is read. */
export interface VersionChange {
  readonly wanted: VersionState
  /** `deleted`, `restored`. */
  readonly done: string
  /** `deletion`, `restoration`: what was requested if nothing shows that it happened. */
  readonly noun: string
  /** The request for these versions; undefined: for the latest. */
  readonly request: (versions: Json[] | undefined) => HttpRequest
  /** Asks before it is sent. */
  readonly confirm?: () => Promise<unknown>
  /** The command line that undoes it. */
  readonly undo?: (versions: readonly number[] | undefined) => string
}

export const verifyFlags = {
  verify: flag.boolean('fail if the metadata may not be read', { defaultText: 'send the request anyway' }),
  noVerify: flag.boolean('send only the request itself, without reading the metadata before and after'),
}

interface Asked {
  /** Undefined: the latest. */
  readonly versions: readonly number[] | undefined
  readonly verify: boolean | undefined
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
  if (asked.verify === true && asked.noVerify === true) throw usageError('--verify and --no-verify cannot be combined')
  const metadata = asked.noVerify === true ? undefined : await readIfAllowed(context, path, asked, change)
  const before =
    metadata && whenKnown<SecretMetadata, Snapshot | undefined>(metadata.answer, metadata.snapshot, () => undefined)
  if (before !== undefined) checkTargets(context, path, before, change, asked.versions)
  await change.confirm?.()
  // To undelete the latest version, the request must name it.
  const latest = metadata && change.wanted === 'live' ? [metadata.answer.current_version ?? null] : undefined
  await sendWrite(context, path, change.request(asked.versions === undefined ? latest : [...asked.versions]))
  if (metadata === undefined) return requestedResult(path, change, asked.versions)
  const after = await readUntil(context, path, (now) => isReached(change, now, targetsOf(asked, before, now)))
  return confirmedResult(context, path, change, { asked, before, after })
}

/** The metadata before the change; undefined if it may not be read and isn't required. */
async function readIfAllowed(context: Context, path: string, { verify }: Asked, { done }: VersionChange) {
  try {
    const { metadata, response } = await readMetadata(context, path)
    return { answer: metadata, snapshot: () => snapshotOf(metadata, momentOf(context, response)) }
  } catch (error) {
    if (verify !== true && error instanceof TugError && error.facts.status === 403) return undefined
    if (isMissing(error)) throw error.with({ message: `${error.message}; nothing was ${done}` })
    throw error
  }
}

function snapshotOf(metadata: SecretMetadata, now: Date): Snapshot {
  const states = versionsOf(metadata, now).map(({ version, state }) => [version, state] as const)
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
  const hints = [`see its versions: ${context.commandLine('kv history', path)}`]
  if (missing.length > 0) {
    const what = asked === undefined ? 'versions' : versionWords(missing)
    throw new TugError('not_found', `${path} has no ${what}; ${existingWords([...states.keys()])}; nothing was sent`, {
      reason: 'no_secret',
      hints,
    })
  }
  const destroyed = wanted === 'live' ? versions.find((version) => states.get(version) === 'destroyed') : undefined
  if (destroyed !== undefined)
    throw goneError(context, path, { version: destroyed }, { asked: String(destroyed), state: 'destroyed' })
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

/** Pauses between reads that wait for a standby to catch up; 2 s in all. */
const pauses = [0, 100, 200, 300, 600, 800]

/** The metadata once it shows the change; else what was read last, if anything. */
async function readUntil(
  context: Context,
  path: string,
  isDone: (now: Snapshot) => boolean,
): Promise<{ last: Snapshot | undefined; isConfirmed: boolean }> {
  let last: Snapshot | undefined
  for (const pause of pauses) {
    if (pause > 0) await context.sleep(pause)
    try {
      const { metadata, response } = await readMetadata(context, path)
      last = snapshotOf(metadata, momentOf(context, response))
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return { last, isConfirmed: false }
    }
    if (isDone(last)) return { last, isConfirmed: true }
  }
  return { last, isConfirmed: false }
}

function confirmedResult(
  context: Context,
  path: string,
  change: VersionChange,
  read: {
    asked: Asked
    before: Snapshot | undefined
    after: { last: Snapshot | undefined; isConfirmed: boolean }
  },
): DoneResult {
  const { asked, before, after } = read
  const versions = after.last === undefined ? (asked.versions ?? []) : targetsOf(asked, before, after.last)
  const stateBefore = (version: number) => before?.states.get(version)
  const rows = versions.map((version) =>
    objectFrom([
      ['version', version],
      ['before', stateBefore(version) ?? null],
      ['after', after.last?.states.get(version) ?? null],
    ]),
  )
  const data = dataOf(path, change, rows, after.isConfirmed)
  if (!after.isConfirmed) {
    context.io.warn(
      `accepted, not confirmed: the metadata doesn't show the ${change.noun} yet; see: ${context.commandLine('kv history', path)}`,
    )
    return { ...requestedResult(path, change, asked.versions), data }
  }
  return { done: doneWords(path, change, versions, stateBefore), data }
}

/** `deleted version 5 of app/db; undo: …`. Versions that were in the state before are named as such, and not undone. */
function doneWords(
  path: string,
  { wanted, done, undo }: VersionChange,
  versions: readonly number[],
  stateBefore: (version: number) => VersionState | undefined,
): string {
  const sentences: string[] = []
  const changed = versions.filter((version) => {
    const state = stateBefore(version)
    return state !== wanted && !(wanted === 'deleted' && state === 'destroyed')
  })
  if (changed.length > 0) sentences.push(`${done} ${versionWords(changed)} of ${path}`)
  for (const state of ['live', 'deleted', 'destroyed'] as const) {
    const already = versions.filter((version) => !changed.includes(version) && stateBefore(version) === state)
    if (already.length > 0) sentences.push(alreadyWords(already, state, path))
  }
  if (changed.length > 0 && undo !== undefined) sentences.push(`undo: ${undo(changed)}`)
  return sentences.join('; ')
}

/** A change that was sent, and that nothing confirms. */
function requestedResult(path: string, change: VersionChange, versions: readonly number[] | undefined): DoneResult {
  const undo = change.undo === undefined ? '' : `; undo: ${change.undo(versions)}`
  const what = versions === undefined ? 'the latest version' : versionWords(versions)
  const rows = (versions ?? []).map((version) =>
    objectFrom([
      ['version', version],
      ['before', null],
      ['after', null],
    ]),
  )
  return {
    done: `requested ${change.noun} of ${what} of ${path}, not verified${undo}`,
    data: dataOf(path, change, rows, false),
  }
}

const actions = { deleted: 'delete', live: 'undelete', destroyed: 'destroy' } as const

function dataOf(path: string, { wanted }: VersionChange, versions: JsonObject[], isConfirmed: boolean): Json {
  const changed = isConfirmed ? versions.some(({ before, after }) => before !== after) : null
  return writeFacts(actions[wanted], { path }, changed, { versions, confirmed: isConfirmed })
}
