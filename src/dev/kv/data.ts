import { JsonNumber, entriesOf, isObject, objectFrom, type Json, type JsonObject } from '../../core/json.ts'
import { errorList } from '../go.ts'
import { nothingToPatch, notFound, warningsAbout, type EngineReply, type EngineRequest } from '../secrets/reply.ts'
import { Refusal, readInteger, readMap } from '../secrets/fields.ts'
import type { KvCall } from './metadata.ts'
import { versionMetadata, type Secret, type VersionLimit } from './store.ts'

/** POST or PUT data: a new version with nothing but what was sent. */
export function writeData({ store, path, request }: KvCall): EngineReply {
  const sent = sentData(request)
  checkCas(store.settings.casRequired, store.get(path), request)
  return written(store.write(path, sent, versionLimit(request)), { store, path, request })
}

/** PATCH data: a new version made of the latest one and a JSON merge patch. */
export function patchData({ store, path, request }: KvCall): EngineReply {
  const sent = sentData(request)
  const secret = store.get(path)
  const latest = secret?.versions.get(secret.current)
  if (secret === undefined || latest === undefined) return nothingToPatch
  checkCas(store.settings.casRequired, secret, request)
  if (latest.destroyed || store.isDeleted(latest)) return { status: 404, data: versionMetadata(secret, secret.current) }
  if (latest.data === null) throw new Refusal(500, errorList(['resource does not exist']))
  const merged = sent === null ? null : mergePatch(throughDouble(latest.data ?? {}), sent)
  return written(store.write(path, merged, versionLimit(request)), { store, path, request })
}

/** GET data or subkeys: what `show` makes of one version, the latest by default; 404 with an envelope if it was deleted. */
export function readVersion(
  { store, path, request }: KvCall,
  member: string,
  show: (data: Json) => Json,
  parameters: readonly string[],
): EngineReply {
  const wanted = parameter(request, 'version')
  const secret = store.get(path)
  if (secret === undefined) return notFound
  if (request.trailingSlash) throw new Refusal(500, errorList(['could not find version data']))
  const number = wanted > 0 ? wanted : secret.current
  const version = secret.versions.get(number)
  if (version === undefined) return notFound
  const metadata = versionMetadata(secret, number)
  if (store.isDeleted(version) || version.data === undefined) return { status: 404, data: { [member]: null, metadata } }
  return { status: 200, data: { [member]: show(version.data), metadata }, ...warningsAbout(request, parameters) }
}

/** A number in the query; 0 if absent. */
export function parameter({ query }: EngineRequest, name: string): number {
  if (query.getAll(name).length > 1) throw new Refusal(400, `error converting input for field "${name}": given twice`)
  return readInteger({ [name]: query.get(name) }, name) ?? 0
}

function sentData({ body, dialect }: EngineRequest): JsonObject | null {
  const sent = readMap(body, 'data')
  // The specification requires a map; real servers store a null.
  const isMissing = sent === undefined || (dialect === 'neutral' && !isObject(body['data']))
  if (isMissing) throw new Refusal(400, 'no data provided')
  return sent
}

/** Throws Refusal if check-and-set forbids the write; `options.cas` is the only place where it counts. */
function checkCas(required: boolean, secret: Secret | undefined, { body }: EngineRequest): void {
  const cas = readInteger(readMap(body, 'options') ?? {}, 'cas')
  if (cas === undefined) {
    if (!required && secret?.settings.casRequired !== true) return
    throw new Refusal(400, 'check-and-set parameter required for this call')
  }
  if (cas !== (secret?.current ?? 0)) {
    throw new Refusal(400, 'check-and-set parameter did not match the current version')
  }
}

/** The specification lets a secret override the engine; real servers take the larger limit. */
function versionLimit({ dialect }: EngineRequest): VersionLimit {
  return dialect === 'hashicorp' ? 'larger wins' : 'key overrides'
}

function written(number: number, { store, path, request }: KvCall): EngineReply {
  const warnings = warningsAbout(request, ['data', 'options', 'version'])
  return { status: 200, data: versionMetadata(store.getOrMake(path), number), ...warnings }
}

/** The structure of a secret to so many levels, with null for every leaf. */
export function keysOnly(data: JsonObject, levels: number): JsonObject {
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

/** On real servers, numbers of a versioned secret pass through a double when they are read. */
export function throughDouble(value: Json): Json {
  if (Array.isArray(value)) return value.map(throughDouble)
  if (isObject(value)) return objectFrom(entriesOf(value).map(([key, item]) => [key, throughDouble(item)]))
  if (!(value instanceof JsonNumber)) return value
  const number = Number(value.text)
  return Object.is(number, -0) ? new JsonNumber('-0') : number
}
