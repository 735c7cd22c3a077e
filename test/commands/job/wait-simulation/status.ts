import type { Answers } from '../../../../src/commands/job/state/health.ts'
import { diagnose } from '../../../../src/commands/job/state/health.ts'
import type { Verdict } from '../../../../src/commands/job/state/verdict.ts'
import { items } from '../../../../src/core/answer.ts'
import type { Json } from '../../../../src/core/json.ts'
import { isObject } from '../../../../src/core/json.ts'
import type { History } from './history.ts'
import type { Model } from './model.ts'
import { isTerminal } from './model.ts'
import { ownMoves } from './moves.ts'
import { bodyOf, summaryOf } from './views.ts'

/** How `job status` disagrees with the verdict of a wait, once nothing happens any more and nobody has interfered. */
export function statusFault({ model, truth, isUndisturbed }: History, verdict: Verdict): string | undefined {
  const { outcome, kind: cause } = verdict
  const isComparable =
    isUndisturbed && truth.until === undefined && truth.kind !== 'stop' && ownMoves(model).length === 0
  // After a rollback another version is as it should be.
  if (!isComparable || model.job?.version !== truth.version || model.job.stopped) return undefined
  const { healthy, why, kind } = diagnose(answersOf(model), {
    line: (words) => words,
    now: new Date(0),
    isWatched: false,
  })
  const isFine = outcome === 'succeeded'
  // Null: the server no longer shows what it was.
  if (healthy === false && (cause === 'failed deployment') !== (kind === 'failed deployment'))
    return `${outcome} (${cause ?? 'no cause'}), but job status: ${kind}`
  return healthy === isFine || healthy === null ? undefined : `${outcome}, but job status: ${why || 'healthy'}`
}

function answersOf(model: Model): Answers {
  const job = bodyOf(model, 'job') as Record<string, Json>
  const { job: { createIndex, spec } = { createIndex: 0, spec: undefined } } = model
  const ended = model.allocs.every((one) => one.life !== createIndex || isTerminal(one))
  const [deployment = null] = items(bodyOf(model, 'deployments')).toReversed()
  const allocations = items(bodyOf(model, 'allocations')).map((one) => ({
    ...(isObject(one) ? one : {}),
    JobType: spec?.type ?? 'service',
  }))
  return {
    job: { ...job, ID: 'web', Status: ended ? 'dead' : 'running' },
    summary: { Summary: summaryOf(model) },
    deployment,
    allocations,
    evaluations: bodyOf(model, 'evaluations'),
  } as unknown as Answers
}
