import { entriesOf, isObject, objectFrom } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { KvCall } from './engine.ts'
import { FieldError, field, toInteger, toMap } from './fields.ts'
import { versionMetadata } from './store.ts'
import type { Secret, VersionLimit } from './store.ts'
import type { EngineReply, EngineRequest } from '../secrets/engine.ts'
import { faultList, jsonHeaders, throughDouble } from '../secrets/reply.ts'

/** Reading and writing the data of a secret (contract b.3, b.4, b.6, b.7). */

/** GET data: one version, the latest by default; 404 with an envelope when it was deleted. */
export function readData(call: KvCall): EngineReply {
  return readVersion(call, ['version'], 'data', (data) => throughDouble(data))
}

/** GET subkeys: the structure of one version with null for every leaf. */
export function readSubkeys(call: KvCall): EngineReply {
  const depth = integerParameter(call.request, 'depth')
  const levels = depth === 0 ? Number.POSITIVE_INFINITY : Math.max(depth, 1)
  return readVersion(call, ['version', 'depth'], 'subkeys', (data) => (data === null ? null : keysOnly(data, levels)))
}

/** POST or PUT data: a new version that holds what was sent and nothing else. */
export function writeData({ store, path, request }: KvCall): EngineReply {
  const sent = sentData(request)
  if (sent === undefined) return noData
  const refusal = refusalByCas(store.settings.casRequired, store.get(path), request)
  if (refusal !== undefined) return refusal
  return written(store.write(path, sent, versionLimit(request)), { store, path, request })
}

/** PATCH data: a new version made of the latest one and a JSON merge patch. */
export function patchData({ store, path, request }: KvCall): EngineReply {
  const sent = sentData(request)
  if (sent === undefined) return noData
  const secret = store.get(path)
  const latest = secret?.versions.get(secret.current)
  if (secret === undefined || latest === undefined) return nothingToPatch
  const refusal = refusalByCas(store.settings.casRequired, secret, request)
  if (refusal !== undefined) return refusal
  if (latest.destroyed || store.isDeleted(latest)) return { status: 404, data: versionMetadata(secret, secret.current) }
  if (latest.data === null) return { status: 500, errors: [faultList(['resource does not exist'])] }
  const merged = sent === null ? null : mergePatch(throughDouble(latest.data ?? {}), sent)
  return written(store.write(path, merged, versionLimit(request)), { store, path, request })
}

/** 404 without a body: the server's answer to a PATCH of nothing. */
export const nothingToPatch: EngineReply = { status: 404, raw: { status: 404, headers: jsonHeaders } }

const noData: EngineReply = { status: 400, errors: ['no data provided'] }

/** The server names parameters it does not know, where its answer has a body at all. */
export function warningsAbout(given: Iterable<string>, known: readonly string[]): { warnings?: string[] } {
  const unknown = [...new Set(given)].filter((name) => !known.includes(name) && name !== 'list').toSorted()
  if (unknown.length === 0) return {}
  return { warnings: [`Endpoint ignored these unrecognized parameters: [${unknown.join(' ')}]`] }
}

function readVersion(
  { store, path, request }: KvCall,
  parameters: readonly string[],
  member: string,
  show: (data: JsonObject | null) => Json,
): EngineReply {
  const wanted = integerParameter(request, 'version')
  const secret = store.get(path)
  if (secret === undefined) return { status: 404 }
  if (request.trailingSlash) return { status: 500, errors: [faultList(['could not find version data'])] }
  const number = wanted > 0 ? wanted : secret.current
  const version = secret.versions.get(number)
  if (version === undefined) return { status: 404 }
  const metadata = versionMetadata(secret, number)
  if (store.isDeleted(version) || version.data === undefined) return { status: 404, data: { [member]: null, metadata } }
  const warnings = warningsAbout(request.query.keys(), parameters)
  return { status: 200, data: { [member]: show(version.data), metadata }, ...warnings }
}

function integerParameter(request: EngineRequest, name: string): number {
  const given = request.query.getAll(name)
  return Number(
    field({ [name]: given.length > 1 ? given : (given[0] ?? null) }, name, (value) => {
      if (Array.isArray(value)) throw new FieldError("'' expected type 'int', got unconvertible type '[]string'")
      return toInteger(value)
    }),
  )
}

function sentData(request: EngineRequest): JsonObject | null | undefined {
  return field(request.body ?? {}, 'data', toMap)
}

/** A write that check-and-set forbids; `options.cas` is the only place where it counts. */
function refusalByCas(required: boolean, secret: Secret | undefined, request: EngineRequest): EngineReply | undefined {
  const options = field(request.body ?? {}, 'options', toMap) ?? {}
  const sent = options['cas']
  if (sent === undefined) {
    if (!required && secret?.casRequired !== true) return undefined
    return { status: 400, errors: ['check-and-set parameter required for this call'] }
  }
  try {
    if (toInteger(sent) === BigInt(secret?.current ?? 0)) return undefined
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    return { status: 400, errors: ['error parsing check-and-set parameter'] }
  }
  return { status: 400, errors: ['check-and-set parameter did not match the current version'] }
}

/** The specification lets a key override the engine; real servers take the larger limit (contract b.16). */
function versionLimit(request: EngineRequest): VersionLimit {
  return request.dialect === 'hashicorp' ? 'larger wins' : 'key overrides'
}

function written(number: number, { store, path, request }: KvCall): EngineReply {
  const warnings = warningsAbout(Object.keys(request.body ?? {}), ['data', 'options', 'version'])
  return { status: 200, data: versionMetadata(store.get(path) as Secret, number), ...warnings }
}

function keysOnly(data: JsonObject, levels: number): JsonObject {
  return objectFrom(
    entriesOf(data).map(([key, value]) => {
      const deeper = levels > 1 && isObject(value) && Object.keys(value).length > 0
      return [key, deeper ? keysOnly(value, levels - 1) : null]
    }),
  )
}

/** RFC 7396. */
function mergePatch(target: Json, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(target) ? entriesOf(target) : [])
  for (const [key, value] of entriesOf(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key) ?? null, value) : value)
  }
  return objectFrom(merged)
}
