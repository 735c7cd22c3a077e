import * as api from '../../../api/kv.ts'
import { paceFlags } from '../../../bulk/flags.ts'
import { command } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { destinationFlags } from '../../../output/destination.ts'
import { secretOrFolder } from '../place.ts'
import { formatFlags } from './formats.ts'
import type { Input } from '../../../core/param.ts'

const params = {
  path: secretOrFolder('secret or folder (default: the root)', { required: false }),
  ...formatFlags,
  skipDeleted: flag.boolean('say nothing of secrets that are left out'),
  ...paceFlags,
  ...destinationFlags,
}

export type ExportSecretsInput = Input<typeof params>

export const exportCommand = command({
  name: 'export',
  summary: 'Write secrets as JSON, YAML or dotenv, for kv import to read back',
  description: `Writes the latest version of a secret, or of every secret below a folder; a slash at the end of the path means the folder. Paths in the file are relative to the folder, so kv import can write them anywhere. Older versions and metadata are not exported. Secrets without a live version are left out, and counted in one line on stderr. If a secret cannot be read, the file and a message say so, and the exit status is 10. A file has mode 0600 and appears when it is complete.

The format is --format, or the ending of --output-file (.json, .yaml, .env), or -o json or yaml, or JSON. A single secret as dotenv is just its keys and values.`,
  also: [api.readData, api.list, api.readMount],
  params,
  examples: [
    { line: 'kv export app -O app.json', note: 'everything below a folder' },
    { line: 'kv export app/db --format dotenv -O .env', note: 'one secret as an environment file' },
    { line: 'kv export team/payments/ --no-recursive --format yaml --skip-deleted', note: 'the secrets of one folder' },
  ],
  async run(input, context) {
    const { exportSecrets } = await import('./export-run.ts')
    return exportSecrets(input, context)
  },
})
