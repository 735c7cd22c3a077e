import type { Context } from '../../core/context.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { LineFlag } from '../../core/shell.ts'

// Where a job is, if the settings don't say so.

/** The name of a job's namespace: that of the job, else of the settings, else the one that servers take. */
export function namespaceName({ settings }: Pick<Context, 'settings'>, known?: string | null): string {
  return known || settings.namespace || 'default'
}

/** The query of a request with a job in its body, where the settings name another namespace than the job's file. */
export function overNamespace({ settings }: Context, namespace: string | undefined): Pick<HttpRequest, 'query'> {
  if (namespace === undefined || settings.namespace === undefined || settings.namespace === namespace) return {}
  return { query: [['namespace', namespace]] }
}

/** The query of a request about a job, where its namespace isn't that of the settings. */
export function inNamespace({ settings }: Context, namespace: string | undefined): Pick<HttpRequest, 'query'> {
  if (namespace === undefined || namespace === (settings.namespace ?? 'default')) return {}
  return { query: [['namespace', namespace]] }
}

/** `-n team-a`, for a hint about a job whose namespace the flags typed on this line don't give. */
export function namespaceFlag({ settings }: Context, namespace: string | undefined): LineFlag[] {
  if (namespace === undefined || namespace === (settings.namespace ?? 'default')) return []
  return [['-n', namespace]]
}
