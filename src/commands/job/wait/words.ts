import type { Allocation, Deployment, TaskFailure } from './state.ts'

/** Why a deployment ended, without what is said elsewhere: `unhealthy allocations`. */
export function reasonOf({ description, status }: Deployment): string {
  const reason = description
    .replace(/^(?:Failed due to|Cancelled due to) /, '')
    .replace(/ - (?:not )?rolling back.*$/, '')
  return reason === '' ? status : reason
}

/** The last thing that went wrong in these allocations, in brackets; '' for nothing. */
export function causeOf(allocations: readonly Allocation[]): string {
  const last = allocations.filter((one) => one.healthy !== true).findLast(({ failures }) => failures.length > 0)
  return last === undefined ? '' : ` (${failureLine(last, worst(last.failures))})`
}

/** How an allocation came to its end without being complete. */
export function endOf(one: Allocation): string {
  if (one.failures.length > 0) return failureLine(one, worst(one.failures))
  if (one.client === 'lost') return `allocation ${short(one.id)} of group ${one.group} was lost with its node`
  if (one.client === 'failed') return `allocation ${short(one.id)} of group ${one.group} failed`
  const why = one.desiredDescription === '' ? '' : `: ${one.desiredDescription}`
  return `allocation ${short(one.id)} of group ${one.group} was stopped before its end${why}`
}

/** The event that tells most: how a task ended or why it could not start, rather than what followed from it. */
function worst(failures: readonly TaskFailure[]): TaskFailure {
  const telling = failures.findLast(
    ({ type }) => !['Not Restarting', 'Sibling Task Failed', 'Alloc Unhealthy'].includes(type),
  )
  return telling ?? (failures.at(-1) as TaskFailure)
}

/** `allocation 9c0f11aa, task srv: Driver Failure: no such image`. */
export function failureLine(one: Pick<Allocation, 'id'>, failure: TaskFailure): string {
  const said = failure.type === 'Terminated' ? exitWords(failure) : `${failure.type}: ${failure.message}`
  return `allocation ${short(one.id)}, task ${failure.task}: ${said}`
}

function exitWords({ exitCode, signal }: TaskFailure): string {
  return signal === 0 ? `exit code ${exitCode}` : `exit code ${exitCode}, signal ${signal}`
}

/** The beginning of an id, for prose; the whole id is said where the work begins. */
export function short(id: string): string {
  return id.slice(0, 8)
}
