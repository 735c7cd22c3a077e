import * as api from '../../../api/kv.ts'
import { openReads } from '../../../bulk/engine.ts'
import { bulkFlags, planFlags } from '../../../bulk/flags.ts'
import { planResult } from '../../../bulk/plan.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { command, writeFacts } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { EndpointFacts } from '../../../core/endpoint.ts'
import { keysOf } from '../../../core/json.ts'
import type { Input, Param } from '../../../core/param.ts'
import { flag, flagName, needing, readSegments } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { readOutline } from '../backup/snapshot.ts'
import { forFolder, passForce } from '../messages.ts'
import { explainMissing } from '../missing.ts'
import { asFolder, asSecret, secretOrFolder } from '../place.ts'
import { readPresent, readSecret } from '../read.ts'
import { dataToWrite, mapOf } from '../values.ts'
import { planColumns, planItem } from '../write-item.ts'
import { unchangedResult, writtenResult } from '../write.ts'
import { transferBelow } from './folder.ts'
import { planHistory, transferHistory } from './history.ts'
import * as messages from './messages.ts'
import type { Route, Transfer } from './one.ts'
import { transferOne } from './one.ts'
import type { Sides } from './sides.ts'
import { namesSide, openSides, refuseMisplacedTarget } from './sides.ts'

const anyPath = secretOrFolder('new path (default: the same, with --to-mount, --to-profile or --to-namespace)', {
  placeholder: 'to',
  required: false,
})

/** Undefined if it isn't given; the root is ''. */
const newPath: Param<string | undefined> = {
  ...anyPath,
  read: (texts, label) => (texts.length === 0 ? undefined : anyPath.read(texts, label)),
}

/** The flags that say where else to write. */
const sideFlags = {
  toMount: flag.of('mount to write to', readSegments, { placeholder: 'path' }),
  toProfile: flag.text('profile of the server to write to', { placeholder: 'name', complete: 'profile' }),
  toNamespace: flag.text('namespace to write to', { placeholder: 'ns' }),
}

/** The arguments and flags of both commands. */
const params = {
  from: secretOrFolder('secret to read; with --recursive a folder', { placeholder: 'from' }),
  to: newPath,
  recursive: flag.boolean('work on every secret below the folder'),
  ...sideFlags,
  versions: flag.choice('the current version, or all with settings and custom metadata', ['current', 'all']),
  force: flag.boolean('write a new version of an existing secret', { excludes: ['update'] }),
  update: flag.boolean('write a new version of an existing secret if it differs'),
  prune: flag.boolean('with --recursive, delete secrets below the new folder that the old one does not have', {
    needs: ['recursive'],
  }),
  ...planFlags,
  ...needing(bulkFlags, 'recursive'),
}

/** The endpoints that both commands call. */
const endpoints: readonly EndpointFacts[] = [
  api.readData,
  api.writeData,
  api.list,
  api.deleteLatest,
  api.readMetadata,
  api.writeMetadata,
  api.deleteVersions,
  api.destroyVersions,
  api.readMount,
]

export const copy = command({
  name: 'copy',
  summary: 'Copy a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies the current version: no older versions, settings or custom metadata. --versions all copies every version with its state, settings and custom metadata; a history is never replaced, and deleted versions are copied without their data. Existing secrets are not replaced (check-and-set 0); --update writes a new version of those that differ, on top of the version that was read, and --force of every one. --recursive copies everything below a folder; with --update and --prune a repeated copy makes the new folder equal to the old one, and writes nothing the second time. With --versions all, --update adds the versions that are new, and --prune also deletes those that the old path has deleted, destroyed or pruned; it destroys none.

--to-mount, --to-profile and --to-namespace write somewhere else: address, token, dialect and TLS of the other server come from its profile. Secrets without a live version are left out and counted. --plan shows, without values, what would be written. What fails is reported at the end with every other secret (exit status 10), and --resume goes on with the journal of an earlier run.`,
  also: endpoints,
  params: params,
  writesElsewhere: ({ toProfile }) => toProfile !== undefined,
  examples: [
    { line: 'kv copy app/db app/db-backup', note: 'one secret' },
    { line: 'kv copy app staging/app --recursive', note: 'everything below a folder' },
    { line: 'kv copy app/db app/db2 --versions all', note: 'with its history' },
    { line: 'kv copy app mirror/app --recursive --update --prune --yes', note: 'make a folder equal to another' },
  ],
  run: (input, context) => transfer(input, context, false),
})

export const move = command({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies every version with its state, settings and custom metadata, then asks and removes the old path; a history is never replaced. The data of deleted versions moves too: they are restored for the moment in which they are read. Times are those of the move. --versions current moves only the latest version, and older versions, settings and custom metadata are removed; so does --force, which writes a new version of an existing secret.

The current version is read right before the removal: a secret that somebody wrote in the meantime is kept, with exit status 5. --to-mount, --to-profile and --to-namespace move somewhere else. What fails is reported at the end with every other secret (exit status 10), and --resume goes on with the journal of an earlier run.`,
  also: [...endpoints, api.undeleteVersions, api.deleteMetadata],
  params: params,
  examples: [
    { line: 'kv move app/db app/database', note: 'asks before it removes the old path' },
    { line: 'kv move app/db app/new --versions current', note: 'without its history' },
    { line: 'kv move app old/app --recursive --yes', note: 'a whole folder, in a script' },
  ],
  run: (input, context) => transfer(input, context, true),
})

type TransferInput = Input<typeof params>

/** Copies or moves a secret, or with `recursive` everything below a folder. */
async function transfer(input: TransferInput, context: Context, moves: boolean): Promise<Result> {
  refuse(input)
  const { from, to = from } = input
  const all = (input.versions ?? (moves && input.force !== true ? 'all' : 'current')) === 'all'
  const options: Transfer = {
    moves,
    all,
    mode: input.force === true ? 'force' : input.update === true ? 'update' : 'new',
    compare: input.update === true || input.prune === true,
    prune: input.prune === true,
    hint: all && !moves ? messages.historyKept : passForce,
  }
  if (input.recursive !== true) return transferSingle(context, { from, to }, options, input)
  return transferBelow(context, { from: asFolder(from), to: asFolder(to) }, options, input)
}

function refuse(input: TransferInput): void {
  if (input.to === undefined && !namesSide(input)) throw messages.missingTarget()
  if (input.force === true && input.versions === 'all') throw messages.forceOverHistory()
}

async function transferSingle(
  context: Context,
  route: Route,
  options: Transfer,
  input: TransferInput,
): Promise<Result> {
  const forAll = recursiveHint(context, input)
  const [from, to] = [asSecret(route.from, forAll), asSecret(route.to, 'give the new path of the secret')]
  const sides = await openSides(context, input)
  if (sides.isSamePlace && from === to) throw messages.samePaths()
  await refuseMisplacedTarget(sides, { from, to })
  const explain = explainMissing(context, from, () => [forAll])
  const bulk = await openReads(context, { exitCode: input.exitCode })
  const words = `${sides.sourceWords(from)} to ${sides.targetWords(to)}`
  if (options.all) {
    const { current_version } = await readOutline(context, from).catch(explain)
    if (input.plan === true) {
      const stepOf = () => planHistory(sides, { from, to }, options)
      return planResult(bulk, { items: [to], stepOf, numbers: ['versions'] })
    }
    if (options.moves) await context.io.confirm(messages.historyMoveQuestion(words, from, current_version))
    return historyResult(sides, { from, to }, options)
  }
  const secret = await readSecret(context, from).catch(explain)
  if (input.plan === true) {
    const data = dataToWrite(secret.data)
    const stepOf = async () => planItem(to, await readPresent(sides.target, to), data, options.mode)
    return planResult(bulk, { items: [to], stepOf, lists: planColumns })
  }
  if (options.moves)
    await context.io.confirm(messages.moveQuestion(from, keysOf(mapOf(asJson(secret.metadata.custom_metadata)))))
  const { written, after } = await transferOne(sides, { from, to }, secret, options)
  if (written !== undefined)
    return writtenResult(written, `${options.moves ? 'moved' : 'copied'} ${words}, version ${String(written.version)}`)
  if (!options.moves) return unchangedResult('copy', sides.targetWords(to), after ?? null)
  return { done: `moved ${words}, which was equal`, data: writeFacts('move', { from, to }, true) }
}

/** Copies or moves one secret with its history. */
async function historyResult(sides: Sides, { from, to }: Route, options: Transfer): Promise<Result> {
  const copied = await transferHistory(sides, { from, to }, options)
  if (copied === undefined) throw messages.removedMeanwhile(from)
  const { versions, withoutData } = copied
  const [source, target] = [sides.sourceWords(from), sides.targetWords(to)]
  const missing = withoutData === 0 ? '' : `; ${messages.dataLeftOut(withoutData)}`
  const isSame = copied.outcome === 'unchanged' && !options.moves
  return {
    done: isSame
      ? `${target} is up to date; nothing was written`
      : `${options.moves ? 'moved' : 'copied'} ${source} to ${target}, ${plural(versions, 'version')}${missing}`,
    data: writeFacts(options.moves ? 'move' : 'copy', { from: source, to: target }, !isSame, { versions }),
  }
}

function recursiveHint(context: Context, input: TransferInput): string {
  const places = [input.from, ...(input.to === undefined ? [] : [input.to])].map(asFolder)
  const typed = (['toMount', 'toProfile', 'toNamespace', 'versions'] as const).flatMap((key) => {
    const value = input[key]
    return value === undefined ? [] : [[flagName(key), value] as const]
  })
  const line = context.commandLine(context.commandPath.join(' '), ...places, ['--recursive'], ...typed)
  return forFolder(line)
}
