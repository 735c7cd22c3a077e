import type { Job } from '../../../api/job-shapes.ts'
import * as jobs from '../../../api/jobs.ts'
import type { EndpointFacts } from '../../../core/endpoint.ts'
import { usageError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import type { Input } from '../../../core/param.ts'
import type { View } from '../../../core/command.ts'
import { idOf } from '../cells.ts'
import { isBatchJob } from '../jobs.ts'
import type { WriteAnswer } from '../state/index.ts'

/** How far to wait, and for how long. */
const limits = {
  until: flag.choice('how far to wait', ['placed', 'healthy', 'canary-ready', 'complete']),
  waitForCapacity: flag.boolean('keep waiting if nothing can be placed now'),
  waitTimeout: flag.duration('stop waiting after this long (exit 124); nothing is cancelled'),
} as const

/** The flags of every write that can be followed to its outcome. */
export const waitParams = {
  wait: flag.boolean('wait for the outcome (the next three imply it); exit 8 if it fails'),
  ...limits,
} as const

/** The flags of a write that is followed to its outcome unless `--no-wait` is given. */
export const followParams = {
  noWait: flag.boolean("don't wait for the outcome", { excludes: ['until', 'waitForCapacity', 'waitTimeout'] }),
  ...limits,
} as const

/** The values of {@link waitParams}. */
export type WaitInput = Input<typeof waitParams>

/** True if the flags ask to follow the work. */
export function waits({ wait, until, waitForCapacity, waitTimeout }: Partial<WaitInput>): boolean {
  return wait === true || until !== undefined || waitForCapacity === true || waitTimeout !== undefined
}

/** Throws for `--until complete` of a job that runs until it is stopped, if its type is known. */
export function checkCompletes(job: Job, { until }: { readonly until?: string | undefined }): void {
  if (until === 'complete' && job.Type && !isBatchJob(job))
    throw usageError(
      `${idOf(job)} is a ${job.Type} job, which never completes`,
      '--until healthy waits until all its allocations are healthy',
    )
}

/** What a wait may read, besides the write itself. */
export const waitEndpoints: readonly EndpointFacts[] = [
  jobs.read,
  jobs.evaluations,
  jobs.allocations,
  jobs.deployments,
  jobs.versions,
]

/** Work that a write has started. */
export interface StartedWork extends WriteAnswer {
  /** The job to follow: for a dispatch the child, for a forced periodic job the parent. */
  readonly jobId: string
  /** The job's namespace, if it may differ from the setting. */
  readonly namespace: string | undefined
  readonly rawBody?: Uint8Array
  readonly view: View
  /** A line for people: `registered web, evaluation 5b2e91c4-…`. */
  readonly message: string
  /** True if the server took the write for what it has already: it made an evaluation, and no version. */
  readonly isUnchanged: boolean
}
