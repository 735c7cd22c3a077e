import { patchData, readData, readSubkeys, writeData } from './data.ts'
import { FieldError, durationText, field, toBoolean, toCount, toIntegers, toSeconds } from './fields.ts'
import { deleteMetadata, listMetadata, patchMetadata, readMetadata, writeMetadata } from './metadata.ts'
import type { KvStore } from './store.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/engine.ts'
import { unsupportedOperation } from '../secrets/reply.ts'

/** The versioned key-value engine (spec "Key-value engine", contract b). */

/** One call below a route: `path` is the secret's, without a slash at its end. */
export interface KvCall {
  readonly store: KvStore
  readonly path: string
  readonly request: EngineRequest
}

type Operation = 'read' | 'list' | 'write' | 'patch' | 'delete'
type Handler = (call: KvCall) => EngineReply

const routes: Readonly<Record<string, Partial<Record<Operation, Handler>>>> = {
  data: { read: readData, write: writeData, patch: patchData, delete: deleteLatest },
  subkeys: { read: readSubkeys },
  metadata: {
    read: readMetadata,
    list: listMetadata,
    write: writeMetadata,
    patch: patchMetadata,
    delete: deleteMetadata,
  },
  delete: {
    write: (call) => onVersions(call, 'No version number provided', (...given) => call.store.delete(...given)),
  },
  undelete: {
    write: (call) => onVersions(call, 'No version number provided', (...given) => call.store.undelete(...given)),
  },
  destroy: {
    write: (call) => onVersions(call, 'no version number provided', (...given) => call.store.destroy(...given)),
  },
}
const config: Partial<Record<Operation, Handler>> = { read: readConfig, write: writeConfig }

/** The engine that serves what is in `store`. */
export function createKv(store: KvStore): SecretsEngine {
  return {
    handle(request) {
      const [route = '', ...names] = request.segments
      const call = { store, path: names.join('/'), request }
      const operation = operationOf(request)
      const bare = names.length === 0 && !request.trailingSlash && operation !== 'list'
      if (route === 'config' && bare) return run(config, operation, call)
      if (!Object.hasOwn(routes, route)) return noSuchRoute(operation)
      if (bare) return route === 'subkeys' ? noSuchRoute(operation) : rootOfMount
      return run(routes[route] ?? {}, operation, call)
    },
    exists: ([route = '', ...names]) =>
      !['data', 'metadata'].includes(route) || store.get(names.join('/')) !== undefined,
  }
}

function operationOf(request: EngineRequest): Operation {
  if (request.list) return 'list'
  if (request.method === 'GET') return 'read'
  return request.method === 'PATCH' ? 'patch' : request.method === 'DELETE' ? 'delete' : 'write'
}

function run(handlers: Partial<Record<Operation, Handler>>, operation: Operation, call: KvCall): EngineReply {
  const handler = handlers[operation]
  if (handler === undefined) return unsupportedOperation
  try {
    return handler(call)
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    // The two routes that first look whether the secret is there report the fault without these words.
    const looks = operation === 'write' && (handler === writeData || handler === writeMetadata)
    return { status: 400, errors: [looks ? error.message : `Field validation failed: ${error.message}`] }
  }
}

const rootOfMount: EngineReply = {
  status: 404,
  warnings: ['Non-listing operations on the root of a K/V v2 mount are not supported.'],
}

function noSuchRoute(operation: Operation): EngineReply {
  const word = { read: 'get', list: 'list', write: 'put', patch: 'patch', delete: 'delete' }[operation]
  const advice = `If using the OpenBao CLI, use 'bao kv ${word}' for this operation.`
  const fault =
    'Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.'
  return { status: 404, warnings: [`${fault} ${advice}`] }
}

function readConfig({ store, request }: KvCall): EngineReply {
  const { casRequired, maxVersions, deleteVersionAfter } = store.settings
  const data = {
    cas_required: casRequired,
    delete_version_after: durationText(deleteVersionAfter),
    max_versions: maxVersions,
  }
  return { status: 200, data: request.dialect === 'hashicorp' ? { ...data, metadata_cas_required: false } : data }
}

function writeConfig({ store, request }: KvCall): EngineReply {
  const body = request.body ?? {}
  const maxVersions = field(body, 'max_versions', toCount)
  const casRequired = field(body, 'cas_required', toBoolean)
  const seconds = field(body, 'delete_version_after', toSeconds)
  if (maxVersions !== undefined) store.settings.maxVersions = maxVersions
  if (casRequired !== undefined) store.settings.casRequired = casRequired
  if (seconds !== undefined) store.settings.deleteVersionAfter = Math.max(seconds, -1)
  return { status: 204 }
}

function deleteLatest({ store, path }: KvCall): EngineReply {
  store.delete(path, [store.get(path)?.current ?? 0])
  return { status: 204 }
}

function onVersions(
  { path, request }: KvCall,
  missing: string,
  change: (path: string, numbers: readonly number[]) => void,
): EngineReply {
  const numbers = field(request.body ?? {}, 'versions', toIntegers) ?? []
  if (numbers.length === 0) return { status: 400, errors: [missing] }
  change(path, numbers)
  return { status: 204 }
}
