import type { JsonObject } from '../../../core/json.ts'
import type { Found } from '../api/answers.ts'
import { readQuery } from '../api/query.ts'
import { poolNames } from '../placement/constraints.ts'
import { pageOf } from './page.ts'
import type { Question } from './question.ts'

const builtIn: Readonly<Record<string, string>> = {
  all: 'Node pool with all nodes in the cluster.',
  default: 'Default node pool.',
}

/** GET /v1/node/pools, by name. A page begins with the name in its token. */
export function readPools({ store, request }: Question): Found {
  const query = readQuery(request.query)
  const names = poolNames(store.nodes).filter((name) => name.startsWith(query.prefix))
  if (query.reverse) names.reverse()
  const { page, ...next } = pageOf(names, query, (name) => name)
  return { index: 1, body: page.map(poolView), ...next }
}

/** GET /v1/node/pool/:name. */
export function readPool({ store, name }: Question): Found {
  if (!poolNames(store.nodes).includes(name)) return { index: 1, missing: 'node pool not found' }
  return { index: 1, body: poolView(name) }
}

function poolView(name: string): JsonObject {
  return {
    CreateIndex: 1,
    Description: builtIn[name] ?? '',
    Meta: null,
    ModifyIndex: 1,
    Name: name,
    NodeIdentityTTL: 24 * 3600e9,
    SchedulerConfiguration: null,
  }
}
