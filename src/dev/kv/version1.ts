import type { JsonObject } from '../../core/json.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/engine.ts'
import { secondsOf } from '../secrets/fields.ts'
import { done, listReply, notFound, unsupportedOperation } from '../secrets/reply.ts'
import { namesIn } from './store.ts'

const defaultLease = 2_764_800

/**
 * The key-value engine without versions. As on real servers, a request meant for the versioned engine is stored here as a
 * plain key and answered with 204; every digit of a number is kept.
 */
export function createKvVersion1(secrets: Map<string, JsonObject>): SecretsEngine {
  return { handle: (request) => answer(secrets, request) }
}

function answer(secrets: Map<string, JsonObject>, { method, segments, body, query }: EngineRequest): EngineReply {
  const path = segments.join('/')
  switch (method) {
    case 'LIST':
      return listReply(namesIn(path, secrets.keys()), query)
    case 'GET': {
      const data = secrets.get(path)
      return data === undefined ? notFound : { status: 200, data, lease: leaseOf(data) }
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

/** A field named `ttl` sets how long readers may keep the data. */
function leaseOf(data: JsonObject): number {
  return secondsOf(String(data['ttl'] ?? data['lease'] ?? '')) || defaultLease
}
