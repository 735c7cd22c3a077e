import type { JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { groupOf, tasksOf } from '../client/client.ts'
import { allocationView } from '../endpoints/views.ts'
import { poolOf } from '../placement/constraints.ts'
import { number, object, text } from '../state/documents.ts'
import type { Allocation, DemoNode } from '../state/model.ts'

/** An allocation as it is read on its own: with its job and resources. */
export function fullAllocation(alloc: Allocation, dialect: Dialect): JsonObject {
  const tasks = tasksOf(alloc).map((task) => [text(task, 'Name'), object(task, 'Resources') ?? {}] as const)
  const ports = [...alloc.ports].map(([label, value]) => ({
    HostIP: alloc.node.address,
    Label: label,
    To: 0,
    Value: value,
  }))
  const disk = number(object(groupOf(alloc), 'EphemeralDisk') ?? {}, 'SizeMB')
  const allocated = tasks.map(([name, resources]) => [
    name,
    {
      Cpu: { CpuShares: number(resources, 'CPU') },
      Devices: null,
      Memory: { MemoryMB: number(resources, 'MemoryMB'), MemoryMaxMB: number(resources, 'MemoryMaxMB') },
      Networks: null,
    },
  ])
  return {
    ...allocationView(alloc, dialect),
    AllocatedResources: {
      Shared: { DiskMB: disk, Networks: null, Ports: ports },
      Tasks: Object.fromEntries(allocated) as JsonObject,
    },
    DeploymentID: alloc.deploymentId,
    Job: alloc.job,
    PreviousAllocation: alloc.previous,
    Resources: { DiskMB: disk },
    TaskResources: Object.fromEntries(tasks),
  }
}

/** A node in a list. */
export function nodeStub(node: DemoNode): JsonObject {
  return {
    Address: node.address,
    CreateIndex: 1,
    Datacenter: node.datacenter,
    Drain: false,
    Drivers: Object.fromEntries(node.drivers.map((name) => [name, { Detected: true, Healthy: true }])),
    ID: node.id,
    ModifyIndex: 1,
    Name: node.name,
    NodeClass: '',
    NodePool: poolOf(node),
    SchedulingEligibility: node.eligible === false ? 'ineligible' : 'eligible',
    Status: 'ready',
    StatusDescription: '',
    Version: '2.0.6',
  }
}

/** A node as it is read on its own. Clients connect to its address for actions, so it is the local server's. */
export function nodeView(node: DemoNode, origin: string): JsonObject {
  return {
    ...nodeStub(node),
    Attributes: node.attributes,
    HTTPAddr: new URL(origin).host,
    Meta: null,
    NodeResources: {
      Cpu: { CpuShares: node.cpu },
      Disk: { DiskMB: node.disk },
      Memory: { MemoryMB: node.memory },
    },
    TLSEnabled: false,
  }
}
