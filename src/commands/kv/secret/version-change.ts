import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, isForbidden, unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import type { RequestPolicy } from '../../../core/request.ts'
import { plural } from '../../../core/words.ts'
import type { Action } from '../../../write/actions.ts'
import type { Applied, Decision, ItemRun, Shown, Stage } from '../../../write/work.ts'
import { stage, unseen } from '../../../write/work.ts'
import type { Version, VersionState } from '../data/versions.ts'
import { seeVersions, versionWords } from '../data/versions.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { secretsAsked, secretsToWrite } from '../mount/targets.ts'
import { explainMissing, goneVersion } from './missing.ts'
import type { Metadata } from './read.ts'
import { findMetadata, readUntil } from './read.ts'
import { sendWrite } from './write.ts'

/** A change of the versions of a secret. Servers report success for one without effect too, so metadata is read. */
interface VersionChange {
  readonly path: string
  readonly wanted: VersionState
  /** Undefined: the latest, or those that `select` chooses. */
  readonly versions?: readonly number[] | undefined
  /** Chooses versions when the metadata have been read; without any, nothing is to be done. */
  readonly select?: (versions: readonly Version[], current: number, moment: Date) => readonly number[]
  /** Of a path that was typed: the hint if it is a folder. */
  readonly folderHint?: string
  /** Reads the metadata again to see what the change has done; by default for a path that was typed. */
  readonly confirms?: boolean
  /** Sends the request alone. */
  readonly noVerify?: boolean | undefined
  /** The metadata, if they have been read already. */
  readonly seen?: Metadata
  /** Leaves a version alone, and why. */
  readonly except?: (version: { readonly deletion_time: string }, moment: Date) => string | undefined
}

/** Sends a change of versions; without their numbers the latest is deleted, whatever it is when the request arrives. */
export async function changeVersions(
  context: Context,
  path: string,
  wanted: VersionState,
  versions: readonly number[] | undefined,
  policy: RequestPolicy = {},
): Promise<void> {
  const parts = { body: { versions: [...(versions ?? [])] }, policy }
  const request = {
    deleted: versions === undefined ? api.deleteLatest({ path }) : api.deleteVersions({ path }, parts),
    live: api.undeleteVersions({ path }, parts),
    destroyed: api.destroyVersions({ path }, parts),
  }[wanted]
  await sendWrite(context, path, request)
}

/** The versions of a secret at a moment. */
interface Snapshot {
  readonly current: number
  /** When the secret was created: another one may have taken its path. */
  readonly created: string
  readonly states: ReadonlyMap<number, VersionState>
}

/**
 * What a change of versions would do. Throws "not found" for a version that doesn't exist, and for a secret that doesn't if its path was
 * typed; else undefined.
 */
export async function decideVersions(context: Context, change: VersionChange): Promise<Decision | undefined> {
  const { path, wanted, versions, folderHint, confirms = folderHint !== undefined } = change
  const { action, done } = words[wanted]
  if (change.noVerify === true) return { ...unseen, action, apply: sendUnseen(change) }
  const read = change.seen ?? (await findMetadata(context, path).catch(unlessForbidden))
  if (read === undefined) {
    await refuseVersion1(context, `${versions === undefined && wanted === 'deleted' ? 'data' : action}/${path}`)
    return { ...unseen, apply: sendUnseen(change) }
  }
  if (read.state === 'missing') {
    if (folderHint === undefined) return undefined
    const error = read.error.with({ message: `${read.error.message}; nothing was ${done}` })
    throw await explainMissing(context, path, error, () => [folderHint])
  }
  const before = snapshotOf(read)
  checkTargets(context, before, { ...change, confirms })
  const existing = read.versions
  const latest = before.current === 0 ? [] : [before.current]
  const asked = versions ?? change.select?.(existing, before.current, read.moment) ?? latest
  if (asked.length === 0) {
    const reason = latest.length === 0 ? 'has no version' : `no version to ${action}`
    return { action: 'unchanged', words: reason, guard: before.current }
  }
  const kept = existing
    .filter(({ version }) => asked.includes(version))
    .map((version) => change.except?.(version, read.moment))
    .find((reason) => reason !== undefined)
  const due = asked.filter((version) => !isIn(wanted, before.states.get(version)))
  const guard = guardOf(before, due)
  const rows = asked.map((version) => {
    const state = before.states.get(version)
    return versionRow(version, state, due.includes(version) ? wanted : state)
  })
  const facts = { versions: rows }
  if (kept !== undefined) return { action: 'unchanged', words: kept, facts, guard }
  if (due.length === 0) return { action: 'unchanged', words: alreadyIn(before, asked), facts, guard }
  return {
    action,
    words: `${action} ${versionWords(due)}`,
    facts,
    guard,
    apply: async (item) => {
      await sendFor(item.context, { ...change, confirms }, due)
      if (confirms) return confirmed(item.context, change, { before, due })
      return { words: `${words[wanted].done} ${versionWords(due)} of ${path}`, guard: due.join(',') }
    },
  }
}

/** A version with its states before and after; null if they were not read. */
function versionRow(version: number, before: VersionState | null = null, after: VersionState | null = null): Json {
  return objectFrom([
    ['version', version],
    ['before', before],
    ['after', after],
  ])
}

/**
 * The latest version of one secret is deleted without its number. Of many, the version that was seen is, unless the token may not name
 * versions.
 */
async function sendFor(context: Context, change: VersionChange, due: readonly number[]): Promise<void> {
  const { path, versions, wanted, confirms } = change
  const isNamed = versions !== undefined || wanted !== 'deleted'
  if (!isNamed && confirms === true) return changeVersions(context, path, wanted, undefined)
  try {
    await changeVersions(context, path, wanted, due)
  } catch (error) {
    if (isNamed || !isForbidden(error)) throw error
    await changeVersions(context, path, wanted, undefined)
  }
}

function sendUnseen(change: VersionChange): NonNullable<Decision['apply']> {
  return async ({ context }: ItemRun): Promise<Applied> => {
    const { path, wanted, versions } = change
    await changeVersions(context, path, wanted, versions)
    return {
      words: requestedWords(context, change),
      facts: { versions: (versions ?? []).map((version) => versionRow(version)), confirmed: false },
    }
  }
}

/** Reads until the metadata shows the change. The latest may have become another version before the request arrived. */
async function confirmed(
  context: Context,
  change: VersionChange,
  { before, due }: { readonly before: Snapshot; readonly due: readonly number[] },
): Promise<Applied> {
  const { path, wanted } = change
  let last: Snapshot | undefined
  const targets = (now: Snapshot) => targetsOf(change, before, now, due)
  const read = async () => {
    try {
      const found = await findMetadata(context, path)
      if (found.state === 'missing') return undefined
      last = snapshotOf(found)
      return targets(last).every((version) => isIn(wanted, last?.states.get(version)))
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return undefined
    }
  }
  const isConfirmed = (await readUntil(context, read, (found) => found !== false)) === true
  if (!isConfirmed) {
    const see = context.commandLine('kv history', path)
    context.io.warnAlways(
      `accepted, not confirmed: the metadata doesn't show the ${words[wanted].noun} yet; see: ${see}`,
    )
  }
  const versions = last === undefined ? due : targets(last)
  const rows = (change.versions ?? versions).map((version) =>
    versionRow(version, before.states.get(version), last?.states.get(version)),
  )
  const others = (change.versions ?? []).filter((version) => !due.includes(version))
  const already = others.length === 0 ? '' : `; ${alreadyIn(before, others)}`
  return {
    words: isConfirmed
      ? `${words[wanted].done} ${versionWords(versions)} of ${path}${already}${undoWords(context, { path, wanted, versions })}`
      : requestedWords(context, { ...change, versions }),
    facts: { versions: rows, confirmed: isConfirmed },
    guard: guardOf(last ?? before, []),
  }
}

function snapshotOf({ metadata, versions, current }: Metadata): Snapshot {
  const states = versions.map(({ version, state }) => [version, state] as const)
  return { current, created: metadata.created_time ?? '', states: new Map(states) }
}

/** What was seen of a secret before some of its versions change. */
function guardOf({ current, created }: Snapshot, due: readonly number[]): string {
  return [`version ${current} of the secret of ${created}`, ...due].join(' ')
}

/** Throws "not found" for a version that doesn't exist, and for restoring one that was destroyed. */
function checkTargets(context: Context, { current, states }: Snapshot, change: VersionChange): void {
  const { path, wanted, versions } = change
  if (versions === undefined && (current === 0 || change.select !== undefined) && change.confirms !== true) return
  const targets = versions ?? [current]
  const missing = targets.filter((version) => !states.has(version))
  if (missing.length > 0) {
    const what = versions === undefined ? 'versions' : versionWords(missing)
    const existing = [...states.keys()]
    const first = existing.slice(0, 10).join(', ')
    const has =
      existing.length === 0
        ? 'it has metadata only'
        : existing.length > 10
          ? `its newest versions: ${first} (${plural(existing.length, 'version')})`
          : `its versions: ${first}`
    throw new TugError('not_found', `${path} has no ${what}; ${has}; nothing was sent`, {
      reason: 'no_secret',
      hints: [seeVersions(context, path)],
    })
  }
  const destroyed = wanted === 'live' ? targets.find((version) => states.get(version) === 'destroyed') : undefined
  if (destroyed !== undefined && change.confirms === true)
    throw goneVersion(context, path, { version: destroyed, state: 'destroyed' })
}

/** The versions that a change was about. The latest may have become another one before the request arrived. */
function targetsOf(
  { versions, wanted }: VersionChange,
  before: Snapshot,
  now: Snapshot,
  due: readonly number[],
): readonly number[] {
  if (versions !== undefined || wanted === 'live') return due
  const first = before.current
  const isOther = now.current !== first && now.states.get(first) === before.states.get(first)
  return [isOther ? now.current : first]
}

/** True for a version in the wanted state, or beyond it. A destroyed version cannot be restored, so nothing is to be done. */
function isIn(wanted: VersionState, state: VersionState | undefined): boolean {
  return state === wanted || (wanted !== 'destroyed' && state === 'destroyed')
}

/** What a change is called by the state that it leads to: as an action, once it is done, and if nothing shows that it happened. */
const words = {
  deleted: { action: 'delete', done: 'deleted', noun: 'deletion' },
  live: { action: 'undelete', done: 'restored', noun: 'restoration' },
  destroyed: { action: 'destroy', done: 'destroyed', noun: 'destruction' },
} as const satisfies Record<VersionState, { action: Action; done: string; noun: string }>

/** A change that was sent, and that nothing confirms. */
function requestedWords(context: Context, change: VersionChange): string {
  const { path, wanted, versions } = change
  const what = versions === undefined ? 'the latest version' : versionWords(versions)
  return `requested ${words[wanted].noun} of ${what} of ${path}, not verified${undoWords(context, change)}`
}

/** The command line that undoes a deletion. */
function undoWords({ commandLine }: Context, { path, wanted, versions }: VersionChange): string {
  if (wanted !== 'deleted') return ''
  const named = versions === undefined ? [] : [['--versions', versions.join(',')] as const]
  return `; undo: ${commandLine('kv undelete', path, ...named)}`
}

/** `version 2 is deleted already`, `version 2 is deleted already, version 3 is destroyed already`. */
function alreadyIn({ states }: Snapshot, versions: readonly number[]): string {
  return (['live', 'deleted', 'destroyed'] as const)
    .flatMap((state) => {
      const those = versions.filter((version) => states.get(version) === state)
      if (those.length === 0) return []
      return [`${versionWords(those)} ${those.length === 1 ? 'is' : 'are'} ${state} already`]
    })
    .join(', ')
}

/** What a prune keeps. */
interface Prune {
  /** Whose secrets are kept, in words. */
  readonly whose: string
  readonly isKept: (path: string) => boolean | Promise<boolean>
  /** Called first; it may throw. */
  readonly before?: () => Promise<void>
}

/** Deletes the live secrets below a folder that the other side doesn't have; asks first. */
export function pruneStage(context: Context, folder: string, { whose, isKept, before }: Prune): Stage {
  async function* surplus() {
    await before?.()
    for await (const one of secretsToWrite(context, [folder], { mayBeMissing: true }))
      if (typeof one !== 'string' || !(await isKept(one))) yield one
  }
  return stage<string>({
    targets: surplus(),
    nameOf: (path) => path,
    decide: async (path) => {
      const decision = await decideVersions(context, { path, wanted: 'deleted' })
      // A secret that is deleted already is not surplus.
      if (decision?.apply === undefined) return decision?.action === 'unchanged' ? undefined : decision
      const { apply } = decision
      return { ...decision, apply: (item) => apply({ ...item, context: item.within(context) }) }
    },
    ask: (shown: readonly Shown<string>[]) => `Delete ${secretsAsked(shown, `that ${whose} doesn't contain`)}?`,
  })
}
