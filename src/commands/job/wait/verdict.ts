import { shortId } from '../cells.ts'
import type { Allocation, Deployment } from './state.ts'
import { failureReason } from '../reasons.ts'

/** How a wait ends; docs/machines.md says what each means. */
export const outcomes = [
  'succeeded',
  'canary-ready',
  'failed',
  'superseded',
  'stopped',
  'purged',
  'replaced',
  'unknown',
] as const

/** What happened to the work, or that it is not over yet. */
export interface Verdict {
  readonly outcome: 'waiting' | (typeof outcomes)[number]
  /** `deployment f2b45234 succeeded`, `waiting for 2 allocations`. */
  readonly message: string
  /** What only a person can do now: a command line. */
  readonly remedy?: string
  /** What has failed. */
  readonly cause?: 'deployment' | 'evaluation' | 'placement' | 'allocations'
  /** Of a wait: milliseconds after which to judge again though nothing changes. */
  readonly again?: number
  /** Of a wait: the work has failed, and only the rollback goes on. */
  readonly isRollback?: true
  /** Of a failure for lack of room: whether the scheduler goes on once there is some. */
  readonly isQueued?: boolean
  /** Of a failed deployment: whether the rollback succeeded; undefined if there was none. */
  readonly isRolledBack?: boolean
}

/** The work is not over. */
export function waiting(subject: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'waiting', message: `waiting for ${subject}`, ...more }
}

/** The work is done. */
export function succeeded(message: string): Verdict {
  return { outcome: 'succeeded', message }
}

/** The work cannot be done any more. */
export function failed(message: string, more: Partial<Verdict> = {}): Verdict {
  return { outcome: 'failed', message, ...more }
}

/** The outcome of the work can no longer be known. */
export function unknown(message: string): Verdict {
  return { outcome: 'unknown', message }
}

/** A verdict in one line, with what to do: `deployment 8fd988c7 waits for promotion of 1 canary: nomad deployment promote …`. */
export function verdictLine({ message, remedy }: Verdict): string {
  return remedy === undefined ? message : `${message}: ${remedy}`
}

/** True for an outcome that is what was asked for. */
export function isSuccess({ outcome }: Verdict): boolean {
  return outcome === 'succeeded' || outcome === 'canary-ready'
}

/** Where the server gives none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what its status shows: `unhealthy allocations`. */
export function deploymentReason({ StatusDescription }: Deployment): string {
  const reason = (StatusDescription ?? '')
    .replace(/^(?:Failed due to|Cancelled due to|Cancelled because) /, '')
    .replace(/ - (?:not )?rolling back.*$/, '')
  return reason === '' ? noReason : reason
}

/** How an allocation came to its end without being complete. */
export function allocationEnd(one: Allocation): string {
  const { ID, ClientStatus, NodeName, ClientDescription, DesiredDescription } = one
  const name = `allocation ${shortId(ID)}`
  const group = `${name} of group ${one.TaskGroup ?? ''}`
  if (ClientStatus === 'lost') return `${group} was lost with its node${NodeName ? ` ${NodeName}` : ''}`
  const reason = failureReason(one)
  if (reason !== undefined) return `${reason} (${name})`
  if (ClientStatus === 'failed') return `${group} failed${ClientDescription ? `: ${ClientDescription}` : ''}`
  return `${group} was stopped before its end${DesiredDescription ? `: ${DesiredDescription}` : ''}`
}
