import { createKv } from '../kv/engine.ts'
import { demoStore } from '../kv/seed.ts'
import { KvStore } from '../kv/store.ts'
import { createKvVersion1 } from '../kv/version1.ts'
import type { DevClock, DevReply, DevRequest, DevService } from '../http.ts'
import { readBody } from './body.ts'
import type { SecretsBody } from './body.ts'
import type { SecretsEngine } from './engine.ts'
import { Namespace } from './mounts.ts'
import type { Mount } from './mounts.ts'
import { readPath } from './path.ts'
import type { SecretsPath } from './path.ts'
import { allows, tokenOf } from './policy.ts'
import type { Policy } from './policy.ts'
import { errorReply, jsonHeaders, toReply } from './reply.ts'
import { forbidden, listWanted, needed, publicRoute, systemRoute } from './system.ts'
import type { MountWords } from './system.ts'

export interface SecretsOptions {
  readonly clock: DevClock
  /** False leaves the mounts empty. */
  readonly seed?: boolean
  /** KMIP engines by the name of their mount. */
  readonly kmip?: Readonly<Record<string, SecretsEngine>>
  /** Tokens and what they may do. */
  readonly tokens: ReadonlyMap<string, Policy>
}

/**
 * The demo secrets store: mounts `secret/` (versioned key-value) and `kv1/` (without versions), the namespace `team-a`
 * with a `secret/` of its own, and the engines passed in. It looks at path, method, body, namespace, token and policy in
 * this order, as real servers do (contract a).
 */
export function createSecrets(options: SecretsOptions): DevService {
  const store = new Store(options)
  return { handle: (request) => store.handle(request), close: () => undefined }
}

class Store {
  private readonly options: SecretsOptions
  private readonly root = new Namespace()
  private readonly namespaces: ReadonlyMap<string, Namespace> = new Map([
    ['', this.root],
    ['team-a', new Namespace()],
  ])

  constructor(options: SecretsOptions) {
    this.options = options
    const about = { description: 'key/value secret storage', options: { version: '2' }, type: 'kv' }
    const filled = options.seed === false ? new KvStore(options.clock) : demoStore(options.clock)
    this.root.mount('secret/', createKv(filled), about)
    this.mountKv(this.namespaces.get('team-a') ?? this.root, 'secret/', 2, about)
    this.mountKv(this.root, 'kv1/', 1, { description: 'key/value without versions', options: { version: '1' } })
    for (const [name, engine] of Object.entries(options.kmip ?? {})) {
      this.root.mount(`${name}/`, engine, { type: 'kmip', description: '', options: {} })
    }
  }

  async handle(request: DevRequest): Promise<DevReply> {
    const path = readPath(request)
    if ('status' in path) return path
    const list = request.method === 'LIST' || (request.method === 'GET' && listWanted(request.query))
    if (list === 'bad') return errorReply(400)
    const refusal = refusalOfMethod(request.method)
    if (refusal !== undefined) return refusal
    const body = readBody(request)
    if ('status' in body) return body
    const header = request.headers['x-vault-namespace'] ?? request.headers['x-secrets-namespace']
    const reply = await this.inNamespace(request, path, list, body, typeof header === 'string' ? header : undefined)
    return typeof header === 'string' ? { ...reply, headers: { ...reply.headers, 'x-vault-namespace': header } } : reply
  }

  private async inNamespace(
    request: DevRequest,
    path: SecretsPath,
    list: boolean,
    body: SecretsBody,
    header: string | undefined,
  ): Promise<DevReply> {
    const place = this.place(path.segments, header)
    if (place === undefined) return errorReply(404, 'namespace not found')
    const { name, namespace, segments } = place
    const open = publicRoute(segments, request.query, this.options.clock)
    if (open !== undefined) return open
    if (path.trailingSlash && ['POST', 'PUT', 'PATCH'].includes(request.method)) {
      return errorReply(400, "cannot write to a path ending in '/'")
    }
    const policy = this.options.tokens.get(tokenOf(request) ?? '')
    if (policy === undefined) return errorReply(403, 'permission denied')

    const prefix = name === '' ? '' : `${name}/`
    const { method, query, dialect } = request
    if (segments[0] === 'sys' || segments[0] === 'auth') {
      const findMount = (wanted: readonly string[]) => this.findMount(name, wanted)
      const mountKv = (...given: Parameters<Store['mountKv']>) => this.mountKv(...given)
      return systemRoute({ method, segments, query, body: body.value, policy, prefix, namespace, findMount, mountKv })
    }
    const fullPath = segments.join('/') + (path.trailingSlash || list ? '/' : '')
    const found = namespace.find(segments)
    const exists = found?.mount.engine.exists?.(found.rest) ?? true
    const capability = needed(list ? 'LIST' : method)
    if (!allows(policy, prefix + fullPath, capability === 'update' && !exists ? 'create' : capability)) return forbidden
    if (found === undefined) return errorReply(404, `no handler for route "${fullPath}". route entry not found.`)
    return toReply(
      await found.mount.engine.handle({
        method,
        segments: found.rest,
        trailingSlash: path.trailingSlash,
        list,
        query,
        body: body.value,
        contentType: body.contentType,
        dialect,
        rawRequest: request,
      }),
    )
  }

  /** The namespace that a header or, failing that, the first segment of the path names, and the path below it. */
  private place(segments: readonly string[], header: string | undefined) {
    const named = (header ?? '').replace(/^\/+|\/+$/g, '')
    const name = named === 'root' ? '' : named
    const namespace = this.namespaces.get(name)
    if (namespace === undefined) return undefined
    const first = segments[0] ?? ''
    const inPath = name === '' && first !== '' ? this.namespaces.get(first) : undefined
    if (inPath !== undefined) return { name: first, namespace: inPath, segments: segments.slice(1) }
    return { name, namespace, segments }
  }

  private findMount(name: string, wanted: readonly string[]): { mount: Mount; prefix: string } | undefined {
    const place = this.place(wanted, name)
    const found = place?.namespace.find(place.segments)
    if (place === undefined || found === undefined) return undefined
    return { mount: found.mount, prefix: place.name === name ? '' : `${place.name}/` }
  }

  private mountKv(namespace: Namespace, path: string, version: 1 | 2, about: MountWords): Mount | undefined {
    const engine = version === 2 ? createKv(new KvStore(this.options.clock)) : createKvVersion1()
    return namespace.mount(path, engine, { ...about, type: 'kv' })
  }
}

function refusalOfMethod(method: string): DevReply | undefined {
  if (['GET', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return undefined
  if (method === 'OPTIONS') return errorReply(400, 'cannot handle internal-only request operation')
  return method === 'HEAD' ? { status: 405, headers: jsonHeaders } : errorReply(405)
}
