import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { Closing, ItemRun, Summary, Work } from '../../write/work.ts'
import { stage } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asFolder, asSecret, forFolder, secretsOrFolders } from './data/paths.ts'
import { verifyFlags, versionsFlag } from './data/versions.ts'
import { fromFlag, workBelow, workFrom } from './mount/targets.ts'
import { decideVersions } from './secret/index.ts'

export const remove = write({
  name: 'delete',
  summary: 'Delete the latest version of secrets, or other versions; kv undelete undoes it',
  description: `The data is kept, and kv undelete restores it. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such. --recursive deletes the latest version of every secret below a folder, --from that of every secret in a file; both ask first. To continue an interrupted run, run it again. kv destroy removes data permanently, kv metadata delete the whole secret.`,
  endpoint: [api.deleteLatest, api.deleteVersions],
  also: [api.list, api.readMetadata, api.readMount, api.readCapabilities],
  params: {
    paths: secretsOrFolders('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to delete (default: the latest)', { required: false }),
    recursive: flag.boolean('act on every secret below the folder', { short: 'r', excludes: ['versions'] }),
    from: { ...fromFlag, excludes: ['paths', 'recursive', 'versions'] },
    ...verifyFlags,
  },
  examples: [
    { line: 'kv delete app/db', note: 'the latest version' },
    { line: 'kv delete app/db --versions 2..3', note: 'two older ones' },
    { line: 'kv delete team/search/ --recursive', note: 'the latest version of everything below a folder' },
    { line: 'kv delete team/search/ --recursive --plan', note: 'see what that would delete' },
    { line: 'kv delete --from paths.txt --plan', note: 'what kv find -o name > paths.txt has found' },
  ],
  async open({ paths, versions, recursive, from, noVerify }, context): Promise<Work> {
    if (from !== undefined)
      return workFrom(context, from, {
        action: 'delete',
        progress: 'deleting secrets',
        decide: (path) => decideVersions(context, { path, wanted: 'deleted', noVerify }),
        question: (secrets) => `Delete the latest version of ${secrets}?`,
      })
    if (paths.length === 0) throw usageError('<path> is missing', 'give paths, or --from <file> with a path per line')
    if (recursive === true) return deleteBelow(context, paths, noVerify)
    const secrets = [...new Set(paths.map((path) => asSecret(path, 'pass --recursive for everything below a folder')))]
    const [one] = secrets
    return {
      action: 'delete',
      target: 'path',
      noun: 'secret',
      ...(paths.length === 1 && one !== undefined ? { one } : {}),
      progress: 'deleting secrets',
      columns: ['versions'],
      stages: [
        stage<string>({
          targets: secrets,
          nameOf: (path) => path,
          decide: (path) => {
            const folder = context.typedLine({ paths: path, recursive: 'true', versions: undefined })
            return decideVersions(context, {
              path,
              wanted: 'deleted',
              versions,
              noVerify,
              folderHint: forFolder(folder),
            })
          },
        }),
      ],
    }
  },
})

/** Deletes the latest version of every secret below folders. */
function deleteBelow(context: Context, folders: readonly string[], noVerify: boolean | undefined): Work {
  /** The server's time of the read before the first write, and of the last deletion by somebody else before it. */
  let first: number | undefined
  let earlier = -Infinity
  return workBelow(context, folders, {
    action: 'delete',
    progress: 'deleting secrets',
    decide: async (path) => {
      let read: number | undefined
      const except = ({ deletion_time }: { readonly deletion_time: string }, moment: Date) => {
        read = moment.getTime()
        const deleted = Date.parse(deletion_time)
        if (deleted <= (first ?? read)) earlier = Math.max(earlier, deleted)
        return undefined
      }
      const decision = await decideVersions(context, { path, wanted: 'deleted', noVerify, except })
      const { apply } = decision ?? {}
      if (decision === undefined || apply === undefined) return decision
      const applyFirst = (item: ItemRun) => {
        first ??= read
        return apply(item)
      }
      return { ...decision, apply: applyFirst }
    },
    question: (secrets) => `Delete the latest version of ${secrets}?`,
    close: ({ isPlan, done, unknown }: Summary): Closing => {
      // Without a read, nothing shows the server's time.
      if (isPlan || done + unknown === 0 || first === undefined) return {}
      // The moment of a response has seconds, which are rounded up.
      const since = new Date(Math.max(first - 999, earlier + 1)).toISOString()
      const line = (folder: string) =>
        context.commandLine('kv undelete', `${asFolder(folder)}/`, ['--recursive'], ['--deleted-within', since])
      return { hint: `to restore what was deleted since then: ${folders.map(line).join(' && ')}` }
    },
  })
}
