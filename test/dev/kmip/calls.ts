import type { JsonObject } from '../../../src/core/json.ts'
import { isObject } from '../../../src/core/json.ts'
import type { DevClock, Dialect } from '../../../src/dev/http.ts'
import { Refusal } from '../../../src/dev/secrets/fields.ts'
import type { EngineReply, SecretsEngine } from '../../../src/dev/secrets/reply.ts'

/** Calling the KMIP engine without a server around it. */

export const now = new Date('2026-11-21T07:12:34.567Z')

/** A clock that stands still. */
export const stoppedClock: DevClock = { now: () => now, after: () => () => undefined }

/** `path` is below the mount and may carry a query; `?list=true` and the method LIST ask for a list. */
export async function call(
  engine: SecretsEngine,
  method: string,
  path: string,
  body?: JsonObject,
  dialect: Dialect = 'neutral',
): Promise<EngineReply> {
  const url = new URL(`http://127.0.0.1/v1/kmip/${path}`)
  const segments = url.pathname.split('/').slice(3).map(decodeURIComponent)
  const query = url.searchParams
  const list = method === 'LIST' || query.get('list') === 'true'
  const request = {
    method: list ? 'LIST' : method,
    segments,
    trailingSlash: false,
    query,
    body: body ?? {},
    dialect,
  }
  try {
    return await engine.handle(request)
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, errors: error.errors }
    throw error
  }
}

/** A reply's `data`, which must be an object of texts and lists of texts. */
export function dataOf(reply: EngineReply): Record<string, string> & { ca_chain: string[]; keys: string[] } {
  if (!isObject(reply.data)) throw new Error(`no data in ${JSON.stringify(reply)}`)
  return reply.data as Record<string, string> & { ca_chain: string[]; keys: string[] }
}
