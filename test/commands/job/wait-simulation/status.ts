import type { Answers } from '../../../../src/commands/job/state/health.ts'
import { diagnose } from '../../../../src/commands/job/state/health.ts'
import type { Judgement } from '../../../../src/commands/job/state/judgement.ts'
import { items } from '../../../../src/core/answer.ts'
import type { Json } from '../../../../src/core/json.ts'
import { isObject } from '../../../../src/core/json.ts'
import type { History } from './history.ts'
import type { Model } from './model.ts'
import { isTerminal } from './model.ts'
import { ownMoves } from './moves.ts'
import { bodyOf, summaryOf } from './views.ts'

/** How `job status` disagrees with the verdict of a wait, once nothing happens any more and nobody has interfered. */
export function statusFault({ model, truth, isUndisturbed }: History, judgement: Judgement): string | undefined {
  const { outcome, rule: cause } = judgement
  const isComparable =
    isUndisturbed && truth.until === undefined && truth.kind !== 'stop' && ownMoves(model).length === 0
  // After a rollback another version is as it should be.
  if (!isComparable || model.job?.version !== truth.version || model.job.stopped) return undefined
  const { healthy, why, rule } = diagnose(answersOf(model), {
    line: (words) => words,
    now: new Date(0),
    place: 'status',
  })
  const isFine = outcome === 'succeeded'
  // Null: the server no longer shows what it was.
  const isRollout = (name: string) => /^(?:roll|deployment-failed)/.test(name)
  if (healthy === false && isRollout(cause) !== isRollout(rule)) return `${outcome} (${cause}), but job status: ${rule}`
  return healthy === isFine || healthy === null ? undefined : `${outcome}, but job status: ${why || 'healthy'}`
}

function answersOf(model: Model): Answers {
  const job = bodyOf(model, 'job') as Record<string, Json>
  const { job: { createIndex, spec } = { createIndex: 0, spec: undefined } } = model
  const ended = model.allocs.every((one) => one.life !== createIndex || isTerminal(one))
  const allocations = items(bodyOf(model, 'allocations')).map((one) => ({
    ...(isObject(one) ? one : {}),
    JobType: spec?.type ?? 'service',
  }))
  return {
    job: { ...job, ID: 'web', Status: ended ? 'dead' : 'running' },
    summary: { Summary: summaryOf(model) },
    deployments: bodyOf(model, 'deployments'),
    allocations,
    evaluations: bodyOf(model, 'evaluations'),
  } as unknown as Answers
}
