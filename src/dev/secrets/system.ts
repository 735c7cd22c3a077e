import { errorList } from '../go.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { DevClock, DevReply } from '../http.ts'
import { jsonReply } from '../http.ts'
import type { EngineReply } from './engine.ts'
import { readMap, readText, readTexts } from './fields.ts'
import { Namespace, describeMount } from './mounts.ts'
import type { Mount } from './mounts.ts'
import { allows, allowsBelow, capabilitiesOn, needed } from './policy.ts'
import type { Policy } from './policy.ts'
import { done, errorReply, listReply, notFound, timeText, unsupportedOperation } from './reply.ts'
import type { SecretsStore } from './service.ts'

/** The routes that belong to no engine: health, mounts, namespaces, capabilities, the token itself. */

interface SystemCall {
  readonly store: SecretsStore
  readonly method: string
  /** Below the namespace, without `v1`. */
  readonly segments: readonly string[]
  readonly body: JsonObject
  readonly policy: Policy
  readonly token: string
  /** Name of the namespace, and the same with a slash unless it is the root. */
  readonly name: string
  readonly prefix: string
  readonly namespace: Namespace
}

const version = '2.0.0+tug'
const cluster = { cluster_name: 'tug-dev', cluster_id: '5eed0000-0000-4000-8000-000000000003' }

/** Health and seal state, which need no token; undefined for any other path. */
export function publicAnswer(segments: readonly string[], clock: DevClock): DevReply | undefined {
  const time = Math.floor(clock.now().getTime() / 1000)
  const state = { initialized: true, sealed: false, version, ...cluster }
  const answers: Readonly<Record<string, JsonObject>> = {
    'sys/health': { ...state, standby: false, server_time_utc: time },
    'sys/seal-status': { ...state, type: 'shamir', t: 1, n: 1, progress: 0, nonce: '', storage_type: 'inmem' },
    'sys/leader': { ha_enabled: false, is_self: false, leader_address: '', leader_cluster_address: '' },
  }
  const answer = answers[segments.join('/')]
  return answer && jsonReply(200, `${JSON.stringify(answer)}\n`)
}

/** The token is good, but its policy doesn't allow the call. */
export const forbidden = errorReply(403, errorList(['permission denied']))

/** `sys/…` and `auth/…` with a good token. */
export function systemAnswer(call: SystemCall): EngineReply {
  const [area, part, ...rest] = call.segments
  const route = `${area}/${part}`
  if (route === 'sys/internal' && rest[0] === 'ui' && rest[1] === 'mounts') return preflight(call, rest.slice(2))
  if (route === 'sys/capabilities-self') return ownCapabilities(call)
  if (route === 'auth/token' && rest[0] === 'lookup-self') return { status: 200, data: tokenData(call) }
  if (!allows(call.policy, call.prefix + call.segments.join('/'), needed(call.method)))
    return { status: 0, raw: forbidden }
  if (route === 'sys/mounts') return rest.length === 0 ? allMounts(call) : oneMount(call, rest)
  if (route === 'sys/namespaces') return rest.length === 0 ? listNamespaces(call) : oneNamespace(call, rest.join('/'))
  return { status: 404, errors: [`the local server does not serve ${call.segments.join('/')}`] }
}

function preflight(call: SystemCall, path: readonly string[]): EngineReply {
  const visible = (prefix: string, mount: Mount) => allowsBelow(call.policy, prefix + mount.path)
  if (path.length === 0) {
    const mounts = call.namespace.mounts().filter((mount) => visible(call.prefix, mount))
    return { status: 200, data: { auth: {}, secret: byPath(mounts) } }
  }
  const place = call.store.place(call.name, path)
  const mount = place?.namespace.find(place.segments)?.mount
  const inside = path.slice(0, path.length - (place?.segments.length ?? 0)).map((name) => `${name}/`)
  if (mount === undefined || !visible(call.prefix + inside.join(''), mount)) {
    const advice = `please ensure client's policies grant access to path "${path.join('/')}/"`
    return { status: 403, errors: [`preflight capability check returned 403, ${advice}`] }
  }
  return { status: 200, data: { ...describeMount(mount), path: inside.join('') + mount.path } }
}

function byPath(mounts: readonly Mount[]): JsonObject {
  return Object.fromEntries(mounts.map((mount) => [mount.path, describeMount(mount)]))
}

function ownCapabilities({ body, policy, prefix }: SystemCall): EngineReply {
  const paths = readTexts(body, 'paths') ?? readTexts(body, 'path') ?? []
  if (paths.length === 0) return { status: 400, errors: ['paths must be supplied'] }
  const held = paths.map((path): [string, Json] => [path, [...capabilitiesOn(policy, prefix + path)]])
  return { status: 200, data: Object.fromEntries(held) }
}

function tokenData({ policy, token, store }: SystemCall): JsonObject {
  const isRoot = policy === 'root'
  return {
    accessor: 'demo-accessor',
    creation_time: Math.floor(store.started.getTime() / 1000),
    creation_ttl: 0,
    display_name: isRoot ? 'root' : 'token',
    entity_id: '',
    expire_time: null,
    explicit_max_ttl: 0,
    id: token,
    issue_time: timeText(store.started),
    meta: null,
    num_uses: 0,
    orphan: true,
    path: isRoot ? 'auth/token/root' : 'auth/token/create',
    policies: [isRoot ? 'root' : 'reader'],
    renewable: false,
    ttl: 0,
    type: 'service',
  }
}

function allMounts({ method, namespace }: SystemCall): EngineReply {
  return method === 'GET' ? { status: 200, data: byPath(namespace.mounts()) } : unsupportedOperation
}

function oneMount(call: SystemCall, segments: readonly string[]): EngineReply {
  const isTuning = segments.length > 1 && segments.at(-1) === 'tune'
  const path = `${(isTuning ? segments.slice(0, -1) : segments).join('/')}/`
  const writes = call.method === 'POST' || call.method === 'PUT'
  if (writes && !isTuning) return enable(call, path)
  if (call.method === 'DELETE') {
    call.namespace.unmount(path)
    return done
  }
  const found = call.namespace.mounts().find((one) => one.path === path)
  if (found === undefined) return { status: 400, errors: [`No secret engine mount at ${path}`] }
  if (writes) return tune(call, found)
  return { status: 200, data: isTuning ? tuning(found) : describeMount(found) }
}

function tuning({ description, options }: Mount): JsonObject {
  const ttl = 2_764_800
  return { default_lease_ttl: ttl, description, force_no_cache: false, max_lease_ttl: ttl, options }
}

/** Changes the description, or turns a key-value mount without versions into one with versions. */
function tune({ namespace, store, body }: SystemCall, found: Mount): EngineReply {
  const description = readText(body, 'description')
  if (description !== undefined) namespace.change(found.path, { description })
  if (versionOf(body) !== '2' || found.options['version'] === '2') return done
  const engine = store.kv.versioned(found.engine.plainSecrets?.())
  namespace.change(found.path, { engine, options: { version: '2' } })
  return done
}

function enable({ namespace, store, body }: SystemCall, path: string): EngineReply {
  const type = readText(body, 'type') ?? ''
  if (type !== 'kv' && type !== 'kv-v2') return { status: 400, errors: [`plugin not found in the catalog: ${type}`] }
  const sent = type === 'kv-v2' ? '2' : versionOf(body)
  const engine = sent === '2' ? store.kv.versioned() : store.kv.plain()
  const description = readText(body, 'description') ?? ''
  const inTheWay = namespace.mount(path, {
    engine,
    type: 'kv',
    description,
    options: sent === undefined ? {} : { version: sent },
  })
  return inTheWay === undefined ? done : { status: 400, errors: [`path is already in use at ${inTheWay.path}`] }
}

function versionOf(body: JsonObject): string | undefined {
  const given = readMap(body, 'options')?.['version']
  return given === undefined ? undefined : String(given)
}

function listNamespaces({ store, prefix }: SystemCall): EngineReply {
  const below = [...store.namespaces.keys()].filter((name) => name.startsWith(prefix) && name !== '')
  const children = below.map((name) => name.slice(prefix.length)).filter((name) => name !== '' && !name.includes('/'))
  return listReply(children.map((name) => `${name}/`))
}

function oneNamespace({ store, method, prefix }: SystemCall, child: string): EngineReply {
  const name = prefix + child
  const found = store.namespaces.get(name)
  if (method === 'DELETE') {
    store.namespaces.delete(name)
    return done
  }
  if (method === 'GET') return found === undefined ? notFound : { status: 200, data: describe(found, child) }
  if (method === 'LIST') return unsupportedOperation
  const namespace = found ?? new Namespace()
  store.namespaces.set(name, namespace)
  return { status: 200, data: describe(namespace, child) }
}

function describe({ uuid }: Namespace, path: string): JsonObject {
  return { custom_metadata: {}, id: uuid.slice(0, 6), locked: false, path: `${path}/`, tainted: false, uuid }
}
