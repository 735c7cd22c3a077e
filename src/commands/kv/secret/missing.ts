import type * as api from '../../../api/kv.ts'
import type { NameList } from '../../../api/secrets.ts'
import { isNothingThere, jsonIn } from '../../../api/secrets.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import { TugError, isForbidden } from '../../../core/errors.ts'
import { isObject, objectFrom } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { boolean, count, mismatch, object, string } from '../../../core/shape.ts'
import { nearest } from '../../../core/words.ts'
import { below, folderOf, relativeTo } from '../data/paths.ts'
import { momentOf, seeVersions, stateOf } from '../data/versions.ts'
import { mountIn } from '../mount/engine.ts'
import { listFolder, listHint, meantPath, misplacedHints } from '../mount/list.ts'
import type { Gone } from './read.ts'

/**
 * The deleted or destroyed version in a response: a 404 with metadata, or from some servers a 200 without data. Undefined for any other
 * response. `value` is the data of a success, `asked` the requested version; undefined or `0` is the latest.
 */
export function goneIn(
  context: Context,
  response: HttpResponse,
  value: api.SecretVersion | undefined,
  { path, asked }: { readonly path: string; readonly asked: string | undefined },
): Gone | undefined {
  const is404 = value === undefined
  if (!is404 && (value.data ?? value.subkeys ?? null) !== null) return undefined
  const metadata = is404 ? goneVersionIn(response)?.metadata : value.metadata
  if (metadata === undefined || metadata === null) return undefined
  const found = stateOf(metadata, momentOf(context, response))
  if (!is404 && found === 'live') return undefined
  const state = found === 'live' ? 'deleted' : found
  const error = goneVersion(context, path, {
    version: metadata.version ?? asked ?? '',
    state,
    deletion_time: metadata.deletion_time,
    isLatest: asked === undefined || asked === '0',
    body: response.text(),
  })
  return { state, version: metadata.version ?? Number(asked ?? 0), error }
}

const gone = {
  'version?': count(1),
  'created_time?': string,
  'deletion_time?': string,
  'destroyed?': boolean,
}

/** A 404 for a deleted or destroyed version: its metadata is a member of `data` or, after a patch, `data` itself. */
const goneAnswer = object({ data: object({ 'metadata?': object(gone), ...gone }) })

type GoneVersion = Infer<typeof goneAnswer>['data']

/** What a 404 for a deleted or destroyed version contains; undefined for another 404. */
export function goneVersionIn(response: HttpResponse): GoneVersion | undefined {
  const body = jsonIn(response)
  // The specification shows `subkeys` and `metadata` at the top.
  const answer = isObject(body) && isObject(body['metadata']) ? objectFrom([['data', body]]) : body
  if (mismatch(answer, goneAnswer) !== undefined) return undefined
  return (answer as Infer<typeof goneAnswer>).data
}

/** The error for a 404: the server's message, or what an empty one can mean. Metadata can exist without any version. */
export function failureFor404(
  context: Context,
  response: HttpResponse,
  path: string,
  asked: string | undefined,
  kind: 'data' | 'metadata' = 'data',
): TugError {
  const failure = response.failure()
  if (response.text().trim() !== '' && !isNothingThere(response)) return failure
  // A path that begins with the mount has no folder and no versions either.
  const misplaced = misplacedHints(context, path)
  const hints = (next: string) => (misplaced.length > 0 ? misplaced : [next])
  if (asked !== undefined && asked !== '0')
    return failure.with({
      message: `no such secret, or no version ${asked}: never written, or pruned`,
      reason: 'no_secret',
      hints: hints(seeVersions(context, path)),
    })
  return failure.with({
    message: `no such secret in the mount ${context.settings.route.mount}/${kind === 'data' ? ', or no version of it has data' : ''}`,
    reason: 'no_secret',
    hints: hints(listHint('the folder', context, folderOf(path))),
  })
}

/**
 * Adds to the error of a missing secret what its path may mean, by listing the folder above once: a folder (`folderHints`), or a secret with
 * a similar name. If that folder may not be listed, the path itself is.
 */
export async function explainMissing(
  context: Context,
  path: string,
  error: TugError,
  folderHints = (): readonly string[] => [listHint('it', context, path)],
): Promise<TugError> {
  if (path === '') return error
  if (path.includes('\\'))
    return error.with({
      hints: [`paths have slashes: ${context.lineWith(path, path.replaceAll('\\', '/'))}`, ...error.hints],
    })
  const other = await mountIn(context, path)
  if (other !== undefined) {
    const line = context.commandLine(context.commandPath.join(' '), other.rest, ['--mount', other.mount])
    return error.with({ hints: [`${other.mount}/ is a mount of its own: ${line}`] })
  }
  const above = folderOf(path)
  const name = relativeTo(above, path)
  // Without retries: an explanation isn't worth waiting for a rate limit.
  const listed = (folder: string) => listFolder(context, folder, { retries: 0 })
  const { value: names, missing } = await listed(above).catch(
    async (failure: unknown): Promise<Pick<NameList, 'value' | 'missing'>> => {
      const inside = isForbidden(failure) ? await listed(path).catch(() => undefined) : undefined
      return { value: inside === undefined || inside.value.length === 0 ? [] : [`${name}/`] }
    },
  )
  if (missing !== undefined && above !== '' && meantPath(context, path) === undefined) {
    const similar = await similarFolder(context, above)
    return similar === undefined ? error.with({ hints: missing.hints }) : didYouMean(error, [below(similar, name)])
  }
  if (names.includes(`${name}/`))
    return error.with({ message: `${path} is a folder, not a secret`, reason: 'folder', hints: folderHints() })
  // A secret of this name without a live version is likelier than a typo.
  if (names.includes(name)) return error
  const secrets = names.filter((one) => !one.endsWith('/'))
  return didYouMean(
    error,
    nearest(name, secrets).map((one) => below(above, one)),
  )
}

function didYouMean(error: TugError, paths: readonly string[]): TugError {
  const named = paths.map((one) => `'${one}'`)
  return named.length === 0 ? error : error.with({ message: `${error.message}. Did you mean ${named.join(' or ')}?` })
}

/** The folder whose name is nearest to that of a missing one: `app` for `App`. Lists the folder above. */
async function similarFolder(context: Context, folder: string): Promise<string | undefined> {
  const above = folderOf(folder)
  const { value } = await listFolder(context, above, { retries: 0 }).catch(() => ({ value: [] }))
  const folders = value.flatMap((one) => (one.endsWith('/') ? [one.slice(0, -1)] : []))
  const [found] = nearest(relativeTo(above, folder), folders)
  return found === undefined ? undefined : below(above, found)
}

interface GoneVersionFacts {
  readonly version: string | number
  readonly state: 'deleted' | 'destroyed'
  readonly deletion_time?: string | null | undefined
  /** True if the latest version was asked for. */
  readonly isLatest?: boolean
  /** The response body, for `--raw`. */
  readonly body?: string
}

/** The error for a deleted or destroyed version, with what can be done about it. */
export function goneVersion(context: Context, path: string, facts: GoneVersionFacts): TugError {
  const { version, state, deletion_time, isLatest = false, body } = facts
  const which = isLatest ? `the latest version (${version})` : `version ${version}`
  const isDeleted = state === 'deleted'
  const when = deletion_time ? ` on ${readableTime(deletion_time)}` : ''
  const undo = `restore it: ${context.commandLine('kv undelete', path, ['--versions', String(version)])}`
  return new TugError(
    'not_found',
    `${which} was ${isDeleted ? `deleted${when}; its data can be restored` : 'destroyed; its data no longer exists'}`,
    {
      status: 404,
      service: 'secrets',
      reason: `version_${state}`,
      version: String(version),
      ...(body === undefined ? {} : { body }),
      hints: [...(isDeleted ? [undo] : []), seeVersions(context, path)],
    },
  )
}
