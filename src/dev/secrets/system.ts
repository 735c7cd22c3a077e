import { errorList } from '../go.ts'
import type { JsonObject } from '../../core/json.ts'
import { jsonReply, type DevClock, type DevReply } from '../http.ts'
import { createKv, createKvVersion1 } from '../kv/engine.ts'
import { KvStore } from '../kv/store.ts'
import { done, timeText, type EngineReply } from './reply.ts'
import { readMap, readText, readTexts, Refusal } from './fields.ts'
import { describeMount, type Namespace } from './namespace.ts'
import { allows, needed, type Policy } from './request.ts'

/** The routes that belong to no engine: health, mounts, the token itself. */

interface SystemCall {
  readonly store: {
    readonly clock: DevClock
    readonly started: Date
    place(name: string, path: readonly string[]): Pick<SystemCall, 'namespace' | 'segments'> | undefined
  }
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
  if (segments[0] !== 'sys') return undefined
  const time = Math.floor(clock.now().getTime() / 1000)
  const state = { initialized: true, sealed: false, version, ...cluster }
  const answers: Readonly<Record<string, JsonObject>> = {
    'sys/seal-status': { ...state, type: 'shamir', t: 1, n: 1, progress: 0, nonce: '', storage_type: 'inmem' },
    'sys/health': { ...state, standby: false, server_time_utc: time },
  }
  const answer = answers[segments.join('/')]
  return answer && jsonReply(200, `${JSON.stringify(answer)}\n`)
}

/** The token is good, but its policy doesn't allow the call. */
export function forbidden(): Refusal {
  return new Refusal(403, errorList(['permission denied']))
}

/** `sys/…` and `auth/…` with a good token. */
export function systemAnswer(call: SystemCall): EngineReply {
  const [area, part, ...rest] = call.segments
  const route = `${area}/${part}`
  if (route === 'sys/internal' && rest[0] === 'ui' && rest[1] === 'mounts') return preflight(call, rest.slice(2))
  if (route === 'auth/token' && rest[0] === 'lookup-self') return { status: 200, data: tokenData(call) }
  if (route === 'sys/capabilities-self' && needed(call.method) === 'update') return capabilitiesOf(call)
  if (!allows(call.policy, call.prefix + call.segments.join('/'), needed(call.method))) throw forbidden()
  if (route === 'sys/mounts' && needed(call.method) === 'update') return enable(call, `${rest.join('/')}/`)
  if (route === 'sys/mounts' && call.method === 'GET' && rest.length === 0) {
    const mounts = call.namespace.mounts().map((mount) => [mount.path, describeMount(mount)] as const)
    return { status: 200, data: Object.fromEntries(mounts) }
  }
  if (route === 'sys/mounts' && call.method === 'DELETE') {
    call.namespace.unmount(`${rest.join('/')}/`)
    return done
  }
  return { status: 404, errors: [`the local server does not serve ${call.segments.join('/')}`] }
}

function preflight(call: SystemCall, path: readonly string[]): EngineReply {
  const place = call.store.place(call.name, path)
  const mount = place?.namespace.find(place.segments)?.mount
  const inside = path.slice(0, path.length - (place?.segments.length ?? 0)).map((name) => `${name}/`)
  // Any right at or below the mount is enough.
  if (mount === undefined || (call.policy !== 'root' && call.prefix + inside.join('') + mount.path !== 'secret/')) {
    const advice = `please ensure client's policies grant access to path "${path.join('/')}/"`
    return { status: 403, errors: [`preflight capability check returned 403, ${advice}`] }
  }
  return { status: 200, data: { ...describeMount(mount), path: inside.join('') + mount.path } }
}

/** What the token may do with each path: of real servers, only the members of `data`. */
function capabilitiesOf({ policy, prefix, body }: SystemCall): EngineReply {
  const paths = readTexts(body, 'paths') ?? []
  if (paths.length === 0) return { status: 400, errors: ['missing paths'] }
  const allowed = (path: string) => {
    if (policy === 'root') return ['root']
    const some = (['list', 'read'] as const).filter((one) => allows(policy, prefix + path, one))
    return some.length === 0 ? ['deny'] : some
  }
  return { status: 200, data: Object.fromEntries(paths.map((path) => [path, allowed(path)])) }
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

function enable({ namespace, store, body }: SystemCall, path: string): EngineReply {
  const type = readText(body, 'type') ?? ''
  if (type !== 'kv' && type !== 'kv-v2') return { status: 400, errors: [`plugin not found in the catalog: ${type}`] }
  const given = readMap(body, 'options')?.['version']
  const sent = type === 'kv-v2' ? '2' : given === undefined ? undefined : String(given)
  const engine = sent === '2' ? createKv(new KvStore(store.clock)) : createKvVersion1(new Map())
  const description = readText(body, 'description') ?? ''
  const inTheWay = namespace.mount(path, {
    engine,
    type: 'kv',
    description,
    options: sent === undefined ? {} : { version: sent },
  })
  return inTheWay === undefined ? done : { status: 400, errors: [`path is already in use at ${inTheWay.path}`] }
}
