import { resolve } from 'node:path'
import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatElapsed } from '../../../core/duration.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural, readableBytes } from '../../../core/words.ts'
import { destinationFlags, destinationOf } from '../../../output/destination.ts'
import { inGitHub } from '../../../output/safe.ts'
import { openReads } from '../../../read/bulk.ts'
import { asFolder, folderOf, relativeTo, typedPath } from '../data/paths.ts'
import { registerSecrets } from '../data/values.ts'
import { readSnapshot } from '../histories/record.ts'
import type { FoundPath } from '../mount/walk.ts'
import { secretsAt } from '../mount/walk.ts'
import { readEngine } from './engine.ts'
import type { Header, Tally } from './file.ts'
import { backupBytes, countedText, formatName, formatVersion } from './file.ts'

export const backup = command({
  name: 'backup',
  summary: 'Write every version of every secret to a file, for kv restore',
  description: `Writes settings, custom metadata and all versions to a file with mode 0600. A secret that changes while it is read is read again. kv restore writes the file back, and kv verify compares it with a mount. docs/backup.md describes the format. A backup only reads: deleted versions are stored without their data, which cannot be read without restoring them.`,
  endpoint: [],
  also: [api.readConfig, api.list, api.readMetadata, api.readData, api.readMount],
  params: {
    path: typedPath,
    outputFile: flag.text('write to this file, completely or not at all (-: standard output)', {
      short: 'O',
      placeholder: 'file',
      complete: 'file',
      required: true,
    }),
    force: destinationFlags.force,
  },
  examples: [
    { line: 'kv backup -O secret.tugkv', note: 'the whole mount' },
    { line: 'kv backup team/ -O team.tugkv --force', note: "a folder, replacing yesterday's file" },
    { line: 'kv backup app/db -O db.tugkv', note: 'one secret' },
    { line: 'kv backup -O - | gzip > secret.tugkv.gz', note: 'compressed; encrypt it with age or gpg the same way' },
  ],
  async run({ path: typed = '', outputFile, force }, context): Promise<Result> {
    const file = await destinationOf(context, { outputFile, force }, { private: true })
    const started = context.monotonic()
    const config = await readEngine(context)
    const bulk = openReads(context)
    const { found, isOne } = await secretsAt(bulk.context, typed)
    const base = isOne ? folderOf(typed) : asFolder(typed)
    const header: Header = {
      format: formatName,
      version: formatVersion,
      tug: context.version,
      created: context.now().toISOString(),
      mount: context.settings.route.mount,
      path: base,
      ...(isOne ? { secret: relativeTo(base, typed) } : {}),
      config,
    }
    const tally: Tally = {
      secrets: 0,
      versions: 0,
      deleted: 0,
      without_data: 0,
      destroyed: 0,
      pruned: 0,
      missing: [],
    }
    const masks = file === undefined && inGitHub(context.io)
    const read = async ({ path, failure }: FoundPath): Promise<string> => {
      if (failure !== undefined) throw failure
      const record = await readSnapshot(bulk.context, path, relativeTo(base, path))
      if (record === undefined) return ''
      if (masks) for (const { data } of record.versions) registerSecrets(context.io, data, path)
      return countedText(tally, record)
    }
    const outcomes = bulk.read('reading secrets', found, read, {
      sizeOf: (text) => text.length * 2,
    })
    const bytes = backupBytes(header, outcomes, tally)
    const finish = () => {
      context.io.note(words(tally))
      if (warnMissing(context, tally) !== undefined)
        throw new TugError('partial', `the backup is incomplete: ${plural(tally.missing.length, 'path')} missing`)
    }
    if (file === undefined) return { raw: bytes, finish }
    const { writeFileWhole } = await import('../../../output/files.ts')
    const whole = { ...file, onExit: context.onExit, signal: context.signal }
    const size = await writeFileWhole(resolve(context.io.cwd, file.path), bytes, whole)
    const elapsed = formatElapsed(context.monotonic() - started)
    return {
      done: `${words(tally)} → ${file.path} (${context.io.platform === 'win32' ? '' : '0600, '}${readableBytes(size)}) in ${elapsed}`,
      data: objectFrom([['file', file.path], ...Object.entries(tally), ['bytes', size]]),
      exitCode: warnMissing(context, tally),
    }
  },
})

function words({ secrets, versions, without_data, destroyed, pruned }: Tally): string {
  const deleted = without_data === 0 ? '' : ` (${without_data} deleted: stored without data)`
  const gone = destroyed + pruned === 0 ? '' : `, ${destroyed + pruned} destroyed or pruned`
  return `${plural(secrets, 'secret')}, ${plural(versions, 'version')}${deleted}${gone}`
}

/** Names everything that the backup should contain and doesn't. */
function warnMissing({ io }: Context, { missing }: Tally): number | undefined {
  for (const { path, error } of missing) io.warnAlways(`not in the backup: ${path} (${error})`)
  return missing.length === 0 ? undefined : exitCodes.partial
}
