import type { JsonObject } from '../../src/core/json.ts'
import { json, serve } from './serve.ts'

/** A job as a server answers it, at the index of the plans in tests. */
export const jobInForce: JsonObject = { ID: 'web', Name: 'web', Status: 'running', Version: 3, JobModifyIndex: 77 }

/** A scheduler with one job that answers each plan the same; `live` null is a job that does not exist. */
export function servePlan(plan: JsonObject | string, live: JsonObject | null = {}) {
  const index = typeof plan === 'string' ? (JSON.parse(plan) as JsonObject) : plan
  const job = { ...jobInForce, JobModifyIndex: index['JobModifyIndex'] ?? 77, ...live }
  return serve(({ method, url }, response) => {
    if (url.startsWith('/v1/jobs/parse')) return json(response, 200, '{"ID":"web"}')
    if (method === 'GET') return json(response, live === null ? 404 : 200, JSON.stringify(job))
    return json(response, 200, typeof plan === 'string' ? plan : JSON.stringify(plan))
  })
}
