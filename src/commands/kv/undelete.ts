import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { TypedMoment } from '../../core/duration.ts'
import { day, parseMoment, resolveMoment } from '../../core/duration.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asSecret, forFolder, secretOrFolder } from './data/paths.ts'
import { verifyFlags, versionsFlag } from './data/versions.ts'
import { workBelow } from './mount/targets.ts'
import { decideVersions } from './secret/index.ts'

export const undelete = write({
  name: 'undelete',
  summary: 'Restore deleted versions of a secret, or of every secret below a folder',
  description: `Reads the metadata before and after. A version that doesn't exist or was destroyed is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such, and --versions is required.

--recursive restores every secret below a folder whose latest version is deleted, with --deleted-within only those deleted since then: the inverse of kv delete --recursive. To continue an interrupted run, run it again.`,
  endpoint: api.undeleteVersions,
  also: [api.readMetadata, api.list, api.readMount, api.readCapabilities],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to restore (default: the latest)', { required: false }),
    recursive: flag.boolean('act on every secret below the folder', {
      short: 'r',
      excludes: ['versions', 'noVerify'],
    }),
    deletedWithin: flag.of(
      'with --recursive, only what was deleted in this time or since this moment: 2h, 2026-11-20T14:00:00Z',
      parseMoment,
      { placeholder: 'time', needs: ['recursive'] },
    ),
    ...verifyFlags,
  },
  examples: [
    { line: 'kv undelete team/payments/old-gateway', note: 'the latest version' },
    { line: 'kv undelete app/db --versions 2', note: 'an older one' },
    { line: 'kv undelete team/ --recursive --deleted-within 2h', note: 'undo a recursive delete' },
  ],
  async open({ path: typed, versions, recursive, deletedWithin, noVerify }, context): Promise<Work> {
    if (recursive === true) return undeleteBelow(context, typed, deletedWithin)
    const path = asSecret(typed, 'pass --recursive for everything below a folder')
    if (versions === undefined && noVerify === true)
      throw usageError(
        '--no-verify requires --versions: without reading the metadata, the latest version is unknown',
        `write: ${context.typedLine()} --versions <n>`,
      )
    return {
      action: 'undelete',
      target: 'path',
      noun: 'secret',
      columns: ['versions'],
      ...onlyTarget(path, {
        decide: (one) =>
          decideOne(context, {
            path: one,
            versions,
            folderHint: forFolder(context.typedLine({ recursive: 'true', versions: undefined, noVerify: undefined })),
            noVerify,
          }),
      }),
    }
  },
})

async function decideOne(
  context: Context,
  change: Omit<Parameters<typeof decideVersions>[1], 'wanted'>,
): Promise<Decision | undefined> {
  const { path, versions } = change
  const decision = await decideVersions(context, { ...change, wanted: 'live' })
  // Only the metadata shows which version is the latest.
  if (decision?.action !== 'write' || versions !== undefined) return decision
  throw new TugError('not_allowed', `not allowed to read the metadata of ${path}, so its latest version is unknown`, {
    service: 'secrets',
    hints: [`without reading the metadata, name the version: ${context.typedLine()} --versions <n>`],
  })
}

/** Restores every secret below a folder whose latest version was deleted, at most so long ago or since a moment. */
function undeleteBelow(context: Context, folder: string, within: TypedMoment | undefined): Work {
  if (within !== undefined && resolveMoment(within, context.now()).getTime() > context.now().getTime() + day)
    throw usageError('--deleted-within is in the future')
  const begin = context.monotonic()
  // The time limit counts from the start of the run.
  const elapsed = () => context.monotonic() - begin
  return workBelow(context, [folder], {
    action: 'undelete',
    progress: 'restoring secrets',
    ...(within !== undefined && 'ago' in within
      ? { again: () => context.typedLine({ deletedWithin: `${Math.ceil((within.ago + elapsed()) / 1000)}s` }) }
      : {}),
    decide: (path) =>
      decideOne(context, {
        path,
        except: ({ deletion_time }, moment) => {
          if (within === undefined) return undefined
          const since = resolveMoment(within, moment).getTime() - ('ago' in within ? elapsed() : 0)
          return Date.parse(deletion_time) < since ? `deleted longer ago: ${deletion_time}` : undefined
        },
      }),
  })
}
