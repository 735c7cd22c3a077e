import * as api from '../../api/kv.ts'
import { at, whenKnown } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { goneError } from './missing.ts'
import { hintMisplaced, secretPath } from './place.ts'
import { readMetadata } from './read.ts'
import { askedResult, verified, verifyFlag } from './verify.ts'
import { currentVersion, momentOf, versionsFlag, versionsOf, versionWords } from './versions.ts'
import { sendWrite } from './write.ts'

export const undelete = command({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret',
  description: `With --versions it is one request, and servers also confirm versions that don't exist or were destroyed; --verify reads the metadata before and after and reports what changed. Without --versions the metadata is read to find the latest version.`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata],
  params: {
    path: secretPath,
    versions: versionsFlag('versions to restore (default the latest)', { required: false }),
    verify: verifyFlag,
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2 --verify', note: 'an older one, and see what changed' },
  ],
  async run({ path, versions, verify }, context): Promise<Result | undefined> {
    hintMisplaced(context, path)
    const latest = versions === undefined ? await latestVersion(context, path) : undefined
    if (latest !== undefined && 'done' in latest) return latest
    const wanted: Json[] = latest === undefined ? (versions ?? []) : [latest.version]
    const send = () => sendWrite(context, path, api.undeleteVersions({ path }, { body: { versions: wanted } }))
    if (verify === true) return verified(context, path, { versions, wanted: 'live', send })
    await send()
    if (latest === undefined)
      return askedResult(context, {
        path,
        action: `undelete ${versionWords(versions ?? [])}`,
        place: 'undelete',
        versions: wanted,
      })
    return stateResult(path, latest.version, `${path}: version ${String(latest.version)} is live again`)
  },
})

type Latest = { readonly version: Json } | { readonly done: string; readonly data: Json }

/** The latest version, if it is deleted; or the result of the command, if there is nothing to undelete. */
async function latestVersion(context: Context, path: string): Promise<Latest> {
  const { metadata, response } = await readMetadata(context, path)
  return whenKnown<Json, Latest>(
    at(metadata, 'current_version') ?? null,
    () => {
      const version = currentVersion(metadata)
      const latest = versionsOf(metadata, momentOf(context, response)).find((one) => one.version === version)
      if (latest?.state === 'destroyed') throw goneError(context, path, { version }, { state: 'destroyed' })
      if (latest?.state === 'deleted') return { version }
      return stateResult(
        path,
        version,
        latest === undefined
          ? `${path} has no versions, so nothing to undelete`
          : `${path}: version ${version} is live already`,
      )
    },
    (version) => ({ version }),
  )
}

function stateResult(path: string, version: Json, done: string) {
  return {
    done,
    data: objectFrom([
      ['path', path],
      ['version', version],
    ]),
  }
}
