import type { BulkInput } from '../../../bulk/flags.ts'
import { refuseBesidePlan, refuseBulkFlags } from '../../../bulk/flags.ts'
import { planResult } from '../../../bulk/plan.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { writeFacts } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import { flagName } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { readOutline } from '../backup/snapshot.ts'
import { orMeant } from '../missing.ts'
import { asFolder, asSecret } from '../place.ts'
import { readPresent, readSecret } from '../read.ts'
import { dataToWrite, mapOf } from '../values.ts'
import { unchangedResult, writtenResult } from '../write.ts'
import type { SideInput, Sides } from './sides.ts'
import { namesSide, openSides, refuseMisplacedTarget } from './sides.ts'
import { transferBelow } from './transfer-below.ts'
import { planHistory, transferHistory } from './transfer-history.ts'
import type { Route, Transfer } from './transfer-one.ts'
import { transferOne } from './transfer-one.ts'
import { planColumns, planItem } from './write-item.ts'

interface Input extends SideInput, BulkInput {
  readonly from: string
  readonly to: string | undefined
  readonly recursive: boolean | undefined
  readonly versions: 'current' | 'all' | undefined
  readonly force: boolean | undefined
  readonly update: boolean | undefined
  readonly prune: boolean | undefined
  readonly literalPath: boolean | undefined
  readonly plan: boolean | undefined
  readonly exitCode: boolean | undefined
}

/** Copies or moves a secret, or with `recursive` everything below a folder. */
export async function transfer(input: Input, context: Context, moves: boolean): Promise<Result> {
  const { parallel, rate, maxFailures, journal, resume } = input
  const pace = { parallel, rate, maxFailures, journal, resume }
  refuse(input, pace)
  const { from, to = from } = input
  const all = (input.versions ?? (moves && input.force !== true ? 'all' : 'current')) === 'all'
  const options: Transfer = {
    moves,
    all,
    mode: input.force === true ? 'force' : input.update === true ? 'update' : 'new',
    compare: input.update === true || input.prune === true,
    hint:
      all && !moves ? 'a history is never replaced; choose another path' : 'pass --force to write a new version of it',
  }
  if (input.recursive !== true) return transferSingle(context, { from, to }, options, input)
  const { plan = false, prune = false, exitCode = false, literalPath } = input
  const folders = { from: asFolder(from), to: asFolder(to) }
  return transferBelow(context, folders, { ...options, side: input, pace, plan, prune, exitCode, literalPath })
}

function refuse(input: Input, pace: BulkInput): void {
  if (input.to === undefined && !namesSide(input))
    throw usageError('<to> is missing', 'give the new path, or another place: --to-mount, --to-profile, --to-namespace')
  if (input.recursive !== true) {
    refuseBulkFlags(pace, 'needs --recursive')
    if (input.prune === true) throw usageError('--prune needs --recursive')
  }
  if (input.force === true && input.versions === 'all')
    throw usageError('--force replaces the current version; a history is never replaced', 'omit --versions all')
  if (input.force === true && input.update === true) throw usageError('--force and --update cannot be combined')
  refuseBesidePlan({ plan: input.plan, exitCode: input.exitCode, ...pace })
}

async function transferSingle(context: Context, route: Route, options: Transfer, input: Input): Promise<Result> {
  const forAll = recursiveHint(context, input)
  const [from, to] = [asSecret(route.from, forAll), asSecret(route.to, 'give the new path of the secret')]
  const sides = await openSides(context, input)
  if (sides.isSamePlace && from === to) throw usageError('both paths are the same')
  await refuseMisplacedTarget(sides, { from, to }, input.literalPath)
  if (options.all) return historyResult(sides, { from, to }, options, { ...input, forAll })
  const secret = await readSecret(context, from).catch(async (error: unknown) => {
    throw await orMeant(context, from, error, [forAll])
  })
  if (input.plan === true) {
    const present = await readPresent(sides.target, to)
    const step = planItem(to, present, dataToWrite(secret.data), options.mode)
    return planResult(context, [step], { failures: [], exitCode: input.exitCode === true, columns: planColumns })
  }
  if (options.moves) await context.io.confirm(lossQuestion(from, asJson(secret.metadata.custom_metadata ?? null)))
  const { written, after } = await transferOne(sides, { from, to }, secret, options)
  const words = `${sides.sourceWords(from)} to ${sides.targetWords(to)}`
  if (written !== undefined)
    return writtenResult(written, `${options.moves ? 'moved' : 'copied'} ${words}, version ${String(written.version)}`)
  if (!options.moves) return unchangedResult('copy', sides.targetWords(to), after ?? null)
  return { done: `moved ${words}, which was equal`, data: writeFacts('move', { from, to }, true) }
}

/** Copies or moves one secret with its history. */
async function historyResult(
  sides: Sides,
  { from, to }: Route,
  options: Transfer,
  { plan, exitCode, forAll }: Pick<Input, 'plan' | 'exitCode'> & { readonly forAll: string },
): Promise<Result> {
  const { source } = sides
  const { record } = await readOutline(source, from).catch(async (error: unknown) => {
    throw await orMeant(source, from, error, [forAll])
  })
  if (plan === true) {
    const step = await planHistory(sides, { from, to }, options)
    const steps = step === undefined ? [] : [step]
    return planResult(source, steps, { failures: [], exitCode: exitCode === true, columns: ['versions'] })
  }
  const words = `${sides.sourceWords(from)} to ${sides.targetWords(to)}`
  const what = plural(record.current_version, 'version')
  if (options.moves) await source.io.confirm(`Move ${words}, with ${what}, and remove ${from}?`)
  const copied = await transferHistory(sides, { from, to }, options)
  if (copied === undefined) throw usageError(`${from} was removed meanwhile`)
  const verb = options.moves ? 'moved' : 'copied'
  const missing =
    copied.withoutData === 0 ? '' : `; the data of ${plural(copied.withoutData, 'deleted version')} was left out`
  const isSame = copied.outcome === 'unchanged' && !options.moves
  return {
    done: isSame
      ? `${sides.targetWords(to)} is up to date; nothing was written`
      : `${verb} ${words}, ${plural(copied.versions, 'version')}${missing}`,
    data: writeFacts(
      options.moves ? 'move' : 'copy',
      { from: sides.sourceWords(from), to: sides.targetWords(to) },
      !isSame,
      { versions: copied.versions },
    ),
  }
}

function recursiveHint(context: Context, input: Input): string {
  const places = [input.from, ...(input.to === undefined ? [] : [input.to])].map(asFolder)
  const typed = (['toMount', 'toProfile', 'toNamespace', 'versions'] as const).flatMap((key) => {
    const value = input[key]
    return value === undefined ? [] : [flagName(key), value]
  })
  const line = context.commandLine(context.commandPath.join(' '), ...places, '--recursive', ...typed)
  return `for everything below the folder: ${line}`
}

function lossQuestion(from: string, custom: Json): string {
  const keys = keysOf(mapOf(custom))
  const lost = keys.length === 0 ? '' : `, and custom metadata (${keys.join(', ')})`
  return `Move ${from}? Its older versions and settings${lost} are permanently removed.`
}
