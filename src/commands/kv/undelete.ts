import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { usageError } from '../../core/errors.ts'
import { secretPath } from './place.ts'
import { changeVersions, verifyFlags } from './version-change.ts'
import { versionsFlag } from './versions.ts'

export const undelete = command({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret',
  description: `Reads the metadata before and after. A version that doesn't exist or was destroyed is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such, and --versions is required.`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata],
  params: {
    path: secretPath,
    versions: versionsFlag('versions to restore (default the latest)', { required: false }),
    ...verifyFlags,
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2', note: 'an older one' },
  ],
  async run({ path, versions, verify, noVerify }, context): Promise<Result> {
    if (versions === undefined && noVerify === true)
      throw usageError(
        '--no-verify requires --versions: without reading the metadata, the latest version is unknown',
        `write: ${context.commandLine('kv undelete', path, '--no-verify', '--versions')} <n>`,
      )
    return changeVersions(
      context,
      path,
      {
        wanted: 'live',
        done: 'restored',
        noun: 'restoration',
        request: (wanted = []) => api.undeleteVersions({ path }, { body: { versions: wanted } }),
      },
      { versions, verify: versions === undefined ? true : verify, noVerify },
    )
  },
})
