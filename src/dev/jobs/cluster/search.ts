import type { JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { Refusal } from '../api/refusal.ts'
import { secretOf } from '../api/tokens.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { poolNames } from '../placement/constraints.ts'
import { compare, text } from '../state/documents.ts'

/** The most matches of one kind. */
const most = 20

interface Named {
  readonly namespace: string
  readonly id: string
}

/** What can be found by the prefix of its ID, in each namespace; `jobs` also by a prefix that is no part of a UUID. */
const owned: Readonly<Record<string, (write: JobWrite) => Iterable<Named>>> = {
  allocs: ({ store }) => store.allocations.values(),
  deployment: ({ store }) => store.deployments.values(),
  evals: ({ store }) => store.evaluations.values(),
  jobs: ({ store }) => store.allJobs(),
  scaling_policy: ({ store }) =>
    store.allJobs().flatMap(({ namespace, policies }) => [...policies.values()].map(({ id }) => ({ namespace, id }))),
}

/** What belongs to the cluster. Of the last ones the local server has none. */
const shared: Readonly<Record<string, (write: JobWrite) => readonly string[]>> = {
  namespaces: ({ store, access, request }) =>
    [...store.namespaces.keys()].filter((name) => access.allows(secretOf(request), name, 'list-jobs')),
  node_pools: ({ store }) => poolNames(store.nodes),
  nodes: ({ store }) => store.nodes.map(({ id }) => id),
  host_volumes: () => [],
  plugins: () => [],
  vars: () => [],
  volumes: () => [],
}

const contexts = [...Object.keys(owned), ...Object.keys(shared)].toSorted(compare)
const byUuid = new Set(['allocs', 'deployment', 'evals', 'scaling_policy', 'nodes', 'host_volumes'])

/** PUT /v1/search: the IDs that begin with a prefix, of one kind or of `all`. */
export function search(write: JobWrite): DevReply {
  const body = bodyOf(write, 'search')
  const [prefix, context] = [text(body, 'Prefix'), text(body, 'Context')]
  write.access.identify(write.request)
  if (context !== 'all' && !contexts.includes(context)) {
    const known = `[${contexts.join(' ')}]`
    throw new Refusal(500, `context must be one of ${known} or 'all' for all contexts; got "${context}"`)
  }
  const allowed = (context === 'all' ? contexts : [context]).filter((kind) => mayFind(write, kind))
  if (allowed.length === 0) throw new Refusal(403, 'Permission denied')
  const found = allowed
    .filter((kind) => !byUuid.has(kind) || /^[\da-f-]{0,36}$/i.test(prefix))
    .map((kind) => [kind, idsOf(write, kind).filter((id) => id.startsWith(prefix))] as const)
  const matches: JsonObject = Object.fromEntries(
    found.map(([kind, ids]) => [kind, ids.length === 0 ? null : ids.slice(0, most)]),
  )
  const truncations: JsonObject = Object.fromEntries(found.map(([kind, ids]) => [kind, ids.length > most]))
  const { index } = write.store
  return answerWrite(write.request, { ...answered, Index: index, Matches: matches, Truncations: truncations }, index)
}

const answered = { KnownLeader: true, LastContact: 0, NextToken: '' }

function mayFind(write: JobWrite, kind: string): boolean {
  return !(kind in owned) || write.namespace === '*' || mayRead(write, write.namespace)
}

function mayRead({ access, request }: JobWrite, namespace: string): boolean {
  return access.allows(secretOf(request), namespace, 'read-job')
}

function idsOf(write: JobWrite, kind: string): string[] {
  const { namespace } = write
  const own = [...(owned[kind]?.(write) ?? [])].filter((item) =>
    namespace === '*' ? mayRead(write, item.namespace) : item.namespace === namespace,
  )
  return [...own.map(({ id }) => id), ...(shared[kind]?.(write) ?? [])].toSorted(compare)
}
