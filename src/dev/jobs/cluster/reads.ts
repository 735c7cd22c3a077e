import type { Json, JsonObject } from '../../../core/json.ts'
import type { DevRequest } from '../../http.ts'
import type { Found } from '../api/answers.ts'
import { readQuery } from '../api/query.ts'
import { checkUuid } from '../api/refusal.ts'
import type { Service } from '../api/write.ts'
import { allocationView, deploymentView, evaluationView } from '../endpoints/views.ts'
import { fullAllocation, nodeView } from './views.ts'

/** A read by someone: `name` is the last part of its path. */
interface Question extends Service {
  readonly request: DevRequest
  readonly name: string
}

type Read = (question: Question) => Found
type Table = 'evaluations' | 'allocations' | 'deployments'
type View = (item: never, dialect: DevRequest['dialect']) => JsonObject

/** Reads that official clients need to finish a command on a job: what `nomad job run` polls, and whom `action` connects to. */
const reads: readonly (readonly [path: RegExp, read: Read])[] = [
  [/^\/v1\/evaluations$/, (question) => list(question, 'evaluations', evaluationView)],
  [/^\/v1\/allocations$/, (question) => list(question, 'allocations', allocationView)],
  [/^\/v1\/deployments$/, (question) => list(question, 'deployments', deploymentView)],
  [/^\/v1\/evaluation\/([^/]+)$/, (question) => one(question, 'evaluations', 'eval', evaluationView)],
  [/^\/v1\/evaluation\/([^/]+)\/allocations$/, (question) => allocationsWith(question, 'evaluations', 'evalId')],
  [/^\/v1\/allocation\/([^/]+)$/, readAllocation],
  [/^\/v1\/deployment\/([^/]+)$/, (question) => one(question, 'deployments', 'deployment', deploymentView)],
  [/^\/v1\/deployment\/allocations\/([^/]+)$/, (question) => allocationsWith(question, 'deployments', 'deploymentId')],
  [/^\/v1\/node\/([^/]+)$/, readNode],
  [/^\/v1\/regions$/, () => constant(['global'])],
  [/^\/v1\/agent\/self$/, ({ request }) => constant(agent(request))],
]

/** The read of a path; undefined if there is none. */
export function clusterRead(service: Service, request: DevRequest): (() => Found) | undefined {
  for (const [path, read] of reads) {
    const match = path.exec(request.rawPath)
    if (match === null) continue
    service.access.identify(request)
    const name = decodeURIComponent(match[1] ?? '')
    return () => read({ ...service, request, name })
  }
  return undefined
}

/** What belongs to jobs of a namespace, by the first digits of its ID: clients look short IDs up. */
function list({ store, access, request }: Question, table: Table, view: View): Found {
  const { namespace, prefix } = readQuery(request.query)
  access.demand(request, namespace, 'read-job')
  const items = [...store[table].values()].filter((item) => item.namespace === namespace && item.id.startsWith(prefix))
  return { index: store.indexOf(table), body: items.map((item) => view(item as never, request.dialect)) }
}

function one({ store, access, request, name }: Question, table: Table, noun: string, view: View): Found {
  checkUuid(noun, name)
  const item = store[table].get(name)
  if (item === undefined) return { index: store.indexOf(table), missing: `${noun} not found` }
  access.demand(request, item.namespace, 'read-job')
  return { index: store.indexOf(table), body: view(item as never, request.dialect) }
}

/** Its index is its own, not that of all allocations: a client waits for a change of this one. */
function readAllocation(question: Question): Found {
  const found = one(question, 'allocations', 'alloc', fullAllocation)
  return { ...found, index: question.store.allocations.get(question.name)?.modifyIndex ?? found.index }
}

function allocationsWith(
  { store, access, request, name }: Question,
  table: Table,
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
