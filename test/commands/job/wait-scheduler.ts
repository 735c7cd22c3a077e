import type { Json, JsonObject } from '../../../src/core/json.ts'
import { isObject, stringifyJson, withEntries } from '../../../src/core/json.ts'
import { json, serve } from '../../support/serve.ts'

export interface State {
  /** Undefined for the job as it was registered, null for one that is gone. */
  readonly job?: JsonObject | null
  readonly versions?: JsonObject[]
  readonly evaluations?: JsonObject[]
  readonly deployments?: JsonObject[]
  readonly allocations?: JsonObject[]
}

export const job = { ID: 'web', Type: 'service', TaskGroups: [{ Name: 'app', Count: 2 }] }
export const file = stringifyJson(job)
export const evaluation = { ID: 'e1-long-identifier', Status: 'complete', TriggeredBy: 'job-register', CreateIndex: 10 }
export const answer = { EvalID: evaluation.ID, EvalCreateIndex: 10, JobModifyIndex: 10, Index: 10, Warnings: '' }

/**
 * A scheduler that registers a job and then plays these states: a blocking query with the current state's index
 * returns the next one; the last one is held for ever, unless `atEnd` ends the wait.
 */
export async function scheduler(
  states: readonly State[],
  atEnd: () => 'held back' | 'over' = () => 'held back',
  sent: JsonObject = {},
) {
  let present = 0
  let isSent = false
  return serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (request.method !== 'GET') {
      isSent = true
      return json(response, 200, stringifyJson({ ...answer, ...sent }))
    }
    const asked = Number(url.searchParams.get('index') ?? 0)
    if (asked > present) {
      if (present + 1 < states.length) present += 1
      else if (atEnd() === 'held back') return undefined
    }
    const body = bodyOf(url.pathname.split('/').slice(4).join('/'), states[present] as State)
    if (body === null) return response.writeHead(404, { 'x-scheduler-index': String(present + 1) }).end('job not found')
    // What a write is decided by is what was there before it.
    if (!isSent && isObject(body)) {
      const before = body['Stop'] === true ? { Stop: undefined, Version: Number(body['Version']) - 1 } : {}
      return json(response, 200, stringifyJson(withEntries(body, before)))
    }
    return json(response, 200, stringifyJson(body), { 'x-scheduler-index': String(present + 1) })
  })
}

export function bodyOf(part: string, state: State): Json {
  if (part === 'evaluations') return state.evaluations ?? [evaluation]
  if (part === 'deployments') return state.deployments ?? []
  if (part === 'allocations') return state.allocations ?? []
  if (part === 'versions') return { Versions: state.versions ?? [] }
  if (state.job === null) return null
  return { ...job, ...(state.job ?? { Version: 1, CreateIndex: 5, JobModifyIndex: 10 }) }
}

export function alloc(ID: string, ClientStatus: string, more: JsonObject = {}): JsonObject {
  return { ID, ClientStatus, DesiredStatus: 'run', TaskGroup: 'app', JobVersion: 1, CreateIndex: 11, ...more }
}

export function deployment(
  Status: string,
  counts: readonly [placed: number, healthy: number, unhealthy: number],
): JsonObject {
  const [PlacedAllocs, HealthyAllocs, UnhealthyAllocs] = counts
  return {
    ID: 'd1-long-identifier',
    JobVersion: 1,
    Status,
    StatusDescription: Status === 'failed' ? 'Failed due to unhealthy allocations' : '',
    CreateIndex: 11,
    ModifyIndex: 12,
    TaskGroups: { app: { DesiredTotal: 2, PlacedAllocs, HealthyAllocs, UnhealthyAllocs } },
  }
}

export const rising: State[] = [
  { evaluations: [{ ...evaluation, Status: 'pending' }] },
  { deployments: [deployment('running', [1, 0, 0])], allocations: [alloc('a', 'pending')] },
  { deployments: [deployment('running', [2, 1, 0])], allocations: [alloc('a', 'running'), alloc('b', 'running')] },
]

/** A rollout of version 1 that failed, after which version 0 came back as version 2. */
export const rolledBack: State = {
  job: { Version: 2, CreateIndex: 5, JobModifyIndex: 20 },
  deployments: [
    {
      ...deployment('failed', [2, 1, 1]),
      JobCreateIndex: 5,
      StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
    },
    {
      ...deployment('successful', [2, 2, 0]),
      ID: 'd2-long-identifier',
      JobCreateIndex: 5,
      JobVersion: 2,
      CreateIndex: 21,
    },
  ],
}
