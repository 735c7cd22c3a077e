import * as jobs from '../../../api/jobs.ts'
import { items, number, truth } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Part } from './observe.ts'

/** A job, and the namespace that it is in if that is known. */
export interface Place {
  readonly jobId: string
  readonly namespace: string | undefined
}

const endpoints = {
  job: jobs.read,
  evaluations: jobs.evaluations,
  allocations: jobs.allocations,
  deployments: jobs.deployments,
  versions: jobs.versions,
}

/** The request for a part of a job's work. */
export function partRequest(place: Place, part: Part | 'versions'): HttpRequest {
  const { jobId, namespace } = place
  const endpoint = endpoints[part]
  return endpoint({ job: jobId }, namespace === undefined ? {} : { query: [['namespace', namespace]] })
}

/** The newest version before this one that was stable; undefined if no earlier version was stable, or if the versions cannot be read. */
export async function lastStable(context: Context, place: Place, version: number): Promise<number | undefined> {
  try {
    const response = await context.http.send(partRequest(place, 'versions'))
    const stable = items(response.json(), 'Versions')
      .filter((one) => truth(one, 'Stable') && !truth(one, 'Stop'))
      .map((one) => number(one, 'Version') ?? -1)
    return stable.filter((one) => one >= 0 && one < version).toSorted((one, other) => other - one)[0]
  } catch (error) {
    // It is only for a hint.
    if (error instanceof TugError && error.code !== 'interrupted') return undefined
    throw error
  }
}
