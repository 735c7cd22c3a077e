import type { JsonObject } from '../../core/json.ts'
import { FieldError, toSeconds } from './fields.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/engine.ts'
import { compareBytes, unsupportedOperation } from '../secrets/reply.ts'

/**
 * The key-value engine without versions. What is meant for the versioned one ends as a literal key here, with a cheerful
 * 204 (contract a.7); every digit of a number is kept.
 */
export function createKvVersion1(): SecretsEngine {
  const secrets = new Map<string, JsonObject>()
  return {
    handle: (request) => (request.list ? list(secrets, request) : operate(secrets, request)),
    exists: (segments) => secrets.has(segments.join('/')),
  }
}

const defaultLease = 2_764_800

function operate(secrets: Map<string, JsonObject>, request: EngineRequest): EngineReply {
  const path = request.segments.join('/')
  switch (request.method) {
    case 'GET': {
      const data = secrets.get(path)
      return data === undefined ? { status: 404 } : { status: 200, data, lease: leaseOf(data) }
    }
    case 'POST':
    case 'PUT':
      if (Object.keys(request.body ?? {}).length === 0) return { status: 400, errors: ['missing data fields'] }
      secrets.set(path, request.body ?? {})
      return { status: 204 }
    case 'DELETE':
      secrets.delete(path)
      return { status: 204 }
    default:
      return unsupportedOperation
  }
}

function list(secrets: ReadonlyMap<string, JsonObject>, request: EngineRequest): EngineReply {
  const folder = request.segments.map((segment) => `${segment}/`).join('')
  const below = [...secrets.keys()].filter((path) => path.startsWith(folder))
  const names = new Set(below.map((path) => path.slice(folder.length).replace(/\/.*$/s, '/')))
  return names.size === 0 ? { status: 404 } : { status: 200, data: { keys: [...names].toSorted(compareBytes) } }
}

/** A field named `ttl` sets how long readers may keep the data. */
function leaseOf(data: JsonObject): number {
  try {
    return toSeconds(data['ttl'] ?? data['lease'] ?? null) || defaultLease
  } catch (error) {
    if (error instanceof FieldError) return defaultLease
    throw error
  }
}
