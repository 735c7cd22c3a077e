import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { bulkFlags, planFlags, refuseBesidePlan, refuseBulkFlags } from '../../bulk/flags.ts'
import { undeleteBelow } from './bulk/undelete-below.ts'
import { orMeant } from './missing.ts'
import { asFolder, asSecret, secretOrFolder } from './place.ts'
import { changeVersions, verifyFlags } from './version-change.ts'
import { versionsFlag } from './versions.ts'

export const undelete = command({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret, or of every secret below a folder',
  description: `Reads the metadata before and after. A version that doesn't exist or was destroyed is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such, and --versions is required.

--recursive restores the latest version of every secret below a folder that is deleted; with --deleted-within only those that were deleted in that time: the inverse of kv delete --recursive. It ends with an account of every secret (exit status 10 if something failed).`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata, api.list, api.readMount],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to restore (default the latest)', { required: false }),
    recursive: flag.boolean('work on every secret below the folder'),
    deletedWithin: flag.duration('with --recursive, only what was deleted in this time, such as 2h'),
    ...verifyFlags,
    ...planFlags,
    ...bulkFlags,
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2', note: 'an older one' },
    { line: 'kv undelete team/ --recursive --deleted-within 2h', note: 'take back a recursive delete' },
  ],
  async run({ path: typed, versions, recursive, deletedWithin, ...rest }, context): Promise<Result> {
    const { verify, noVerify, plan, exitCode, ...pace } = rest
    if (recursive === true) {
      if (versions !== undefined || verify === true)
        throw usageError('--recursive restores latest versions and cannot be combined with --versions or --verify')
      refuseBesidePlan({ plan, exitCode, ...pace })
      const below = { folder: asFolder(typed), plan: plan === true, exitCode: exitCode === true, pace }
      return undeleteBelow(context, below, deletedWithin)
    }
    refuseBulkFlags({ plan, exitCode, ...pace }, 'needs --recursive')
    if (deletedWithin !== undefined) throw usageError('--deleted-within needs --recursive')
    const path = asSecret(typed, 'pass --recursive for everything below a folder')
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
    ).catch(async (error: unknown) => {
      const isRefused = versions === undefined && error instanceof TugError && error.facts.status === 403
      if (!isRefused)
        throw await orMeant(context, path, error, [
          `for everything below the folder: ${context.commandLine('kv undelete', path, '--recursive')}`,
        ])
      const named = `${context.commandLine('kv undelete', path, '--versions')} <n>`
      throw error.with({ hints: [...error.hints, `without reading the metadata, name the version: ${named}`] })
    })
  },
})
