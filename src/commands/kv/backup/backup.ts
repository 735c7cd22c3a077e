import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { destinationFlags } from '../../../output/destination.ts'
import { paceFlags } from '../../../bulk/flags.ts'
import { folderPath } from '../place.ts'

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
    ...paceFlags,
  },
  examples: [
    { line: 'kv backup -O secret.tugkv', note: 'the whole mount' },
    { line: 'kv backup team/ -O team.tugkv --force', note: 'a folder, replacing the file of yesterday' },
    { line: 'kv backup -O - | gzip > secret.tugkv.gz', note: 'compressed; encrypt it with age or gpg the same way' },
  ],
  async run({ path = '', outputFile, includeDeleted, since, force, ...pace }, context): Promise<Result> {
    const { writeBackup } = await import('./run.ts')
    const options = { base: path, outputFile, includeDeleted: includeDeleted === true, since, force, pace }
    return writeBackup(context, options)
  },
})
