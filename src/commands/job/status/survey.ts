import { asJson } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { any, boolean, count, filled, map, object, string } from '../../../core/shape.ts'
import { isStarter } from '../jobs.ts'
import { restartCount } from '../restarts.ts'
import { endedBadly, liveAllocations } from '../live.ts'

/** The allocations of a group by state. */
const group = object({
  'Queued?': count(),
  'Complete?': count(),
  'Failed?': count(),
  'Running?': count(),
  'Starting?': count(),
  'Lost?': count(),
  'Unknown?': count(),
})

/** A job of the list, as far as it tells how the job is. */
export const stub = object({
  ID: filled,
  'Namespace?': string,
  'Type?': string,
  'Status?': string,
  'Stop?': boolean,
  'Periodic?': any,
  'ParameterizedJob?': any,
  'JobSummary?': object({ 'Namespace?': string, 'Summary?': map(group) }),
})

type Stub = Infer<typeof stub>

/** One job of the list that needs a closer look. */
export interface Suspect {
  readonly namespace: string
  readonly id: string
}

/** What a list shows of all its jobs. */
export interface Survey {
  jobs: number
  stopped: number
  /** Jobs that the list shows to be in trouble, or perhaps so. */
  readonly suspects: Suspect[]
  /** The others that should run all the time: their deployments, restarts and checks are not in the list. */
  readonly running: Suspect[]
}

/** Sorts the jobs of a list; nothing is kept of those that are fine, however many they are. */
export async function surveyOf(pages: AsyncIterable<readonly Json[]>, namespace: string | undefined): Promise<Survey> {
  const survey: Survey = { jobs: 0, stopped: 0, suspects: [], running: [] }
  for await (const page of pages) {
    for (const row of page) add(survey, row as unknown as Stub, namespace)
  }
  return survey
}

function add(survey: Survey, job: Stub, namespace = 'default'): void {
  survey.jobs += 1
  if (job.Stop === true) {
    survey.stopped += 1
    return
  }
  // It has no allocations itself; its children are in the list.
  if (isStarter(asJson(job))) return
  const place = { namespace: job.Namespace ?? job.JobSummary?.Namespace ?? namespace, id: job.ID }
  if (isSuspect(job)) survey.suspects.push(place)
  else if (!(job.Type ?? '').endsWith('batch')) survey.running.push(place)
}

/** Failures stay in the summary for ever: only the allocations tell whether they are over. */
function isSuspect({ Type, Status, JobSummary }: Stub): boolean {
  const groups = Object.values(JobSummary?.Summary ?? {})
  const isAny = (...states: (keyof Infer<typeof group>)[]) =>
    groups.some((counts) => states.some((state) => (counts[state] ?? 0) > 0))
  if (Status === 'pending' || isAny('Queued', 'Failed', 'Lost', 'Unknown')) return true
  const isBatch = (Type ?? '').endsWith('batch')
  if (isBatch) return Status === 'dead' && !isAny('Complete')
  return Status === 'dead' || isAny('Starting') || !isAny('Running')
}

/** True if deployment and allocations leave no doubt about a job whose list entry shows no trouble. */
export function isFine(deployment: Json, allocations: readonly Json[]): boolean {
  const { Status = null } = (deployment ?? {}) as { Status?: string | null }
  if (Status !== null && Status !== 'successful') return false
  return liveAllocations(allocations).every((one) => {
    const { DeploymentStatus } = one as { DeploymentStatus?: { Healthy?: boolean | null } | null }
    return !endedBadly(one) && DeploymentStatus?.Healthy !== false && restartCount(one) === 0
  })
}
