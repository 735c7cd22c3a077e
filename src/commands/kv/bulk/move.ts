import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import { transferEndpoints, transferParams } from './transfer-params.ts'

export const move = command({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path, mount or server',
  description: `Copies every version with its state, settings and custom metadata, then asks and removes the old path; a history is never replaced. The data of deleted versions moves too: they are restored for the moment in which they are read. Times are those of the move. --versions current moves only the latest version, and older versions, settings and custom metadata are removed; so does --force, which writes a new version of an existing secret.

The current version is read right before the removal: a secret that somebody wrote in the meantime is kept, with exit status 5. --to-mount, --to-profile and --to-namespace move somewhere else. What fails is reported at the end with every other secret (exit status 10), and --resume goes on with the journal of an earlier run.`,
  also: [...transferEndpoints, api.undeleteVersions, api.deleteMetadata],
  params: transferParams,
  examples: [
    { line: 'kv move app/db app/database', note: 'asks before it removes the old path' },
    { line: 'kv move app/db app/new --versions current', note: 'without its history' },
    { line: 'kv move app old/app --recursive --yes', note: 'a whole folder, in a script' },
  ],
  async run(input, context) {
    const { transfer } = await import('./transfer.ts')
    return transfer(input, context, true)
  },
})
