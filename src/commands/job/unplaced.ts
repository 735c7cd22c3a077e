import { entries, items, number, text } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { plural } from '../../core/words.ts'

/** Why allocations of a group were not placed. */
export interface Unplaced {
  readonly group: string
  /** How many allocations: one more than the scheduler coalesced. */
  readonly count: number
  /** `2 nodes have too little memory, 1 node lacks the driver`; '' if the scheduler doesn't say. */
  readonly why: string
}

/** Reads `FailedTGAllocs` of an evaluation. */
export function unplacedGroups(evaluation: Json): Unplaced[] {
  return entries(evaluation, 'FailedTGAllocs').map(([group, metric]) => ({
    group,
    count: (number(metric, 'CoalescedFailures') ?? 0) + 1,
    why: reasons(metric).join(', '),
  }))
}

function reasons(metric: Json): string[] {
  const found = [
    ...entries(metric, 'ConstraintFiltered').map(([name, count]) => filtered(name, number(count) ?? 0)),
    ...entries(metric, 'DimensionExhausted').map(([name, count]) => exhausted(name, number(count) ?? 0)),
    ...items(metric, 'QuotaExhausted').map((quota) => `quota exhausted: ${text(quota) ?? ''}`),
  ]
  return found.length === 0 && number(metric, 'NodesEvaluated') === 0 ? ['no nodes were eligible'] : found
}

function filtered(constraint: string, count: number): string {
  const one = count === 1
  if (constraint === 'missing drivers') return `${plural(count, 'node')} ${one ? 'lacks' : 'lack'} the driver`
  return `${plural(count, 'node')} ${one ? 'does' : 'do'} not match ${constraint}`
}

const resources: Readonly<Record<string, string>> = { memory: 'memory', cpu: 'CPU', disk: 'disk space', cores: 'cores' }

/** Dimensions are words (`memory`) or sentences (`network: reserved port collision http=80`). */
function exhausted(dimension: string, count: number): string {
  const nodes = plural(count, 'node')
  const resource = resources[dimension.toLowerCase()]
  if (resource !== undefined) return `${nodes} ${count === 1 ? 'has' : 'have'} too little ${resource}`
  return dimension.includes(':') ? `${dimension} on ${nodes}` : `${dimension} exhausted on ${nodes}`
}
