import { recovery } from './hints.ts'
import type { Goal, Judgement } from './judgement.ts'
import { rules } from './rules.ts'
import type { Evidence, Work } from './work.ts'
import { jobVersion, workOf } from './work.ts'

/** What was judged, and how. */
export interface Judged {
  readonly work: Work
  readonly judgement: Judgement
}

/**
 * Judges a job, or one change to it, by what the server has shown, and by nothing else: `--wait`, `job wait`, `job status` and a plan
 * all print this judgement, and a wait asks again on each change until it is final.
 */
export function judge(goal: Goal, evidence: Evidence): Judged {
  const work = workOf(goal, evidence)
  for (const { name, of, outcome, when } of rules) {
    const found = of.includes(work.mode) && when(work)
    if (!found) continue
    const { goesOn = false, ...more } = found
    const isOpen = outcome === 'waiting'
    // That the work failed is certain while its rollback goes on, and not while it waits for room or a node.
    const isCertain = !goesOn || name === 'rollback-goes-on'
    const lacks = found.next === recovery && evidence.back === undefined && jobVersion(work.job) > 0
    return {
      work,
      judgement: {
        rule: name,
        final: !isOpen && !goesOn,
        ...(!isOpen && isCertain && { outcome }),
        ...more,
        ...(lacks && { lacks: 'versions' }),
      },
    }
  }
  throw new Error('no rule matches')
}
