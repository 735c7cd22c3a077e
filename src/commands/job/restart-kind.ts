import type { Job, TaskGroup, UpdateBlock } from '../../api/job-shapes.ts'
import { isPlaceholder } from '../../core/answer.ts'
import { plural } from '../../core/words.ts'
import { isStarter } from './jobs.ts'

/** How a job would restart. */
interface RestartKind {
  /** False if there is nothing to restart. */
  readonly isPossible: boolean
  /** Why that is an outage, or impossible; undefined if it is neither. */
  readonly refusal: string | undefined
  /** For the question: `3 allocations, 1 at a time`. */
  readonly words: string
  /** True if somebody must promote the canaries. */
  readonly waitsForPromotion: boolean
}

/** How a job restarts, by its type and update blocks (docs/servers.md, Restarts). */
export function restartOf(job: Job): RestartKind {
  if (isPlaceholder(job)) return { isPossible: true, refusal: undefined, words: '', waitsForPromotion: false }
  const kind = { isPossible: true, refusal: undefined, words: wordsOf(job), waitsForPromotion: false }
  if (job.Stop === true) return { ...kind, isPossible: false, refusal: 'it is stopped; start it with job start' }
  if (isStarter(job))
    return { ...kind, isPossible: false, refusal: 'it has no allocations of its own; restart the jobs that it started' }
  const type = job.Type ?? 'service'
  if (type === 'batch' || type === 'sysbatch') return { ...kind, refusal: batchWords(job) }
  if (type === 'system') return { ...kind, words: 'node by node' }
  const groups = job.TaskGroups ?? []
  const [refusal] = groups.flatMap((group) => outageOf(group, job))
  return { ...kind, refusal, waitsForPromotion: groups.some((group) => waitsForPromotion(updateOf(group, job))) }
}

function batchWords({ Status }: Job): string {
  return Status === 'dead'
    ? 'it is a batch job that has finished, and would run again'
    : 'it is a batch job that is at work, which would be killed and begin again'
}

/** Why a group would be down; nothing if some of its allocations always run. */
function outageOf(group: TaskGroup, job: Job): string[] {
  const name = group.Name ?? ''
  const count = group.Count ?? 1
  const update = updateOf(group, job)
  const atOnce = update?.MaxParallel ?? 1
  if (count === 0) return []
  if (atOnce === 0) return [`group ${name} has max_parallel 0: all its allocations restart at once`]
  const canaries = update?.Canary ?? 0
  if (count - atOnce + canaries > 0) return []
  const all = count === 1 ? 'its only allocation is' : `all ${count} allocations are`
  return [`group ${name} would be down: ${all} replaced at once (max_parallel ${atOnce})`]
}

function waitsForPromotion(update: UpdateBlock | null | undefined): boolean {
  return (update?.Canary ?? 0) > 0 && update?.AutoPromote !== true
}

/** The group's update block, else the job's. */
function updateOf(group: TaskGroup, job: Job): UpdateBlock | null | undefined {
  return group.Update ?? job.Update
}

function wordsOf(job: Job): string {
  const groups = job.TaskGroups ?? []
  const total = groups.reduce((sum, { Count }) => sum + (Count ?? 1), 0)
  const updates = groups.map((group) => updateOf(group, job))
  const steps = new Set(updates.map((update) => update?.MaxParallel ?? 1))
  const pace = steps.size === 1 ? `, ${[...steps].join('')} at a time` : ''
  const promotion = updates.some(waitsForPromotion) ? '; canaries first, which wait for promotion' : ''
  return `${plural(total, 'allocation')}${pace}${promotion}`
}
