import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { hintMisplaced, secretPath } from './place.ts'
import { askedResult, verified, verifyFlag } from './verify.ts'
import { versionsFlag, versionWords } from './versions.ts'
import { sendWrite } from './write.ts'

export const destroy = command({
  name: 'destroy',
  summary: 'Permanently remove the data of versions',
  description: `Asks first. The data cannot be restored. Servers also confirm versions that don't exist; --verify reads the metadata before and after and reports what changed.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata],
  params: {
    path: secretPath,
    versions: versionsFlag('versions to destroy', { required: true }),
    verify: verifyFlag,
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes --verify', note: 'in a script, and see what changed' },
  ],
  async run({ path, versions, verify }, context): Promise<Result | undefined> {
    hintMisplaced(context, path)
    await context.io.confirm(`Permanently destroy ${versionWords(versions)} of ${path}?`)
    const send = () => sendWrite(context, path, api.destroyVersions({ path }, { body: { versions } }))
    if (verify === true) return verified(context, path, { versions, wanted: 'destroyed', send })
    await send()
    return askedResult(context, { path, action: `destroy ${versionWords(versions)}`, place: 'destroy', versions })
  },
})
