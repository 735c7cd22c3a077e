import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { secretPath } from './place.ts'
import { verified } from './verify.ts'
import { versionsFlag, versionWords } from './versions.ts'
import { sendWrite } from './write.ts'

export const destroy = command({
  name: 'destroy',
  summary: "Remove versions' data permanently",
  description: `Asks first, then asks the server to remove the data of these versions; nothing brings it back. Servers answer yes for versions that are not there too: --verify reads the metadata before and after and reports what changed.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata],
  params: {
    path: secretPath,
    versions: versionsFlag('these versions', { required: true }),
    verify: flag.boolean('read the metadata before and after, and report what changed'),
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes --verify', note: 'in a script, and see what changed' },
  ],
  async run({ path, versions, verify }, context): Promise<Result | undefined> {
    await context.io.confirm(`Permanently destroy ${versionWords(versions)} of ${path}?`)
    const send = async () => {
      await sendWrite(context, path, api.destroyVersions({ path }, { body: { versions } }))
      context.io.note(`${path}: asked to destroy ${versionWords(versions)}`)
    }
    if (verify === true) return verified(context, path, { versions, wanted: 'destroyed', send })
    await send()
    return undefined
  },
})
