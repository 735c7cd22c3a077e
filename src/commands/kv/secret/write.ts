import * as api from '../../../api/kv.ts'
import type { WrittenVersion } from '../../../api/kv.ts'
import { printWarnings, sendExplained } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { exactTimeAndAge } from '../data/times.ts'
import type { RequestParts } from '../../../core/endpoint.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { encodeSegments } from '../../../core/request.ts'
import type { Applied } from '../../../write/work.ts'
import { mapOf, registerSecrets } from '../data/values.ts'
import { seeVersions } from '../data/versions.ts'
import { wrongEngine } from '../mount/engine.ts'
import { failureFor404 } from './missing.ts'

/** What a write reports besides its new version. */
interface Reported {
  /** The version that it replaced. */
  readonly from?: number | undefined
  /** What happened to which keys, in words. */
  readonly changes?: (() => readonly string[]) | undefined
}

/** POST of a secret's whole value; without `cas` it replaces any version. */
export async function writeData(
  context: Context,
  path: string,
  data: JsonObject | null,
  how: Reported & { readonly cas: number | undefined; readonly acl?: 'update' | undefined },
): Promise<Applied> {
  const { cas, acl } = how
  const parts = Object.assign(dataParts(data, cas), acl === undefined ? undefined : { acl })
  try {
    const response = await sendWrite(context, path, api.writeData({ path }, parts))
    return writtenVersion(context, path, response, how)
  } catch (error) {
    // A server may echo what it refused.
    registerSecrets(context.io, data, path)
    throw error
  }
}

/** Body and policy of a write of data; check-and-set makes it safe to retry. */
export function dataParts(data: JsonObject | null, cas: number | undefined): RequestParts {
  return {
    body: cas === undefined ? { data } : { data, options: { cas } },
    secretBody: ['data'],
    policy: { guarded: cas !== undefined },
  }
}

/**
 * Sends a write and prints its warnings. Adds hints to an error; `explain` may change it further. A 404 that the request allows becomes the
 * error of a missing secret, for which `explain` gets the response too.
 */
export async function sendWrite<T>(
  context: Context,
  path: string,
  request: HttpRequest<T>,
  explain: (error: TugError, response?: HttpResponse<T>) => TugError = (error) => error,
): Promise<HttpResponse<T>> {
  const asked = { checkCommand: () => context.commandLine('kv history', path), ...request }
  let response: HttpResponse<T>
  try {
    response = await sendExplained(context, asked)
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const hints = refusalHints(context, path, error)
    throw explain(hints.length === 0 ? error : error.with({ hints: [...error.hints, ...hints] }))
  }
  printWarnings(context.io, response)
  if (response.status !== 404) return response
  throw explain(failureFor404(context, response, path, undefined, 'metadata'), response)
}

/** Hints for a rejected write, found by the server's message. */
function refusalHints(context: Context, path: string, { message, facts }: TugError): string[] {
  const line = (words: string) => context.commandLine(words, path)
  if (facts.isUnseen === true && /did not match|does not match/.test(message)) return []
  if (/metadata check-and-set parameter does not match/.test(message))
    return [`see current_metadata_version: ${line('kv metadata get')}`]
  if (/metadata check-and-set parameter required/.test(message))
    return ['the server guards metadata by its version, which the token must be allowed to read']
  if (/did not match/.test(message)) return [seeVersions(context, path)]
  if (/check-and-set parameter required/.test(message)) return [requirementHint(context, path)]
  if (/maximum number of strings/.test(message))
    return [
      context.commandPath.at(-1) === 'set'
        ? `send only what changes: ${line('kv patch')} …`
        : `write a part with kv put, then the rest: ${line('kv patch')} @rest.json`,
    ]
  return []
}

/** What to do where check-and-set is required. */
export function requirementHint({ commandLine }: Context, path: string): string {
  return `pass --cas <n> with the version to replace, or let kv set read it: ${commandLine('kv set', path)} key=value`
}

/** The result of a write of data: `app/db 7 → 8   changed: password`. Throws if the response has no version. */
export function writtenVersion(
  context: Context,
  path: string,
  response: HttpResponse<{ readonly data: WrittenVersion } | null>,
  { from, changes = () => [] }: Reported,
): Applied {
  const metadata = response.value?.data
  if (metadata === undefined && response.status === 204) {
    // A version 1 engine.
    const literal = encodeSegments(`${context.settings.route.mount}/data/${path}`)
    throw wrongEngine(
      context,
      `not a version 2 key-value engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
      `remove it: ${context.commandLine('api secrets DELETE', literal)}`,
    ).with({ status: 204 })
  }
  if (metadata === undefined)
    throw new TugError('failed', 'the response contains no version; the outcome is unknown', {
      status: response.status,
      service: 'secrets',
      reason: 'in_doubt',
      hints: [seeVersions(context, path)],
    })
  const { version } = metadata
  const expiry = metadata.deletion_time ?? ''
  const words = () => [
    from === undefined ? `${path}: wrote version ${version}` : `${path} ${from} → ${version}`,
    ...changes(),
    ...(expiry === '' ? [] : [`expires: ${exactTimeAndAge(expiry, context.now())}`]),
  ]
  return {
    words: () => words().join('   '),
    facts: mapOf(asJson(metadata)),
    guard: version,
    rawBody: response.body,
  }
}
