import * as api from '../../api/kv.ts'
import type { WrittenVersion } from '../../api/kv.ts'
import { sayWarnings } from '../../api/secrets.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { TugError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { noVersionInAnswer, refusalHints, storedLiterally } from './messages.ts'
import { registerSecrets } from './values.ts'

/** A write's answer. */
export interface Written {
  readonly version: number
  readonly metadata: WrittenVersion
  readonly response: HttpResponse
}

/** POST of a secret's whole value; without `cas` it replaces any version. */
export async function writeSecret(
  context: Context,
  path: string,
  data: JsonObject | null,
  cas: number | undefined,
): Promise<Written> {
  const request = api.writeData({ path }, dataParts(data, cas))
  try {
    return written(context, path, await sendWrite(context, path, request))
  } catch (error) {
    // A server may echo what it refused.
    registerSecrets(context.io, data, path)
    throw error
  }
}

/** What a write of data adds to its route; check-and-set makes it safe to repeat. */
export function dataParts(data: JsonObject | null, cas: number | undefined): RequestParts {
  return {
    body: objectFrom([['data', data], ...(cas === undefined ? [] : [['options', { cas }] as const])]),
    secretBody: ['data'],
    policy: { guarded: cas !== undefined },
  }
}

/**
 * Sends a write. Adds hints to its failure, those of `more` last and also how to find out what became of it, and prints its
 * warnings.
 */
export async function sendWrite<T>(
  context: Context,
  path: string,
  request: HttpRequest<T>,
  more: (error: TugError) => readonly string[] = () => [],
): Promise<HttpResponse<T>> {
  try {
    const response = await context.http.send<T>({ checkCommand: context.commandLine('kv history', path), ...request })
    sayWarnings(context.io, response)
    return response
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const hints = [...refusalHints(context, path, error), ...more(error)]
    throw hints.length === 0 ? error : error.with({ hints: [...error.hints, ...hints] })
  }
}

/** True if a patch failed because the token has no capability for it, or the server has no patches. */
export function isPatchRefused({ facts }: TugError): boolean {
  return facts.status === 403 || facts.status === 405
}

/** The new version from a write's answer. Throws if there is none: a version 1 engine stored a literal key. */
export function written(
  context: Context,
  path: string,
  response: HttpResponse<{ readonly data: WrittenVersion } | null>,
): Written {
  const metadata = response.value?.data
  if (metadata !== undefined) return { version: metadata.version, metadata, response }
  if (response.status === 204) throw storedLiterally(context, path)
  throw noVersionInAnswer(context, path, response.status)
}
