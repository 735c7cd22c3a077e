import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { shellQuote } from '../../../core/shell.ts'
import type { Applied, Decision, ItemRun, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { currentOf } from '../backup/record.ts'
import { outlineOf } from '../backup/snapshot.ts'
import type { PresentData } from '../decide-data.ts'
import { decideData, keyColumns } from '../decide-data.ts'
import { ifThere } from '../latest.ts'
import { forFolder } from '../messages.ts'
import { explainMissing } from '../missing.ts'
import { asFolder, folderWords, isFolder } from '../place.ts'
import type { Metadata } from '../read.ts'
import { readMetadata, readOneOfMany } from '../read.ts'
import { dataToWrite } from '../values.ts'
import { decideVersions } from '../version-change.ts'
import { momentWords } from '../versions.ts'
import { secretsToWrite } from '../walk.ts'
import { sendWrite, writeSecret } from '../write.ts'

/** `kv rollback --at`: returns a secret, or everything below a folder, to its state at a moment. */
export function rollBackTo(context: Context, path: string, moment: Date): Work {
  if (moment.getTime() > context.now().getTime()) throw usageError('--at is in the future')
  const at = moment.toISOString()
  const isOne = !isFolder(path)
  const explain = explainMissing(context, path, () => [
    forFolder(context.commandLine('kv rollback', `${path}/`, ['--at', at])),
  ])
  return {
    action: 'rollback',
    target: 'path',
    noun: 'secret',
    ...(isOne ? { one: path } : {}),
    progress: 'rolling back secrets',
    columns: keyColumns,
    where: `${isOne ? 'at' : 'below'} ${folderWords(asFolder(path))}, as of ${momentWords(at)}`,
    data: isOne ? { at } : { path: asFolder(path), at },
    again: () => ['tug', ...context.commandPath, ...withMoment(context.typed, at)].map(shellQuote).join(' '),
    stages: [
      stage<string>({
        targets: isOne ? [path] : secretsToWrite(context, [asFolder(path)]),
        nameOf: (secret) => secret,
        decide: async (secret) => {
          const reading = readMetadata(context, secret)
          const found = await (isOne ? reading.catch(explain) : ifThere(reading))
          return found === undefined ? undefined : decideReturn(context, secret, found, moment)
        },
      }),
    ],
  }
}

/** The typed words with the moment itself in place of `2h`, so that the line that continues the run means the same one. */
function withMoment(typed: readonly string[], at: string): string[] {
  return typed.map((word, index) => {
    if (word.startsWith('--at=')) return `--at=${at}`
    return typed[index - 1] === '--at' ? at : word
  })
}

/**
 * Decides by the stored times alone which version was the current one at a moment, and whether it was live. Throws "not found" if its
 * state then cannot be known or recovered: the version may have been live, but was pruned or destroyed since.
 */
async function decideReturn(context: Context, path: string, found: Metadata, moment: Date): Promise<Decision> {
  const record = outlineOf(found, path)
  const { current_version: current } = record
  const isLive = currentOf(record)?.state === 'live'
  const unchanged: Decision = { action: 'unchanged', words: `unchanged at version ${current}`, guard: current }
  const change = async (wanted: 'deleted' | 'live', words: string): Promise<Decision> => {
    const request = wanted === 'live' ? api.undeleteVersions : api.deleteVersions
    const decision = await decideVersions(context, {
      path,
      wanted,
      versions: [current],
      request: () => request({ path }, { body: { versions: [current] } }),
      confirms: true,
      seen: found,
    })
    return { ...decision, words }
  }
  const removal = (why: string) => (isLive ? change('deleted', `${why}: delete version ${current}`) : unchanged)
  const then = record.versions.findLast(({ created_time }) => isBefore(created_time, moment))
  if (then === undefined && record.oldest_version > 1)
    throw notRecoverable('the version of that moment has been pruned')
  if (then === undefined) return removal('written after that moment')
  if (isBefore(then.deletion_time, moment)) return removal('deleted at that moment')
  if (then.state === 'destroyed') throw notRecoverable(`version ${then.version} of that moment was destroyed`)
  if (then.version !== current) return decideRewrite(context, record, then)
  return isLive ? unchanged : change('live', `undelete version ${current}`)
}

function notRecoverable(why: string): TugError {
  return new TugError('not_found', `${why}: not recoverable`, { service: 'secrets' })
}

function isBefore(time: string, moment: Date): boolean {
  return time !== '' && Date.parse(time) <= moment.getTime()
}

/** Decides to write an older version's data again, unless the current version has the same. */
async function decideRewrite(context: Context, record: SecretRecord, then: VersionRecord): Promise<Decision> {
  const { path, current_version: current } = record
  const { version } = then
  const head = `${current} → ${current + 1}   as version ${version} was`
  if (then.state === 'deleted')
    return {
      action: 'change',
      words: `${head}, which is deleted now`,
      guard: current,
      enforced: true,
      apply: (item) => rewriteDeleted(item, path, { version, current }),
    }
  const { data } = await readOneOfMany(context, path, version)
  const isLive = currentOf(record)?.state === 'live'
  const present: PresentData = isLive
    ? { state: 'live', data: (await readOneOfMany(context, path, current)).data, version: current }
    : { state: 'none', data: null, version: current }
  const decision = await decideData(present, {
    path,
    data: dataToWrite(data),
    mayReplace: true,
    checkMount: () => Promise.resolve(),
  })
  if (decision.apply === undefined) return decision
  return { ...decision, action: 'change', words: `${head}   ${decision.words}` }
}

/** The data of a deleted version can only be read once it is restored; it stays so, since it is the data of the new version. */
async function rewriteDeleted(
  { context }: ItemRun,
  path: string,
  { version, current }: { readonly version: number; readonly current: number },
): Promise<Applied> {
  await sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: [version] } }))
  const { data } = await readOneOfMany(context, path, version)
  const written = await writeSecret(context, path, dataToWrite(data), current)
  return { words: `${path} ${current} → ${written.version}   data of version ${version}`, guard: written.version }
}
