import { entries, items, number, text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'

/** Why allocations of a group cannot be placed. */
export interface PlacementFailure {
  readonly group: string
  /** How many allocations: one more than the scheduler coalesced. */
  readonly count: number
  /** One reason each: `memory exhausted on 1 node`. */
  readonly reasons: readonly string[]
}

/** Reads FailedTGAllocs of a plan or an evaluation. */
export function placementFailures(failed: Json | undefined): PlacementFailure[] {
  return entries(failed).map(([group, metrics]) => ({
    group: escapeControl(group),
    count: (number(metrics, 'CoalescedFailures') ?? 0) + 1,
    reasons: reasonsOf(metrics),
  }))
}

/** A failure in one line: `group app: 3 allocations cannot be placed: memory exhausted on 1 node; …`. */
export function placementLine({ group, count, reasons }: PlacementFailure): string {
  const what = `group ${group}: ${plural(count, 'allocation')} cannot be placed`
  return reasons.length === 0 ? what : `${what}: ${reasons.join('; ')}`
}

function reasonsOf(metrics: Json): string[] {
  const pool = text(metrics, 'NodePool') ?? ''
  const inPool = number(metrics, 'NodesInPool')
  const available = entries(metrics, 'NodesAvailable')
  const reasons: string[] = []
  if (number(metrics, 'NodesEvaluated') === 0 || inPool === 0) reasons.push('no nodes were eligible')
  for (const [datacenter, nodes] of available) {
    if (number(nodes) === 0) reasons.push(`no nodes available in datacenter ${escapeControl(datacenter)}`)
  }
  for (const [constraint, nodes] of entries(metrics, 'ConstraintFiltered')) {
    reasons.push(`${filterWords(constraint)} filtered ${plural(number(nodes) ?? 0, 'node')}`)
  }
  for (const [name, nodes] of entries(metrics, 'ClassFiltered')) {
    reasons.push(`class ${escapeControl(name)} filtered ${plural(number(nodes) ?? 0, 'node')}`)
  }
  for (const [dimension, nodes] of entries(metrics, 'DimensionExhausted')) {
    // Dimensions are words (memory) or sentences (network: reserved port collision http=80).
    const verb = dimension.includes(':') ? '' : ' exhausted'
    reasons.push(`${escapeControl(dimension)}${verb} on ${plural(number(nodes) ?? 0, 'node')}`)
  }
  for (const [name, nodes] of entries(metrics, 'ClassExhausted')) {
    reasons.push(`class ${escapeControl(name)} exhausted on ${plural(number(nodes) ?? 0, 'node')}`)
  }
  for (const quota of items(metrics, 'QuotaExhausted'))
    reasons.push(`quota exhausted: ${escapeControl(text(quota) ?? '')}`)
  if (inPool !== undefined && inPool > 0) reasons.push(where(metrics, pool, inPool, available))
  return reasons
}

/** The nodes considered: `of 3 nodes in pool default (dc1: 2, dc2: 1)`. */
function where(metrics: Json, pool: string, inPool: number, available: readonly (readonly [string, Json])[]): string {
  const evaluated = number(metrics, 'NodesEvaluated') ?? 0
  const datacenters = available.map(([name, nodes]) => `${escapeControl(name)}: ${number(nodes) ?? 0}`).join(', ')
  const places = datacenters === '' ? '' : ` (${datacenters})`
  const inside = pool === '' ? '' : ` in pool ${escapeControl(pool)}`
  return `${evaluated} of ${plural(inPool, 'node')}${inside} evaluated${places}`
}

function filterWords(constraint: string): string {
  return constraint === 'missing drivers' ? 'missing drivers' : `constraint ${escapeControl(constraint)}`
}
