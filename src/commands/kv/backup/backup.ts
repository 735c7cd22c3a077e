import { resolve } from 'node:path'
import * as api from '../../../api/kv.ts'

import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { counted } from '../../../core/concurrent.ts'
import type { Context } from '../../../core/context.ts'
import { formatElapsed } from '../../../core/duration.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural, readableBytes } from '../../../core/words.ts'
import { inGitHub } from '../../../output/ci.ts'
import { destinationFlags, destinationOf } from '../../../output/destination.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { paceFlags, secretsAtOnce } from '../../../bulk/flags.ts'
import { eachOf } from '../../../bulk/pool.ts'
import { folderPath } from '../place.ts'
import { registerSecrets } from '../values.ts'
import { begun } from './begun.ts'
import { checkChain, mergedSecrets } from './chain.ts'
import { readConfig } from './config.ts'
import { openBackup } from './file.ts'
import { pathsInOrder } from './paths.ts'
import type { Header } from './record.ts'
import { formatName, formatVersion } from './record.ts'
import type { Task } from './tasks.ts'
import { taskReader, tasksOf } from './tasks.ts'
import type { Tally, Written } from './write.ts'
import { backupBytes, newTally, toText } from './write.ts'

export const backup = command({
  name: 'backup',
  summary: 'Write every version of every secret to a file, for kv restore',
  description: `Reads the settings, the custom metadata and all versions of every secret below a folder, by default of the whole mount, and writes them to a file with mode 0600 that appears when it is complete. A secret that is written while it is read is read again. kv restore writes the file back, and kv verify compares it with a mount. docs/backup.md describes the format.

The data of deleted versions cannot be read, so they are stored without it. --include-deleted restores them for a moment, reads them and deletes them again, which changes the source. --since writes only what has changed since another backup: name the full one first, then those made on top of it.`,
  endpoint: [],
  also: [api.readConfig, api.list, api.readMetadata, api.readData, api.undeleteVersions, api.deleteVersions],
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
    ...paceFlags,
  },
  examples: [
    { line: 'kv backup -O secret.tugkv', note: 'the whole mount' },
    { line: 'kv backup team/ -O team.tugkv --force', note: 'a folder, replacing the file of yesterday' },
    { line: 'kv backup -O - | gzip > secret.tugkv.gz', note: 'compressed; encrypt it with age or gpg the same way' },
  ],
  async run({ path: base = '', outputFile, includeDeleted, since, force, ...pace }, context): Promise<Result> {
    const file = await destinationOf(context.io, { outputFile, force }, { private: true })
    const started = performance.now()
    const tally = newTally()
    const earlier = []
    for (const name of since) earlier.push(await openBackup(context.io, name, { partial: false }))
    checkChain(earlier)
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
    const atOnce = pace.parallel ?? secretsAtOnce
    const { context: reading } = await openBulk(context, pace, { action: 'backup', parallel: secretsAtOnce })
    const found = await begun(pathsInOrder(reading, base))
    const tasks = tasksOf(base, found, mergedSecrets(earlier))
    const read = taskReader(reading, { includeDeleted: includeDeleted === true, atOnce })
    const masks = file === undefined && inGitHub(context.io)
    const work = async (task: Task) => {
      const outcome = await read(task)
      if (masks && outcome !== undefined && 'versions' in outcome)
        for (const { data } of outcome.versions) registerSecrets(context.io, data, task.path)
      return toText(tally, outcome)
    }
    const options = { parallel: atOnce, ordered: true, sizeOf: sizeOfText }
    const outcomes = counted(context.io, 'reading secrets', eachOf(tasks, work, options))
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
  },
})

function sizeOfText(written: Written): number {
  return written !== undefined && 'line' in written ? written.line.length * 2 : 0
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
