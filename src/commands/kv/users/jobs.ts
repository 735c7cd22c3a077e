import * as jobs from '../../../api/jobs.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { mismatch } from '../../../core/shape.ts'
import type { Failure } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import type { Job, Reference } from './references.ts'
import { jobShape, referencesOf } from './references.ts'

/** What the jobs of the scheduler read. */
export interface JobReads {
  readonly references: readonly Reference[]
  readonly jobs: number
  readonly failures: readonly Failure[]
}

const jobsAtOnce = 4

interface Listed {
  readonly id: string
  readonly namespace: string
}

/** Lists the jobs of every namespace and reads each; those that a periodic or parameterized job made are like their parent. */
export async function readJobs(context: Context, pace: BulkInput): Promise<JobReads> {
  const scheduler: Context = { ...context, ...context.otherService('scheduler') }
  const bulk = await openBulk(scheduler, pace, { action: 'users', parallel: jobsAtOnce })
  const response = await bulk.context.http.send(jobs.list({}, { query: [['namespace', '*']] }))
  const listed: Listed[] = (response.value ?? [])
    .filter(({ ParentID }) => (ParentID ?? '') === '')
    .map(({ ID, Namespace }) => ({ id: ID, namespace: Namespace ?? 'default' }))
  const references: Reference[] = []
  const failures: Failure[] = []
  for await (const outcome of bulk.read('reading jobs', listed, (item) => readJob(bulk.context, item), {
    total: listed.length,
  })) {
    if ('error' in outcome) failures.push({ item: outcome.item.id, error: outcome.error })
    else references.push(...outcome.value)
  }
  return { references, jobs: listed.length, failures }
}

async function readJob({ http }: Context, { id, namespace }: Listed): Promise<Reference[]> {
  const response = await http.send(jobs.read({ job: id }, { query: [['namespace', namespace]] }))
  const body = response.json()
  const wrong = mismatch(body, jobShape)
  if (wrong !== undefined)
    throw new TugError('failed', `the answer ${wrong}`, { reason: 'unexpected_response', service: 'scheduler' })
  return referencesOf({ ...(body as unknown as Job), Namespace: namespace })
}
