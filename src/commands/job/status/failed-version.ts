import { at, items, number } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { failureMoment, failureReason } from '../reasons.ts'

/** A version that never became healthy. */
export interface FailedVersion {
  readonly version: number
  /** When a task of it failed; undefined if that isn't known. */
  readonly since: Date | undefined
  /** `task srv exited with status 7`. */
  readonly reason: string
}

/**
 * The version before the current one, if its rollout failed: after a rollback nothing else shows it. The allocations
 * prove it while the server lists them.
 */
export function failedVersion({ job, allocations }: { job: Json; allocations: Json }): FailedVersion | undefined {
  const current = number(job, 'Version') ?? 0
  const earlier = items(allocations).filter((one) => (number(one, 'JobVersion') ?? current) < current)
  const version = Math.max(...earlier.map((one) => number(one, 'JobVersion') ?? 0))
  const failed = earlier.filter(
    (one) => number(one, 'JobVersion') === version && at(one, 'DeploymentStatus', 'Healthy') === false,
  )
  for (const one of failed) {
    const reason = failureReason(one)
    if (reason === undefined) continue
    return { version, since: failureMoment(one), reason }
  }
  return undefined
}
