import type { JsonObject } from '../../../core/json.ts'
import { filteredBy, isCandidate } from './constraints.ts'
import { copyOf, number, object, objects, text } from '../state/documents.ts'
import { isLive, type Allocation, type DemoNode, type Need } from '../state/model.ts'
import { Tally } from './failure.ts'

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
