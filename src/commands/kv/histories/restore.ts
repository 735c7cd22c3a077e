import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { keysOf } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { mostCustomKeys } from '../data/settings.ts'
import { seeVersions } from '../data/versions.ts'
import type { LineIn } from '../mount/misplaced.ts'
import { refuseWrongMount } from '../mount/misplaced.ts'
import { readUntil } from '../secret/index.ts'
import type { Follows } from './compare.ts'
import { markIn, markOf, newRun } from './mark.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { byNumber, readSnapshot, stateBy } from './record.ts'
import type { Kind, Rights } from './rights.ts'
import { createRights } from './rights.ts'
import type { Comparison, HistorySteps } from './steps.ts'
import { compareWith, comparisonWords, countDestroyed } from './steps.ts'
import { finalSettings, needsMark, startsWithSettings, writeHistory } from './write.ts'

/** The side that the histories of a run are written to. */
export interface HistoryTarget {
  readonly context: Context
  readonly rights: Rights
  /** Identifies the run in its marks. */
  readonly run: string
  /** Deleted versions that were written as destroyed ones. */
  destroyed: number
  /** False once the server has shown that it cannot patch metadata. */
  readonly patches: { isAllowed: boolean }
  /** Looks at the mount of the first path that doesn't exist; see {@link refuseWrongMount}. */
  readonly checkMount: (path: string) => Promise<void>
}

export function openHistories(context: Context, lineIn?: LineIn): HistoryTarget {
  let checked: Promise<void> | undefined
  const checkMount = (path: string) => (checked ??= refuseWrongMount(context, path, `metadata/${path}`, lineIn))
  const rights = createRights(context)
  return { context, rights, run: newRun(), destroyed: 0, patches: { isAllowed: true }, checkMount }
}

/** Says what became of deleted versions. */
export function noteDestroyed({ context: { io }, destroyed }: HistoryTarget): void {
  const data = destroyed === 1 ? 'its data' : 'their data'
  if (destroyed > 0) io.note(`${plural(destroyed, 'deleted version')} destroyed here: ${data} was not read`)
}

/** How a path becomes equal to a history, or follows it. */
export interface HistoryPlan {
  readonly kind: Comparison['kind']
  readonly words: string
  /** The conflict. */
  readonly error?: TugError
  /** The path as it was read. */
  readonly actual: SecretRecord | undefined
  /** The number of writes. */
  readonly writes: number
  /**
   * Goes on after a write whose outcome is unknown, or that met another one. `confirms`: reads the path once more in the end. Throws the
   * conflict, if it is one.
   */
  readonly carryOut: (context: Context, confirms?: boolean) => Promise<void>
}

interface PlanOptions {
  /** Where the history comes from, for marks. */
  readonly from: string
  readonly follows?: Follows | undefined
  /** The removal of the source, which needs a right too. */
  readonly removal?: { readonly rights: Rights; readonly path: string } | undefined
  /** The hint if only settings differ. */
  readonly settingsHint: (path: string, expected: SecretRecord) => string
}

/** Reads a path, compares it with a history, and plans what brings it there. Throws if the token may not do all of that. */
export async function planHistory(
  target: HistoryTarget,
  path: string,
  expected: SecretRecord,
  options: PlanOptions,
): Promise<HistoryPlan> {
  const { context } = target
  const compared = await compareNow(context, path, expected, options.follows)
  const { actual, comparison } = compared
  const { kind } = comparison
  let mayPatch = true
  const carryOut = (watched: Context, confirms = false) =>
    carryOutPlan(target, watched, { path, expected, options, compared, confirms, mayPatch })
  if (kind === 'conflict') {
    const { why, remedy } = comparison
    const error = historyConflict(
      context,
      path,
      comparison,
      remedy === 'settings' ? { hint: options.settingsHint(path, expected) } : {},
    )
    const words = typeof remedy === 'object' ? why : `exists with another history, left alone: ${why}`
    return { kind, words, error, actual, writes: 0, carryOut }
  }
  if (kind === 'identical') return { kind, words: 'identical', actual, writes: 0, carryOut }
  const { steps } = comparison
  const count = keysOf(expected.custom_metadata ?? {}).length
  if (count > mostCustomKeys)
    throw usageError(
      `${options.from} has ${count} keys of custom metadata, and servers take at most ${mostCustomKeys} for ${path}; nothing was done`,
    )
  // The metadata of an existing path has shown the engine.
  if (actual === undefined) await target.checkMount(path)
  const { needed, writes } = writesOf(expected, actual, steps, context.now())
  mayPatch = await checkRights(target.rights, path, needed, options.removal)
  return { kind, words: comparisonWords(expected, actual, steps), actual, writes, carryOut }
}

/** The kinds of writes that a history needs, one request for each, and the number of all its writes. */
function writesOf(expected: SecretRecord, actual: SecretRecord | undefined, steps: HistorySteps, now: Date) {
  const { first, placeholders, deletes } = steps
  const { current_version: last } = expected
  const records = byNumber(expected)
  const isLive = (record: VersionRecord | undefined) => record !== undefined && stateBy(now, record) === 'live'
  const versions = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  const destroys = placeholders.length > 0 || versions.some((version) => !isLive(records.get(version)))
  const isMarked = needsMark(expected, actual, steps, now)
  const hasSettings = isMarked || finalSettings(expected, actual) !== undefined
  // Without a version, or if the first one expires, metadata are written first.
  const isSecret = actual !== undefined
  const settingsFirst = !isSecret && (last === 0 || startsWithSettings(expected, now))
  const createsData = !isSecret && !settingsFirst
  const needed: Kind[] = [
    ...(createsData ? (['create'] as const) : []),
    ...(versions.length > (createsData ? 1 : 0) ? (['update'] as const) : []),
    ...(settingsFirst ? (['createSettings'] as const) : []),
    ...(hasSettings && last > 0 ? (['settings'] as const) : []),
    ...(destroys ? (['destroy'] as const) : []),
    ...(deletes.length > 0 ? (['delete'] as const) : []),
  ]
  const others = [isMarked, hasSettings, destroys, deletes.length > 0].filter(Boolean).length
  return { needed, writes: versions.length + others }
}

/** Throws if the token may not do all that is needed. Returns false if it may not patch metadata, but replace them. */
async function checkRights(
  rights: Rights,
  path: string,
  needed: readonly Kind[],
  removal: PlanOptions['removal'],
): Promise<boolean> {
  // The only write of a copy with one version needs no question: its refusal leaves nothing behind.
  if (needed.length === 1 && removal === undefined) return true
  const source = removal && ([removal.path, ['remove']] as const)
  const isOneSide = removal?.rights === rights
  const [here, there] = await Promise.all([
    rights.ask([path, needed], ...(source !== undefined && isOneSide ? [source] : [])),
    source === undefined || isOneSide ? undefined : removal?.rights.ask(source),
  ])
  const mayPatch = here(path, 'patch') === undefined
  const refusals = needed.map((kind) => (kind === 'settings' && mayPatch ? undefined : here(path, kind)))
  if (removal !== undefined) refusals.push((there ?? here)(removal.path, 'remove'))
  const refusal = refusals.find((one) => one !== undefined)
  if (refusal !== undefined) throw refusal
  return mayPatch
}

/** The conflict with a path that has another history than the one to restore. */
function historyConflict(
  context: Context,
  path: string,
  { why, remedy }: Extract<Comparison, { kind: 'conflict' }>,
  { hint = seeVersions(context, path), isWritten = false } = {},
): TugError {
  const [command, versions = []] = typeof remedy === 'object' ? remedy : []
  const equal = command && context.commandLine(command, path, ['--versions', versions.join(',')])
  const history = equal === undefined ? 'exists with another history and was left alone' : 'was left alone'
  return new TugError('conflict', `${path} ${isWritten ? 'has another history now' : history}: ${why}`, {
    service: 'secrets',
    hints: [equal === undefined ? hint : `to make them equal: ${equal}`],
  })
}

interface Carrying {
  readonly path: string
  readonly expected: SecretRecord
  readonly options: PlanOptions
  readonly compared: Compared
  readonly confirms: boolean
  readonly mayPatch: boolean
}

async function carryOutPlan(target: HistoryTarget, context: Context, carrying: Carrying): Promise<void> {
  const { path, expected, options, compared, confirms, mayPatch } = carrying
  const { from, follows } = options
  const mark = markOf(expected, target.run, from)
  let before: number | undefined
  /** The current version after the last write of this run. */
  let reached: number | undefined
  let failure: TugError | undefined
  let unknown: TugError | undefined
  /** An error after a write says what exists now. */
  const withAccount = (error: TugError) => {
    if (reached === undefined) return error
    const { current_version: last } = expected
    const done = reached === last ? 'every version' : `${reached} of ${plural(last, 'version')}`
    return error.with({
      message: `${error.message}; ${path} is unfinished: this run has written it up to ${done}`,
      hints: [...error.hints, `to continue, run it again: ${context.typedLine()}`],
      applied: true,
    })
  }
  const compare = async () => {
    if (failure === undefined) return compared
    return compareNow(context, path, expected, follows).catch((error: unknown) => {
      // If the path cannot be read again, the outcome stays unknown.
      throw unknown !== undefined && error instanceof TugError && error.code !== 'interrupted' ? unknown : error
    })
  }
  /** False if a write had an unknown outcome, or met another one. */
  const attempt = async (): Promise<boolean> => {
    const { actual, comparison } = await compare()
    if (comparison.kind === 'conflict')
      throw historyConflict(context, path, comparison, { isWritten: reached !== undefined })
    before ??= actual?.current_version ?? 0
    if (comparison.kind === 'identical') return true
    const other = markIn(actual?.custom_metadata)
    if (reached !== undefined && other !== undefined && other !== mark)
      throw new TugError('conflict', `another run is writing ${path}: ${other}`, { service: 'secrets' })
    try {
      const { steps } = comparison
      const onWrite = (current: number) => (reached = current)
      const confirm = await writeHistory({ target, context, path, expected, actual, steps, mark, mayPatch, onWrite })
      if (confirms) await confirm?.()
      return true
    } catch (error) {
      if (!(error instanceof TugError) || !(error.reason === 'in_doubt' || error.code === 'conflict')) throw error
      failure ??= error
      if (error.reason === 'in_doubt') unknown = error
      return false
    }
  }
  try {
    if (!(await readUntil(context, attempt, (isDone) => isDone))) throw failure
  } catch (error) {
    throw error instanceof TugError ? withAccount(error) : error
  }
  target.destroyed += countDestroyed(expected, before ?? 0, context.now())
}

interface Compared {
  readonly actual: SecretRecord | undefined
  readonly comparison: Comparison
}

async function compareNow(
  context: Context,
  path: string,
  expected: SecretRecord,
  follows: Follows | undefined,
): Promise<Compared> {
  const actual = await readSnapshot(context, path, expected.path)
  return { actual, comparison: compareWith(expected, actual, context.now(), follows) }
}
