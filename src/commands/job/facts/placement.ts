import type { Job } from '../../../api/job-shapes.ts'
import type { Metrics, Unplaced } from '../../../api/allocation-shapes.ts'
import { entriesOf, lookUp } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'

/** Why allocations of a group cannot be placed, as far as the scheduler shows it. */
export interface PlacementFailure {
  readonly group: string
  /** How many allocations: one more than the scheduler coalesced. */
  readonly count: number
  /** One reason each: `2 nodes have too little memory`. */
  readonly reasons: readonly string[]
  /** The nodes considered: `2 of 3 nodes in pool default evaluated (dc1: 2)`; '' if the scheduler doesn't show them. */
  readonly nodes: string
}

/** Reads `FailedTGAllocs` of a plan or an evaluation, of this job if it is known. */
export function placementFailures(failed: Unplaced | null | undefined, job?: Job): PlacementFailure[] {
  return entriesOf(failed ?? {}).map(([group, metrics]) => ({
    group,
    count: (metrics.CoalescedFailures ?? 0) + 1,
    reasons: reasonsOf(metrics, job),
    nodes: nodesOf(metrics),
  }))
}

/** Reasons and nodes in one line, after `before`: `<before>: 2 nodes have too little memory; 2 of 2 nodes evaluated`. */
export function placementLine(before: string, { reasons, nodes }: PlacementFailure): string {
  const why = [...reasons, nodes].filter((words) => words !== '').join('; ')
  return why === '' ? before : `${before}: ${why}`
}

function reasonsOf(metrics: Metrics, job: Job | undefined): string[] {
  const empty = entriesOf(metrics.NodesAvailable ?? {}).filter(([, nodes]) => nodes === 0)
  const isNobody = metrics.NodesEvaluated === 0 || (metrics.NodesEvaluated === undefined && metrics.NodesInPool === 0)
  return [
    ...(isNobody && empty.length === 0 ? [noNodeWords({ NodePool: metrics.NodePool, ...job })] : []),
    ...empty.map(([datacenter]) => `no nodes available in datacenter ${datacenter}`),
    ...counted(metrics.ConstraintFiltered, filtered),
    ...counted(metrics.ClassFiltered, (name, count) => `${plural(count, 'node')} of class ${name} filtered out`),
    ...counted(metrics.DimensionExhausted, exhausted),
    ...counted(metrics.ClassExhausted, (name, count) => `${plural(count, 'node')} of class ${name} exhausted`),
    ...(metrics.QuotaExhausted ?? []).map((quota) => `quota exhausted: ${quota}`),
  ]
}

/** `no eligible node in node pool gpu, datacenter dc9`: where a job looks for one. */
export function noNodeWords({ NodePool, Datacenters }: Pick<Job, 'NodePool' | 'Datacenters'> = {}): string {
  const places = [
    ...(NodePool && NodePool !== 'default' ? [`node pool ${NodePool}`] : []),
    ...(Datacenters && !Datacenters.includes('*') ? [`datacenter ${Datacenters.join(', ')}`] : []),
  ]
  return `no eligible node${places.length === 0 ? '' : ` in ${places.join(', ')}`}`
}

/** Counts by name, each in words. */
function counted(
  counts: Readonly<Record<string, number | null>> | null | undefined,
  words: (name: string, count: number) => string,
): string[] {
  return entriesOf(counts ?? {}).map(([name, count]) => words(name, count ?? 0))
}

function filtered(constraint: string, count: number): string {
  const one = count === 1
  if (constraint === 'computed class ineligible')
    return `${plural(count, 'node')} ${one ? 'is' : 'are'} like others that do not match`
  if (constraint === 'missing drivers') return `${plural(count, 'node')} ${one ? 'lacks' : 'lack'} the driver`
  return `${plural(count, 'node')} ${one ? 'does' : 'do'} not match ${constraint}`
}

const resources: Readonly<Record<string, string>> = {
  memory: 'too little memory',
  cpu: 'too little CPU',
  disk: 'too little disk space',
  cores: 'too few cores',
}

/** Dimensions are words (`memory`) or sentences (`network: reserved port collision http=80`). */
function exhausted(dimension: string, count: number): string {
  const nodes = plural(count, 'node')
  const resource = lookUp(resources, dimension.toLowerCase())
  if (resource !== undefined) return `${nodes} ${count === 1 ? 'has' : 'have'} ${resource}`
  return dimension.includes(':') ? `${dimension} on ${nodes}` : `${dimension} exhausted on ${nodes}`
}

/** An empty pool is not named: servers report it for a pool that has nodes, but none that is eligible. */
function nodesOf(metrics: Metrics): string {
  const inPool = metrics.NodesInPool ?? 0
  if (inPool === 0) return ''
  const pool = metrics.NodePool ?? ''
  const counts = entriesOf(metrics.NodesAvailable ?? {}).map(([name, nodes]) => `${name}: ${nodes ?? 0}`)
  const inside = pool === '' ? '' : ` in pool ${pool}`
  const places = counts.length === 0 ? '' : ` (${counts.join(', ')})`
  return `${metrics.NodesEvaluated ?? 0} of ${plural(inPool, 'node')}${inside} evaluated${places}`
}
