import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import { transfer, transferEndpoints, transferParams } from './transfer.ts'

export const move = command({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path',
  description: `Copies the latest version, then asks and removes the old path with all its versions and metadata. Older versions, settings and custom metadata do not move. The current version is read right before the removal: a secret that somebody wrote in the meantime is kept, with exit status 5. Existing secrets are not replaced; --update writes a new version of those that differ, --force of every one. --to-mount, --to-profile and --to-namespace move somewhere else. What fails is reported at the end with every other secret (exit status 10), and --resume goes on with the journal of an earlier run.`,
  also: [...transferEndpoints, api.readMetadata, api.deleteMetadata],
  params: transferParams,
  examples: [
    { line: 'kv move app/db app/database', note: 'asks before it removes the old path' },
    { line: 'kv move app old/app --recursive --yes', note: 'a whole folder, in a script' },
  ],
  run: (input, context) => transfer(input, context, true),
})
