import { command } from '../../../core/command.ts'
import { transferEndpoints, transferParams } from './transfer-params.ts'

export const copy = command({
  name: 'copy',
  summary: 'Copy a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies the current version: no older versions, settings or custom metadata. --versions all copies every version with its state, settings and custom metadata; a history is never replaced, and deleted versions are copied without their data. Existing secrets are not replaced (check-and-set 0); --update writes a new version of those that differ, on top of the version that was read, and --force of every one. --recursive copies everything below a folder; with --update and --prune a repeated copy makes the new folder equal to the old one, and writes nothing the second time. With --versions all, --update adds the versions that are new, and --prune also deletes those that the old path has deleted, destroyed or pruned; it destroys none.

--to-mount, --to-profile and --to-namespace write somewhere else: address, token, dialect and TLS of the other server come from its profile. Secrets without a live version are left out and counted. --plan shows, without values, what would be written. What fails is reported at the end with every other secret (exit status 10), and --resume goes on with the journal of an earlier run.`,
  also: transferEndpoints,
  params: transferParams,
  writesElsewhere: ({ toProfile }) => toProfile !== undefined,
  examples: [
    { line: 'kv copy app/db app/db-backup', note: 'one secret' },
    { line: 'kv copy app staging/app --recursive', note: 'everything below a folder' },
    { line: 'kv copy app/db app/db2 --versions all', note: 'with its history' },
    { line: 'kv copy app mirror/app --recursive --update --prune --yes', note: 'make a folder equal to another' },
  ],
  async run(input, context) {
    const { transfer } = await import('./transfer.ts')
    return transfer(input, context, false)
  },
})
