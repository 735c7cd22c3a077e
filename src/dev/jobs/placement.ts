import type { JsonObject } from '../../core/json.ts'
import { groupOf } from './client.ts'
import { filteredBy, inDatacenters } from './constraints.ts'
import { copyOf, number, object, objects, strings, text } from './documents.ts'
import { isLive, type Allocation, type DemoNode } from './model.ts'

/** What a group needs of a node: MHz, MB, MB of disk, and ports that are fixed. */
interface Need {
  readonly cpu: number
  readonly memory: number
  readonly disk: number
  readonly ports: readonly { label: string; value: number }[]
  readonly dynamic: readonly string[]
}

export type Placed = { readonly node: DemoNode; readonly ports: Map<string, number> } | { readonly failure: JsonObject }

/**
 * Finds a node for one more allocation of the group: the one with the fewest of the same job, then the most free memory.
 * `taken` are all allocations known, those just placed included. What fails is told as one `FailedTGAllocs` entry.
 */
export function place(
  nodes: readonly DemoNode[],
  taken: Iterable<Allocation>,
  job: JsonObject,
  group: JsonObject,
  only?: DemoNode,
): Placed {
  const holding = [...taken].filter(isLive)
  const ofJob = holding.filter((alloc) => alloc.jobId === text(job, 'ID') && alloc.namespace === text(job, 'Namespace'))
  const tally = new Tally(nodes, job)
  const need = needOf(group)
  const fitting: { node: DemoNode; same: number; free: number; ports: Map<string, number> }[] = []
  for (const node of only === undefined ? nodes : [only]) {
    if (!inDatacenters(job, node)) continue
    const reason = filteredBy(
      job,
      group,
      node,
      ofJob.filter((alloc) => alloc.desired === 'run'),
    )
    if (reason !== undefined) {
      tally.filtered(reason)
      continue
    }
    const here = holding.filter((alloc) => alloc.node.id === node.id)
    const free = freeOn(node, here)
    const short = shortOf(need, free)
    if (short === undefined) {
      const same = ofJob.filter((alloc) => alloc.node.id === node.id).length
      fitting.push({ node, same, free: free.memory, ports: portsFor(need, free.ports) })
    } else {
      tally.exhausted(short, group)
    }
  }
  const [best] = fitting.toSorted((left, right) => left.same - right.same || right.free - left.free)
  return best === undefined ? { failure: tally.document() } : { node: best.node, ports: best.ports }
}

/**
 * Places one allocation of a group after the other. Once there is no room, the next has none either, unless it takes the
 * place of another or is bound to a node: thousands that do not fit are told at once.
 */
export class GroupPlacer {
  private readonly nodes: readonly DemoNode[]
  private readonly job: JsonObject
  private readonly group: JsonObject
  private lacking: JsonObject | undefined

  constructor(nodes: readonly DemoNode[], job: JsonObject, group: JsonObject) {
    this.nodes = nodes
    this.job = job
    this.group = group
  }

  /** See {@link place}; `replaced` gives up its room. */
  next(taken: Iterable<Allocation>, replaced: Allocation | undefined, only: DemoNode | undefined): Placed {
    const usual = replaced === undefined && only === undefined
    if (usual && this.lacking !== undefined) return { failure: copyOf(this.lacking) }
    const others = replaced === undefined ? taken : [...taken].filter((alloc) => alloc !== replaced)
    const placed = place(this.nodes, others, this.job, this.group, only)
    if (usual && 'failure' in placed) this.lacking = copyOf(placed.failure)
    return placed
  }
}

/** Adds a group's failure to those of an evaluation; further ones of the same group are counted together. */
export function noteFailure(failures: JsonObject, group: string, failure: JsonObject): void {
  const known = object(failures, group)
  if (known === undefined) failures[group] = failure
  else coalesce(known, failure)
}

function coalesce(failure: JsonObject, again: JsonObject): void {
  failure['CoalescedFailures'] = number(failure, 'CoalescedFailures') + 1
  const total = object(failure, 'ResourcesExhausted') ?? {}
  for (const [task, more] of Object.entries(object(again, 'ResourcesExhausted') ?? {})) {
    const sum = object(total, task)
    if (sum === undefined) continue
    for (const key of ['CPU', 'MemoryMB', 'DiskMB']) sum[key] = number(sum, key) + number(more as JsonObject, key)
  }
}

/** Counts why nodes were not taken. */
class Tally {
  private readonly pool: number
  private readonly available: Record<string, number>
  private readonly constraints: Record<string, number> = {}
  private readonly dimensions: Record<string, number> = {}
  private readonly resources: Record<string, JsonObject> = {}
  private filteredNodes = 0
  private exhaustedNodes = 0

  constructor(nodes: readonly DemoNode[], job: JsonObject) {
    this.pool = nodes.length
    const named = strings(job, 'Datacenters').filter((name) => !name.includes('*'))
    this.available = Object.fromEntries(named.map((name) => [name, 0]))
    for (const node of nodes) {
      if (inDatacenters(job, node)) this.available[node.datacenter] = (this.available[node.datacenter] ?? 0) + 1
    }
  }

  filtered(reason: string): void {
    this.filteredNodes += 1
    this.constraints[reason] = (this.constraints[reason] ?? 0) + 1
  }

  exhausted(dimension: string, group: JsonObject): void {
    this.exhaustedNodes += 1
    this.dimensions[dimension] = (this.dimensions[dimension] ?? 0) + 1
    const column = { cpu: 'CPU', memory: 'MemoryMB', disk: 'DiskMB' }[dimension]
    if (column === undefined) return
    for (const task of objects(group, 'Tasks')) {
      const sum = (this.resources[text(task, 'Name')] ??= { ...noResources })
      sum[column] = number(sum, column) + number(object(task, 'Resources') ?? {}, column)
    }
  }

  document(): JsonObject {
    return {
      AllocationTime: 30_000,
      ClassExhausted: null,
      ClassFiltered: null,
      CoalescedFailures: 0,
      ConstraintFiltered: orNull(this.constraints),
      DimensionExhausted: orNull(this.dimensions),
      NodePool: 'default',
      NodesAvailable: this.available,
      NodesEvaluated: this.filteredNodes + this.exhaustedNodes,
      NodesExhausted: this.exhaustedNodes,
      NodesFiltered: this.filteredNodes,
      NodesInPool: this.pool,
      QuotaExhausted: null,
      ResourcesExhausted: orNull(this.resources),
      ScoreMetaData: null,
      Scores: null,
    }
  }
}

const noResources: JsonObject = {
  CPU: 0,
  Cores: 0,
  Devices: null,
  DiskMB: 0,
  IOPS: 0,
  MemoryMB: 0,
  MemoryMaxMB: 0,
  NUMA: null,
  Networks: null,
  SecretsMB: 0,
}

function orNull(counts: JsonObject): JsonObject | null {
  return Object.keys(counts).length === 0 ? null : counts
}

/** Asked for every allocation at every placement. */
const needs = new WeakMap<JsonObject, Need>()

function needOf(group: JsonObject): Need {
  const known = needs.get(group) ?? measured(group)
  needs.set(group, known)
  return known
}

function measured(group: JsonObject): Need {
  const tasks = objects(group, 'Tasks').map((task) => object(task, 'Resources') ?? {})
  const networks = [...objects(group, 'Networks'), ...tasks.flatMap((resources) => objects(resources, 'Networks'))]
  const reserved = networks.flatMap((network) => objects(network, 'ReservedPorts'))
  return {
    cpu: tasks.reduce((sum, resources) => sum + number(resources, 'CPU'), 0),
    memory: tasks.reduce((sum, resources) => sum + number(resources, 'MemoryMB'), 0),
    disk: number(object(group, 'EphemeralDisk') ?? {}, 'SizeMB'),
    ports: reserved.map((port) => ({ label: text(port, 'Label'), value: number(port, 'Value') })),
    dynamic: networks.flatMap((network) => objects(network, 'DynamicPorts')).map((port) => text(port, 'Label')),
  }
}

function freeOn(node: DemoNode, here: readonly Allocation[]) {
  const free = { cpu: node.cpu, memory: node.memory, disk: node.disk, ports: new Set<number>() }
  for (const alloc of here) {
    const used = needOf(groupOf(alloc))
    free.cpu -= used.cpu
    free.memory -= used.memory
    free.disk -= used.disk
    for (const port of alloc.ports.values()) free.ports.add(port)
  }
  return free
}

function shortOf(need: Need, free: ReturnType<typeof freeOn>): string | undefined {
  const collision = need.ports.find((port) => free.ports.has(port.value))
  if (collision !== undefined) return `network: reserved port collision ${collision.label}=${collision.value}`
  if (need.cpu > free.cpu) return 'cpu'
  if (need.memory > free.memory) return 'memory'
  return need.disk > free.disk ? 'disk' : undefined
}

function portsFor(need: Need, taken: ReadonlySet<number>): Map<string, number> {
  const ports = new Map(need.ports.map((port) => [port.label, port.value]))
  let next = 20_000
  for (const label of need.dynamic) {
    while (taken.has(next)) next += 1
    ports.set(label, next)
    next += 1
  }
  return ports
}
