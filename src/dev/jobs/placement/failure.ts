import type { JsonObject } from '../../../core/json.ts'
import { isCandidate } from './constraints.ts'
import { number, object, objects, text, words } from '../state/documents.ts'
import type { DemoNode } from '../state/model.ts'

/** Why a group could not be placed: one entry of `FailedTGAllocs`. */

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
    const sum = object(total, task)
    if (sum === undefined) continue
    for (const key of ['CPU', 'MemoryMB']) sum[key] = number(sum, key) + number(more as JsonObject, key)
  }
}

/** Counts why nodes were rejected. */
export class Tally {
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
  ...Object.fromEntries(words('CPU Cores DiskMB IOPS MemoryMB MemoryMaxMB SecretsMB').map((name) => [name, 0])),
  ...Object.fromEntries(words('Devices NUMA Networks').map((name) => [name, null])),
}

function orNull(counts: JsonObject): JsonObject | null {
  return Object.keys(counts).length === 0 ? null : counts
}
