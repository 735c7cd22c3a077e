import { at } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { jsonIn } from '../../../api/secrets.ts'

/** The server's version; undefined if it doesn't tell. */
async function serverVersion({ http }: Context): Promise<string | undefined> {
  const request = { method: 'GET', path: '/v1/sys/health', allow: [429, 472, 473, 501, 503], policy: { retries: 0 } }
  const version = await http.send(request).then(
    (response) => at(jsonIn(response), 'version'),
    () => undefined,
  )
  return typeof version === 'string' ? version : undefined
}

/** For `catch`: explains a 405, with which old servers answer a request that they don't know. */
export function unlessOld(context: Context, feature: string, since: string): (error: unknown) => Promise<never> {
  return async (error) => {
    throw error instanceof TugError && error.facts.status === 405
      ? await explainAge(context, error, feature, since)
      : error
  }
}

/** The error for a request that a server refuses because it is older than the feature; the same error if it isn't. */
export async function explainAge(context: Context, error: TugError, feature: string, since: string): Promise<TugError> {
  const version = await serverVersion(context)
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(version ?? '')?.map(Number) ?? []
  const [firstMajor = 0, firstMinor = 0] = since.split('.').map(Number)
  if (version !== undefined && (major > firstMajor || (major === firstMajor && minor >= firstMinor))) return error
  const is = version === undefined ? 'the version of this server is unknown' : `this server has version ${version}`
  return error.with({ hints: [`Vault has ${feature} since ${since}; ${is}`, ...error.hints] })
}
