import { randomUUID } from 'node:crypto'
import { JsonNumber, type JsonObject } from '../../../core/json.ts'
import { groupNamed, text } from '../state/documents.ts'
import type { Allocation, DemoNode } from '../state/model.ts'
import { needOf } from '../placement/placement.ts'

/** The write that places an allocation. A dry run has none. */
export interface Origin {
  readonly index: number
  readonly time: JsonNumber
  /** The CreateIndex of the job's registration. */
  readonly createIndex: number
}

const none: Origin = { index: 0, time: new JsonNumber('0'), createIndex: 0 }

/** A new pending allocation of a job's group on a node. */
export function newAllocation(
  job: JsonObject,
  group: string,
  name: string,
  placed: { readonly node: DemoNode; readonly ports: Map<string, number> },
  { index, time, createIndex }: Origin = none,
): Allocation {
  return {
    id: randomUUID(),
    namespace: text(job, 'Namespace'),
    jobId: text(job, 'ID'),
    jobCreateIndex: createIndex,
    job,
    group,
    name,
    node: placed.node,
    evalId: '',
    deploymentId: '',
    canary: false,
    health: null,
    desired: 'run',
    desiredDescription: '',
    client: 'pending',
    clientDescription: '',
    previous: '',
    next: '',
    followup: '',
    reschedules: [],
    tasks: new Map(),
    need: needOf(groupNamed(job, group)),
    ports: placed.ports,
    createIndex: index,
    modifyIndex: index,
    createTime: time,
    modifyTime: time,
  }
}
