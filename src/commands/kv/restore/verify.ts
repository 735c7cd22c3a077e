import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { paceFlags } from '../../../bulk/flags.ts'
import { sourceParams } from './params.ts'

export const verify = command({
  name: 'verify',
  summary: 'Compare a backup with what is stored: every version, state and setting',
  description: `Reads every secret below the folder that the backup is about and compares it with the backup: versions, their states and data, settings and custom metadata. --mount compares with another mount, and a folder after the file with another folder. Times are not compared, nor the data of deleted versions. One row for each secret that is missing, differs, or is only in the mount; the exit status is then 9. Values are never shown.

For a backup of a whole mount the engine's settings are compared too. Incremental backups follow the full one.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData, api.readConfig, api.readMount],
  exitsOnDifference: true,
  params: { ...sourceParams, ...paceFlags },
  examples: [
    { line: 'kv verify secret.tugkv', note: 'has anything changed since the backup?' },
    { line: 'kv verify team.tugkv team -o json', note: 'compare with a folder, for a script' },
  ],
  async run(input, context): Promise<Result> {
    const { verifyBackup } = await import('./verify-run.ts')
    return verifyBackup(context, input)
  },
})
