import { entriesOf, objectFrom, type JsonObject } from '../../core/json.ts'
import type { DevClock } from '../http.ts'
import { done, listReply, notFound, unsupportedOperation, warningsAbout } from '../secrets/reply.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/reply.ts'
import { readText, Refusal } from '../secrets/fields.ts'
import { changedConfig, defaultConfig, shownConfig, changedRole, emptyRole, shownRole } from './config.ts'
import {
  certificatePem,
  formatOf,
  readCertificate,
  readSerial,
  shownCredential,
  generateKeys,
  kindOf,
} from './credentials.ts'
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
      const handlers = routes.get(route.join('/'))
      if (handlers === undefined) return { status: 404, errors: ['unsupported path'] }
      const handler = handlers[request.method === 'PUT' ? 'POST' : request.method]
      const [, scope = '', , role = ''] = request.segments
      const body = objectFrom(entriesOf(request.body).filter(([, value]) => value !== null))
      return handler?.({ store, request, body, scope, role }) ?? unsupportedOperation
    },
  }
}

const routes = new Map<string, Readonly<Record<string, Handler>>>([
  ['config', { GET: readConfig, POST: writeConfig }],
  ['ca', { GET: readCa }],
  ['scope', { LIST: ({ store, request }) => listReply(store.scopes.keys(), request.query) }],
  ['scope/*', { POST: createScope, DELETE: deleteScope }],
  ['scope/*/role', { LIST: listRoles }],
  ['scope/*/role/*', { GET: readRole, POST: writeRole, DELETE: deleteRole }],
  ['scope/*/role/*/credential', { LIST: listCredentials }],
  ['scope/*/role/*/credential/generate', { POST: generateCredential }],
  ['scope/*/role/*/credential/sign', { POST: signCredential }],
  ['scope/*/role/*/credential/lookup', { GET: lookUpCredential }],
  ['scope/*/role/*/credential/revoke', { POST: revokeCredential }],
])

function readConfig({ store, request }: Call): EngineReply {
  return store.config === undefined ? notFound : { status: 200, data: shownConfig(store.config, request.dialect) }
}

function writeConfig({ store, body }: Call): EngineReply {
  store.configure(changedConfig(store.config ?? defaultConfig, body))
  return done
}

async function readCa({ store }: Call): Promise<EngineReply> {
  const { chain } = await store.ca()
  return { status: 200, data: { ca_pem: chain.map(certificatePem).join('\n') } }
}

function createScope({ store, scope }: Call): EngineReply {
  store.addScope(scope)
  return done
}

function deleteScope({ store, request, scope }: Call): EngineReply {
  const force = request.query.get('force') === 'true'
  if (!force && (store.scopes.get(scope)?.managedObjects ?? 0) > 0) {
    throw new Refusal(400, `scope "${scope}" has managed objects, cannot delete it without force`)
  }
  store.scopes.delete(scope)
  return done
}

function listRoles({ store, request, scope }: Call): EngineReply {
  return listReply(store.scopes.get(scope)?.roles.keys() ?? [], request.query)
}

function readRole({ store, request, scope, role: name }: Call): EngineReply {
  const role = store.scopes.get(scope)?.roles.get(name)
  return role === undefined ? notFound : { status: 200, data: shownRole(role.settings, request.dialect) }
}

function writeRole({ store, body, scope: scopeName, role: name }: Call): EngineReply {
  const scope = store.scope(scopeName)
  const role = scope.roles.get(name)
  const config = store.config ?? defaultConfig
  const settings = changedRole(role?.settings ?? emptyRole, body, config)
  if (role === undefined) scope.roles.set(name, newRole(scope, settings))
  else role.settings = settings
  return done
}

function deleteRole({ store, scope, role }: Call): EngineReply {
  store.scopes.get(scope)?.roles.delete(role)
  return done
}

function listCredentials({ store, request, scope, role: name }: Call): EngineReply {
  const role = store.scopes.get(scope)?.roles.get(name)
  return role === undefined ? notFound : listReply(role.credentials.keys(), request.query)
}

async function generateCredential({ store, request, body, scope, role: name }: Call): Promise<EngineReply> {
  const role = store.role(scope, name)
  const format = formatOf(body, request.dialect)
  const { publicKey, privateKey } = await generateKeys(store.keyKind(role))
  const credential = await store.issue(role, publicKey, store.term(role))
  const data = shownCredential(credential, format, privateKey)
  return { status: 200, data, ...warningsAbout(request, ['format']) }
}

async function signCredential({ store, request, body, scope, role: name }: Call): Promise<EngineReply> {
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
  const credential = await store.issue(role, key, store.term(role))
  return { status: 200, data: shownCredential(credential, format), ...warningsAbout(request, ['csr', 'format']) }
}

function lookUpCredential({ store, request, scope, role }: Call): EngineReply {
  const format = formatOf(objectFrom(request.query), request.dialect)
  const serial = request.query.get('serial_number') ?? ''
  if (serial === '') throw new Refusal(400, 'serial_number is required')
  const credential = store.role(scope, role).credentials.get(readSerial(serial))
  if (credential === undefined) return notFound
  const warnings = warningsAbout(request, ['serial_number', 'format'])
  return { status: 200, data: shownCredential(credential, format), ...warnings }
}

function revokeCredential({ store, body, scope, role: name }: Call): EngineReply {
  const serial = readText(body, 'serial_number') ?? ''
  const certificate = readText(body, 'certificate') ?? ''
  const { credentials } = store.role(scope, name)
  if ((serial === '') === (certificate === '')) {
    throw new Refusal(400, 'exactly one of serial_number and certificate must be given')
  }
  const wanted = serial === '' ? readCertificate(certificate) : readSerial(serial)
  const found = [...credentials.values()].find((one) =>
    typeof wanted === 'string' ? one.serial === wanted : one.certificate.equals(wanted),
  )
  if (found === undefined) {
    const what = serial === '' ? 'this certificate' : `a certificate with serial number ${serial}`
    throw new Refusal(404, `role "${name}" has no credential with ${what}`)
  }
  credentials.delete(found.serial)
  return done
}
