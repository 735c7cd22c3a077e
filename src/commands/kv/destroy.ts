import * as api from '../../api/kv.ts'
import { items } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import type { Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asSecret, forFolder, secretOrFolder } from './data/paths.ts'
import type { Version } from './data/versions.ts'
import { lineWithFlag, verifyFlags, versionWords, versionsFlag } from './data/versions.ts'
import { workBelow } from './mount/targets.ts'
import { decideVersions } from './secret/index.ts'

export const destroy = write({
  name: 'destroy',
  summary: 'Permanently remove the data of versions, or of old versions below a folder',
  description: `Asks first. The data cannot be restored. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such.

--recursive destroys the old versions of every secret below a folder, with --keep all but the newest ones, with --older-than those that were written longer ago; with both only what both select. The current version is never destroyed. A secret that has changed after the question is left alone.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata, api.list, api.readMount, api.readCapabilities],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to destroy', { required: false }),
    recursive: flag.boolean('act on every secret below the folder', { excludes: ['versions', 'noVerify'] }),
    keep: flag.integer('with --recursive, keep this many of the newest versions that have data', {
      min: 1,
      needs: ['recursive'],
    }),
    olderThan: flag.duration('with --recursive, only versions that were written longer ago, such as 90d', {
      needs: ['recursive'],
    }),
    ...verifyFlags,
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes', note: 'in a script' },
    {
      line: 'kv destroy team/ --recursive --keep 3 --older-than 90d --plan',
      note: 'see which versions that would destroy',
    },
  ],
  async open({ path: typed, versions, recursive, keep, olderThan, noVerify }, context): Promise<Work> {
    if (recursive === true) {
      if (keep === undefined && olderThan === undefined)
        throw usageError('--recursive needs --keep or --older-than', 'to remove whole secrets, use kv metadata delete')
      return destroyBelow(context, typed, { keep, olderThan })
    }
    const path = asSecret(typed, 'pass --recursive with --keep or --older-than for everything below a folder')
    if (versions === undefined)
      throw usageError(
        '--versions is required, for example --versions 1..3',
        `see the versions: tug kv history ${path}`,
      )
    return {
      action: 'destroy',
      target: 'path',
      noun: 'secret',
      columns: ['versions'],
      ...onlyTarget(path, {
        decide: () =>
          decideVersions(context, {
            path,
            wanted: 'destroyed',
            versions,
            folderHint: forFolder(`${context.commandLine('kv destroy', path, ['--recursive'])} --keep <n>`),
            noVerify,
          }),
        ask: () => `Permanently destroy ${versionWords(versions)} of ${path}?`,
      }),
    }
  },
})

/** Which versions are old: those that meet all of the given conditions. */
interface Old {
  readonly keep: number | undefined
  /** Milliseconds. */
  readonly olderThan: number | undefined
}

/** Destroys the old versions of every secret below a folder. */
function destroyBelow(context: Context, folder: string, { keep = 1, olderThan }: Old): Work {
  const begin = context.monotonic()
  // The age counts from the start of the run.
  const span = () => (olderThan ?? 0) + context.monotonic() - begin
  const select = (versions: readonly Version[], current: number, moment: Date) => {
    const kept = versions.filter(({ state }) => state !== 'destroyed').slice(0, keep)
    const isOld = ({ created_time }: Version) =>
      olderThan === undefined || moment.getTime() - Date.parse(created_time) > span()
    return versions
      .filter((one) => one.state !== 'destroyed' && one.version !== current && !kept.includes(one) && isOld(one))
      .map(({ version }) => version)
  }
  return workBelow(context, [folder], {
    action: 'destroy',
    progress: 'destroying versions',
    ...(olderThan === undefined
      ? {}
      : { again: () => lineWithFlag(context, '--older-than', `${Math.ceil(span() / 1000)}s`) }),
    decide: async (path) => {
      const decision = await decideVersions(context, { path, wanted: 'destroyed', select })
      if (decision?.action !== 'write') return decision
      throw new TugError(
        'not_allowed',
        `not allowed to read the metadata of ${path}, so its old versions are unknown`,
        { service: 'secrets' },
      )
    },
    question: (secrets, shown) => {
      const due = shown.flatMap(({ hasWork, facts }) => (hasWork ? items(facts['versions']) : []))
      return `Permanently destroy ${plural(due.length, 'old version')} of ${secrets}?`
    },
  })
}
