import type { JsonObject } from '../../../core/json.ts'
import { filteredBy, isCandidate } from './constraints.ts'
import { copyOf, filled, number, object, objects, text } from '../state/documents.ts'
import { isLive, type Allocation, type DemoNode, type Need } from '../state/model.ts'

/** Free resources of a node, and how many allocations of the job it runs. */
interface Room {
  readonly node: DemoNode
  cpu: number
  memory: number
  readonly ports: Set<number>
  same: number
}

export type Placed = { readonly node: DemoNode; readonly ports: Map<string, number> } | { readonly failure: JsonObject }

/**
 * Places allocations of a group one by one, each on the node with the fewest of the same job, then the most free memory.
 * After a failure it fails at once, except for an allocation that replaces another or is bound to a node: thousands that
 * don't fit are rejected quickly.
 */
export class GroupPlacer {
  private readonly job: JsonObject
  private readonly group: JsonObject
  private readonly need: Need
  private readonly nodes: readonly DemoNode[]
  private readonly rooms: ReadonlyMap<string, Room>
  private lacking: JsonObject | undefined

  /** `taken` are all allocations so far. Those placed here are added. */
  constructor(nodes: readonly DemoNode[], taken: Iterable<Allocation>, job: JsonObject, group: JsonObject) {
    this.nodes = nodes
    this.job = job
    this.group = group
    this.need = needOf(group)
    this.rooms = new Map(
      nodes.map(({ id, cpu, memory }, place) => [
        id,
        { node: nodes[place] as DemoNode, cpu, memory, ports: new Set<number>(), same: 0 },
      ]),
    )
    for (const alloc of taken) if (isLive(alloc)) this.count(alloc, 1)
  }

  /** A node for one more allocation: any, or `only` this one. `replaced` gives up its room if that makes one. */
  next(replaced?: Allocation, only?: DemoNode): Placed {
    const usual = replaced === undefined && only === undefined
    if (usual && this.lacking !== undefined) return { failure: copyOf(this.lacking) }
    if (replaced !== undefined) this.count(replaced, -1)
    const placed = this.place(only === undefined ? this.nodes : [only])
    if ('failure' in placed) {
      if (replaced !== undefined) this.count(replaced, 1)
      if (usual) this.lacking = copyOf(placed.failure)
    } else {
      this.take(placed.node, this.need, placed.ports.values(), 1, 1)
    }
    return placed
  }

  private place(nodes: readonly DemoNode[]): Placed {
    const tally = new Tally(this.nodes, this.job)
    const { need } = this
    const fitting: Room[] = []
    for (const node of nodes) {
      const room = this.rooms.get(node.id)
      if (room === undefined || !isCandidate(this.job, node)) continue
      const reason = filteredBy(this.job, this.group, node, room.same > 0)
      const short = reason === undefined ? shortOf(need, room) : undefined
      if (reason !== undefined) tally.filtered(reason)
      else if (short !== undefined) tally.exhausted(short, this.group)
      else fitting.push(room)
    }
    const [best] = fitting.toSorted((left, right) => left.same - right.same || right.memory - left.memory)
    return best === undefined ? { failure: tally.document() } : { node: best.node, ports: portsFor(need, best.ports) }
  }

  private count(alloc: Allocation, sign: 1 | -1): void {
    const ours = alloc.jobId === text(this.job, 'ID') && alloc.namespace === text(this.job, 'Namespace')
    this.take(alloc.node, alloc.need, alloc.ports.values(), sign, ours ? sign : 0)
  }

  private take(node: DemoNode, used: Need, ports: Iterable<number>, sign: 1 | -1, same: number): void {
    const room = this.rooms.get(node.id)
    if (room === undefined) return
    room.cpu -= used.cpu * sign
    room.memory -= used.memory * sign
    room.same += same
    for (const port of ports) {
      if (sign === 1) room.ports.add(port)
      else room.ports.delete(port)
    }
  }
}

function shortOf(need: Need, free: Room): 'cpu' | 'memory' | undefined {
  if (need.cpu > free.cpu) return 'cpu'
  return need.memory > free.memory ? 'memory' : undefined
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

/** Adds up what the tasks of a group need. */
export function needOf(group: JsonObject): Need {
  const tasks = objects(group, 'Tasks').map((task) => object(task, 'Resources') ?? {})
  const networks = [...objects(group, 'Networks'), ...tasks.flatMap((resources) => objects(resources, 'Networks'))]
  const reserved = networks.flatMap((network) => objects(network, 'ReservedPorts'))
  return {
    cpu: tasks.reduce((sum, resources) => sum + number(resources, 'CPU'), 0),
    memory: tasks.reduce((sum, resources) => sum + number(resources, 'MemoryMB'), 0),
    ports: reserved.map((port) => ({ label: text(port, 'Label'), value: number(port, 'Value') })),
    dynamic: networks.flatMap((network) => objects(network, 'DynamicPorts')).map((port) => text(port, 'Label')),
  }
}

/** Adds a group's failure to those of an evaluation. Further failures of the same group are coalesced. */
export function noteFailure(failures: JsonObject, group: string, failure: JsonObject): void {
  const known = object(failures, group)
  if (known === undefined) failures[group] = failure
  else coalesce(known, failure)
}

function coalesce(failure: JsonObject, again: JsonObject): void {
  failure['CoalescedFailures'] = number(failure, 'CoalescedFailures') + 1
  const total = object(failure, 'ResourcesExhausted') ?? {}
  for (const [task, more] of Object.entries(object(again, 'ResourcesExhausted') ?? {})) {
    const sum = object(total, task) ?? {}
    for (const key of ['CPU', 'MemoryMB']) sum[key] = number(sum, key) + number(more as JsonObject, key)
  }
}

/** Counts why nodes were rejected. */
class Tally {
  /** Real servers count only eligible nodes in the job's datacenters here. */
  private readonly pool: number
  private readonly nodePool: string
  private readonly available: Record<string, number> = {}
  private readonly constraints: Record<string, number> = {}
  private readonly dimensions: Record<string, number> = {}
  private readonly resources: Record<string, JsonObject> = {}
  private filteredNodes = 0
  private exhaustedNodes = 0

  constructor(nodes: readonly DemoNode[], job: JsonObject) {
    const candidates = nodes.filter((node) => isCandidate(job, node))
    this.pool = candidates.length
    this.nodePool = text(job, 'NodePool') || 'default'
    for (const { datacenter } of candidates) this.available[datacenter] = (this.available[datacenter] ?? 0) + 1
  }

  filtered(reason: string): void {
    this.filteredNodes += 1
    this.constraints[reason] = (this.constraints[reason] ?? 0) + 1
  }

  exhausted(dimension: 'cpu' | 'memory', group: JsonObject): void {
    this.exhaustedNodes += 1
    this.dimensions[dimension] = (this.dimensions[dimension] ?? 0) + 1
    const column = dimension === 'cpu' ? 'CPU' : 'MemoryMB'
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
      NodePool: this.nodePool,
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
  ...filled('CPU Cores DiskMB IOPS MemoryMB MemoryMaxMB SecretsMB', 0),
  ...filled('Devices NUMA Networks', null),
}

function orNull(counts: JsonObject): JsonObject | null {
  return Object.keys(counts).length === 0 ? null : counts
}
