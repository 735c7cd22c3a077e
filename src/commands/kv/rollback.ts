import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { day, parseMoment, resolveMoment } from '../../core/duration.ts'
import { exactTime } from './data/times.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TypedMoment } from '../../core/duration.ts'
import { argument, flag, readInteger } from '../../core/param.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget, stage, wordsOf } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asFolder, asSecret, folderWords, forFolder, isFolder, secretOrFolder } from './data/paths.ts'
import { dataToWrite, keyColumns } from './data/values.ts'
import type { Version } from './data/versions.ts'
import { seeVersions } from './data/versions.ts'
import { secretsToWrite } from './mount/targets.ts'
import type { Metadata } from './secret/index.ts'
import {
  changeVersions,
  decideData,
  decideVersions,
  findMetadata,
  findSecret,
  readMetadata,
  readSecret,
  writeData,
} from './secret/index.ts'

/** The number of a version. The RangeError for anything else names --at, because it may be a moment. */
function readTarget(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(`'${text}' is not a version; a moment is given with --at`)
  return readInteger(text, 1)
}

export const rollback = write({
  name: 'rollback',
  summary: 'Write an older version of a secret again, or return to a moment',
  description: `Writes the data of the older version as a new one, unless there was a concurrent change (check-and-set) or the current version has the same data. Without a version it goes to the previous one that has data; run again, it goes back.

--at returns a secret, or everything below a folder, to its state at a moment, by the stored times: an older version is written again, one deleted since is undeleted, and a secret that did not exist then is deleted. What was pruned or destroyed since is listed as not found.`,
  also: [
    api.readMetadata,
    api.readData,
    api.writeData,
    api.list,
    api.undeleteVersions,
    api.deleteVersions,
    api.readMount,
    api.readCapabilities,
  ],
  params: {
    path: secretOrFolder('path of the secret; with --at a secret or a folder'),
    version: argument.of('the version to restore (default: the previous one with data)', readTarget, {
      placeholder: 'n',
    }),
    to: flag.of('version to restore, as a flag', readTarget, { placeholder: 'n' }),
    at: flag.of(
      'the moment to return to: 2h (ago), yesterday, "monday 18:00" or 2026-11-20T14:00:00Z (UTC without an offset)',
      parseMoment,
      {
        placeholder: 'time',
        excludes: ['version', 'to'],
      },
    ),
  },
  examples: [
    { line: 'kv rollback app/db --to 3', note: 'the data of version 3 as a new version' },
    { line: 'kv rollback app/db --plan', note: 'to the previous version: which keys would change?' },
    { line: 'kv rollback team/ --at 2h --plan', note: 'preview rolling a folder back two hours' },
  ],
  async open({ path: typed, version, to: flagged, at }, context): Promise<Work> {
    if (at !== undefined) return rollBackTo(context, typed, at)
    const path = asSecret(
      typed,
      `for a folder, name a moment: ${context.typedLine({ version: undefined, to: undefined })} --at <time>`,
    )
    const to = version ?? flagged
    if (version !== undefined && flagged !== undefined && version !== flagged)
      throw usageError('two versions were given', seeVersions(context, path))
    let chosen: number | undefined
    return {
      action: 'rollback',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, {
        decide: async (one) => {
          const found = await readMetadata(context, one)
          // Decided again, after a lost response, it is still about the same version.
          chosen ??= to ?? previousOf(context, one, found)
          return decideVersion(context, one, found, chosen)
        },
      }),
    }
  },
})

/** The version before the current one that has data. */
function previousOf(context: Context, path: string, { versions, current }: Metadata): number {
  const previous = versions.find(({ version, state }) => version < current && state === 'live')
  if (previous !== undefined) return previous.version
  throw new TugError('not_found', `${path} has no older version with data`, { hints: [seeVersions(context, path)] })
}

/** Decides to write a version's data again. If that version isn't live, the error names some that are. */
async function decideVersion(context: Context, path: string, found: Metadata, to: number): Promise<Decision> {
  checkTarget(path, found, to)
  const { current } = found
  if (current === to) return { action: 'unchanged', words: `unchanged at version ${current}`, guard: current }
  const { data } = await readSecret(context, path, to)
  const decision = await decideData(context, { path, data: dataToWrite(data), mayReplace: true })
  const { apply } = decision
  if (apply === undefined) return decision
  return {
    ...decision,
    action: 'change',
    words: `as version ${to} was   ${decision.words}`,
    apply: async (item) => {
      const applied = await apply(item)
      return { ...applied, words: `${wordsOf(applied) ?? path}   data of version ${to}` }
    },
  }
}

function checkTarget(path: string, { versions, goneError }: Metadata, wanted: number): void {
  const target = versions.find(({ version }) => version === wanted)
  const error = target && goneError(target)
  if (target !== undefined && error === undefined) return
  const live = versions.filter(({ state }) => state === 'live').map(({ version }) => version)
  const nearest = live.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, 3)
  const hint = nearest.length === 0 ? 'no version is live' : `nearest live versions: ${nearest.join(', ')}`
  if (error === undefined)
    throw new TugError('not_found', `${path} has no version ${wanted}: never written, or pruned`, { hints: [hint] })
  throw error.with({ hints: [...(target?.state === 'deleted' ? error.hints.slice(0, 1) : []), hint] })
}

/** `kv rollback --at`: returns a secret, or everything below a folder, to its state at a moment by the server's clock. */
function rollBackTo(context: Context, path: string, typed: TypedMoment): Work {
  const isTooLate = (moment: Date, now: number) => moment.getTime() > now
  const inFuture = () => usageError('--at is in the future')
  if (isTooLate(resolveMoment(typed, context.now()), context.now().getTime() + day)) throw inFuture()
  let resolved: Date | undefined
  /** The same for all secrets, once the first has been read. */
  const moment = () => (resolved ??= resolveMoment(typed, context.now()))
  const at = () => moment().toISOString()
  const isOne = !isFolder(path)
  const folderHint = () => [forFolder(context.typedLine({ path: `${path}/`, at: at() }))]
  return {
    action: 'rollback',
    target: 'path',
    noun: 'secret',
    ...(isOne ? { one: path } : {}),
    progress: 'rolling back secrets',
    columns: keyColumns,
    get where() {
      const place = `${isOne ? 'at' : 'below'} ${folderWords(asFolder(path))}`
      return `${place}, as of ${exactTime(at())}`
    },
    get data() {
      return { ...(isOne ? {} : { path: asFolder(path) }), at: at() }
    },
    again: () => context.typedLine({ at: at() }),
    stages: [
      stage<string>({
        targets: isOne ? [path] : secretsToWrite(context, [path]),
        nameOf: (secret) => secret,
        decide: async (secret) => {
          const found = isOne ? await readMetadata(context, secret, folderHint) : await findMetadata(context, secret)
          if (isTooLate(moment(), context.now().getTime())) throw inFuture().with({ endsRun: true })
          return found.state === 'missing' ? undefined : decideReturn(context, secret, found, moment())
        },
      }),
    ],
  }
}

/**
 * Decides by the stored times alone which version was the current one at a moment, and whether it was live. Throws "not found" if its
 * state then cannot be known or recovered: the version may have been live, but was pruned or destroyed since.
 */
async function decideReturn(
  context: Context,
  path: string,
  found: Metadata,
  moment: Date,
): Promise<Decision | undefined> {
  const { current, versions } = found
  const isLive = versions.find(({ version }) => version === current)?.state === 'live'
  const unchanged: Decision = { action: 'unchanged', words: `unchanged at version ${current}`, guard: current }
  const change = async (wanted: 'deleted' | 'live', words: string) => {
    const due = { path, wanted, versions: [current], confirms: true, seen: found }
    const decision = await decideVersions(context, due)
    return decision && { ...decision, words }
  }
  const removal = (why: string) => (isLive ? change('deleted', `${why}: delete version ${current}`) : unchanged)
  const then = versions.find(({ created_time }) => isBefore(created_time, moment))
  if (then === undefined && (found.metadata.oldest_version ?? 0) > 1)
    throw notRecoverable('the version of that moment has been pruned')
  if (then === undefined) return removal('written after that moment')
  if (isBefore(then.deletion_time, moment)) return removal('deleted at that moment')
  if (then.state === 'destroyed') throw notRecoverable(`version ${then.version} of that moment was destroyed`)
  if (then.version !== current) return decideRewrite(context, path, { current, isLive }, then)
  return isLive ? unchanged : change('live', `undelete version ${current}`)
}

function notRecoverable(why: string): TugError {
  return new TugError('not_found', `${why}: not recoverable`, { service: 'secrets' })
}

function isBefore(time: string, moment: Date): boolean {
  return time !== '' && Date.parse(time) <= moment.getTime()
}

/** Decides to write an older version's data again, unless the current version has the same. */
async function decideRewrite(
  context: Context,
  path: string,
  { current, isLive }: { readonly current: number; readonly isLive: boolean },
  { version, state }: Version,
): Promise<Decision> {
  const head = `${current} → ${current + 1}   as version ${version} was`
  if (state === 'deleted')
    return {
      action: 'change',
      words: `${head}, which is deleted now`,
      guard: current,
      enforced: true,
      // Its data can only be read once it is restored. It stays restored if the new version, which has the same data, is written.
      apply: async (item) => {
        try {
          await changeVersions(item.context, path, 'live', [version])
          const changes = () => [`data of version ${version}`]
          const data = await readData(item.context, path, version)
          return await writeData(item.context, path, data, { cas: current, from: current, changes })
        } catch (error) {
          throw error instanceof TugError ? await deletedAgain(item.context, path, { version, current }, error) : error
        }
      },
    }
  const data = await readData(context, path, version)
  const gone = { state: 'deleted', version: current } as const
  const present = isLive ? await findSecret(context, path, current) : gone
  const decision = await decideData(context, { path, data, mayReplace: true, present })
  if (decision.apply === undefined) return decision
  return { ...decision, action: 'change', words: `${head}   ${decision.words}` }
}

/** Deletes a version again that was restored only to be written as a new one. Returns the error, which says so if that fails. */
async function deletedAgain(
  context: Context,
  path: string,
  { version, current }: { readonly version: number; readonly current: number },
  error: TugError,
): Promise<TugError> {
  try {
    // The new version may have been written although no response came.
    const now = error.reason === 'in_doubt' ? await findMetadata(context, path) : undefined
    if (now?.state === 'exists' && now.current > current) return error
    await changeVersions(context, path, 'deleted', [version], { cleanup: true })
    return error
  } catch (failure) {
    if (!(failure instanceof TugError)) throw failure
    const line = context.commandLine('kv delete', path, ['--versions', String(version)])
    return error.with({
      message: `${error.message}; version ${version}, which was deleted, may be readable now: ${failure.message}`,
      hints: [...error.hints, `to delete it again: ${line}`],
    })
  }
}

async function readData(context: Context, path: string, version: number): Promise<JsonObject | null> {
  const secret = await findSecret(context, path, version)
  if (secret.state !== 'live') throw secret.error
  return dataToWrite(secret.data)
}
