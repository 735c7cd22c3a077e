import { done, listReply, notFound, unsupportedOperation } from '../secrets/reply.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/reply.ts'
import { readIntegers, secondsOf } from '../secrets/fields.ts'
import { readConfig, writeConfig, listMetadata, patchMetadata, readMetadata, writeMetadata } from './metadata.ts'
import type { Handlers, KvCall } from './metadata.ts'
import { keysOnly, parameter, patchData, readVersion, throughDouble, writeData } from './data.ts'
import { namesIn, type KvStore } from './store.ts'
import { isObject, type JsonObject } from '../../core/json.ts'

const config: Handlers = { GET: readConfig, POST: writeConfig }
const routes: Readonly<Record<string, Handlers>> = {
  data: {
    GET: (call) => readVersion(call, 'data', throughDouble, ['version']),
    POST: writeData,
    PATCH: patchData,
    DELETE({ store, path }) {
      store.delete(path, [store.get(path)?.current ?? 0])
      return done
    },
  },
  subkeys: {
    GET(call) {
      const depth = parameter(call.request, 'depth')
      const levels = depth === 0 ? Infinity : Math.max(depth, 1)
      return readVersion(call, 'subkeys', (data) => (isObject(data) ? keysOnly(data, levels) : null), [
        'version',
        'depth',
      ])
    },
  },
  metadata: {
    GET: readMetadata,
    LIST: listMetadata,
    POST: writeMetadata,
    PATCH: patchMetadata,
    DELETE({ store, path }) {
      store.remove(path)
      return done
    },
  },
  delete: { POST: (call) => onVersions(call, (numbers) => call.store.delete(call.path, numbers)) },
  undelete: { POST: (call) => onVersions(call, (numbers) => call.store.undelete(call.path, numbers)) },
  destroy: { POST: (call) => onVersions(call, (numbers) => call.store.destroy(call.path, numbers)) },
}

export function createKv(store: KvStore): SecretsEngine {
  return {
    handle(request) {
      const [route = '', ...names] = request.segments
      const isRoot = names.length === 0 && !request.trailingSlash && request.method !== 'LIST'
      const handlers = route === 'config' && isRoot ? config : Object.hasOwn(routes, route) ? routes[route] : undefined
      if (handlers === undefined || (isRoot && route === 'subkeys')) return wrongRoute
      if (isRoot && handlers !== config) return rootOfMount
      const handler = handlers[request.method === 'PUT' ? 'POST' : request.method]
      return handler?.({ store, path: names.join('/'), request }) ?? unsupportedOperation
    },
  }
}

const rootOfMount: EngineReply = {
  status: 404,
  warnings: ['Non-listing operations on the root of a K/V v2 mount are not supported.'],
}

const wrongRoute: EngineReply = {
  status: 404,
  warnings: [
    'Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.',
  ],
}

function onVersions({ request }: KvCall, change: (numbers: readonly number[]) => void): EngineReply {
  const numbers = readIntegers(request.body, 'versions') ?? []
  if (numbers.length === 0) return { status: 400, errors: ['No version number provided'] }
  change(numbers)
  return done
}

const defaultLease = 2_764_800

/**
 * The key-value engine without versions. As on real servers, a request meant for the versioned engine is stored here as a
 * plain key and answered with 204; every digit of a number is kept.
 */
export function createKvVersion1(secrets: Map<string, JsonObject>): SecretsEngine {
  return { handle: (request) => answer(secrets, request) }
}

function answer(secrets: Map<string, JsonObject>, request: EngineRequest): EngineReply {
  const { method, segments, trailingSlash, body, query } = request
  // Nothing has a name that ends with a slash.
  const path = segments.join('/') + (trailingSlash && method !== 'LIST' ? '/' : '')
  switch (method) {
    case 'LIST':
      return listReply(namesIn(path, secrets.keys()), query)
    case 'GET': {
      const data = secrets.get(path)
      if (data === undefined) return notFound
      // A field named `ttl` sets how long readers may keep the data.
      const lease = secondsOf(String(data['ttl'] ?? data['lease'] ?? '')) || defaultLease
      return { status: 200, data, lease }
    }
    case 'POST':
    case 'PUT':
      if (Object.keys(body).length === 0) return { status: 400, errors: ['missing data fields'] }
      secrets.set(path, body)
      return done
    case 'DELETE':
      secrets.delete(path)
      return done
    default:
      return unsupportedOperation
  }
}
