import { entriesOf, objectFrom, type JsonObject } from '../../core/json.ts'
import type { DevClock } from '../http.ts'
import { done, listReply, notFound, unsupportedOperation, warningsAbout } from '../secrets/reply.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/reply.ts'
import { readText, Refusal } from '../secrets/fields.ts'
import { changedConfig, defaultConfig, shownConfig, changedRole, emptyRole, shownRole } from './config.ts'
import { certificatePem, formatOf, serialOf, readSerial, shownCredential, generateKeys, kindOf } from './credentials.ts'
import { KmipStore, newRole, seedKmip } from './store.ts'

export interface KmipOptions {
  readonly clock: DevClock
  /** Whether it starts configured and with demo scopes, roles and credentials; true if absent. */
  readonly seed?: boolean
}

interface Call {
  readonly store: KmipStore
  readonly request: EngineRequest
  /** The body without nulls, which count as absent. */
  readonly body: JsonObject
  /** Empty if the path has none, as is the role. */
  readonly scope: string
  readonly role: string
}

type Handler = (call: Call) => EngineReply | Promise<EngineReply>

/**
 * The KMIP engine with real certificates. It doesn't listen for KMIP requests: `listen_addrs` is only stored.
 */
export function createKmip({ clock, seed = true }: KmipOptions): SecretsEngine {
  const store = new KmipStore(clock)
  let seeding = seed ? undefined : Promise.resolve()
  return {
    async handle(request) {
      await (seeding ??= seedKmip(store))
      // The path with `*` for the names of scope and role.
      const route = request.segments.map((one, index) => (index === 1 || index === 3 ? '*' : encodeURIComponent(one)))
      const name = route.join('/')
      const handlers = Object.hasOwn(routes, name) ? routes[name] : undefined
      if (handlers === undefined) return { status: 404, errors: ['unsupported path'] }
      const handler = handlers[request.method === 'PUT' ? 'POST' : request.method]
      const [, scope = '', , role = ''] = request.segments
      const body = objectFrom(entriesOf(request.body).filter(([, value]) => value !== null))
      return handler?.({ store, request, body, scope, role }) ?? unsupportedOperation
    },
  }
}

const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  config: {
    GET: ({ store, request }) =>
      store.config === undefined ? notFound : { status: 200, data: shownConfig(store.config, request.dialect) },
    POST({ store, body }) {
      store.configure(changedConfig(store.config ?? defaultConfig, body))
      return done
    },
  },
  ca: {
    async GET({ store }) {
      const { chain } = await store.ca()
      return { status: 200, data: { ca_pem: chain.map(certificatePem).join('\n') } }
    },
  },
  scope: { LIST: ({ store, request }) => listReply(store.scopes.keys(), request.query) },
  'scope/*': {
    POST({ store, scope }) {
      store.addScope(scope)
      return done
    },
    DELETE({ store, request, scope }) {
      const force = request.query.get('force') === 'true'
      if (!force && (store.scopes.get(scope)?.managedObjects ?? 0) > 0) {
        throw new Refusal(400, `scope "${scope}" has managed objects, cannot delete it without force`)
      }
      store.scopes.delete(scope)
      return done
    },
  },
  'scope/*/role': {
    LIST: ({ store, request, scope }) => listReply(store.scopes.get(scope)?.roles.keys() ?? [], request.query),
  },
  'scope/*/role/*': {
    GET({ store, request, scope, role: name }) {
      const role = store.scopes.get(scope)?.roles.get(name)
      return role === undefined ? notFound : { status: 200, data: shownRole(role.settings, request.dialect) }
    },
    POST({ store, body, scope: scopeName, role: name }) {
      const scope = store.scope(scopeName)
      const role = scope.roles.get(name)
      const settings = changedRole(role?.settings ?? emptyRole, body, store.config ?? defaultConfig)
      if (role === undefined) scope.roles.set(name, newRole(scope, settings))
      else role.settings = settings
      return done
    },
    DELETE({ store, scope, role }) {
      store.scopes.get(scope)?.roles.delete(role)
      return done
    },
  },
  'scope/*/role/*/credential': {
    LIST({ store, request, scope, role: name }) {
      const role = store.scopes.get(scope)?.roles.get(name)
      return role === undefined ? notFound : listReply(role.credentials.keys(), request.query)
    },
  },
  'scope/*/role/*/credential/generate': {
    async POST({ store, request, body, scope, role: name }) {
      const role = store.role(scope, name)
      const format = formatOf(body, request.dialect)
      const { publicKey, privateKey } = await generateKeys(store.keyKind(role))
      const credential = await store.issue(role, publicKey)
      const data = shownCredential(credential, format, privateKey)
      return { status: 200, data, ...warningsAbout(request, ['format']) }
    },
  },
  'scope/*/role/*/credential/sign': {
    async POST({ store, request, body, scope, role: name }) {
      const role = store.role(scope, name)
      const format = formatOf(body, request.dialect)
      const wanted = store.keyKind(role)
      const { publicKeyOfRequest } = await import('./authority.ts')
      const key = publicKeyOfRequest(readText(body, 'csr') ?? '')
      const sent = kindOf(key)
      if (sent.type !== wanted.type || sent.bits !== wanted.bits) {
        const keys = `${wanted.type} keys of ${wanted.bits} bits`
        throw new Refusal(400, `role "${name}" takes ${keys}; the key of the csr is ${sent.type}, ${sent.bits} bits`)
      }
      const credential = await store.issue(role, key)
      return { status: 200, data: shownCredential(credential, format), ...warningsAbout(request, ['csr', 'format']) }
    },
  },
  'scope/*/role/*/credential/lookup': {
    GET({ store, request, scope, role }) {
      const format = formatOf(objectFrom(request.query), request.dialect)
      const serial = request.query.get('serial_number') ?? ''
      if (serial === '') throw new Refusal(400, 'serial_number is required')
      const credential = store.role(scope, role).credentials.get(readSerial(serial))
      if (credential === undefined) return notFound
      const warnings = warningsAbout(request, ['serial_number', 'format'])
      return { status: 200, data: shownCredential(credential, format), ...warnings }
    },
  },
  'scope/*/role/*/credential/revoke': {
    POST({ store, body, scope, role: name }) {
      const serial = readText(body, 'serial_number') ?? ''
      const certificate = readText(body, 'certificate') ?? ''
      const { credentials } = store.role(scope, name)
      if ((serial === '') === (certificate === '')) {
        throw new Refusal(400, 'exactly one of serial_number and certificate must be given')
      }
      const wanted = serial === '' ? serialOf(certificate) : readSerial(serial)
      if (!credentials.delete(wanted)) {
        throw new Refusal(404, `role "${name}" has no credential with a certificate with serial number ${wanted}`)
      }
      return done
    },
  },
}
