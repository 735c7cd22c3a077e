import * as api from '../../../api/kv.ts'
import { command, writeFacts } from '../../../core/command.ts'
import { literalPathFlag, refuseMisplaced, secretPath } from '../place.ts'
import { refuseVersion1 } from '../version1.ts'
import { sendWrite } from '../write.ts'

export const remove = command({
  name: 'delete',
  summary: 'Permanently remove a secret: every version and all metadata',
  description: `Asks first. This cannot be undone. A server also confirms a path that doesn't exist, and a folder, which it leaves alone.`,
  endpoint: api.deleteMetadata,
  also: [api.readMount, api.list],
  params: { path: secretPath, literalPath: literalPathFlag },
  examples: [
    { line: 'kv metadata delete team/payments/old-gateway', note: 'asks, then removes all of it' },
    { line: 'kv metadata delete team/payments/old-gateway --yes', note: 'in a script' },
  ],
  async run({ path, literalPath }, context) {
    await refuseMisplaced(context, path, literalPath)
    await refuseVersion1(context, `metadata/${path}`)
    await context.io.confirm(`Permanently remove every version and all metadata of ${path}?`)
    await sendWrite(context, path, api.deleteMetadata({ path }))
    return {
      done: `removed every version and all metadata of ${path}, if it existed`,
      data: writeFacts('metadata delete', { path }, null, { asked: 'remove every version and all metadata' }),
    }
  },
})
