import * as api from '../../../api/kmip.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { destinationOf, issueNew } from './issue.ts'
import { filing, place } from './place.ts'

export const generate = command({
  name: 'generate',
  summary: 'Issue a client certificate with a new private key',
  description:
    'The private key exists in this one answer only. So --out-dir is needed, or an output that carries the key (-o json, yaml, --raw). The folder is checked before the server is asked; if a file cannot be written afterwards, the certificate is revoked.',
  endpoint: api.generateCredential,
  also: [api.revokeCredential],
  params: { ...place, ...filing },
  examples: [
    { line: 'kmip cred generate storage backup --out-dir ./netapp-a1', note: 'three files, 0600' },
    { line: 'kmip cred generate storage backup -o json > credential.json', note: 'everything in one JSON document' },
  ],
  async run({ scope, role, format = 'pem', outDir, force }, context) {
    const destination = destinationOf(outDir, { force, format, key: true }, context)
    const ready = async () => {
      if (outDir === undefined) refuseKeylessOutput(context)
      await destination.ready()
    }
    return issueNew({ scope, role }, format, { ...destination, ready }, context)
  },
})

/** Throws a usage error if the output has no place for the private key. */
function refuseKeylessOutput({ settings }: Context): void {
  if (['json', 'ndjson', 'yaml'].includes(settings.format)) return
  throw usageError(
    `-o ${settings.format} would lose the private key, which is shown only once; nothing was sent`,
    'write files: --out-dir <dir>',
    'or print the whole answer: -o json',
  )
}
