import * as api from '../../../api/kv.ts'
import { bulkFlags, planFlags } from '../../../bulk/flags.ts'
import { command } from '../../../core/command.ts'
import { argument, flag } from '../../../core/param.ts'
import { literalPathFlag, secretOrFolder } from '../place.ts'
import { formatFlags } from './formats.ts'
import type { Input } from '../../../core/param.ts'

const params = {
  file: argument.text('file to read (-: standard input)', { placeholder: 'file', required: true, complete: 'file' }),
  path: secretOrFolder('folder to write into (default: the root); for a plain dotenv file, the path of the secret', {
    required: false,
  }),
  ...formatFlags,
  update: flag.boolean('write changes of existing secrets too'),
  prune: flag.boolean("delete secrets below the folder that the file doesn't contain"),
  force: flag.boolean('write a new version of every existing secret'),
  literalPath: literalPathFlag,
  ...planFlags,
  ...bulkFlags,
}

export type ImportSecretsInput = Input<typeof params>

export const importCommand = command({
  name: 'import',
  summary: 'Write secrets from what kv export wrote: JSON, YAML or dotenv',
  description: `Reads a map of paths to secrets and writes each below the folder. Everything is checked before anything is sent. Existing secrets are not replaced (check-and-set 0). What fails is reported at the end, with exit status 10, and the rest is written.

--plan only shows, without values, what would be created, changed and left alone. --update makes the secrets equal to the file: unchanged ones are not written, changed ones on top of the version that was read (check-and-set). --prune also deletes secrets below the folder that the file doesn't contain, and asks first; kv undelete undoes it. --force writes a new version of every existing secret.

The format is --format, or the ending of the file; without either, a text that begins with a brace is JSON and any other is YAML. A dotenv file without paths is a single secret, whose path is the second argument.`,
  also: [api.writeData, api.readData, api.list, api.deleteLatest, api.readMount],
  params,
  examples: [
    { line: 'kv import app.json staging/app', note: 'copy what was exported from app' },
    { line: 'kv import app.json app --plan --exit-code', note: 'what differs from the file?' },
    { line: 'kv import app.json app --update --prune', note: 'make a folder equal to the file' },
    { line: 'kv import .env app/db --force', note: 'an environment file as one secret' },
  ],
  async run(input, context) {
    const { importSecrets } = await import('./import-run.ts')
    return importSecrets(input, context)
  },
})
