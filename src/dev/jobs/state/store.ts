import { compareBytes } from '../../go.ts'
import { JsonNumber, type JsonObject } from '../../../core/json.ts'
import type { DevClock } from '../../http.ts'
import { countOf, number, objects, text } from './documents.ts'
import { isLive, isTerminal } from './model.ts'
import type { Allocation, DemoNode, Deployment, Evaluation, JobRecord } from './model.ts'
import { demoNodes } from '../seed/jobs.ts'

export type TableName = 'jobs' | 'allocations' | 'evaluations' | 'deployments'

export interface StoreOptions {
  /** Nodes, instead of the demo's. */
  readonly nodes?: readonly DemoNode[]
  /** Namespaces besides `default`. */
  readonly namespaces?: readonly string[]
  /** The most allocations a job may have (job_max_count), 1000 by default. */
  readonly largestCount?: number
}

interface Owned {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
}

/** Things that belong to jobs, by their own ID and by job. */
class Table<Item extends Owned> extends Map<string, Item> {
  private readonly jobs = new Map<string, Item[]>()

  add(item: Item): void {
    this.set(item.id, item)
    const key = keyOf(item.namespace, item.jobId)
    const others = this.jobs.get(key)
    if (others === undefined) this.jobs.set(key, [item])
    else others.push(item)
  }

  /** The items of a job, of any registration, oldest first. */
  ofJob(namespace: string, id: string): readonly Item[] {
    return this.jobs.get(keyOf(namespace, id)) ?? []
  }
}

function keyOf(namespace: string, id: string): string {
  return `${namespace}\u0000${id}`
}

/** The state of the scheduler: tables, the index that every write advances, and the readers waiting for a write. */
export class Store {
  readonly clock: DevClock
  readonly nodes: readonly DemoNode[]
  private readonly largestCount: number
  readonly namespaces: Set<string>
  readonly jobs = new Map<string, JobRecord>()
  readonly allocations = new Table<Allocation>()
  readonly evaluations = new Table<Evaluation>()
  readonly deployments = new Table<Deployment>()
  private readonly indexes: Record<TableName, number> = {
    jobs: 0,
    allocations: 0,
    evaluations: 0,
    deployments: 0,
  }
  private readonly waiters = new Set<() => void>()
  private last = 10
  private stamp = { milliseconds: 0, nanoseconds: 0 }

  constructor(clock: DevClock, { nodes = demoNodes, namespaces = [], largestCount = 1000 }: StoreOptions) {
    this.clock = clock
    this.nodes = nodes
    this.largestCount = largestCount
    this.namespaces = new Set(['default', ...namespaces])
  }

  /** The index of the last write to a table; 0 for a table that nothing was written to. */
  indexOf(table: TableName): number {
    return this.indexes[table]
  }

  /** Starts a write to these tables, wakes waiting readers, and returns its index. */
  write(...tables: TableName[]): number {
    this.last += 1
    for (const table of tables) this.indexes[table] = this.last
    const woken = [...this.waiters]
    this.waiters.clear()
    for (const wake of woken) wake()
    return this.last
  }

  /** Calls back once at the next write; returns a function that cancels this. */
  onWrite(call: () => void): () => void {
    this.waiters.add(call)
    return () => this.waiters.delete(call)
  }

  /** The time in nanoseconds since 1970, never the same twice. */
  nanoseconds(): JsonNumber {
    const milliseconds = this.clock.now().getTime()
    const { stamp } = this
    stamp.nanoseconds = milliseconds === stamp.milliseconds ? (stamp.nanoseconds + 1009) % 1e6 : 120_457
    stamp.milliseconds = milliseconds
    return new JsonNumber(`${milliseconds}${String(stamp.nanoseconds).padStart(6, '0')}`)
  }

  job(namespace: string, id: string): JobRecord | undefined {
    return this.jobs.get(keyOf(namespace, id))
  }

  addJob(record: JobRecord): void {
    this.jobs.set(keyOf(record.namespace, record.id), record)
  }

  removeJob(record: JobRecord): void {
    this.jobs.delete(keyOf(record.namespace, record.id))
  }

  /** Every job, by namespace and then by ID. */
  allJobs(): JobRecord[] {
    const byOrder = (left: JobRecord, right: JobRecord) =>
      compareBytes(left.namespace, right.namespace) || compareBytes(left.id, right.id)
    return [...this.jobs.values()].toSorted(byOrder)
  }

  /** The allocations of a job's current registration, oldest first. */
  allocationsOf({ namespace, id, createIndex }: JobRecord): Allocation[] {
    return this.allocations.ofJob(namespace, id).filter((alloc) => alloc.jobCreateIndex === createIndex)
  }

  blockedOf({ namespace, id }: JobRecord): Evaluation | undefined {
    return this.evaluations.ofJob(namespace, id).find((evaluation) => evaluation.status === 'blocked')
  }

  /** The newest deployment of a job's current registration. */
  deploymentOf({ namespace, id, createIndex }: JobRecord): Deployment | undefined {
    return this.deployments.ofJob(namespace, id).findLast((deployment) => deployment.jobCreateIndex === createIndex)
  }

  /** Children of a periodic or parameterized job. */
  childrenOf({ namespace, id, current }: JobRecord): readonly JobRecord[] {
    if (!isParent(current)) return []
    return [...this.jobs.values()].filter((job) => job.namespace === namespace && job.current['ParentID'] === id)
  }

  /** The error for a job that wants too many allocations in all; undefined if it does not. */
  excessOf(job: JsonObject): string | undefined {
    const total = objects(job, 'TaskGroups').reduce((sum, group) => sum + countOf(group), 0)
    if (total <= this.largestCount) return undefined
    return `total count was greater than configured job_max_count: ${total} > ${this.largestCount}`
  }

  refreshStatus(record: JobRecord): void {
    const job = record.current
    const status = this.statusOf(record, job)
    record.summaryIndex = this.last
    if (job['Status'] === status) return
    job['Status'] = status
    job['ModifyIndex'] = this.last
    this.indexes.jobs = this.last
    const parent = this.job(record.namespace, text(job, 'ParentID'))
    if (parent !== undefined) parent.summaryIndex = this.last
  }

  private statusOf(record: JobRecord, job: JsonObject): string {
    if (isParent(job)) return job['Stop'] === true ? 'dead' : 'running'
    const allocations = this.allocationsOf(record)
    if (allocations.some(isLive) || allocations.some((alloc) => !isTerminal(alloc))) return 'running'
    if (allocations.some((alloc) => alloc.followup !== '' && alloc.next === '')) return 'pending'
    if (this.blockedOf(record) !== undefined) return 'pending'
    return 'dead'
  }
}

/** True for periodic and parameterized jobs, which only run as children. */
export function isParent(job: JsonObject): boolean {
  return isPeriodic(job) || isParameterized(job)
}

/** True for jobs that run on every node. */
export function isSystem(job: JsonObject): boolean {
  return text(job, 'Type') === 'system' || text(job, 'Type') === 'sysbatch'
}

/** True for jobs that end by themselves. */
export function isBatch(job: JsonObject): boolean {
  return text(job, 'Type') === 'batch' || text(job, 'Type') === 'sysbatch'
}

/** True for a periodic job that launches children. */
export function isPeriodic(job: JsonObject): boolean {
  return job['Periodic'] !== null && job['Periodic'] !== undefined
}

/** True for a parameterized job, false for a job dispatched from one, which keeps the block. */
export function isParameterized(job: JsonObject): boolean {
  return job['ParameterizedJob'] !== null && job['ParameterizedJob'] !== undefined && job['Dispatched'] !== true
}

export function versionOf(job: JsonObject): number {
  return number(job, 'Version')
}
