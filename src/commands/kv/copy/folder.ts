import type { Account, Failure } from '../../../bulk/account.ts'
import { bulkResult, isWhole, throwFailures } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { ifLive } from '../latest.ts'
import { isGone, isMissing } from '../missing.ts'
import { below, folderWords, relativeTo } from '../place.ts'
import { readOneOfMany, readPresent } from '../read.ts'
import { dataToWrite } from '../values.ts'
import { secretsBelow } from '../walk.ts'
import type { Counts, WrittenItem } from '../write-item.ts'
import {
  confirmSurplus,
  countsData,
  countsWords,
  deleteSecrets,
  planColumns,
  planItem,
  planRemoval,
  refuseEmptySource,
  surplusSecrets,
} from '../write-item.ts'
import { planHistory, transferHistory } from './history.ts'
import * as messages from './messages.ts'
import type { Route, Transfer } from './one.ts'
import { transferOne } from './one.ts'
import type { SideInput, Sides } from './sides.ts'
import { openSides, refuseMisplacedTarget } from './sides.ts'

type FolderInput = SideInput & BulkInput

/** What was found to copy. */
interface Found {
  readonly bulk: Bulk
  readonly sides: Sides
  readonly paths: readonly string[]
  /** Where the secret of a path goes. */
  readonly routeOf: (path: string) => Route
}

/** What was copied. */
interface Tally extends Counts {
  versions: number
  /** Deleted versions whose data was not read. */
  withoutData: number
}

/** Copies or moves everything below a folder. */
export async function transferBelow(
  context: Context,
  folders: Route,
  options: Transfer,
  input: FolderInput,
): Promise<Result> {
  const { moves, prune, all } = options
  const action = moves ? 'move' : 'copy'
  const bulk = await openBulk(context, input, { action, detail: destinationWords(folders.to, input) })
  const sides = await openSides(bulk.context, input)
  if (sides.isSamePlace) refuseSamePlace(folders, prune)
  await refuseMisplacedTarget(sides, folders)
  const moved = moves ? movedBefore(bulk) : []
  // A folder whose last secret was moved does not exist any more.
  const mayBeMissing = moved.length > 0
  const { paths, failures } = await secretsBelow(bulk.context, folders.from, { mayBeMissing })
  const routeOf = (from: string) => ({ from, to: below(folders.to, relativeTo(folders.from, from)) })
  if (sides.isSamePlace && options.mode !== 'new') refuseOverlap(paths, routeOf)
  // What is not known to be gone must not be deleted.
  if (prune) throwFailures(failures, 0)
  const found = { bulk, sides, paths, routeOf }
  const surplus = prune ? await surplusOf(found, folders, moved, all) : []
  // A copy with all versions deletes those itself that the source has deleted.
  const own = new Set(all ? paths.map((path) => routeOf(path).to) : [])
  const deletable = surplus.filter((path) => !own.has(path))
  if (input.plan === true) return planBelow(found, options, { failures, surplus: deletable })
  const source = sides.sourceWords(folders.from)
  if (moves) await context.io.confirm(messages.folderMoveQuestion(source, paths.length, all))
  await confirmSurplus(context, surplus, source)

  const tally: Tally = { created: 0, changed: 0, unchanged: 0, deleted: 0, earlier: 0, versions: 0, withoutData: 0 }
  let account = await copyAll(found, options, tally)
  noteLeftOut(context, account.counts.left_out)
  if (tally.withoutData > 0) context.io.note(messages.dataLeftOut(tally.withoutData))
  const written = account.counts.done
  tally.earlier = written - tally.created - tally.changed - (moves ? tally.unchanged : 0)
  if (isWhole(account) && deletable.length > 0) {
    account = await deleteSecrets(bulk, sides.target, deletable)
    tally.deleted = account.counts.done - written
  }
  const target = sides.targetWords(folders.to)
  const done = moves ? 'moved' : 'copied'
  const history = all ? `, ${plural(tally.versions, 'version')}` : ''
  const compares = options.compare || account.counts.unchanged > 0
  return bulkResult(bulk, account, {
    noun: 'secret',
    action,
    what: { from: source, to: target },
    done: compares
      ? `${done} from ${source} to ${target}: ${countsWords(tally)}${history}`
      : `${done} ${plural(account.counts.done, 'secret')} from ${source} to ${target}${history}`,
    branches: failures,
    data: { ...countsData(tally), ...(all ? { versions: tally.versions } : {}) },
  })
}

/** What a sync deletes: the live secrets that the source doesn't have, or has deleted. */
async function surplusOf(
  { bulk, sides, paths, routeOf }: Found,
  folders: Route,
  moved: readonly string[],
  all: boolean,
): Promise<string[]> {
  const deleted = new Set<string>()
  let live = 0
  for await (const outcome of bulk.read('reading secrets', paths, (path) => readOneOfMany(sides.source, path))) {
    if (!('error' in outcome) || !(isGone(outcome.error) || isMissing(outcome.error))) live += 1
    else if (isGone(outcome.error)) deleted.add(outcome.item)
  }
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

function refuseSamePlace({ from, to }: Route, prune: boolean): void {
  if (from === to) throw messages.samePaths()
  const isInside = (one: string, other: string) => other === '' || one.startsWith(`${other}/`)
  if (prune && (isInside(from, to) || isInside(to, from))) throw messages.nestedPrune()
}

/**
 * If one folder is inside the other, a secret can be both read and replaced; its data would depend on the order.
 * Without --force, nothing is replaced.
 */
function refuseOverlap(paths: readonly string[], routeOf: (path: string) => Route): void {
  const sources = new Set(paths)
  const from = paths.find((path) => sources.has(routeOf(path).to))
  if (from !== undefined) throw messages.overlap(from, routeOf(from).to)
}

function planBelow(
  { bulk, sides, paths, routeOf }: Found,
  options: Transfer,
  { failures, surplus }: { readonly failures: Failure[]; readonly surplus: readonly string[] },
): Result {
  let leftOut = 0
  const stepOf = async (path: string) => {
    const step = await planOne(sides, routeOf(path), options)
    if (step === undefined) leftOut += 1
    return step
  }
  const columns = options.all ? { numbers: ['versions'] } : { lists: planColumns }
  const plan = planResult(bulk, { items: paths, stepOf, more: surplus.map(planRemoval), failures, ...columns })
  return {
    ...plan,
    finish: () => {
      noteLeftOut(bulk.context, leftOut)
      return plan.finish?.()
    },
  }
}

async function planOne(sides: Sides, { from, to }: Route, options: Transfer): Promise<PlanStep | undefined> {
  if (options.all) return planHistory(sides, { from, to }, options)
  const secret = await ifLive(readOneOfMany(sides.source, from))
  if (secret === undefined) return undefined
  return planItem(to, await readPresent(sides.target, to), dataToWrite(secret.data), options.mode)
}

function copyAll({ bulk, sides, paths, routeOf }: Found, options: Transfer, tally: Tally): Promise<Account> {
  const { moves } = options
  return bulk.run({
    what: `${moves ? 'moving' : 'copying'} secrets`,
    items: paths,
    goneIsDone: moves,
    act: async (path, run) => {
      const own = { ...sides, source: run.within(sides.source), target: run.within(sides.target) }
      const how = { ...options, compare: options.compare || run.resuming }
      const item = await copyOne(own, routeOf(path), how, { run, tally })
      if (item === undefined) return { outcome: 'left_out' }
      tally[item.outcome === 'unchanged' ? 'unchanged' : item.created ? 'created' : 'changed'] += 1
      // A move of an equal secret has still removed its source.
      return moves ? { ...item, outcome: 'done' } : item
    },
  })
}

/** Copies one secret; undefined if it has nothing to copy. */
async function copyOne(
  sides: Sides,
  route: Route,
  options: Transfer,
  { run, tally }: { readonly run: ItemRun; readonly tally: Tally },
): Promise<WrittenItem | undefined> {
  if (options.all) {
    const copied = await transferHistory(sides, route, options, run)
    tally.versions += copied?.versions ?? 0
    tally.withoutData += copied?.withoutData ?? 0
    return copied
  }
  const secret = await ifLive(readOneOfMany(sides.source, route.from))
  return secret === undefined ? undefined : transferOne(sides, route, secret, options)
}

/** A secret without a live version is not a failure. */
function noteLeftOut({ io }: Context, count: number): void {
  if (count > 0) io.note(messages.leftOut(count))
}
