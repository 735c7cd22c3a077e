import type { JsonObject } from '../../../core/json.ts'
import type { Dialect } from '../../http.ts'
import type { Found } from '../api/answers.ts'
import { readQuery } from '../api/query.ts'
import { secretOf } from '../api/tokens.ts'
import { filtered } from '../endpoints/list.ts'
import { compare } from '../state/documents.ts'
import { pageOf } from './page.ts'
import type { Question } from './question.ts'

export type Owned = 'evaluations' | 'allocations' | 'deployments'

interface Item {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
  readonly status?: string
  readonly createIndex: number
}

/** A list of what belongs to jobs, oldest first, or by ID with a `prefix`. A page begins with the ID in its token. */
export function ofNamespace(
  { store, access, request }: Question,
  table: Owned,
  view: (item: never, dialect: Dialect) => JsonObject,
): Found {
  const query = readQuery(request.query)
  const { namespace, prefix } = query
  if (namespace !== '*') access.demand(request, namespace, 'read-job')
  const allowed = (item: Item) => access.allows(secretOf(request), item.namespace, 'read-job')
  const [job, status] = [request.query.get('job') ?? '', request.query.get('status') ?? '']
  const own = [...(store[table].values() as Iterable<Item>)].filter(
    (item) =>
      item.id.startsWith(prefix) &&
      (namespace === '*' ? allowed(item) : item.namespace === namespace) &&
      (table !== 'evaluations' || job === '' || item.jobId === job) &&
      (table !== 'evaluations' || status === '' || item.status === status),
  )
  const byId = (left: Item, right: Item) => compare(left.id, right.id)
  const byAge = (left: Item, right: Item) => left.createIndex - right.createIndex || byId(left, right)
  const ordered = own.toSorted(prefix === '' ? byAge : byId)
  if (query.reverse) ordered.reverse()
  // Products omit members that are zero, which a filter may name all the same.
  const matching = filtered(ordered, query.filter, (item) => view(item as never, 'neutral'))
  const { page, ...next } = pageOf(matching, query, ({ id }) => id)
  return { index: store.indexOf(table), body: page.map((item) => view(item as never, request.dialect)), ...next }
}
