import * as api from '../../api/kv.ts'
import { items, number } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import type { Shown, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asSecret, forFolder, optionalPath } from './data/paths.ts'
import type { Version } from './data/versions.ts'
import { verifyFlags, versionWords, versionsFlag } from './data/versions.ts'
import { fromFlag, workBelow, workFrom } from './mount/targets.ts'
import { decideVersions } from './secret/index.ts'

export const destroy = write({
  name: 'destroy',
  summary: 'Permanently remove the data of versions, or of old versions below a folder',
  description: `Asks first; the data cannot be restored. The metadata is read before and after: a version that doesn't exist is exit status 3 and nothing is sent. If the metadata may not be read, or with --no-verify, it is one request, reported as such.

--keep and --older-than together destroy only what both select, and never the current version; --recursive and --from do that for many secrets. A secret that has changed after the question is left alone.`,
  endpoint: api.destroyVersions,
  also: [api.readMetadata, api.list, api.readMount, api.readCapabilities],
  params: {
    path: optionalPath('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to destroy', { required: false }),
    recursive: flag.boolean('act on every secret below the folder', {
      short: 'r',
      excludes: ['versions', 'noVerify'],
    }),
    from: { ...fromFlag, excludes: ['path', 'recursive', 'versions', 'noVerify'] },
    keep: flag.integer('keep this many of the newest versions with data', { min: 1, excludes: ['versions'] }),
    olderThan: flag.duration('only versions written longer ago, such as 90d', { excludes: ['versions'] }),
    ...verifyFlags,
  },
  examples: [
    { line: 'kv destroy app/db --versions 1..3', note: 'asks, then removes three versions' },
    { line: 'kv destroy app/db --versions 4 --yes', note: 'in a script' },
    { line: 'kv destroy app/db --keep 2 --plan', note: 'all but the two newest versions with data' },
    {
      line: 'kv destroy team/ --recursive --keep 3 --older-than 90d --plan',
      note: 'see which versions that would destroy',
    },
  ],
  async open({ path: typed, versions, recursive, from, keep, olderThan, noVerify }, context): Promise<Work> {
    const isOld = keep !== undefined || olderThan !== undefined
    if (from === undefined && typed === undefined)
      throw usageError('<path> is missing', 'give a path, or --from <file> with a path per line')
    if ((recursive === true || from !== undefined) && !isOld)
      throw usageError(
        `${recursive === true ? '--recursive' : '--from'} needs --keep or --older-than`,
        'to remove whole secrets, use kv metadata delete',
      )
    const old = isOld ? selectOld(context, { keep, olderThan }) : undefined
    if (from !== undefined && old !== undefined) return workFrom(context, from, workOn(context, old))
    if (recursive === true && old !== undefined) return workBelow(context, [typed ?? ''], workOn(context, old))
    const path = asSecret(typed ?? '', 'pass --recursive with --keep or --older-than for everything below a folder')
    if (versions === undefined && old === undefined)
      throw usageError(
        'give --versions, --keep or --older-than, for example --versions 1..3',
        `see the versions: ${context.commandLine('kv history', path)}`,
      )
    if (old !== undefined && noVerify === true)
      throw usageError('--no-verify requires --versions: without reading the metadata, the old versions are unknown')
    return {
      action: 'destroy',
      target: 'path',
      noun: 'secret',
      columns: ['versions'],
      ...onlyTarget(path, {
        decide: () => {
          const folder = context.typedLine({ recursive: 'true', versions: undefined, noVerify: undefined })
          const folderHint = forFolder(isOld ? folder : `${folder} --keep <n>`)
          if (old !== undefined) return decideOld(context, old, path, folderHint)
          return decideVersions(context, { path, wanted: 'destroyed', versions, folderHint, noVerify })
        },
        ask: (shown) => `Permanently destroy ${versionWords(versions ?? dueIn(shown))} of ${path}?`,
      }),
    }
  },
})

/** Which versions are old. */
interface Old {
  readonly select: NonNullable<Parameters<typeof decideVersions>[1]['select']>
  /** The line that continues a run, whose age counts from its start. */
  readonly again?: () => string
}

/** Those that meet all of the given conditions; `olderThan` in milliseconds. */
function selectOld(
  context: Context,
  { keep = 1, olderThan }: { readonly keep: number | undefined; readonly olderThan: number | undefined },
): Old {
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
  if (olderThan === undefined) return { select }
  return { select, again: () => context.typedLine({ olderThan: `${Math.ceil(span() / 1000)}s` }) }
}

/** The versions that are to be destroyed. */
function dueIn(shown: readonly Shown[]): number[] {
  return shown.flatMap(({ hasWork, facts }) =>
    hasWork ? items(facts['versions']).map((row) => number(row, 'version') ?? 0) : [],
  )
}

async function decideOld(context: Context, { select }: Old, path: string, folderHint?: string) {
  const change = { path, wanted: 'destroyed', select } as const
  const decision = await decideVersions(context, folderHint === undefined ? change : { ...change, folderHint })
  if (decision?.action !== 'write') return decision
  throw new TugError('not_allowed', `not allowed to read the metadata of ${path}, so its old versions are unknown`, {
    service: 'secrets',
  })
}

/** Destroys the old versions of many secrets. */
function workOn(context: Context, old: Old): Parameters<typeof workBelow>[2] {
  return {
    action: 'destroy',
    progress: 'destroying versions',
    ...(old.again === undefined ? {} : { again: old.again }),
    decide: (path) => decideOld(context, old, path),
    question: (secrets, shown) => `Permanently destroy ${plural(dueIn(shown).length, 'old version')} of ${secrets}?`,
  }
}
