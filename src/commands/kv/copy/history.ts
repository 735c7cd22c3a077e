import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, isForbidden } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import type { Applied, Decision, Facts, ItemRun } from '../../../write/work.ts'
import { versionWords } from '../data/versions.ts'
import type { Follows } from '../histories/compare.ts'
import type { SecretRecord } from '../histories/record.ts'
import { readDeleted, readOutline, readSnapshot } from '../histories/record.ts'
import type { HistoryPlan } from '../histories/restore.ts'
import { historyConflict, planHistory } from '../histories/restore.ts'
import { temporarySettings } from '../histories/steps.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { changeVersions, sendWrite } from '../secret/index.ts'
import type { Route, Sides } from './sides.ts'
import { guardOf, markKey, refuseSameSecret, removeSource, withoutMark } from './source.ts'

const planned = { restore: 'create', continue: 'change', identical: 'unchanged', conflict: 'conflict' } as const

/**
 * What copying a secret with every version, its settings and custom metadata would do. A history is never replaced: a path that has
 * another one is a conflict; one with the beginning of this one is continued. Undefined if the secret doesn't exist.
 */
export async function decideHistoryCopy(
  sides: Sides,
  { from, to }: Route,
  { follows, onLeftOut }: { readonly follows: Follows | undefined; readonly onLeftOut: (versions: number) => void },
): Promise<Decision | undefined> {
  const { target } = sides
  const record = await readSnapshot(sides.source, from, to)
  if (record === undefined) return undefined
  const plan = await planHistory(target, to, record, { follows })
  const about = aboutHistory({ from, to }, record, plan)
  if (plan.kind === 'conflict' || plan.kind === 'identical') return about
  return {
    ...about,
    enforced: true,
    sendsMore: true,
    apply: async (item) => {
      const { before, isConfirmed } = await plan.carryOut(item.within(target))
      onLeftOut(deletedVersions(record).filter((version) => version > before).length)
      const versions = plural(record.current_version, 'version')
      const words = `copied ${sides.sourceWords(from)} to ${sides.targetWords(to)}, ${versions}`
      return { words, facts: { confirmed: isConfirmed }, guard: record.current_version }
    },
  }
}

function aboutHistory(
  { from }: Route,
  record: SecretRecord,
  { kind, words, error, actual }: HistoryPlan,
): Decision & { readonly facts: Facts } {
  return {
    action: planned[kind],
    // A path that follows a history may have more versions, so it need not be identical.
    words: kind === 'identical' ? 'up to date' : words,
    facts: { from, versions: record.current_version },
    guard: `${guardOf(record)} ${actual === undefined ? '0' : guardOf(actual)}`,
    ...(error === undefined ? {} : { error }),
  }
}

function deletedVersions(record: SecretRecord | undefined): number[] {
  return (record?.versions ?? []).filter(({ state }) => state === 'deleted').map(({ version }) => version)
}

/**
 * What moving a secret with its history would do; undefined if it doesn't exist. Deleted versions can only be read once they are restored,
 * for a moment: their numbers are first noted in the custom metadata of the new path, so that a move that was killed in between is
 * continued with the same versions deleted. Once the new path has everything, the source is marked, the note removed, and then the source.
 */
export async function decideHistoryMove(sides: Sides, route: Route): Promise<Decision | undefined> {
  const { from, to } = route
  const { source, target } = sides
  const [found, outline] = await Promise.all([readSnapshot(source, from, to), readOutline(target, to)])
  if (found === undefined) return undefined
  const unmarked = withoutMark(found)
  const noted = outline === undefined ? [] : notedVersions(outline, unmarked)
  const all = [...new Set([...deletedVersions(unmarked), ...noted])].toSorted((one, other) => one - other)
  const versions = unmarked.versions.map(({ data, ...version }) => {
    if (all.includes(version.version) && version.state !== 'destroyed') return { ...version, state: 'deleted' as const }
    return data === undefined ? version : { ...version, data }
  })
  const record = { ...unmarked, versions }
  const isMarked = outline !== undefined && found.custom_metadata?.[markKey] === markFor(outline, record, all)
  const deleted = isMarked ? [] : all
  const move: Move = { sides, route, deleted, restored: all, noted, ...noteFor(record, deleted) }
  const { expected, note } = move
  const compared = await planHistory(target, to, expected, { note, described: record })
  const { actual } = compared
  if (compared.kind !== 'conflict' && actual !== undefined) await refuseSameSecret(sides, route)
  // Only a move whose note is still there has written the data of the target's deleted versions.
  const unread = isMarked ? [] : deletedVersions(actual).filter((one) => all.includes(one) && !noted.includes(one))
  const why = `the data of its deleted ${versionWords(unread)} cannot be compared`
  const plan = unread.length === 0 ? compared : { ...compared, ...historyConflict(target, to, why) }
  const about = aboutHistory(route, move.record, plan)
  if (plan.kind === 'conflict') return about
  const guard = guardOf(move.record, all)
  const common = {
    facts: about.facts,
    guard: `${guard} ${actual === undefined ? '0' : guardOf(actual)}`,
    sendsMore: true,
    subject: `${sides.sourceWords(from)} or ${sides.targetWords(to)}`,
  }
  if (plan.kind === 'identical') {
    const words = `identical already; removes ${sides.sourceWords(from)}`
    return {
      ...common,
      action: 'remove',
      words,
      apply: (item) => finishMove(item, move, guard, true),
    }
  }
  return {
    ...common,
    action: 'move',
    words: `from ${sides.sourceWords(from)}   ${about.words}`,
    apply: (item) => carryOutMove(item, move, guard, plan),
  }
}

interface Move {
  readonly sides: Sides
  readonly route: Route
  /** The source; its deleted versions have no data yet. */
  readonly record: SecretRecord
  /** The same with the note. */
  readonly expected: SecretRecord
  readonly note: JsonObject | undefined
  /** Versions that are to be read by restoring them. */
  readonly deleted: readonly number[]
  /** All deleted versions, whose deletion times the move may have changed. */
  readonly restored: readonly number[]
  /** Those that an unfinished move has noted. */
  readonly noted: readonly number[]
}

async function carryOutMove(item: ItemRun, move: Move, guard: string, plan: HistoryPlan): Promise<Applied> {
  const { actual } = plan
  const { sides, route, deleted, noted, note, expected } = move
  const { from, to } = route
  const [source, target] = [item.within(sides.source), item.within(sides.target)]
  let history = expected
  if (deleted.length > 0) {
    if (actual === undefined) await refuseVersion1(target, `metadata/${to}`)
    await sendWrite(target, to, api.writeMetadata({ path: to }, { body: temporarySettings(expected, note) }))
    try {
      // An earlier run may have been killed between restoring and deleting them.
      if (noted.length > 0) await changeVersions(source, from, 'deleted', noted)
      history = await readDeleted(source, from, expected)
    } catch (error) {
      const isOver = error instanceof TugError && error.code !== 'interrupted'
      if (actual === undefined && isOver) {
        // Unless the versions that were restored to be read are seen to be deleted again, the note has to stay.
        const seen = deletedVersions(await readOutline(source, from).catch(() => undefined))
        if (deleted.every((version) => seen.includes(version))) await forget(target, to)
      }
      throw error
    }
  }
  const restore = async () => {
    const next = deleted.length === 0 ? plan : await planHistory(target, to, history, { note })
    return next.carryOut(target)
  }
  const { isConfirmed } = await restore().catch(async (error: unknown) => {
    // The note may not stay at a path that has another history.
    const isOther = error instanceof TugError && error.code === 'conflict' && noted.length === 0
    if (isOther && actual !== undefined) await writeCustom(target, to, actual.custom_metadata)
    throw error
  })
  if (isConfirmed) return finishMove(item, move, guard, false)
  const unconfirmed = `wrote ${sides.targetWords(to)}, but kept ${from}: the copy is not confirmed`
  const hints = ['run it again: it removes the old path once the copy is confirmed to be identical']
  return { failure: new TugError('conflict', unconfirmed, { service: 'secrets', hints }) }
}

/** Marks the source as moved, removes the note, then the source. */
async function finishMove(item: ItemRun, move: Move, guard: string, isEqual: boolean): Promise<Applied> {
  const { sides, route, record, restored, note } = move
  const { from, to } = route
  const target = sides.targetWords(to)
  const isMarked = note === undefined || (await markSource(item, move))
  const words = isEqual
    ? `removed ${sides.sourceWords(from)}, which is identical to ${target}`
    : `moved ${sides.sourceWords(from)} to ${target}, ${plural(record.current_version, 'version')}`
  const applied = await removeSource(item, {
    sides,
    route,
    guard,
    restored,
    done: isEqual ? `${target} is identical` : `wrote ${target}`,
    applied: { words, guard: record.current_version },
  })
  if (!isMarked && applied.failure === undefined)
    await writeCustom(item.within(sides.target), to, record.custom_metadata)
  return applied
}

/** Marks the source, and removes the note. False if the source may not be changed: the note is then the last to go. */
async function markSource(item: ItemRun, { sides, route, record, restored }: Move): Promise<boolean> {
  const { from, to } = route
  const mark = markFor(await readOutline(sides.target, to), record, restored)
  const custom = objectFrom([...entriesOf(record.custom_metadata ?? objectFrom([])), [markKey, mark]])
  try {
    await writeCustom(item.within(sides.source), from, custom)
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
  await writeCustom(item.within(sides.target), to, record.custom_metadata)
  return true
}

/** What was copied, and to which secret: a source or target that has changed since has another mark. */
function markFor(target: SecretRecord | undefined, record: SecretRecord, restored: readonly number[]): string {
  return `${guardOf(record, restored)} ${target?.created_time}`
}

async function writeCustom(context: Context, path: string, custom: JsonObject | null): Promise<void> {
  const body = objectFrom([['custom_metadata', custom ?? objectFrom([])]])
  await sendWrite(context, path, api.writeMetadata({ path }, { body }))
}

/** Removes a new path that has nothing but the note, because the source could not be read. */
async function forget(context: Context, path: string): Promise<void> {
  try {
    if ((await readOutline(context, path))?.current_version === 0)
      await sendWrite(context, path, api.deleteMetadata({ path }, { policy: { cleanup: true } }))
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    context.io.note(`${path} has only settings: ${context.commandLine('kv metadata delete', path)}`)
  }
}

/** The keys of the note in the custom metadata. */
const noteKey = /^tug-move-\d+$/

/** Custom metadata has at most 512 bytes a value. */
const noteSize = 500

/** The note of a move: when the source was created, which identifies it, and its deleted versions; undefined without any. */
function noteFor(record: SecretRecord, deleted: readonly number[]): Pick<Move, 'record' | 'expected' | 'note'> {
  if (deleted.length === 0) return { record, expected: record, note: undefined }
  const pieces: string[] = []
  for (const word of [record.created_time, ...rangesOf(deleted)]) {
    const last = pieces.at(-1)
    if (last === undefined || last.length + word.length >= noteSize) pieces.push(word)
    else pieces[pieces.length - 1] = `${last} ${word}`
  }
  const entries = pieces.map((piece, index) => [`tug-move-${index + 1}`, piece] as const)
  const custom = record.custom_metadata === null ? [] : entriesOf(record.custom_metadata)
  const expected = { ...record, custom_metadata: objectFrom([...custom, ...entries]) }
  return { record, expected, note: objectFrom(entries) }
}

/** `1..3`, `7`. */
function rangesOf(versions: readonly number[]): string[] {
  const ranges: [number, number][] = []
  for (const version of versions) {
    const last = ranges.at(-1)
    if (last !== undefined && version === last[1] + 1) last[1] = version
    else ranges.push([version, version])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}..${last}`))
}

/** The versions that an unfinished move of this source has noted at its new path. */
function notedVersions({ custom_metadata }: SecretRecord, source: SecretRecord): number[] {
  const pieces = noteEntries(custom_metadata).map(([, value]) => String(value))
  const [created, ...words] = pieces.join(' ').split(' ')
  if (created !== source.created_time) return []
  const existing = source.versions.map(({ version }) => version)
  return words.flatMap((word) => {
    const [first = 0, last = first] = word.split('..').map(Number)
    return existing.filter((version) => version >= first && version <= last)
  })
}

function noteEntries(custom: JsonObject | null) {
  const number = (key: string) => Number(key.slice('tug-move-'.length))
  return entriesOf(custom ?? objectFrom([]))
    .filter(([key]) => noteKey.test(key))
    .toSorted(([one], [other]) => number(one) - number(other))
}

/** What is left of a finished move whose note was not removed; undefined without one. */
export async function decideNoteRemoval(sides: Sides, { from, to }: Route): Promise<Decision | undefined> {
  const found = await readOutline(sides.target, to)
  if (found === undefined || noteEntries(found.custom_metadata).length === 0) return undefined
  const custom = entriesOf(found.custom_metadata ?? objectFrom([])).filter(([key]) => !noteKey.test(key))
  return {
    action: 'set',
    words: 'moved already; removes the note of the move',
    facts: { from, versions: found.current_version },
    guard: guardOf(found),
    apply: async (item) => {
      await writeCustom(item.within(sides.target), to, objectFrom(custom))
      return { words: `finished the move of ${sides.sourceWords(from)} to ${sides.targetWords(to)}` }
    },
  }
}
