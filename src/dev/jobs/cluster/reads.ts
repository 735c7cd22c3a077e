import type { Json, JsonObject } from '../../../core/json.ts'
import type { DevRequest } from '../../http.ts'
import type { Found } from '../api/answers.ts'
import { checkUuid } from '../api/refusal.ts'
import type { Service } from '../api/write.ts'
import { allocationView, deploymentView, evaluationView } from '../endpoints/views.ts'
import { readNamespace, readNamespaces } from './namespaces.ts'
import { ofNamespace, type Owned } from './lists.ts'
import { readPool, readPools } from './pools.ts'
import type { Question } from './question.ts'
import { relatedTo, schedulerConfiguration } from './evaluations.ts'
import { readPolicies, readPolicy } from './scaling.ts'
import { readAllocationServices } from './allocations.ts'
import { allocationStub, fullAllocation, nodeStub, nodeView } from './views.ts'

type Read = (question: Question) => Found

/** Reads that official clients need to finish a command on a job: what `nomad job run` polls, and whom `action` connects to. */
const reads: readonly (readonly [path: RegExp, read: Read])[] = [
  [/^\/v1\/evaluations$/, (question) => ofNamespace(question, 'evaluations', evaluationView)],
  [/^\/v1\/allocations$/, (question) => ofNamespace(question, 'allocations', allocationStub(question.request.query))],
  [/^\/v1\/deployments$/, (question) => ofNamespace(question, 'deployments', deploymentView)],
  [/^\/v1\/evaluation\/([^/]+)$/, readEvaluation],
  [/^\/v1\/evaluation\/([^/]+)\/allocations$/, (question) => allocationsWith(question, 'evaluations', 'evalId')],
  [/^\/v1\/allocation\/([^/]+)$/, readAllocation],
  [/^\/v1\/allocation\/([^/]+)\/services$/, readAllocationServices],
  [/^\/v1\/deployment\/([^/]+)$/, (question) => one(question, 'deployments', 'deployment', deploymentView)],
  [/^\/v1\/deployment\/allocations\/([^/]+)$/, (question) => allocationsWith(question, 'deployments', 'deploymentId')],
  [/^\/v1\/nodes$/, ({ store }) => constant(store.nodes.map(nodeStub))],
  [/^\/v1\/node\/(?!pools$)([^/]+)$/, readNode],
  [/^\/v1\/node\/pools$/, readPools],
  [/^\/v1\/node\/pool\/([^/]+)$/, readPool],
  [/^\/v1\/scaling\/policies$/, readPolicies],
  [/^\/v1\/scaling\/policy\/(.*)$/, readPolicy],
  [/^\/v1\/namespaces$/, readNamespaces],
  [/^\/v1\/namespace\/([^/]+)$/, readNamespace],
  [/^\/v1\/regions$/, () => constant(['global'])],
  [/^\/v1\/agent\/self$/, ({ request }) => constant(agent(request))],
  [/^\/v1\/operator\/scheduler\/configuration$/, ({ scheduler }) => constant(schedulerConfiguration(scheduler.broker))],
  [/^\/v1\/status\/leader$/, () => constant('127.0.0.1:4647')],
]

/** Paths that need no token. */
const open = /^\/v1\/(?:status\/leader|regions)$/

/** The read of a path; undefined if there is none. */
export function clusterRead(service: Service, request: DevRequest): (() => Found) | undefined {
  for (const [path, read] of reads) {
    const match = path.exec(request.rawPath)
    if (match === null) continue
    if (!open.test(request.rawPath)) service.access.identify(request)
    const name = decodeURIComponent(match[1] ?? '')
    return () => read({ ...service, request, name })
  }
  return undefined
}

function one<Item extends { readonly namespace: string }>(
  { store, access, request, name }: Question,
  table: Owned,
  noun: string,
  view: (item: never, dialect: DevRequest['dialect']) => JsonObject,
): Found {
  checkUuid(noun, name)
  const item = store[table].get(name) as Item | undefined
  if (item === undefined) return { index: store.indexOf(table), missing: `${noun} not found` }
  access.demand(request, item.namespace, 'read-job')
  return { index: store.indexOf(table), body: view(item as never, request.dialect) }
}

/** Its index is its own, not that of all allocations: a client waits for a change of this one. */
function readAllocation(question: Question): Found {
  const found = one(question, 'allocations', 'alloc', fullAllocation)
  return { ...found, index: question.store.allocations.get(question.name)?.modifyIndex ?? found.index }
}

function readEvaluation(question: Question): Found {
  const { store, request, name } = question
  const found = one(question, 'evaluations', 'eval', evaluationView)
  const evaluation = store.evaluations.get(name)
  if (evaluation === undefined || request.query.get('related') !== 'true') return found
  const RelatedEvals = relatedTo(store, evaluation).map((other) => evaluationView(other, request.dialect))
  return { ...found, body: { ...evaluationView(evaluation, request.dialect), RelatedEvals } }
}

function allocationsWith(
  { store, access, request, name }: Question,
  table: Owned,
  key: 'evalId' | 'deploymentId',
): Found {
  const owner = store[table].get(name)
  if (owner !== undefined) access.demand(request, owner.namespace, 'read-job')
  const items = [...store.allocations.values()].filter((alloc) => alloc[key] === name)
  return { index: store.indexOf('allocations'), body: items.map((alloc) => allocationView(alloc, request.dialect)) }
}

function readNode({ store, request, name }: Question): Found {
  checkUuid('node', name)
  const node = store.nodes.find(({ id }) => id === name)
  return node === undefined ? { index: 1, missing: 'node not found' } : constant(nodeView(node, request.origin))
}

function agent({ origin }: DevRequest): JsonObject {
  const { hostname, port } = new URL(origin)
  return {
    config: { Datacenter: 'dc1', Region: 'global', Version: { Version: '2.0.6' } },
    member: { Addr: hostname, Name: 'tug-dev.global', Port: Number(port), Status: 'alive', Tags: { region: 'global' } },
    stats: {},
  }
}

/** Something that never changes. */
function constant(body: Json): Found {
  return { index: 1, body }
}
