import type { JsonObject } from '../../../core/json.ts'
import type { DevRequest } from '../../http.ts'
import { FilterError, compileFilter } from './filter.ts'
import { boolOf } from '../api/answers.ts'
import type { Found, ReadQuery } from '../api/answers.ts'
import { compare } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { Refusal } from '../api/refusal.ts'
import { currentJob, type Store } from '../state/store.ts'
import type { Access } from '../api/tokens.ts'
import { demand, secretOf } from '../api/tokens.ts'
import { jobStub } from './views.ts'

/** GET /v1/jobs: stubs by namespace and id, a page at a time. */
export function listJobs(store: Store, access: Access, request: DevRequest, query: ReadQuery): Found {
  const withMeta = boolOf(request.query, 'meta')
  const namespaces = namespacesFor(store, access, request, query.namespace)
  const ordered = store
    .allJobs()
    .filter((record) => namespaces.includes(record.namespace) && record.id.startsWith(query.prefix))
  if (query.reverse) ordered.reverse()
  const index = store.indexOf('jobs')
  if (query.perPage < 0) return { index, body: [] }
  const started = query.nextToken === '' ? ordered : ordered.filter((record) => isFrom(record, query))
  const matching = filtered(started, query.filter, currentJob)
  const size = query.perPage === 0 ? matching.length : query.perPage
  const next = matching[size]
  const body = matching.slice(0, size).map((record) => jobStub(store, record, withMeta, request.dialect))
  return { index, body, ...(next === undefined ? {} : { nextToken: tokenOf(next) }) }
}

/** `*` stands for every namespace whose jobs the token may list. Throws {@link Refusal} (403) if there are none. */
function namespacesFor(store: Store, access: Access, request: DevRequest, namespace: string): string[] {
  const wanted = namespace === '*' ? [...store.namespaces] : [namespace]
  const allowed = wanted.filter((name) => access.mayRead(secretOf(request), name))
  demand(allowed.length > 0)
  return allowed
}

/** The items whose document matches a filter; all of them without one. Throws {@link Refusal} (400) for a bad filter. */
function filtered<Item>(
  items: readonly Item[],
  expression: string,
  documentOf: (item: Item) => JsonObject,
): readonly Item[] {
  if (expression === '') return items
  try {
    const matches = compileFilter(expression)
    return items.filter((item) => matches(documentOf(item)))
  } catch (error) {
    throw error instanceof FilterError ? new Refusal(400, error.message) : error
  }
}

function tokenOf(record: JobRecord): string {
  return `${record.namespace}.${record.id}`
}

function isFrom(record: JobRecord, query: ReadQuery): boolean {
  const order = compare(tokenOf(record), query.nextToken)
  return query.reverse ? order <= 0 : order >= 0
}
