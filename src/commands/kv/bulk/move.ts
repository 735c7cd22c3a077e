import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import { transfer, transferEndpoints, transferParams } from './transfer.ts'

export const move = command({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path',
  description: `Copies the latest version, then asks and removes the old path with all its versions and metadata. Older versions, settings and custom metadata do not move. Existing secrets are not replaced without --force. A version that somebody else writes in the meantime is removed too: a removal has no check-and-set.`,
  also: [...transferEndpoints, api.deleteMetadata],
  params: transferParams,
  examples: [
    { line: 'kv move app/db app/database', note: 'asks before it removes the old path' },
    { line: 'kv move app old/app --recursive --yes', note: 'a whole folder, in a script' },
  ],
  run: (input, context) => transfer(input, context, true),
})
