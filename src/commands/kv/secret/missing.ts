import type * as api from '../../../api/kv.ts'
import { isNothingThere, jsonIn } from '../../../api/secrets.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { exactTimeAndAge } from '../data/times.ts'
import { TugError } from '../../../core/errors.ts'
import { isObject, objectFrom } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { boolean, count, mismatch, object, string } from '../../../core/shape.ts'
import { folderOf } from '../data/paths.ts'
import { momentOf, seeVersions, stateOf } from '../data/versions.ts'
import { listHint, misplacedHints } from '../mount/list.ts'

/** A version whose data was deleted or destroyed. */
export interface Gone {
  readonly state: 'deleted' | 'destroyed'
  /** 0 if the response doesn't contain it. */
  readonly version: number
  readonly error: TugError
}

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
    ...(is404 ? { failure: response.failure() } : {}),
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

interface GoneVersionFacts {
  readonly version: string | number
  readonly state: 'deleted' | 'destroyed'
  readonly deletion_time?: string | null | undefined
  /** True if the latest version was asked for. */
  readonly isLatest?: boolean
  /** The response body, for `--raw`. */
  readonly body?: string
  /** What the response says by itself, with its request. */
  readonly failure?: TugError
}

/** The error for a deleted or destroyed version, with what can be done about it. */
export function goneVersion(context: Context, path: string, facts: GoneVersionFacts): TugError {
  const { version, state, deletion_time, isLatest = false, body, failure = new TugError('not_found', '') } = facts
  const which = isLatest ? `the latest version (${version})` : `version ${version}`
  const isDeleted = state === 'deleted'
  // Without a warning about clocks: a bulk run may only count this error.
  const when = deletion_time ? ` on ${exactTimeAndAge(deletion_time, context.http.memory.clock.time())}` : ''
  const undo = `restore it: ${context.commandLine('kv undelete', path, ['--versions', String(version)])}`
  return failure.with({
    code: 'not_found',
    message: `${which} was ${isDeleted ? `deleted${when}; its data can be restored` : 'destroyed; its data no longer exists'}`,
    status: 404,
    service: 'secrets',
    reason: `version_${state}`,
    version: String(version),
    ...(body === undefined ? {} : { body }),
    hints: [...(isDeleted ? [undo] : []), seeVersions(context, path)],
  })
}
