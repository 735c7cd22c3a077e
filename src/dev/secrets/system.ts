import type { Json, JsonObject } from '../../core/json.ts'
import { parseBoolean } from '../kv/fields.ts'
import type { DevClock, DevReply } from '../http.ts'
import { describeMount } from './mounts.ts'
import type { Mount, Namespace } from './mounts.ts'
import { allows, allowsBelow, capabilitiesOn } from './policy.ts'
import type { Capability, Policy } from './policy.ts'
import { bareReply, errorReply, faultList, toReply, unsupportedOperation } from './reply.ts'

/** The routes of the demo secrets store that belong to no engine: health, mounts, capabilities, the token itself. */

export interface SystemCall {
  readonly method: string
  /** Below the namespace, without `v1`. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly body: JsonObject | undefined
  readonly policy: Policy
  /** Name of the namespace with a slash, or ''. */
  readonly prefix: string
  readonly namespace: Namespace
  /** Finds a mount from the root or in a namespace named by the path. */
  readonly findMount: (segments: readonly string[]) => { readonly mount: Mount; readonly prefix: string } | undefined
  /** Mounts a key-value engine. */
  readonly mountKv: (namespace: Namespace, path: string, version: 1 | 2, about: MountWords) => Mount | undefined
}

export interface MountWords {
  readonly description: string
  readonly options: JsonObject
}

const version = '2.6.2+tug'
const cluster = { cluster_name: 'tug-dev', cluster_id: '5eed0000-0000-4000-8000-000000000003' }

/** Health and seal state, which need no token; undefined for any other path. */
export function publicRoute(
  segments: readonly string[],
  query: URLSearchParams,
  clock: DevClock,
): DevReply | undefined {
  switch (segments.join('/')) {
    case 'sys/health':
      return bareReply(activeCode(query), {
        initialized: true,
        sealed: false,
        standby: false,
        replication_performance_mode: 'disabled',
        replication_dr_mode: 'disabled',
        server_time_utc: Math.floor(clock.now().getTime() / 1000),
        version,
        ...cluster,
      })
    case 'sys/seal-status':
      return bareReply(200, {
        type: 'shamir',
        initialized: true,
        sealed: false,
        t: 1,
        n: 1,
        progress: 0,
        nonce: '',
        recovery_seal: false,
        version,
        commit_date: '',
        migration: false,
        ...cluster,
        storage_type: 'inmem',
      })
    case 'sys/leader':
      return bareReply(200, { ha_enabled: false, is_self: false, leader_address: '', leader_cluster_address: '' })
    default:
      return undefined
  }
}

function activeCode(query: URLSearchParams): number {
  const code = Number(query.get('activecode') ?? '200')
  return Number.isInteger(code) && code >= 200 && code <= 599 ? code : 400
}

/** `sys/…` and `auth/…` with a token that is good. */
export function systemRoute(call: SystemCall): DevReply {
  const [area, name, ...rest] = call.segments
  const route = `${area}/${name}`
  if (route === 'sys/internal' && rest[0] === 'ui' && rest[1] === 'mounts') return preflight(call, rest.slice(2))
  if (route === 'sys/capabilities-self') return ownCapabilities(call)
  if (route === 'auth/token' && rest[0] === 'lookup-self') return toReply({ status: 200, data: tokenData(call.policy) })
  const capability = needed(call.method)
  if (!allows(call.policy, call.prefix + call.segments.join('/'), capability)) return forbidden
  if (route !== 'sys/mounts') return errorReply(404, faultList(['unsupported path']))
  return rest.length === 0 ? allMounts(call) : oneMount(call, rest)
}

/** The policy behind a good token does not allow it (contract a.5). */
export const forbidden = errorReply(403, faultList(['permission denied']))

/** The capability that a method needs where nothing is asked about existence. */
export function needed(method: string): Capability {
  const capabilities: Readonly<Record<string, Capability>> = {
    GET: 'read',
    LIST: 'list',
    PATCH: 'patch',
    DELETE: 'delete',
  }
  return capabilities[method] ?? 'update'
}

function preflight(call: SystemCall, path: readonly string[]): DevReply {
  if (path.length === 0) {
    const visible = call.namespace.mounts().filter((one) => allowsBelow(call.policy, call.prefix + one.path))
    return toReply({ status: 200, data: { auth: {}, secret: byPath(visible) } })
  }
  const found = call.findMount(path)
  if (found === undefined || !allowsBelow(call.policy, call.prefix + found.prefix + found.mount.path)) {
    const advice = `please ensure client's policies grant access to path "${path.join('/')}/"`
    return errorReply(403, `preflight capability check returned 403, ${advice}`)
  }
  return toReply({ status: 200, data: { ...describeMount(found.mount), path: found.prefix + found.mount.path } })
}

function byPath(mounts: readonly Mount[]): JsonObject {
  return Object.fromEntries(mounts.map((one) => [one.path, describeMount(one)]))
}

function ownCapabilities(call: SystemCall): DevReply {
  const given = call.body?.['paths'] ?? call.body?.['path'] ?? []
  const paths = (Array.isArray(given) ? given : [given]).filter((path) => typeof path === 'string')
  if (paths.length === 0) return errorReply(400, 'paths must be supplied')
  const held = paths.map((path): [string, Json] => [path, [...capabilitiesOn(call.policy, call.prefix + path)]])
  return besides(Object.fromEntries(held))
}

/** Answers that repeat their data beside it. */
function besides(data: JsonObject): DevReply {
  return toReply({ status: 200, data }, data)
}

function tokenData(policy: Policy): JsonObject {
  const root = policy === 'root'
  return {
    accessor: 'demo-accessor',
    creation_ttl: 0,
    display_name: root ? 'root' : 'token',
    entity_id: '',
    expire_time: null,
    explicit_max_ttl: 0,
    meta: null,
    num_uses: 0,
    orphan: true,
    path: root ? 'auth/token/root' : 'auth/token/create',
    policies: [root ? 'root' : 'reader'],
    renewable: false,
    ttl: 0,
    type: 'service',
  }
}

function allMounts(call: SystemCall): DevReply {
  return call.method === 'GET' ? besides(byPath(call.namespace.mounts())) : toReply(unsupportedOperation)
}

function oneMount(call: SystemCall, segments: readonly string[]): DevReply {
  const path = `${segments.join('/')}/`
  if (call.method === 'POST' || call.method === 'PUT') return mount(call, path)
  if (call.method === 'DELETE') {
    call.namespace.unmount(path)
    return toReply({ status: 204 })
  }
  const tune = segments.at(-1) === 'tune'
  const wanted = tune ? `${segments.slice(0, -1).join('/')}/` : path
  const found = call.namespace.mounts().find((one) => one.path === wanted)
  if (found === undefined) return errorReply(400, `No secret engine mount at ${wanted}`)
  return besides(tune ? tuning(found) : describeMount(found))
}

function tuning(found: Mount): JsonObject {
  const ttl = 2_764_800
  const { description, options } = found
  return { default_lease_ttl: ttl, description, force_no_cache: false, max_lease_ttl: ttl, options }
}

function mount(call: SystemCall, path: string): DevReply {
  const type = call.body?.['type']
  if (type !== 'kv' && type !== 'kv-v2') return errorReply(400, `plugin not found in the catalog: ${String(type)}`)
  const given = call.body?.['options']
  const sent = typeof given === 'object' && given !== null && 'version' in given ? String(given.version) : undefined
  const options: JsonObject = type === 'kv-v2' ? { version: '2' } : sent === undefined ? {} : { version: sent }
  const description = call.body?.['description']
  const words = { description: typeof description === 'string' ? description : '', options }
  const inTheWay = call.mountKv(call.namespace, path, options['version'] === '2' ? 2 : 1, words)
  return inTheWay === undefined
    ? toReply({ status: 204 })
    : errorReply(400, `path is already in use at ${inTheWay.path}`)
}

/** `list=…` of a query: what it says, or 'bad' for a word that is no boolean. */
export function listWanted(query: URLSearchParams): boolean | 'bad' {
  const given = query.get('list') ?? ''
  return given === '' ? false : (parseBoolean(given) ?? 'bad')
}
