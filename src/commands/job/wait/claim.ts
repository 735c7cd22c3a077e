import { number } from '../../../core/answer.ts'
import type { Claim } from './observe.ts'
import type { StartedWork } from './params.ts'

/**
 * What the answer to a write promises. `JobModifyIndex` means different things: after a change it is the job's new one; where
 * nothing changed (also `evaluate`) it is the job's ModifyIndex, which is at least as high.
 */
export function claimOf({ kind, evalId, evalIndex = 0, answer }: StartedWork): Claim {
  const claim = { kind, evalId, evalIndex, isExact: false, createIndex: undefined }
  if (kind === 'dispatch') {
    const created = positive(number(answer, 'JobCreateIndex'))
    return { ...claim, limit: created, createIndex: created }
  }
  const index = kind === 'periodic' ? undefined : positive(number(answer, 'JobModifyIndex'))
  if (index === undefined) return { ...claim, limit: positive(evalIndex) }
  // The evaluation of a count comes after the version, that of a job file with it.
  const isChange = kind === 'scale' || ((kind === 'register' || kind === 'revert') && index >= evalIndex)
  return { ...claim, limit: index, isExact: isChange && evalIndex > 0 }
}

function positive(index: number | undefined): number | undefined {
  return index === undefined || index === 0 ? undefined : index
}
