import { objectFrom } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { KvCall } from './engine.ts'
import { readCustomMetadata, refusalOf } from './custom-metadata.ts'
import { nothingToPatch, warningsAbout } from './data.ts'
import { FieldError, durationText, field, toBoolean, toCount, toSeconds } from './fields.ts'
import { customMetadata, versionTimes } from './store.ts'
import type { KvStore, Secret } from './store.ts'
import type { EngineReply } from '../secrets/engine.ts'
import { timeText } from '../secrets/reply.ts'

/** Settings, custom metadata and names of secrets (contract b.11 to b.15). */

/** GET metadata: the key's own settings and all its versions. */
export function readMetadata({ store, path, request }: KvCall): EngineReply {
  const secret = store.get(path)
  if (secret === undefined) return { status: 404 }
  const extras = request.dialect === 'hashicorp' ? serverExtras(secret) : {}
  const data: JsonObject = {
    cas_required: secret.casRequired,
    created_time: timeText(secret.created),
    current_version: secret.current,
    custom_metadata: customMetadata(secret),
    delete_version_after: durationText(secret.deleteVersionAfter),
    max_versions: secret.maxVersions,
    oldest_version: secret.oldest,
    updated_time: timeText(secret.updated),
    versions: objectFrom([...secret.versions].map(([number, version]) => [`${number}`, versionTimes(version)])),
    ...extras,
  }
  return { status: 200, data, ...warningsAbout(request.query.keys(), []) }
}

function serverExtras(secret: Secret): JsonObject {
  return { current_metadata_version: secret.metadataVersion, metadata_cas_required: false }
}

/** LIST metadata: names in a folder. Nothing there is 404, unless a warning makes an empty answer of it. */
export function listMetadata({ store, path, request }: KvCall): EngineReply {
  const keys = store.list(path === '' ? '' : `${path}/`)
  const warnings = warningsAbout(request.query.keys(), [])
  if (keys.length > 0) return { status: 200, data: { keys }, ...warnings }
  return warnings.warnings === undefined ? { status: 404 } : { status: 200, data: {}, ...warnings }
}

/** POST or PUT metadata: sets the fields that are sent; makes the key when it is not there. */
export function writeMetadata({ store, path, request }: KvCall): EngineReply {
  const changes = readChanges(request.body ?? {})
  const custom = new Map([...(changes.custom ?? [])].map(([key, value]) => [key, value ?? '']))
  const refusal = refusalOf(custom)
  if (refusal !== undefined) return refusal
  if (!hasAny(changes)) return { status: 204 }
  const secret = store.getOrMake(path)
  if (changes.custom !== undefined) secret.customMetadata = custom
  return settle(store, secret, changes)
}

/** PATCH metadata: as a write, but custom metadata are merged and a null removes. */
export function patchMetadata({ store, path, request }: KvCall): EngineReply {
  const changes = readChanges(request.body ?? {})
  const secret = store.get(path)
  if (secret === undefined) return nothingToPatch
  const refusal = refusalOf(withoutNulls(changes.custom ?? new Map()))
  if (refusal !== undefined) return refusal
  if (!hasAny(changes)) return { status: 204 }
  const base = changes.custom === null ? [] : secret.customMetadata
  secret.customMetadata = withoutNulls(new Map([...base, ...(changes.custom ?? [])]))
  return settle(store, secret, changes)
}

/** DELETE metadata: the secret is gone with all its versions. */
export function deleteMetadata({ store, path }: KvCall): EngineReply {
  store.remove(path)
  return { status: 204 }
}

interface Changes {
  readonly maxVersions: number | undefined
  readonly casRequired: boolean | undefined
  readonly deleteVersionAfter: number | undefined
  readonly custom: ReturnType<typeof readCustomMetadata>
}

function readChanges(body: JsonObject): Changes {
  // A null resets every field but this one.
  const expiry = body['delete_version_after'] === null ? {} : body
  return {
    maxVersions: field(body, 'max_versions', toCount),
    casRequired: field(body, 'cas_required', toBoolean),
    deleteVersionAfter: field(expiry, 'delete_version_after', toPositiveSeconds),
    custom: readCustomMetadata(body),
  }
}

function toPositiveSeconds(value: Json): number {
  const seconds = toSeconds(value)
  if (seconds < 0) throw new FieldError(`cannot provide negative value '${seconds}'`)
  return seconds
}

function hasAny(changes: Changes): boolean {
  return Object.values(changes).some((change) => change !== undefined)
}

function settle(store: KvStore, secret: Secret, changes: Changes): EngineReply {
  secret.maxVersions = changes.maxVersions ?? secret.maxVersions
  secret.casRequired = changes.casRequired ?? secret.casRequired
  secret.deleteVersionAfter = changes.deleteVersionAfter ?? secret.deleteVersionAfter
  store.touch(secret)
  if (changes.casRequired !== false || !store.settings.casRequired) return { status: 204 }
  const warning = '"cas_required" set to false, but is mandated by backend config. This value will be ignored.'
  return { status: 204, warnings: [warning] }
}

function withoutNulls(entries: ReadonlyMap<string, string | null>): Map<string, string> {
  return new Map([...entries].filter((entry): entry is [string, string] => entry[1] !== null))
}
