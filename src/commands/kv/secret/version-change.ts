import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { shellQuote } from '../../../core/shell.ts'
import { firstNames, plural } from '../../../core/words.ts'
import type { Action } from '../../../write/actions.ts'
import type { Applied, Decision, ItemRun, Shown, Stage } from '../../../write/work.ts'
import { stage, unseen } from '../../../write/work.ts'
import { refuseVersion1, secretsToWrite } from '../mount/index.ts'
import { explainMissing, goneVersion, seeVersions } from './missing.ts'
import type { Metadata } from './read.ts'
import { findMetadata, readUntil } from './read.ts'
import type { Version, VersionState } from './versions.ts'
import { versionWords } from './versions.ts'
import { sendWrite } from './write.ts'

/** Deleting, restoring and destroying versions: servers report success for a change without effect too, so metadata is read. */
export interface VersionChange {
  readonly path: string
  readonly wanted: VersionState
  /** Undefined: the latest, or those that `select` chooses. */
  readonly versions: readonly number[] | undefined
  /** Chooses versions when the metadata have been read; without any, nothing is to be done. */
  readonly select?: (versions: readonly Version[], current: number, moment: Date) => readonly number[]
  /** The request for these versions; undefined: for the latest, whatever it is when the request arrives. */
  readonly request: (versions: Json[] | undefined) => HttpRequest
  /** Names the versions that were seen, although the latest are meant; without the right to do that, the latest are. */
  readonly namesLatest?: boolean
  /** Reads the metadata again to see what the change has done. */
  readonly confirms: boolean
  /** Of a path that was typed: the hint if it is a folder. */
  readonly folderHint?: string
  /** Sends the request alone. */
  readonly noVerify?: boolean | undefined
  /** The command line that undoes it. */
  readonly undo?: (versions: readonly number[] | undefined) => string
  /** The metadata, if they have been read already. */
  readonly seen?: Metadata
  /** Leaves a version alone, and why. */
  readonly except?: (version: { readonly deletion_time: string }, moment: Date) => string | undefined
}

export const verifyFlags = {
  noVerify: flag.boolean('send only the request itself, without reading the metadata before and after'),
}

/** The typed line with another value of a flag: a run that is continued means the moment that the first one meant. */
export function lineWithFlag({ typed, commandPath }: Context, name: string, value: string): string {
  const words = typed.map((word, index) => {
    if (word.startsWith(`${name}=`)) return `${name}=${value}`
    return typed[index - 1] === name ? value : word
  })
  return ['tug', ...commandPath, ...words].map(shellQuote).join(' ')
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
  const { path, wanted, versions, folderHint } = change
  const { action, done } = words[wanted]
  if (change.noVerify === true) return { ...unseen, action, apply: sendUnseen(change) }
  const read =
    change.seen ??
    (await findMetadata(context, path).catch((error: unknown) => {
      if (error instanceof TugError && error.facts.status === 403) return undefined
      throw error
    }))
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
  checkTargets(context, before, change)
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
    apply: async ({ context: own }) => {
      await sendFor(own, change, due)
      if (change.confirms) return confirmed(own, change, { before, due })
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

/** The latest version is named only if it was seen, and if the token may name versions. */
async function sendFor(context: Context, change: VersionChange, due: readonly number[]): Promise<void> {
  const { path, versions, request, namesLatest = false, wanted } = change
  // To undelete the latest version, the request must name it.
  const isNamed = versions !== undefined || namesLatest || wanted !== 'deleted'
  if (!isNamed) {
    await sendWrite(context, path, request(undefined))
    return
  }
  try {
    await sendWrite(context, path, request([...due]))
  } catch (error) {
    const isRefused = error instanceof TugError && error.facts.status === 403
    if (!isRefused || versions !== undefined || wanted !== 'deleted') throw error
    await sendWrite(context, path, request(undefined))
  }
}

function sendUnseen(change: VersionChange): NonNullable<Decision['apply']> {
  return async ({ context }: ItemRun): Promise<Applied> => {
    const { path, versions } = change
    await sendWrite(context, path, change.request(versions === undefined ? undefined : [...versions]))
    return {
      words: requestedWords(change),
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
  const { path, wanted, undo } = change
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
  const undoing = undo === undefined ? '' : `; undo: ${undo(versions)}`
  return {
    words: isConfirmed
      ? `${words[wanted].done} ${versionWords(versions)} of ${path}${already}${undoing}`
      : requestedWords({ ...change, versions }),
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
  if (versions === undefined && (current === 0 || change.select !== undefined) && !change.confirms) return
  const targets = versions ?? [current]
  const missing = targets.filter((version) => !states.has(version))
  if (missing.length > 0) {
    const what = versions === undefined ? 'versions' : versionWords(missing)
    throw new TugError(
      'not_found',
      `${path} has no ${what}; ${versionsOfWords([...states.keys()])}; nothing was sent`,
      {
        reason: 'no_secret',
        hints: [seeVersions(context, path)],
      },
    )
  }
  const destroyed = wanted === 'live' ? targets.find((version) => states.get(version) === 'destroyed') : undefined
  if (destroyed !== undefined && change.confirms)
    throw goneVersion(context, path, { version: destroyed, state: 'destroyed' })
}

/** The versions that there are, newest first. */
function versionsOfWords(versions: readonly number[]): string {
  if (versions.length === 0) return 'it has metadata only'
  const shown = versions.slice(0, 10).join(', ')
  return versions.length > 10
    ? `its newest versions: ${shown} (${plural(versions.length, 'version')})`
    : `its versions: ${shown}`
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
function requestedWords({ path, wanted, undo, versions }: VersionChange): string {
  const what = versions === undefined ? 'the latest version' : versionWords(versions)
  return `requested ${words[wanted].noun} of ${what} of ${path}, not verified${undo === undefined ? '' : `; undo: ${undo(versions)}`}`
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

/** What the deletion of a secret's versions, by default the latest, would do. */
export function decideDeletion(
  context: Context,
  path: string,
  {
    versions,
    folderHint,
    noVerify,
  }: { versions?: readonly number[] | undefined; folderHint?: string; noVerify?: boolean | undefined } = {},
): Promise<Decision | undefined> {
  const confirms = folderHint !== undefined
  return decideVersions(context, {
    path,
    ...(folderHint === undefined ? {} : { folderHint }),
    wanted: 'deleted',
    versions,
    request: (named) =>
      named === undefined ? api.deleteLatest({ path }) : api.deleteVersions({ path }, { body: { versions: named } }),
    namesLatest: !confirms,
    confirms,
    noVerify,
    undo: (named) =>
      context.commandLine(
        'kv undelete',
        path,
        ...(named === undefined ? [] : [['--versions', named.join(',')] as const]),
      ),
  })
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
      const decision = await decideDeletion(context, path)
      // What was deleted before is no surplus.
      if (decision?.apply === undefined) return decision?.action === 'unchanged' ? undefined : decision
      const { apply } = decision
      return { ...decision, apply: (item) => apply({ ...item, context: item.within(context) }) }
    },
    ask: (shown: readonly Shown<string>[]) => {
      const names = shown.filter(({ hasWork }) => hasWork).map(({ item }) => item)
      return `Delete ${plural(names.length, 'secret')} that ${whose} doesn't contain: ${firstNames(names)}?`
    },
  })
}
