import * as api from '../../api/kv.ts'
import type { Work } from '../../write/work.ts'
import { stage } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { explainMissing } from './missing.ts'
import { secretPath } from './place.ts'
import { decideVersions, verifyFlags } from './version-change.ts'
import { versionWords, versionsFlag } from './versions.ts'

export const destroy = write({
  name: 'destroy',
  summary: 'Permanently remove the data of versions',
  description: `Asks first. The data cannot be restored. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata, api.list],
  params: {
    path: secretPath,
    versions: versionsFlag('versions to destroy', { required: true }),
    ...verifyFlags,
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes', note: 'in a script' },
  ],
  async open({ path, versions, noVerify }, context): Promise<Work> {
    return {
      action: 'destroy',
      target: 'path',
      noun: 'secret',
      one: path,
      columns: ['versions'],
      stages: [
        stage<string>({
          targets: [path],
          nameOf: (one) => one,
          decide: () =>
            decideVersions(context, {
              path,
              wanted: 'destroyed',
              versions,
              request: () => api.destroyVersions({ path }, { body: { versions } }),
              confirms: true,
              noVerify,
            }).catch(explainMissing(context, path)),
          ask: () => `Permanently destroy ${versionWords(versions)} of ${path}?`,
        }),
      ],
    }
  },
})
