import { command } from '../../../core/command.ts'
import { transfer, transferEndpoints, transferParams } from './transfer.ts'

export const copy = command({
  name: 'copy',
  summary: 'Copy the latest version of a secret, or of every secret below a folder, to another path',
  description: `Copies only data: no older versions, settings or custom metadata. Existing secrets are not replaced without --force (check-and-set 0); with it, the version that is replaced is read first. With --recursive, secrets whose latest version is deleted are skipped, and what fails is reported at the end (exit status 10).`,
  also: transferEndpoints,
  params: transferParams,
  examples: [
    { line: 'kv copy app/db app/db-backup', note: 'one secret' },
    { line: 'kv copy app staging/app --recursive', note: 'everything below a folder' },
  ],
  run: (input, context) => transfer(input, context, false),
})
