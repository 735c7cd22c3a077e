import { resolve } from 'node:path'
import * as api from '../../../api/kv.ts'
import { openReads } from '../../../bulk/engine.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatElapsed } from '../../../core/duration.ts'
import { exitCodes } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural, readableBytes } from '../../../core/words.ts'
import { inGitHub } from '../../../output/safe.ts'
import { destinationFlags, destinationOf } from '../../../output/destination.ts'
import { folderPath } from '../place.ts'
import { registerSecrets } from '../values.ts'
import { secretsIn } from '../walk.ts'
import type { BackupFile } from './file.ts'
import { checkChain, mergedSecrets, openBackup, placeOf } from './file.ts'
import type { Header } from './record.ts'
import { formatName, formatVersion } from './record.ts'
import * as messages from './messages.ts'
import { readEngine } from './snapshot.ts'
import type { Tally, Task } from './tasks.ts'
import { backupBytes, countedText, lineOf, newTally, tasksOf } from './tasks.ts'

export const backup = command({
  name: 'backup',
  summary: 'Write every version of every secret to a file, for kv restore',
  description: `Reads the settings, the custom metadata and all versions of every secret below a folder, by default of the whole mount, and writes them to a file with mode 0600 that appears when it is complete. A secret that is written while it is read is read again. kv restore writes the file back, and kv verify compares it with a mount. docs/backup.md describes the format.

The data of deleted versions cannot be read, so they are stored without it. --include-deleted restores them for a moment, reads them and deletes them again, which changes the source. --since writes only what has changed since another backup: name the full one first, then those made on top of it.`,
  endpoint: [],
  also: [
    api.readConfig,
    api.list,
    api.readMetadata,
    api.readData,
    api.undeleteVersions,
    api.deleteVersions,
    api.readMount,
  ],
  writes: ({ includeDeleted }) => includeDeleted === true,
  params: {
    path: folderPath,
    outputFile: flag.text('write to this file, completely or not at all (-: standard output)', {
      short: 'O',
      placeholder: 'file',
      complete: 'file',
      required: true,
    }),
    includeDeleted: flag.boolean('read deleted versions too: restores them and deletes them again'),
    since: flag.texts('write only changes since this backup; repeat it for incremental ones', {
      placeholder: 'file',
      complete: 'file',
    }),
    force: destinationFlags.force,
  },
  examples: [
    { line: 'kv backup -O secret.tugkv', note: 'the whole mount' },
    { line: 'kv backup team/ -O team.tugkv --force', note: 'a folder, replacing the file of yesterday' },
    { line: 'kv backup -O - | gzip > secret.tugkv.gz', note: 'compressed; encrypt it with age or gpg the same way' },
  ],
  async run({ path: base = '', outputFile, includeDeleted = false, since, force }, context): Promise<Result> {
    const file = await destinationOf(context.io, { outputFile, force }, { private: true })
    const started = performance.now()
    const earlier = []
    for (const name of since) earlier.push(await openBackup(context.io, name, { partial: false }))
    checkChain(earlier)
    const place = { mount: context.settings.route.mount, path: base }
    checkPlace(place, earlier.at(-1))
    const header: Header = {
      format: formatName,
      version: formatVersion,
      tug: context.version,
      created: context.now().toISOString(),
      ...place,
      config: await readEngine(context),
      since: sinceOf(earlier.at(-1)),
    }
    const bulk = await openReads(context)
    const tally = newTally()
    const tasks = tasksOf(base, await secretsIn(bulk.context, base), mergedSecrets(earlier))
    const masks = file === undefined && inGitHub(context.io)
    const read = async (task: Task): Promise<string> => {
      const line = await lineOf(bulk.context, task, includeDeleted)
      if (line === undefined) return ''
      if (masks && 'versions' in line)
        for (const { data } of line.versions) registerSecrets(context.io, data, task.path)
      return countedText(tally, line)
    }
    const outcomes = bulk.read('reading secrets', tasks, read, { sizeOf: (text) => text.length * 2 })
    const bytes = backupBytes(header, outcomes, tally)
    if (file === undefined) return { raw: bytes, finish: () => report(context, tally) }
    const { writeFileWhole } = await import('../../../output/files.ts')
    const whole = { ...file, onExit: context.onExit, signal: context.signal }
    const size = await writeFileWhole(resolve(context.io.cwd, file.path), bytes, whole)
    const elapsed = formatElapsed(performance.now() - started)
    return {
      done: `${words(tally)} → ${file.path} (${context.io.platform === 'win32' ? '' : '0600, '}${readableBytes(size)}) in ${elapsed}`,
      data: objectFrom([['file', file.path], ...Object.entries(tally), ['bytes', size]]),
      exitCode: warnMissing(context, tally),
    }
  },
})

/** Paths are relative to the folder: with another one, every secret would seem to be removed. */
function checkPlace(here: Pick<Header, 'mount' | 'path'>, last: BackupFile | undefined): void {
  if (last !== undefined && placeOf(last.header) !== placeOf(here))
    throw messages.sinceElsewhere(last.name, placeOf(last.header), placeOf(here))
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
  for (const { path, error } of missing) io.doubt(messages.notInBackup(path, error))
  return missing.length === 0 ? undefined : exitCodes.partial
}

function report(context: Context, tally: Tally): void {
  context.io.note(words(tally))
  if (warnMissing(context, tally) !== undefined) throw messages.incompleteBackup(tally.missing.length)
}
