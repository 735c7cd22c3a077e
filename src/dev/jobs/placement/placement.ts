import type { JsonObject } from '../../../core/json.ts'
import { copyOf, allOf, number, object, objects, orNull, text, strings } from '../state/documents.ts'
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
    const free = nodes.map((node) => ({ node, cpu: node.cpu, memory: node.memory, ports: new Set<number>(), same: 0 }))
    this.rooms = new Map(free.map((room) => [room.node.id, room]))
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
    const { need } = this
    const rejected: Rejection[] = []
    const fitting: Room[] = []
    for (const node of nodes) {
      const room = this.rooms.get(node.id)
      if (room === undefined || !isCandidate(this.job, node)) continue
      const filtered = filteredBy(this.job, this.group, node, room.same > 0)
      const lacks = need.cpu > room.cpu ? 'cpu' : need.memory > room.memory ? 'memory' : undefined
      const short = filtered === undefined ? lacks : undefined
      if (filtered === undefined && short === undefined) fitting.push(room)
      else rejected.push({ filtered, short })
    }
    const [best] = fitting.toSorted((left, right) => left.same - right.same || right.memory - left.memory)
    // Real servers count only eligible nodes in the job's datacenters here.
    const candidates = this.nodes.filter((node) => isCandidate(this.job, node))
    if (best === undefined) return { failure: failureOf(rejected, candidates, this.job, this.group) }
    return { node: best.node, ports: portsFor(need, best.ports) }
  }

  private count(alloc: Allocation, sign: 1 | -1): void {
    const isSameJob = alloc.jobId === text(this.job, 'ID') && alloc.namespace === text(this.job, 'Namespace')
    this.take(alloc.node, alloc.need, alloc.ports.values(), sign, isSameJob ? sign : 0)
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
  if (known === undefined) return void (failures[group] = failure)
  known['CoalescedFailures'] = number(known, 'CoalescedFailures') + 1
  const total = object(known, 'ResourcesExhausted') ?? {}
  for (const [task, more] of Object.entries(object(failure, 'ResourcesExhausted') ?? {})) {
    const sum = object(total, task) ?? {}
    for (const key of ['CPU', 'MemoryMB']) sum[key] = number(sum, key) + number(more as JsonObject, key)
  }
}

/** Why a node was rejected: a constraint, or what it lacks. */
interface Rejection {
  readonly filtered?: string | undefined
  readonly short?: 'cpu' | 'memory' | undefined
}

/** The failure to place one allocation, as evaluations show it. */
function failureOf(
  rejected: readonly Rejection[],
  candidates: readonly DemoNode[],
  job: JsonObject,
  group: JsonObject,
) {
  const filteredOut = rejected.flatMap(({ filtered = [] }) => filtered)
  const exhausted = rejected.flatMap(({ short = [] }) => short)
  return {
    AllocationTime: 30_000,
    ...allOf('ClassExhausted ClassFiltered QuotaExhausted ScoreMetaData Scores', null),
    CoalescedFailures: 0,
    ConstraintFiltered: orNull(tally(filteredOut)),
    DimensionExhausted: orNull(tally(exhausted)),
    NodePool: text(job, 'NodePool') || 'default',
    NodesAvailable: tally(candidates.map(({ datacenter }) => datacenter)),
    NodesEvaluated: rejected.length,
    NodesExhausted: exhausted.length,
    NodesFiltered: filteredOut.length,
    NodesInPool: candidates.length,
    ResourcesExhausted: orNull(exhaustedResources(exhausted, group)),
  }
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** What each task of the group would have needed, by the dimension that nodes lacked. */
function exhaustedResources(exhausted: readonly ('cpu' | 'memory')[], group: JsonObject): JsonObject {
  if (exhausted.length === 0) return {}
  const { cpu = 0, memory = 0 } = tally(exhausted)
  const needs = objects(group, 'Tasks').map((task) => {
    const resources = object(task, 'Resources') ?? {}
    const sum = { CPU: cpu * number(resources, 'CPU'), MemoryMB: memory * number(resources, 'MemoryMB') }
    return [text(task, 'Name'), { ...noResources, ...sum }] as const
  })
  return Object.fromEntries(needs)
}

const noResources: JsonObject = {
  ...allOf('CPU Cores DiskMB IOPS MemoryMB MemoryMaxMB SecretsMB', 0),
  ...allOf('Devices NUMA Networks', null),
}

/** Which nodes a task group may run on at all: datacenter, drivers, constraints. */

/** True if a job's list of datacenters, which may contain `*`, names the node's. */
export function isCandidate(job: JsonObject, node: DemoNode): boolean {
  const wanted = strings(job, 'Datacenters')
  const matches = (pattern: string): boolean => {
    const source = pattern.split('*').map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    return new RegExp(`^${source.join('.*')}$`).test(node.datacenter)
  }
  return wanted.length === 0 || wanted.some(matches)
}

/**
 * Why the node is filtered out for this group, in the words of `ConstraintFiltered`; undefined when it is not. `runsSame`: it
 * runs an allocation of the same job.
 */
export function filteredBy(job: JsonObject, group: JsonObject, node: DemoNode, runsSame: boolean): string | undefined {
  const tasks = objects(group, 'Tasks')
  if (tasks.some((task) => !node.drivers.includes(text(task, 'Driver')))) return 'missing drivers'
  const constraints = [job, group, ...tasks].flatMap((holder) => objects(holder, 'Constraints'))
  const broken = constraints.find((constraint) => !holds(constraint, node, runsSame))
  if (broken === undefined) return undefined
  const words = [text(broken, 'LTarget'), text(broken, 'Operand'), text(broken, 'RTarget')]
  return words[1]?.startsWith('distinct_') ? words[1] : words.join(' ').trim()
}

/** Operators that compare versions, patterns, sets or order always hold. */
function holds(constraint: JsonObject, node: DemoNode, runsSame: boolean): boolean {
  const operand = text(constraint, 'Operand')
  const left = resolve(text(constraint, 'LTarget'), node)
  const right = resolve(text(constraint, 'RTarget'), node)
  if (operand === 'distinct_hosts') return !runsSame || text(constraint, 'RTarget') === 'false'
  if (operand === 'is_set' || operand === 'is_not_set') return (left !== undefined) === (operand === 'is_set')
  if (operand === '!=' || operand === 'not') return left !== right
  return !['=', '==', 'is'].includes(operand) || left === right
}

function resolve(target: string, node: DemoNode): string | undefined {
  const name = /^\$\{(.+)\}$/.exec(target)?.[1]
  if (name === undefined) return target
  const facts: Record<string, string> = {
    'node.datacenter': node.datacenter,
    'node.unique.id': node.id,
    'node.unique.name': node.name,
    'node.region': 'global',
    'node.pool': 'default',
    'attr.unique.hostname': node.name,
  }
  return facts[name] ?? node.attributes[name] ?? node.attributes[name.replace(/^attr\./, '')]
}
