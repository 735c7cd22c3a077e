import { parseBoolean } from '../go.ts'
import type { JsonObject } from '../../core/json.ts'
import type { DevClock, DevReply, DevRequest, DevService } from '../http.ts'
import { errorReply, Wrappings, type EngineReply, type SecretsEngine } from './reply.ts'
import { createKv, createKvVersion1 } from '../kv/engine.ts'
import { demoStore } from '../kv/seed.ts'
import { KvStore } from '../kv/store.ts'
import { Refusal } from './fields.ts'
import { allows, needed, tokenOf, readBody, readPath, type Policy } from './request.ts'
import { forbidden, publicAnswer, systemAnswer } from './system.ts'
import { Namespace } from './namespace.ts'

export interface SecretsOptions {
  readonly clock: DevClock
  /** False: no secrets, and no namespace but the root. */
  readonly seed?: boolean
  /** Namespaces besides the root. */
  readonly namespaces?: readonly string[]
  /** What is mounted at `kmip/`. */
  readonly kmip?: SecretsEngine
  readonly tokens: ReadonlyMap<string, Policy>
}

/**
 * The demo secrets store: mounts `secret/` (versioned key-value) and `kv1/` (without versions), the engines passed in, and
 * the namespace `team-a` with a `secret/` of its own. It checks path, method, body, namespace, token and policy in this
 * order, as real servers do.
 */
export function createSecrets(options: SecretsOptions): DevService {
  const store = new SecretsStore(options)
  return {
    async handle(request) {
      const reply = await store.handle(request).catch((error: unknown) => {
        if (error instanceof Refusal) return errorReply(error.status, ...error.errors)
        throw error
      })
      // No cache on the way may keep an answer.
      return { ...reply, headers: { 'cache-control': 'no-store', ...reply.headers } }
    },
    knows: (request) => options.tokens.has(tokenOf(request) ?? ''),
    close: () => undefined,
  }
}

const version2 = { type: 'kv', description: 'key/value secret storage', options: { version: '2' } }
const version1 = { type: 'kv', description: 'key/value without versions', options: { version: '1' } }

/** What the `sys/` routes may use. */
class SecretsStore {
  readonly clock: DevClock
  readonly started: Date
  readonly wrappings: Wrappings
  /** By path without slashes around it; the root is ''. */
  readonly namespaces = new Map([['', new Namespace()]])
  private readonly tokens: ReadonlyMap<string, Policy>

  constructor({ clock, seed = true, namespaces = seed ? ['team-a'] : [], kmip, tokens }: SecretsOptions) {
    this.clock = clock
    this.started = clock.now()
    this.tokens = tokens
    this.wrappings = new Wrappings(clock)
    const root = this.namespaces.get('')
    root?.mount('secret/', { ...version2, engine: createKv(seed ? demoStore(clock) : new KvStore(clock)) })
    root?.mount('kv1/', { ...version1, engine: createKvVersion1(new Map()) })
    if (kmip !== undefined) root?.mount('kmip/', { engine: kmip, type: 'kmip', description: '', options: {} })
    for (const name of namespaces) {
      const namespace = new Namespace()
      namespace.mount('secret/', { ...version2, engine: createKv(new KvStore(clock)) })
      this.namespaces.set(name, namespace)
    }
  }

  /** The namespace that a header or, failing that, the start of the path names, and the rest of the path. */
  place(header: string, path: readonly string[]) {
    const named = header.replace(/^\/+|\/+$/g, '')
    const base = named === 'root' || named === '' ? [] : named.split('/')
    for (let length = path.length; length >= 0; length -= 1) {
      const name = [...base, ...path.slice(0, length)].join('/')
      const namespace = this.namespaces.get(name)
      if (namespace !== undefined) return { name, namespace, segments: path.slice(length) }
    }
    return undefined
  }

  /** Rejects with a {@link Refusal}. */
  async handle(request: DevRequest): Promise<DevReply> {
    const path = readPath(request)
    // Real servers say nothing else either.
    if (path === undefined) return { status: 400 }
    const { query, dialect } = request
    const asksForList = parseBoolean(query.get('list') || 'false')
    if (request.method === 'GET' && asksForList === undefined) return errorReply(400)
    const list = request.method === 'LIST' || (request.method === 'GET' && asksForList === true)
    const method = list ? 'LIST' : request.method
    if (needed(method) === undefined) return errorReply(405)
    const body = readBody(request)
    const header = request.headers['x-vault-namespace'] ?? request.headers['x-secrets-namespace'] ?? ''
    const place = this.place(String(header), path.segments)
    if (place === undefined) return errorReply(404, 'namespace not found')
    const { name, namespace, segments } = place
    const open = publicAnswer(segments, this.clock)
    if (open !== undefined) return open
    if (path.trailingSlash && ['POST', 'PUT', 'PATCH'].includes(method)) {
      return errorReply(400, "cannot write to a path ending in '/'")
    }
    const token = tokenOf(request) ?? ''
    if (segments.join('/') === 'sys/wrapping/unwrap' && method !== 'LIST') return this.unwrap(request, token, body)
    const found = namespace.find(segments)
    const policy = this.tokens.get(token)
    const isSystem = segments[0] === 'sys' || segments[0] === 'auth'
    if (policy === undefined) {
      // The vendors' other products send other tokens to paths that this server does not have.
      return isSystem || found !== undefined ? errorReply(403, 'permission denied') : noRoute(segments)
    }

    const prefix = name === '' ? '' : `${name}/`
    if (isSystem) {
      const call = { store: this, method, segments, body, policy, token, name, prefix, namespace }
      return this.wrappings.reply(request, systemAnswer(call), segments.join('/'))
    }
    const fullPath = segments.join('/') + (path.trailingSlash || list ? '/' : '')
    if (!allows(policy, prefix + fullPath, needed(method))) throw forbidden()
    if (found === undefined) return noRoute(segments)
    const { trailingSlash } = path
    const engineRequest = { method, segments: found.rest, trailingSlash, query, body, dialect }
    return this.wrappings.reply(request, await found.mount.engine.handle(engineRequest), fullPath)
  }

  private unwrap(request: DevRequest, token: string, body: JsonObject): DevReply {
    const named = body['token']
    if (typeof named === 'string' && named !== token && !this.tokens.has(token)) {
      return errorReply(403, 'permission denied')
    }
    const answer: EngineReply = this.wrappings.unwrap(typeof named === 'string' ? named : token)
    return this.wrappings.reply(request, answer, 'sys/wrapping/unwrap')
  }
}

function noRoute(segments: readonly string[]): DevReply {
  return errorReply(404, `no handler for route "${segments.join('/')}". route entry not found.`)
}
