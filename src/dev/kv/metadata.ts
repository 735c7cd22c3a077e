import { errorList, formatDuration } from '../go.ts'
import { JsonNumber, entriesOf, isNumber, isObject, objectFrom, type Json, type JsonObject } from '../../core/json.ts'
import { done, listReply, nothingToPatch, notFound, timeText, warningsAbout } from '../secrets/reply.ts'
import type { EngineReply, EngineRequest } from '../secrets/reply.ts'
import { Refusal, readInteger, readMap, readFlag, readSeconds } from '../secrets/fields.ts'
import { isPrintable } from '../secrets/request.ts'
import { customMetadata, namesIn, versionTimes, type KvStore, type Secret, type Settings } from './store.ts'

/** GET metadata: the secret's own settings and all its versions. */
export function readMetadata({ store, path, request }: KvCall): EngineReply {
  const secret = store.get(path)
  if (secret === undefined) return notFound
  const data = {
    ...shownSettings(secret.settings),
    created_time: timeText(secret.created),
    current_version: secret.current,
    custom_metadata: customMetadata(secret),
    oldest_version: secret.oldest,
    updated_time: timeText(secret.updated),
    versions: objectFrom([...secret.versions].map(([number, version]) => [`${number}`, versionTimes(version)])),
  }
  const extras = {
    current_metadata_version: secret.metadataVersion,
    metadata_cas_required: secret.settings.metadataCasRequired,
  }
  return { status: 200, data: withExtras(data, extras, request), ...warningsAbout(request, []) }
}

/** LIST metadata: the names in a folder. An unknown parameter turns the 404 of an empty one into an empty answer. */
export function listMetadata({ store, path, request }: KvCall): EngineReply {
  const names = listReply(namesIn(path, store.paths()), request.query)
  const warnings = warningsAbout(request, [])
  if (names.status === 404 && warnings.warnings !== undefined) return { status: 200, data: {}, ...warnings }
  return { ...names, ...warnings }
}

/** POST or PUT metadata: sets the fields that are sent, of a new secret if there is none. */
export function writeMetadata({ store, path, request }: KvCall): EngineReply {
  const { settings, custom: given } = readChanges(request)
  const custom = given && new Map([...given].map(([key, value]) => [key, value ?? '']))
  checkCustom(custom ?? new Map())
  if (custom === undefined && Object.keys(settings).length === 0) return done
  checkCas(store, store.get(path), request)
  const secret = store.getOrMake(path)
  if (custom !== undefined) secret.customMetadata = custom ?? new Map()
  return settle(store, secret, settings)
}

/**
 * PATCH metadata: merges custom metadata, and null removes an entry. On real servers `delete_version_after` cannot be set back to
 * nothing this way.
 */
export function patchMetadata({ store, path, request }: KvCall): EngineReply {
  const { settings, custom } = readChanges(request)
  const patched = Object.values(readMap(request.body, 'custom_metadata') ?? {})
  if (patched.some((value) => value !== null && typeof value !== 'string')) {
    throw new Refusal(500, errorList(['json: custom_metadata needs values of type string']))
  }
  if (settings.deleteVersionAfter === 0 && request.dialect === 'hashicorp') delete settings.deleteVersionAfter
  const secret = store.get(path)
  if (secret === undefined) return nothingToPatch
  checkCustom(withoutNulls(custom ?? new Map()))
  if (custom === undefined && Object.keys(settings).length === 0) return done
  checkCas(store, secret, request)
  const kept = custom === null ? [] : secret.customMetadata
  secret.customMetadata = withoutNulls(new Map([...kept, ...(custom ?? [])]))
  return settle(store, secret, settings)
}

interface Changes {
  readonly settings: Partial<Settings>
  /** Null removes all entries, a null value one. */
  readonly custom: ReadonlyMap<string, string | null> | null | undefined
}

/** What a body changes. */
function readChanges(request: EngineRequest): Changes {
  checkTypes(request)
  const settings = readSettings(request)
  if ((settings.deleteVersionAfter ?? 0) < 0) throw new Refusal(400, 'delete_version_after: cannot be negative')
  const given = readMap(request.body, 'custom_metadata')
  return { settings, custom: given && new Map(entriesOf(given).map(([key, value]) => [key, toText(value)])) }
}

const typesOfMembers: Readonly<Record<string, (value: Json) => boolean>> = {
  cas_required: (value) => typeof value === 'boolean',
  custom_metadata: (value) =>
    isObject(value) && Object.values(value).every((item) => item === null || typeof item === 'string'),
  delete_version_after: (value) => typeof value === 'string',
  max_versions: (value) => isNumber(value) && /^\d+$/.test(String(value)),
}

/** The specification has one type for each member; real servers convert. Throws Refusal. */
function checkTypes({ body, dialect }: EngineRequest): void {
  if (dialect === 'hashicorp') return
  for (const [name, fits] of Object.entries(typesOfMembers)) {
    const value = body[name] ?? null
    if (value !== null && !fits(value)) throw new Refusal(400, `error converting input for field "${name}": wrong type`)
  }
}

function toText(value: Json): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
  throw new Refusal(400, 'custom_metadata validation failed: expected a map of strings')
}

const mostEntries = 64
const longestKey = 128
const longestValue = 512

/** Throws Refusal naming everything wrong with these entries. */
function checkCustom(entries: ReadonlyMap<string, string>): void {
  const faults = entries.size > mostEntries ? [`at most ${mostEntries} keys, not ${entries.size}`] : []
  const check = (what: string, text: string, longest: number): void => {
    const bytes = Buffer.byteLength(text)
    if (bytes === 0 || bytes > longest) faults.push(`length of ${what} is ${bytes}, not 1 to ${longest} bytes`)
    if (!isPrintable(text)) faults.push(`${what} contains unprintable characters`)
  }
  for (const [key, value] of entries) {
    check(`key "${key}"`, key, longestKey)
    check(`value for key "${key}"`, value, longestValue)
  }
  if (faults.length === 0) return
  throw new Refusal(400, errorList(faults.map((fault) => `custom_metadata validation failed: ${fault}`)))
}

/** Check-and-set of metadata, with the version that `current_metadata_version` shows. */
function checkCas(store: KvStore, secret: Secret | undefined, { body }: EngineRequest): void {
  const expected = readInteger(body, 'metadata_cas')
  if (expected === undefined) {
    if (!store.settings.metadataCasRequired && secret?.settings.metadataCasRequired !== true) return
    throw new Refusal(400, 'metadata check-and-set parameter required for this call')
  }
  if (expected !== (secret?.metadataVersion ?? 0)) {
    throw new Refusal(400, 'metadata check-and-set parameter does not match the current version')
  }
}

function settle(store: KvStore, secret: Secret, settings: Partial<Settings>): EngineReply {
  Object.assign(secret.settings, settings)
  store.touch(secret)
  if (settings.casRequired !== false || !store.settings.casRequired) return done
  const warning = '"cas_required" set to false, but is mandated by backend config. This value will be ignored.'
  return { status: 204, warnings: [warning] }
}

function withoutNulls(entries: ReadonlyMap<string, string | null>): Map<string, string> {
  return new Map([...entries].filter((entry): entry is [string, string] => entry[1] !== null))
}

export interface KvCall {
  readonly store: KvStore
  /** The secret's path, without a slash at its end. */
  readonly path: string
  readonly request: EngineRequest
}

export type Handlers = Readonly<Record<string, (call: KvCall) => EngineReply>>

/** `data` with what only real servers show. */
function withExtras(data: JsonObject, extras: JsonObject, { dialect }: EngineRequest): JsonObject {
  return dialect === 'hashicorp' ? { ...data, ...extras } : data
}

/**
 * The settings that a body names. Null resets one; on real servers it leaves `delete_version_after` as it is. They keep the lower 32 bits of
 * `max_versions` without checking its range.
 */
function readSettings({ body: { delete_version_after: expiry, ...rest }, dialect }: EngineRequest): Partial<Settings> {
  const isKept = expiry === undefined || (expiry === null && dialect === 'hashicorp')
  const body = isKept ? rest : { ...rest, delete_version_after: expiry }
  const count = readInteger(body, 'max_versions')
  const changes = {
    casRequired: readFlag(body, 'cas_required'),
    metadataCasRequired: readFlag(body, 'metadata_cas_required'),
    maxVersions: count === undefined ? undefined : count >>> 0,
    deleteVersionAfter: readSeconds(body, 'delete_version_after'),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function shownSettings({ casRequired, deleteVersionAfter, maxVersions }: Settings): JsonObject {
  return {
    cas_required: casRequired,
    delete_version_after: formatDuration(deleteVersionAfter * 1e9),
    max_versions: maxVersions,
  }
}

export function readConfig({ store: { settings }, request }: KvCall): EngineReply {
  const extras = { metadata_cas_required: settings.metadataCasRequired }
  return { status: 200, data: withExtras(shownSettings(settings), extras, request) }
}

/** POST or PUT config: changes what is sent. */
export function writeConfig({ store: { settings }, request }: KvCall): EngineReply {
  checkTypes(request)
  const changes = readSettings(request)
  Object.assign(settings, changes, {
    deleteVersionAfter: Math.max(changes.deleteVersionAfter ?? settings.deleteVersionAfter, -1),
  })
  return done
}
