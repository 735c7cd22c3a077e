import { expect, test } from 'vitest'
import type { Job } from '../../../src/api/job-shapes.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { placementFailures, placementLine } from '../../../src/commands/job/facts/placement.ts'

const line = (metrics: JsonObject) => placementFailures({ app: metrics }).map((one) => placementLine('app', one))[0]

test.each<[JsonObject, string]>([
  [{}, 'app'],
  [{ NodesEvaluated: 0 }, 'app: no eligible node'],
  [{ NodesInPool: 0 }, 'app: no eligible node'],
  [{ NodesEvaluated: 1, NodesInPool: 1 }, 'app: 1 of 1 node evaluated'],
  [{ NodesInPool: 2 }, 'app: 0 of 2 nodes evaluated'],
  // The scheduler leaves the pool out for a system job.
  [{ NodesEvaluated: 2, NodesInPool: 0, ConstraintFiltered: { a: 2 } }, 'app: 2 nodes do not match a'],
  [{ NodesEvaluated: 0, NodesInPool: 2 }, 'app: no eligible node; 0 of 2 nodes evaluated'],
  [
    { NodesEvaluated: 2, NodesInPool: 3, NodePool: 'gpu', NodesAvailable: { dc1: 2, dc2: 0 } },
    'app: no nodes available in datacenter dc2; 2 of 3 nodes in pool gpu evaluated (dc1: 2, dc2: 0)',
  ],
  [{ ConstraintFiltered: { 'missing drivers': 1 } }, 'app: 1 node lacks the driver'],
  [{ ConstraintFiltered: { 'missing drivers': 2 } }, 'app: 2 nodes lack the driver'],
  [{ ConstraintFiltered: { '${attr.cpu.arch} = arm64': 1 } }, 'app: 1 node does not match ${attr.cpu.arch} = arm64'],
  [{ ConstraintFiltered: { '${attr.cpu.arch} = arm64': 2 } }, 'app: 2 nodes do not match ${attr.cpu.arch} = arm64'],
  [{ ClassFiltered: { small: 1 } }, 'app: 1 node of class small filtered out'],
  [{ ClassFiltered: { small: null } }, 'app: 0 nodes of class small filtered out'],
  [{ DimensionExhausted: { memory: 1 } }, 'app: 1 node has too little memory'],
  [{ DimensionExhausted: { Memory: 2 } }, 'app: 2 nodes have too little memory'],
  [{ DimensionExhausted: { CPU: 2 } }, 'app: 2 nodes have too little CPU'],
  [{ DimensionExhausted: { disk: 1 } }, 'app: 1 node has too little disk space'],
  [{ DimensionExhausted: { cores: 3 } }, 'app: 3 nodes have too few cores'],
  [{ DimensionExhausted: { devices: 1 } }, 'app: devices exhausted on 1 node'],
  [
    { DimensionExhausted: { 'network: reserved port collision http=80': 2 } },
    'app: network: reserved port collision http=80 on 2 nodes',
  ],
  [{ ClassExhausted: { big: 2 } }, 'app: 2 nodes of class big exhausted'],
  [{ QuotaExhausted: ['memory limit', 'cpu limit'] }, 'app: quota exhausted: memory limit; quota exhausted: cpu limit'],
  [
    {
      ConstraintFiltered: { a: 1 },
      ClassFiltered: { b: 1 },
      DimensionExhausted: { cpu: 1 },
      ClassExhausted: { c: 1 },
      QuotaExhausted: ['d'],
    },
    'app: 1 node does not match a; 1 node of class b filtered out; 1 node has too little CPU; 1 node of class c exhausted; quota exhausted: d',
  ],
])('why nothing could be placed: %j', (metrics, words) => expect(line(metrics)).toBe(words))

test.each<[Job, string]>([
  [{ Datacenters: ['*'], NodePool: 'default' }, 'app: no eligible node'],
  [{ Datacenters: ['dc8', 'dc9'], NodePool: 'default' }, 'app: no eligible node in datacenter dc8, dc9'],
  [{ Datacenters: ['*'], NodePool: 'gpu' }, 'app: no eligible node in node pool gpu'],
  [{ Datacenters: ['dc1'], NodePool: 'gpu' }, 'app: no eligible node in node pool gpu, datacenter dc1'],
])('where no node is: %j', (job, words) => {
  const [failure] = placementFailures({ app: { NodesEvaluated: 0, NodesInPool: 0 } }, job)
  expect(failure && placementLine('app', failure)).toBe(words)
})

test('a group lacks one allocation more than the scheduler coalesced; none failed where it says none', () => {
  const failures = placementFailures({ app: { CoalescedFailures: 2 }, db: {} })
  expect(failures.map(({ group, count }) => [group, count])).toEqual([
    ['app', 3],
    ['db', 1],
  ])
  expect(placementFailures(undefined)).toEqual([])
  expect(placementFailures(null)).toEqual([])
})
