import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { explainMissing } from './missing.ts'
import { secretPath } from './place.ts'
import { changeVersions, noVerifyFlag } from './version-change.ts'
import { versionWords, versionsFlag } from './versions.ts'

export const destroy = command({
  name: 'destroy',
  summary: 'Permanently remove the data of versions',
  description: `Asks first. The data cannot be restored. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata, api.list],
  params: {
    path: secretPath,
    versions: versionsFlag('versions to destroy', { required: true }),
    noVerify: noVerifyFlag,
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes', note: 'in a script' },
  ],
  async run({ path, versions, noVerify }, context): Promise<Result> {
    return changeVersions(
      context,
      path,
      {
        wanted: 'destroyed',
        request: () => api.destroyVersions({ path }, { body: { versions } }),
        confirm: () => context.io.confirm(`Permanently destroy ${versionWords(versions)} of ${path}?`),
      },
      { versions, noVerify },
    ).catch(explainMissing(context, path))
  },
})
