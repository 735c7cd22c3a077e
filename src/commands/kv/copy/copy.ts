import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import type { EndpointFacts } from '../../../core/endpoint.ts'
import type { TugError } from '../../../core/errors.ts'
import { unlessForbidden, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { flag, readSegments } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import type { Decision, Shown, Stage, Unlisted, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import type { writeFlags } from '../../../write/write.ts'
import { write } from '../../../write/write.ts'
import { asFolder, asSecret, below, forFolder, optionalPath, relativeTo, secretOrFolder } from '../data/paths.ts'
import { keyColumns, registerSecrets } from '../data/values.ts'
import { seeVersions } from '../data/versions.ts'
import { readOutline } from '../histories/record.ts'
import type { HistoryTarget } from '../histories/restore.ts'
import { noteDestroyed, openHistories } from '../histories/restore.ts'
import type { Rights } from '../histories/rights.ts'
import { announced, createRights } from '../histories/rights.ts'
import type { LineIn } from '../mount/misplaced.ts'
import { refuseMisplaced, typedLineIn } from '../mount/misplaced.ts'
import { secretsToWrite } from '../mount/targets.ts'
import { secretsBelow } from '../mount/walk.ts'
import type { DataToWrite } from '../secret/index.ts'
import { createDataDecider, decideData, findSecret, pruneStage } from '../secret/index.ts'
import { decideCopy, decideMove } from './data.ts'
import { decideHistory } from './history.ts'
import type { Route, Sides } from './sides.ts'
import { namesSide, openSides } from './sides.ts'

/** The arguments and flags of both commands. */
const params = {
  from: secretOrFolder('secret to read; with --recursive a folder', { placeholder: 'from' }),
  to: optionalPath('new path (default: the same, with --to-mount, --to-profile or --to-namespace)', {
    placeholder: 'to',
  }),
  recursive: flag.boolean('act on every secret below the folder', { short: 'r' }),
  toMount: flag.of('mount to write to', readSegments, { placeholder: 'path' }),
  toProfile: flag.text('profile of the server to write to', { placeholder: 'name', complete: 'profile' }),
  toNamespace: flag.text('namespace to write to', { placeholder: 'ns' }),
  versions: flag.choice('the current version, or all with settings and custom metadata', ['current', 'all']),
  update: flag.boolean('write a new version of an existing secret if it differs'),
  prune: flag.boolean('with --recursive, delete secrets that only the new folder has', {
    needs: ['recursive'],
  }),
  force: flag.boolean('same as --update', { short: 'f' }),
}

/** The endpoints that both commands call. */
const endpoints: readonly EndpointFacts[] = [
  api.readData,
  api.writeData,
  api.list,
  api.deleteLatest,
  api.readMetadata,
  api.writeMetadata,
  api.patchMetadata,
  api.deleteVersions,
  api.destroyVersions,
  api.readMount,
  api.readCapabilities,
]

export const copy = write({
  name: 'copy',
  summary: 'Copy a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies the current version: no older versions, settings or custom metadata. --versions all copies those too; a history is never replaced, and one that is the beginning of the other is continued. Deleted versions cannot be read, so they are destroyed at the new path, and counted. A secret that is equal already is left alone, one that differs is a conflict (exit status 5); --update writes a new version of it, on top of the one that was read. With --recursive, --update and --prune, a repeated copy makes the new folder equal to the old one, and writes nothing the second time. A new folder inside the old one is not copied itself. With --versions all, --update adds new versions, and --prune also deletes those that the old path has deleted, destroyed or pruned; it destroys none.

Address, token, dialect and TLS of another server come from its profile (--to-profile). Secrets without a live version are left out and counted. To continue an interrupted copy, run it again.`,
  also: endpoints,
  params,
  writesElsewhere: ({ toProfile }) => toProfile !== undefined,
  examples: [
    { line: 'kv copy app/db app/db-backup', note: 'one secret' },
    { line: 'kv copy app staging/app --recursive', note: 'everything below a folder' },
    { line: 'kv copy app/db app/db2 --versions all', note: 'with its history' },
    { line: 'kv copy app mirror/app --recursive --update --prune --yes', note: 'make a folder equal to another' },
  ],
  open: (input, context) => openTransfer(input, context),
})

export const move = write({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies every version with its state, settings and custom metadata, then removes the old path; asks first. A history is never replaced; one that is the beginning of the other is continued. A secret with deleted versions, which cannot be read, is not moved (exit status 5): undelete them first, or pass --without-deleted, which destroys them at the new path. Times are those of the move. --versions current moves only the latest version, and removes older versions, settings and custom metadata; with it, --update writes a new version of a secret that exists.

The metadata is read right before the removal: a secret that somebody changed meanwhile is kept, with exit status 5. To continue an interrupted move, run it again.`,
  also: [...endpoints, api.deleteMetadata],
  params: {
    ...params,
    withoutDeleted: flag.boolean('move secrets with deleted versions too, without the data of those'),
  },
  examples: [
    { line: 'kv move app/api app/gateway', note: 'asks before it removes the old path' },
    { line: 'kv move app/db app/new --versions current', note: 'without its history' },
    { line: 'kv move team/search search --recursive --yes', note: 'a whole folder, in a script' },
  ],
  open: ({ withoutDeleted = false, ...input }, context) => openTransfer(input, context, { withoutDeleted }),
})

type TransferInput = Input<typeof params & typeof writeFlags>

/** What both commands need of the line. */
interface Transfer {
  readonly sides: Sides
  /** Undefined for a copy. */
  readonly moves: { readonly withoutDeleted: boolean } | undefined
  /** True if every version is copied, with settings and custom metadata. */
  readonly all: boolean
  readonly mayReplace: boolean
  readonly prune: boolean
  readonly histories: HistoryTarget
  /** What the token may do at the source. */
  readonly rights: Rights
  readonly lineIn: LineIn
  readonly leftOut: LeftOut
}

async function openTransfer(input: TransferInput, context: Context, moves?: Transfer['moves']): Promise<Work> {
  const { from, to = from } = input
  if (input.to === undefined && !namesSide(input))
    throw usageError(
      '<to> is missing',
      'give the new path, or another destination: --to-mount, --to-profile, --to-namespace',
    )
  const all = (input.versions ?? (moves === undefined ? 'current' : 'all')) === 'all'
  if (moves?.withoutDeleted === true && !all)
    throw usageError('--without-deleted has no effect with --versions current, which moves no other version')
  const isFolder = input.recursive === true
  const hint = isFolder ? '' : forFolder(context.typedLine({ recursive: 'true' }))
  const route = isFolder
    ? { from: asFolder(from), to: asFolder(to) }
    : { from: asSecret(from, hint), to: asSecret(to, 'give the new path of the secret') }
  const sides = await openSides(context, input)
  if (sides.isSamePlace && route.from === route.to) throw usageError('both paths are the same')
  if (sides.isSamePlace && input.prune === true && isNested(route))
    throw usageError('--prune cannot be used if one of the folders is inside the other')
  // A path can name another mount also if the line has none for it yet.
  const named = { ...sides.target, mountKey: 'toMount' }
  if (route.from !== route.to) await refuseMisplaced(named, route.to, { before: [route.from], from: context })
  const mayReplace = input.update === true || input.force === true
  const lineIn = typedLineIn(named, route.to, input.to === undefined ? undefined : 'to')
  const histories = openHistories(sides.target, lineIn)
  const rights = sides.source === sides.target ? histories.rights : createRights(sides.source)
  const leftOut: LeftOut = { secrets: new Set(), inside: 0, refused: 0 }
  const prune = input.prune === true
  const transfer: Transfer = { sides, moves, all, mayReplace, prune, histories, rights, lineIn, leftOut }
  return isFolder ? openFolder(context, route, transfer, from) : openSingle(context, route, transfer, hint)
}

/** True if one of the folders is inside the other. */
function isNested({ from, to }: Route): boolean {
  return isInside(from, to) || isInside(to, from)
}

function isInside(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}

/** What all targets of a line have in common, and what happened to versions and secrets without data. */
function commonWork({ moves, all, histories, leftOut }: Transfer, context: Context) {
  return {
    action: moves === undefined ? 'copy' : 'move',
    target: 'to',
    noun: 'secret',
    progress: `${moves === undefined ? 'copying' : 'moving'} secrets`,
    columns: all ? ['from', 'versions'] : ['from', ...keyColumns],
    close: () => {
      const { io } = context
      if (leftOut.secrets.size > 0) io.note(`${plural(leftOut.secrets.size, 'secret')} left out: no live version`)
      if (leftOut.inside > 0) io.note(`${plural(leftOut.inside, 'secret')} left out: already in the target folder`)
      noteDestroyed(histories)
      if (leftOut.refused === 0) return {}
      return {
        hint: `to move those with deleted versions too, without their data: ${context.typedLine({ withoutDeleted: 'true' })}`,
      }
    },
  }
}

interface LeftOut {
  /** Those without a live version. */
  readonly secrets: Set<string>
  /** The number of those in the target, where that is a folder in the source. */
  inside: number
  /** Secrets of a folder that were not moved, because they have deleted versions. */
  refused: number
}

function openSingle(context: Context, route: Route, transfer: Transfer, hint: string): Work {
  const { sides, moves, all, mayReplace, lineIn } = transfer
  const { from, to } = route
  const words = `${sides.sourceWords(from)} to ${sides.targetWords(to)}`
  const decide = async (): Promise<Decision> => {
    const found = all ? await decideAll(transfer, route, undefined) : undefined
    if (found !== undefined) return found
    const secret = await findSecret(context, from)
    if (secret.state === 'missing') {
      const error = await secret.explain(() => [hint])
      throw moves === undefined ? error : await perhapsMoved(error, sides, route)
    }
    if (secret.state !== 'live') throw secret.error
    registerSecrets(context.io, secret.data, from)
    const options = { mayReplace, lineIn, decideData: (data: DataToWrite) => decideData(sides.target, data) }
    return moves !== undefined ? decideMove(sides, route, secret, options) : decideCopy(sides, route, secret, options)
  }
  const ask = ([shown]: readonly Shown<Route>[]) => {
    const { versions, custom_metadata_removed: custom } = shown?.facts ?? {}
    if (all) return `Move ${words}, with ${plural(Number(versions ?? 0), 'version')}, and remove ${from}?`
    const named = Array.isArray(custom) && custom.length > 0 ? `, and custom metadata (${custom.join(', ')})` : ''
    return `Move ${from}? Its older versions and settings${named} are permanently removed.`
  }
  return {
    ...commonWork(transfer, context),
    one: to,
    stages: [stage<Route>({ targets: [route], nameOf: () => to, decide, ...(moves === undefined ? {} : { ask }) })],
  }
}

/** The error of a move of what isn't there. Typed again after a finished move, it says that the new path exists. */
async function perhapsMoved(error: TugError, sides: Sides, { from, to }: Route): Promise<TugError> {
  const { target, sourceWords, targetWords } = sides
  const there = await readOutline(target, to).catch(unlessForbidden)
  if (there === undefined) return error
  return error.with({
    message: `${sourceWords(from)} doesn't exist, or has no data; ${targetWords(to)} exists: perhaps it was moved already`,
    hints: [seeVersions(target, to)],
  })
}

/** The decision about one secret with its history; undefined if it doesn't exist. */
function decideAll(
  { sides, moves, mayReplace, prune, histories, rights }: Transfer,
  route: Route,
  onRefused: (() => void) | undefined,
) {
  return decideHistory(sides, route, {
    histories,
    follows: mayReplace ? { deletes: prune } : undefined,
    moves: moves && { ...moves, onRefused, rights },
  })
}

async function openFolder(context: Context, folders: Route, transfer: Transfer, typed: string): Promise<Work> {
  const { sides, moves, all, mayReplace, prune, lineIn, leftOut } = transfer
  const source = sides.sourceWords(folders.from)
  const routeOf = (from: string): Route => ({ from, to: below(folders.to, relativeTo(folders.from, from)) })
  const listed = prune ? await listSource(sides, folders.from, typed) : undefined
  const decideAtTarget = createDataDecider(sides.target)
  const decide = async (route: Route): Promise<Decision | undefined> => {
    if (all) return decideAll(transfer, route, () => (leftOut.refused += 1))
    const secret = await findSecret(sides.source, route.from)
    if (secret.state !== 'live') {
      leftOut.secrets.add(route.from)
      return undefined
    }
    listed?.live.add(route.from)
    const options = { mayReplace, lineIn, decideData: decideAtTarget }
    return moves !== undefined ? decideMove(sides, route, secret, options) : decideCopy(sides, route, secret, options)
  }
  const ask = (shown: readonly Shown<Route>[]) => {
    const count = shown.filter(({ hasWork }) => hasWork).length
    const secrets = `Move ${plural(count, 'secret')} below ${source}`
    if (all) return `${secrets} with every version, and remove the old ${count === 1 ? 'path' : 'paths'}?`
    return `${secrets}? ${count === 1 ? 'Its' : 'Their'} older versions and metadata are permanently removed.`
  }
  const targets = async function* (found: AsyncIterable<string | Unlisted> | Iterable<string | Unlisted>) {
    for await (const one of found) {
      // Another run would copy the copies.
      if (isIntoItself && isInside(typeof one === 'string' ? one : one.unlisted, folders.to)) {
        leftOut.inside += 1
        continue
      }
      yield typeof one === 'string' ? routeOf(one) : one
    }
  }
  const expectRights = (next: readonly (Route | Unlisted)[]) => {
    const routes = next.filter((one): one is Route => 'from' in one)
    const removals = moves === undefined ? [] : routes.map(({ from }) => from)
    const { histories, rights } = transfer
    const isOneSide = rights === histories.rights
    histories.rights.expect(
      routes.map(({ to }) => to),
      isOneSide ? removals : [],
    )
    if (!isOneSide) rights.expect([], removals)
  }
  const isIntoItself = sides.isSamePlace && isInside(folders.to, folders.from)
  const found = targets(listed?.targets ?? secretsToWrite(sides.source, [typed]))
  const isOverlapping = sides.isSamePlace && mayReplace && isInside(folders.from, folders.to)
  return {
    ...commonWork(transfer, context),
    where: `from ${source} to ${sides.targetWords(folders.to)}`,
    data: { from: source, to: sides.targetWords(folders.to) },
    stages: [
      stage<Route>({
        targets: all ? announced(found, expectRights) : found,
        nameOf: ({ to }) => to,
        decide,
        ...(moves === undefined ? {} : { ask }),
        ...(isOverlapping ? { together: refuseOverlap } : {}),
      }),
      ...(listed === undefined ? [] : [surplusStage(transfer, folders, listed)]),
    ],
  }
}

/** From a folder to the one around it, a secret can be both read and replaced; its data would depend on the order. */
function refuseOverlap(shown: readonly Shown<Route>[]) {
  const sources = new Set(shown.map(({ target }) => target.from))
  const found = shown.find(({ target: { to } }) => sources.has(to))?.target
  if (found === undefined) return undefined
  return usageError(
    `${found.to} would be both replaced by ${found.from} and copied itself`,
    'choose another folder, or omit --update',
  )
}

/** The secrets of a folder to which another is made equal. */
interface ListedSource {
  readonly targets: readonly (string | Unlisted)[]
  readonly paths: ReadonlySet<string>
  /** Those that have been read, and have a live version. */
  readonly live: Set<string>
  /** False if a part could not be listed: what isn't known to be gone is not deleted. */
  readonly isWhole: boolean
}

/** Lists the source first. Refuses one without a secret: it is more likely a mistake than meant, and everything would be deleted. */
async function listSource({ source, sourceWords }: Sides, folder: string, typed: string): Promise<ListedSource> {
  const { paths, failures } = await secretsBelow(source, typed)
  if (paths.length === 0 && failures.length === 0) throw emptySource(sourceWords(folder))
  const unlisted = failures.map(({ item, error }) => ({ unlisted: item, error }))
  return { targets: [...paths, ...unlisted], paths: new Set(paths), live: new Set(), isWhole: failures.length === 0 }
}

function emptySource(whose: string) {
  return usageError(
    `${whose} contains no secret, and --prune would delete everything`,
    'to delete a folder, use kv delete --recursive',
  )
}

/** Deletes below the new folder what the old one doesn't have, or has deleted. */
function surplusStage({ sides, all }: Transfer, folders: Route, { paths, live, isWhole }: ListedSource): Stage {
  const { source, target } = sides
  /** The state of a source; what cannot be read is not known to be gone. */
  const stateOf = (path: string) =>
    findSecret(source, path).then(
      ({ state }) => state,
      () => 'unreadable' as const,
    )
  const isKept = async (to: string) => {
    const from = below(folders.from, relativeTo(folders.to, to))
    if (!isWhole) return true
    if (!paths.has(from)) return false
    // Of a secret that never had a version, nothing shows that it was deleted.
    return all || live.has(from) || !['deleted', 'destroyed'].includes(await stateOf(from))
  }
  const checkSource = async () => {
    if (all) return
    for (const path of paths) if (live.has(path) || ['live', 'unreadable'].includes(await stateOf(path))) return
    throw emptySource(sides.sourceWords(folders.from))
  }
  return pruneStage(target, folders.to, { isKept, whose: sides.sourceWords(folders.from), before: checkSource })
}
