import type { JsonObject } from '../../core/json.ts'
import { formatDuration } from '../go.ts'
import { done, type EngineReply, type EngineRequest } from '../secrets/reply.ts'
import { readFlag, readInteger, readSeconds } from '../secrets/fields.ts'
import type { KvStore, Settings } from './store.ts'

/** One call below a route of the engine. */
export interface KvCall {
  readonly store: KvStore
  /** The secret's path, without a slash at its end. */
  readonly path: string
  readonly request: EngineRequest
}

export type Handlers = Readonly<Record<string, (call: KvCall) => EngineReply>>

/** `data` with what only real servers show. */
export function withExtras(data: JsonObject, extras: JsonObject, { dialect }: EngineRequest): JsonObject {
  return dialect === 'hashicorp' ? { ...data, ...extras } : data
}

/** The settings that a body names. Real servers keep the lower 32 bits of `max_versions` without checking its range. */
export function readSettings(body: JsonObject): Partial<Settings> {
  const count = readInteger(body, 'max_versions')
  const changes = {
    casRequired: readFlag(body, 'cas_required'),
    metadataCasRequired: readFlag(body, 'metadata_cas_required'),
    maxVersions: count === undefined ? undefined : count >>> 0,
    deleteVersionAfter: readSeconds(body, 'delete_version_after'),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

export function shownSettings({ casRequired, deleteVersionAfter, maxVersions }: Settings): JsonObject {
  return {
    cas_required: casRequired,
    delete_version_after: formatDuration(deleteVersionAfter * 1e9),
    max_versions: maxVersions,
  }
}

/** GET config. */
export function readConfig({ store: { settings }, request }: KvCall): EngineReply {
  const extras = { metadata_cas_required: settings.metadataCasRequired }
  return { status: 200, data: withExtras(shownSettings(settings), extras, request) }
}

/** POST or PUT config: changes what is sent. */
export function writeConfig({ store: { settings }, request }: KvCall): EngineReply {
  const changes = readSettings(request.body)
  Object.assign(settings, changes, {
    deleteVersionAfter: Math.max(changes.deleteVersionAfter ?? settings.deleteVersionAfter, -1),
  })
  return done
}
