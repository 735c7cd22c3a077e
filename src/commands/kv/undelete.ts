import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { at, isAwaited } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { secretPath } from './place.ts'
import { goneError, readMetadata } from './read.ts'
import { verified } from './verify.ts'
import { currentVersion, momentOf, versionsFlag, versionsOf, versionWords } from './versions.ts'
import { sendWrite } from './write.ts'

export const undelete = command({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret',
  description: `With --versions it is one request, and servers say yes for versions that are not there or destroyed too: --verify reads the metadata before and after and reports what changed. Without --versions the metadata is read to find the latest version.`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata],
  params: {
    path: secretPath,
    versions: versionsFlag('these versions', { required: false }),
    verify: flag.boolean('read the metadata before and after, and report what changed'),
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2 --verify', note: 'some, and see what changed' },
  ],
  async run({ path, versions, verify }, context): Promise<Result | undefined> {
    const wanted = versions ?? (await latestDeleted(context, path))
    if (wanted === undefined) return undefined
    const send = async () => {
      await sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: wanted as Json[] } }))
      context.io.note(
        versions === undefined
          ? `${path}: ${versionWords(wanted as number[])} is live again`
          : `${path}: asked to undelete ${versionWords(versions)}`,
      )
    }
    if (verify === true) return verified(context, path, { versions, wanted: 'live', send })
    await send()
    return undefined
  },
})

/** The latest version's number; undefined, with a message, if it is live already. */
async function latestDeleted(context: Context, path: string): Promise<readonly Json[] | undefined> {
  const { metadata, response } = await readMetadata(context, path)
  const current = at(metadata, 'current_version')
  if (isAwaited(current)) return [current]
  const number = currentVersion(metadata)
  const latest = versionsOf(metadata, momentOf(context, response)).find(({ version }) => version === number)
  if (latest?.state === 'destroyed') throw goneError(path, { version: number }, { state: 'destroyed' })
  if (latest?.state === 'deleted') return [number]
  context.io.note(
    latest === undefined ? `${path} has no versions to restore` : `${path}: version ${number} is live already`,
  )
  return undefined
}
