import type { DevRequest } from './http.ts'

const schedulerPaths =
  /^\/v1\/(?:jobs?|evaluations?|allocations?|deployments?|validate|namespaces?|nodes?|agent|status|client|regions|scaling|search)(?:\/|$)/

/** The service that a request is for, if any. Further paths under `/v1/` belong to the scheduler if its token is sent. */
export function serviceOf({
  rawPath,
  headers,
}: Pick<DevRequest, 'rawPath' | 'headers'>): 'explorer' | 'secrets' | 'scheduler' | undefined {
  if (rawPath.startsWith('/api/')) return 'explorer'
  if (!rawPath.startsWith('/v1/')) return undefined
  const sendsToken = headers['x-nomad-token'] !== undefined || headers['x-scheduler-token'] !== undefined
  return schedulerPaths.test(rawPath) || sendsToken ? 'scheduler' : 'secrets'
}
