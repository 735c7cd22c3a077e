import type { Account, Failure } from '../../../bulk/account.ts'
import { throwFailures } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import { bulkResult, isWhole } from '../../../bulk/result.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import type { Result, ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import { isGone, isMissing } from '../missing.ts'
import { below, folderWords, relativeTo } from '../place.ts'
import { readOneOfMany, readPresent } from '../read.ts'
import { dataToWrite } from '../values.ts'
import { secretsBelow } from '../walk.ts'
import { confirmSurplus, deletedAmong, deleteSecrets, refuseEmptySource, surplusSecrets } from './prune.ts'
import type { SideInput, Sides } from './sides.ts'
import { openSides, refuseMisplacedTarget } from './sides.ts'
import type { Route, Transfer } from './transfer-one.ts'
import { planHistory, transferHistory } from './transfer-history.ts'
import { transferOne } from './transfer-one.ts'
import type { Counts, WrittenItem } from './write-item.ts'
import { countsData, countsWords, planColumns, planItem, planRemoval } from './write-item.ts'

/** How to copy a folder. */
export interface FolderTransfer extends Transfer {
  readonly side: SideInput
  readonly pace: BulkInput
  readonly plan: boolean
  readonly prune: boolean
  readonly exitCode: boolean
  readonly literalPath: boolean | undefined
}

/** What was found to copy. */
interface Found {
  readonly bulk: Bulk
  readonly sides: Sides
  readonly paths: readonly string[]
  /** Where the secret of a path goes. */
  readonly routeOf: (path: string) => Route
  /** Folders that could not be listed. */
  readonly failures: readonly Failure[]
  /** What is deleted at last: live secrets of the new folder that the old one doesn't have, or has deleted. */
  readonly surplus: readonly string[]
}

/** What was copied. */
interface Tally extends Counts {
  versions: number
  /** Deleted versions whose data was not read. */
  withoutData: number
}

/** Copies or moves everything below a folder. */
export async function transferBelow(context: Context, folders: Route, options: FolderTransfer): Promise<Result> {
  const { moves, pace, plan, prune } = options
  const bulk = await openBulk(context, pace, {
    action: moves ? 'move' : 'copy',
    parallel: secretsAtOnce,
    detail: destinationWords(folders.to, options.side),
  })
  const sides = await openSides(bulk.context, options.side)
  if (sides.isSamePlace) refuseSamePlace(folders, prune)
  await refuseMisplacedTarget(sides, folders, options.literalPath)
  const moved = moves ? movedBefore(bulk) : []
  // A folder whose last secret was moved does not exist any more.
  const { paths, failures } = await secretsBelow(bulk.context, folders.from, {
    ...pace,
    mayBeMissing: moved.length > 0,
  })
  const routeOf = (from: string) => ({ from, to: below(folders.to, relativeTo(folders.from, from)) })
  if (sides.isSamePlace && options.mode !== 'new') refuseOverlap(paths, routeOf)
  // What is not known to be gone must not be deleted.
  if (prune) throwFailures(failures, 0)
  const surplus = prune ? await surplusOf({ bulk, sides, paths, routeOf }, folders, moved, options.all) : []
  // A copy with all versions deletes those itself that the source has deleted.
  const own = new Set(options.all ? paths.map((path) => routeOf(path).to) : [])
  const found = { bulk, sides, paths, routeOf, failures, surplus: surplus.filter((path) => !own.has(path)) }
  if (plan) return planBelow(found, options)
  if (moves) await context.io.confirm(moveQuestion(sides.sourceWords(folders.from), paths.length, options.all))
  await confirmSurplus(context, surplus, sides.sourceWords(folders.from))
  return runBelow(found, folders, options)
}

/** What a sync deletes: the live secrets that the source doesn't have, or has deleted. */
async function surplusOf(
  { bulk, sides, paths, routeOf }: Omit<Found, 'failures' | 'surplus'>,
  folders: Route,
  moved: readonly string[],
  all: boolean,
): Promise<string[]> {
  const { deleted, live } = await deletedAmong(bulk, sides.source, paths)
  refuseEmptySource((all ? paths.length : live) + moved.length, sides.sourceWords(folders.from))
  const kept = new Set([...paths.filter((path) => !deleted.has(path)), ...moved].map((path) => routeOf(path).to))
  return surplusSecrets(bulk, sides.target, folders.to, (path) => kept.has(path))
}

/** What an earlier run moved, or may have: the old folder no longer lists it. */
function movedBefore({ past }: Bulk): string[] {
  const outcomes = [...(past?.outcomes ?? [])]
  return outcomes.filter(([, outcome]) => outcome !== 'failed').map(([path]) => path)
}

/** Where to, for the journal: as typed, because the other side is opened later. */
function destinationWords(folder: string, { toProfile, toNamespace, toMount }: SideInput): string {
  const place = [toProfile, toNamespace, toMount].filter((part) => part !== undefined)
  return ['to', ...place, folderWords(folder)].join(' ')
}

function moveQuestion(start: string, count: number, all: boolean): string {
  const whose = count === 1 ? 'Its' : 'Their'
  if (all)
    return `Move ${plural(count, 'secret')} below ${start} with every version, and remove the old ${count === 1 ? 'path' : 'paths'}?`
  return `Move ${plural(count, 'secret')} below ${start}? ${whose} older versions and metadata are permanently removed.`
}

function refuseSamePlace({ from, to }: Route, prune: boolean): void {
  if (from === to) throw usageError('both paths are the same')
  const isInside = (one: string, other: string) => other === '' || one.startsWith(`${other}/`)
  if (prune && (isInside(from, to) || isInside(to, from)))
    throw usageError('--prune needs two folders of which neither is inside the other')
}

/**
 * If one folder is inside the other, a secret can be both read and replaced; its data would depend on the order.
 * Without --force, nothing is replaced.
 */
function refuseOverlap(paths: readonly string[], routeOf: (path: string) => Route): void {
  const sources = new Set(paths)
  const from = paths.find((path) => sources.has(routeOf(path).to))
  if (from === undefined) return
  throw usageError(
    `${routeOf(from).to} would be both replaced by ${from} and copied itself`,
    'choose a folder outside of the first one, or omit --force',
  )
}

async function planBelow(
  { bulk, sides, paths, routeOf, failures, surplus }: Found,
  options: FolderTransfer,
): Promise<ValueResult> {
  const steps: PlanStep[] = []
  const failed = [...failures]
  let leftOut = 0
  const read = async (path: string) => {
    const { from, to } = routeOf(path)
    if (options.all) return planHistory(sides, { from, to }, options)
    const { data } = await readOneOfMany(sides.source, from)
    return planItem(to, await readPresent(sides.target, to), dataToWrite(data), options.mode)
  }
  for await (const outcome of bulk.read('reading secrets', paths, read, { total: paths.length })) {
    if (!('error' in outcome)) {
      if (outcome.value === undefined) leftOut += 1
      else steps.push(outcome.value)
    } else if (isGone(outcome.error) || isMissing(outcome.error)) leftOut += 1
    else failed.push(outcome)
  }
  steps.push(...surplus.map(planRemoval))
  noteLeftOut(bulk.context, leftOut)
  return planResult(bulk.context, steps, {
    failures: failed,
    exitCode: options.exitCode,
    columns: options.all ? ['versions'] : planColumns,
  })
}

async function runBelow(found: Found, folders: Route, options: FolderTransfer): Promise<Result> {
  const { bulk, sides, failures, surplus } = found
  const tally: Tally = { created: 0, changed: 0, unchanged: 0, deleted: 0, earlier: 0, versions: 0, withoutData: 0 }
  let account = await copyAll(found, options, tally)
  noteLeftOut(bulk.context, account.counts.left_out)
  if (tally.withoutData > 0)
    bulk.context.io.note(`the data of ${plural(tally.withoutData, 'deleted version')} was left out`)
  const written = account.counts.done
  tally.earlier = written - tally.created - tally.changed - (options.moves ? tally.unchanged : 0)
  if (isWhole(account) && surplus.length > 0) {
    account = await deleteSecrets(bulk, sides.target, surplus)
    tally.deleted = account.counts.done - written
  }
  const places = `from ${sides.sourceWords(folders.from)} to ${sides.targetWords(folders.to)}`
  const moved = options.moves ? 'moved' : 'copied'
  const history = options.all ? `, ${plural(tally.versions, 'version')}` : ''
  const compares = options.compare || account.counts.unchanged > 0
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: options.moves ? 'move' : 'copy',
    what: { from: sides.sourceWords(folders.from), to: sides.targetWords(folders.to) },
    done: compares
      ? `${moved} ${places}: ${countsWords(tally)}${history}`
      : `${moved} ${plural(account.counts.done, 'secret')} ${places}${history}`,
    branches: failures,
    data: {
      ...countsData(tally),
      ...(options.all ? { versions: tally.versions } : {}),
    },
  })
}

function copyAll({ bulk, sides, paths, routeOf }: Found, options: FolderTransfer, tally: Tally): Promise<Account> {
  return bulk.run({
    what: `${options.moves ? 'moving' : 'copying'} secrets`,
    items: paths,
    total: paths.length,
    nameOf: (path) => path,
    goneIsDone: options.moves,
    act: async (path, run) => {
      const { within, resuming } = run
      const own = { ...sides, source: within(sides.source), target: within(sides.target) }
      const item = await copyOne(own, routeOf(path), { ...options, compare: options.compare || resuming, run }, tally)
      if (item === undefined) return { outcome: 'left_out' }
      tally[item.outcome === 'unchanged' ? 'unchanged' : item.created ? 'created' : 'changed'] += 1
      // A move of an equal secret has still removed its source.
      return options.moves ? { ...item, outcome: 'done' } : item
    },
  })
}

/** Copies one secret; undefined if it has nothing to copy. */
async function copyOne(
  sides: Sides,
  route: Route,
  options: FolderTransfer & { readonly run: ItemRun },
  tally: Tally,
): Promise<WrittenItem | undefined> {
  if (options.all) {
    const copied = await transferHistory(sides, route, options, options.run)
    tally.versions += copied?.versions ?? 0
    tally.withoutData += copied?.withoutData ?? 0
    return copied
  }
  const secret = await readOneOfMany(sides.source, route.from).catch((error: unknown) => {
    if (isGone(error) || isMissing(error)) return undefined
    throw error
  })
  return secret === undefined ? undefined : transferOne(sides, route, secret, options)
}

/** A secret without a live version is not a failure. */
function noteLeftOut({ io }: Context, count: number): void {
  if (count > 0) io.note(`${plural(count, 'secret')} left out: no live version`)
}
