import { endpoint } from '../core/endpoint.ts'
import type { Infer } from '../core/shape.ts'
import { mostVersions } from './secrets.ts'
import {
  any,
  anyAnswer,
  array,
  boolean,
  count,
  json,
  jsonOrEmpty,
  map,
  nullable,
  object,
  objectWith,
  string,
} from '../core/shape.ts'

// The endpoints of the key-value engine, in the order of its specification. `{path}` is relative to the mount.

/** The specification doesn't show the responses of these writes: any 2xx is a success, and warnings are printed. */
const done = anyAnswer

/** Only Vault 1.21 and newer show who made a version or deleted it. */
const times = {
  'created_time?': string,
  'deletion_time?': string,
  'destroyed?': boolean,
  'created_by?': any,
  'deleted_by?': any,
}

/** One version in a secret's metadata. Times are empty or RFC 3339. */
const versionTimes = object(times)

export type VersionTimes = Infer<typeof versionTimes>

const versionMetadata = object({ version: count(1, mostVersions), ...times, 'custom_metadata?': map() })

/** The metadata that comes with a version's data or subkeys. */
export type VersionMetadata = Infer<typeof versionMetadata>

/** A version's data, or its keys. A version 1 engine omits `metadata` (docs/servers.md, Versions of the engine). */
const secretVersion = object({ 'data?': any, 'subkeys?': any, 'metadata?': versionMetadata })

export type SecretVersion = Infer<typeof secretVersion>

const version = json(object({ data: secretVersion }))

/** A secret's own settings and all its versions. Only OpenBao has `metadata_cas_required` and `current_metadata_version`. */
const secretMetadata = object({
  'current_version?': count(0, mostVersions),
  'oldest_version?': count(0, mostVersions),
  'created_time?': string,
  'updated_time?': string,
  'last_updated_by?': any,
  'max_versions?': count(),
  'cas_required?': boolean,
  'delete_version_after?': string,
  'metadata_cas_required?': boolean,
  'current_metadata_version?': count(),
  'custom_metadata?': map(),
  versions: nullable(map(versionTimes, /^[1-9]\d*$/)),
})

export type SecretMetadata = Infer<typeof secretMetadata>

/** The settings of an engine. Only OpenBao has `metadata_cas_required`. */
const engineConfig = object({
  max_versions: count(),
  'cas_required?': boolean,
  'delete_version_after?': string,
  'metadata_cas_required?': boolean,
})

export type EngineConfig = Infer<typeof engineConfig>

const writtenVersion = object({ version: count(1), 'deletion_time?': string })

/** The metadata of a new version. */
export type WrittenVersion = Infer<typeof writtenVersion>

/** A version 1 engine responds to the same request with an empty body. */
const written = jsonOrEmpty(object({ data: writtenVersion }))

/**
 * The type of a mount and the version of a key-value engine, for every token that may use the mount. It is not in the specification,
 * but nothing else shows a version 1 engine, which stores requests for version 2 as plain keys (docs/servers.md, Versions of the engine).
 */
export const readMount = endpoint('GET /v1/sys/internal/ui/mounts/{mount}', {
  answers: json(
    object({ data: object({ 'path?': string, 'type?': string, 'options?': object({ 'version?': string }) }) }),
  ),
})

/** The token's capabilities on each of several paths. It is not in the specification either (docs/servers.md, Rights). */
export const readCapabilities = endpoint('POST /v1/sys/capabilities-self', { effect: 'reads', answers: json(map()) })

export const writeConfig = endpoint('POST /v1/{mount}/config', { answers: done })

export const readConfig = endpoint('GET /v1/{mount}/config', {
  answers: json(object({ data: engineConfig })),
})

export const readData = endpoint('GET /v1/{mount}/data/{path}', { acl: 'read', answers: version })

export const writeData = endpoint('POST /v1/{mount}/data/{path}', { acl: 'create or update', answers: written })

export const patchData = endpoint('PATCH /v1/{mount}/data/{path}', { acl: 'patch', answers: written })

const subkeysAnswer = objectWith({ data: secretVersion, subkeys: any }, { 'metadata?': versionMetadata })

export type SubkeysAnswer = Infer<typeof subkeysAnswer>

/** The specification shows the keys at the top level of the response; products return them inside `data`. */
export const readSubkeys = endpoint('GET /v1/{mount}/subkeys/{path}', {
  acl: 'read',
  answers: json(subkeysAnswer),
})

/** The version can be undeleted. */
export const deleteLatest = endpoint('DELETE /v1/{mount}/data/{path}', {
  acl: 'delete',
  effect: 'writes',
  answers: done,
})

export const deleteVersions = endpoint('POST /v1/{mount}/delete/{path}', { acl: 'update', answers: done })

export const undeleteVersions = endpoint('POST /v1/{mount}/undelete/{path}', { acl: 'update', answers: done })

export const destroyVersions = endpoint('PUT /v1/{mount}/destroy/{path}', {
  acl: 'update',
  effect: 'destroys',
  answers: done,
})

const names = json(object({ data: object({ 'keys?': array(string) }) }))

/** Names are checked where they are used. */
export const list = endpoint('LIST /v1/{mount}/metadata/{path}', { acl: 'list', answers: names })

/** A secret and a folder of a version 1 engine. They are not in the specification, which covers version 2 only. */
export const readVersion1 = endpoint('GET /v1/{mount}/{path}', {
  acl: 'read',
  answers: json(object({ data: map() })),
})

export const listVersion1 = endpoint('LIST /v1/{mount}/{path}', { acl: 'list', answers: names })

export const readMetadata = endpoint('GET /v1/{mount}/metadata/{path}', {
  acl: 'read',
  answers: json(object({ data: secretMetadata })),
})

export const writeMetadata = endpoint('POST /v1/{mount}/metadata/{path}', { acl: 'create or update', answers: done })

export const patchMetadata = endpoint('PATCH /v1/{mount}/metadata/{path}', { acl: 'patch', answers: done })

export const deleteMetadata = endpoint('DELETE /v1/{mount}/metadata/{path}', { acl: 'delete', answers: done })
