import * as api from '../../../api/kv.ts'
import type { WrapInfo } from '../../../api/secrets.ts'
import { withWrapping } from '../../../api/secrets.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { explainMissing, failureFor404 } from './missing.ts'
import { findMetadata } from './read.ts'

/**
 * Has the server wrap a version: the answer is a token instead of the secret. Throws for a missing secret, and for a deleted version, whose
 * token would lead to nothing: a wrapped answer doesn't show that, so the metadata is read, if it may be.
 */
export async function readWrapped(
  context: Context,
  path: string,
  asked: number | undefined,
  { ttl, folderHints }: { readonly ttl: string; readonly folderHints: () => readonly string[] },
): Promise<HttpResponse<{ readonly wrap_info: WrapInfo }>> {
  const request = api.readData({ path }, asked === undefined ? {} : { query: [['version', String(asked)]] })
  const response = await context.http.send(withWrapping({ ...request, allow: [404] }, ttl))
  if (response.status === 404) {
    const error = failureFor404(context, response, path, asked?.toString())
    throw error.reason === 'no_secret' ? await explainMissing(context, path, error, folderHints) : error
  }
  const metadata = await findMetadata(context, path).catch((error: unknown) => {
    if (error instanceof TugError && error.facts.status !== undefined) return undefined
    throw error
  })
  if (metadata?.state === 'exists') {
    const wanted = metadata.versions.find(({ version }) => version === (asked || metadata.current))
    const error = wanted && metadata.goneError(wanted)
    if (error !== undefined) throw error
  }
  return response
}
