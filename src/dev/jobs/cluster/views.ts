import type { JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import { groupOf, tasksOf } from '../client/tasks.ts'
import { allocationView } from '../endpoints/views.ts'
import { poolOf } from '../placement/constraints.ts'
import { number, object, text } from '../state/documents.ts'
import type { Allocation, DemoNode } from '../state/model.ts'

/** An allocation as it is read on its own: with its job, network and resources. */
export function fullAllocation(alloc: Allocation, dialect: Dialect): JsonObject {
  return {
    ...allocationView(alloc, dialect),
    AllocatedResources: allocatedResources(alloc),
    DeploymentID: alloc.deploymentId,
    Job: alloc.job,
    // The node reports it once tasks run.
    NetworkStatus: alloc.client === 'pending' ? null : { Address: '', AddressIPv6: '', DNS: null, InterfaceName: '' },
    PreviousAllocation: alloc.previous,
    Resources: { DiskMB: diskOf(alloc) },
    TaskResources: Object.fromEntries(resourcesOf(alloc)),
  }
}

function allocatedResources(alloc: Allocation): JsonObject {
  const ports = [...alloc.ports].map(([label, value]) => ({
    HostIP: alloc.node.address,
    Label: label,
    To: 0,
    Value: value,
  }))
  const allocated = resourcesOf(alloc).map(([name, resources]) => [
    name,
    {
      Cpu: { CpuShares: number(resources, 'CPU') },
      Devices: null,
      Memory: { MemoryMB: number(resources, 'MemoryMB'), MemoryMaxMB: number(resources, 'MemoryMaxMB') },
      Networks: null,
    },
  ])
  return {
    Shared: { DiskMB: diskOf(alloc), Networks: null, Ports: ports },
    Tasks: Object.fromEntries(allocated) as JsonObject,
  }
}

function resourcesOf(alloc: Allocation): [task: string, resources: JsonObject][] {
  return tasksOf(alloc).map((task) => [text(task, 'Name'), object(task, 'Resources') ?? {}])
}

function diskOf(alloc: Allocation): number {
  return number(object(groupOf(alloc), 'EphemeralDisk') ?? {}, 'SizeMB')
}

/** A node as it is read on its own. Clients connect to its address for actions, so it is the local server's. */
export function nodeView(node: DemoNode, origin: string): JsonObject {
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
