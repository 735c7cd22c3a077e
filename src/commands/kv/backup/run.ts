import { resolve } from 'node:path'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatElapsed } from '../../../core/duration.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { plural, readableBytes } from '../../../core/words.ts'
import { inGitHub } from '../../../output/safe.ts'
import { destinationOf } from '../../../output/destination.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { registerSecrets } from '../values.ts'
import { secretsIn } from '../walk.ts'
import { checkChain, mergedSecrets, placeOf } from './chain.ts'
import { readConfig } from './config.ts'
import type { BackupFile } from './file.ts'
import { openBackup } from './file.ts'
import type { Header } from './record.ts'
import { formatName, formatVersion } from './record.ts'
import type { Task } from './tasks.ts'
import { lineOf, tasksOf } from './tasks.ts'
import type { Tally } from './write.ts'
import { backupBytes, countedText, newTally } from './write.ts'

/** What to back up, and where to. */
interface BackupOptions {
  readonly base: string
  readonly outputFile: string
  readonly includeDeleted: boolean
  readonly since: readonly string[]
  readonly force: boolean | undefined
  readonly pace: BulkInput
}

/** Writes a backup; a failure before the first secret leaves no file. */
export async function writeBackup(
  context: Context,
  { base, outputFile, includeDeleted, since, force, pace }: BackupOptions,
): Promise<Result> {
  const file = await destinationOf(context.io, { outputFile, force }, { private: true })
  const started = performance.now()
  const tally = newTally()
  const earlier = []
  for (const name of since) earlier.push(await openBackup(context.io, name, { partial: false }))
  checkChain(earlier)
  checkPlace({ mount: context.settings.route.mount, path: base }, earlier.at(-1))
  const header: Header = {
    format: formatName,
    version: formatVersion,
    tug: context.version,
    created: context.now().toISOString(),
    mount: context.settings.route.mount,
    path: base,
    config: await readConfig(context),
    since: sinceOf(earlier.at(-1)),
  }
  const bulk = await openBulk(context, pace, { action: 'backup', parallel: secretsAtOnce })
  const found = await secretsIn(bulk.context, base)
  const tasks = tasksOf(base, found, mergedSecrets(earlier))
  const masks = file === undefined && inGitHub(context.io)
  const read = async (task: Task): Promise<string> => {
    const line = await lineOf(bulk.context, task, includeDeleted)
    if (line === undefined) return ''
    if (masks && 'versions' in line) for (const { data } of line.versions) registerSecrets(context.io, data, task.path)
    return countedText(tally, line)
  }
  const outcomes = bulk.read('reading secrets', tasks, read, { sizeOf: (text) => text.length * 2 })
  const bytes = backupBytes(header, outcomes, tally)
  if (file === undefined) {
    return { raw: bytes, finish: () => report(context, tally) }
  }
  const { writeFileWhole } = await import('../../../output/files.ts')
  const whole = { ...file, onExit: context.onExit, signal: context.signal }
  const size = await writeFileWhole(resolve(context.io.cwd, file.path), bytes, whole)
  const elapsed = formatElapsed(performance.now() - started)
  const exitCode = warnMissing(context, tally)
  return {
    done: `${words(tally)} → ${file.path} (0600, ${readableBytes(size)}) in ${elapsed}`,
    data: objectFrom([['file', file.path], ...Object.entries(tally), ['bytes', size]]),
    ...(exitCode === undefined ? {} : { exitCode }),
  }
}

/** Paths are relative to the folder: with another one, every secret would seem to be removed. */
function checkPlace(here: Pick<Header, 'mount' | 'path'>, last: BackupFile | undefined): void {
  if (last === undefined || placeOf(last.header) === placeOf(here)) return
  throw usageError(
    `${last.name} is a backup of ${placeOf(last.header)}, not of ${placeOf(here)}`,
    'back up the same folder, or omit --since',
  )
}

function sinceOf(last: Awaited<ReturnType<typeof openBackup>> | undefined): Header['since'] {
  return last?.end === undefined ? null : { created: last.header.created, sha256: last.end.sha256 }
}

function words({ secrets, versions, without_data, destroyed, pruned, removed }: Tally): string {
  const deleted =
    without_data === 0 ? '' : ` (${without_data} deleted: stored without data; --include-deleted reads them)`
  const gone = destroyed + pruned === 0 ? '' : `, ${destroyed + pruned} destroyed or pruned`
  const missing = removed === 0 ? '' : `, ${removed} removed`
  return `${plural(secrets, 'secret')}, ${plural(versions, 'version')}${deleted}${gone}${missing}`
}

/** Names everything that the backup should contain and doesn't. */
function warnMissing({ io }: Context, { missing }: Tally): number | undefined {
  for (const { path, error } of missing) io.warn(`not in the backup: ${path} (${error})`)
  return missing.length === 0 ? undefined : exitCodes.partial
}

function report(context: Context, tally: Tally): void {
  context.io.note(words(tally))
  if (warnMissing(context, tally) === undefined) return
  throw new TugError('partial', `the backup is incomplete: ${plural(tally.missing.length, 'path')} missing`)
}
