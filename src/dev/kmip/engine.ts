import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { DevClock } from '../http.ts'
import { changedConfig, defaultConfig, shownConfig } from './config.ts'
import type { Credential } from './credentials.ts'
import { certificatePem, formatOf, readCertificate, readSerial, shownCredential, warningsFor } from './credentials.ts'
import { flagOf, readText, Refusal } from './fields.ts'
import { generateKeys, kindOf } from './keys.ts'
import { changedRole, emptyRole, shownRole } from './role.ts'
import { KmipStore, newRole, seedKmip } from './store.ts'
import type { EngineReply, EngineRequest, SecretsEngine } from '../secrets/engine.ts'
import { compareBytes, unsupportedOperation } from '../secrets/reply.ts'

export interface KmipOptions {
  readonly clock: DevClock
  /** Whether it starts configured and with demo scopes, roles and credentials; true when absent. */
  readonly seed?: boolean
}

/** One call: the scope and the role are empty where its path names none. */
type Call = (
  store: KmipStore,
  request: EngineRequest,
  scope: string,
  role: string,
) => EngineReply | Promise<EngineReply>

const done: EngineReply = { status: 204 }
const notFound: EngineReply = { status: 404, errors: [] }

/**
 * The KMIP engine of the demo secrets store: the fifteen calls of the spec's certificate engine (contract c.2), with real
 * certificates. It opens no KMIP listener; whatever `listen_addrs` says is only kept.
 */
export function createKmip(options: KmipOptions): SecretsEngine {
  const store = new KmipStore(options.clock)
  let seeded = options.seed === false
  return {
    async handle(request) {
      if (!seeded) {
        seeded = true
        seedKmip(store, request.dialect)
      }
      const methods = calls.get(routeOf(request.segments))
      if (methods === undefined) return { status: 404, errors: ['1 error occurred:\n\t* unsupported path\n\n'] }
      const call = methods[request.list ? 'LIST' : request.method === 'PUT' ? 'POST' : request.method]
      if (call === undefined) return unsupportedOperation
      try {
        return await call(store, request, request.segments[1] ?? '', request.segments[3] ?? '')
      } catch (error) {
        if (error instanceof Refusal) return { status: error.status, errors: error.errors }
        throw error
      }
    },
  }
}

/** The path with the names of scope and role, second and fourth, as stars. */
function routeOf(segments: readonly string[]): string {
  return segments.map((segment, index) => (index === 1 || index === 3 ? '*' : encodeURIComponent(segment))).join('/')
}

const calls = new Map<string, Readonly<Record<string, Call>>>(
  Object.entries({
    config: { GET: readConfig, POST: writeConfig },
    ca: { GET: readCa },
    scope: { LIST: (store) => names(store.scopes.keys()) },
    'scope/*': { POST: createScope, DELETE: deleteScope },
    'scope/*/role': { LIST: (store, _, scope) => names(store.scopes.get(scope)?.roles.keys() ?? []) },
    'scope/*/role/*': { GET: readRole, POST: writeRole, DELETE: deleteRole },
    'scope/*/role/*/credential': { LIST: listCredentials },
    'scope/*/role/*/credential/generate': { POST: generateCredential },
    'scope/*/role/*/credential/sign': { POST: signCredential },
    'scope/*/role/*/credential/lookup': { GET: lookUpCredential },
    'scope/*/role/*/credential/revoke': { POST: revokeCredential },
  }),
)

function readConfig(store: KmipStore, request: EngineRequest): EngineReply {
  if (store.config === undefined) return notFound
  return { status: 200, data: shownConfig(store.config, request.dialect) }
}

function writeConfig(store: KmipStore, request: EngineRequest): EngineReply {
  store.configure(changedConfig(store.config ?? defaultConfig(request.dialect), request.body ?? {}))
  return done
}

async function readCa(store: KmipStore): Promise<EngineReply> {
  const { chain } = await store.ca()
  return { status: 200, data: { ca_pem: chain.map(certificatePem).join('\n') } }
}

function createScope(store: KmipStore, _request: EngineRequest, scope: string): EngineReply {
  store.addScope(scope)
  return done
}

function deleteScope(store: KmipStore, request: EngineRequest, scope: string): EngineReply {
  const text = request.query.get('force') ?? 'false'
  const force = flagOf(text)
  if (force === undefined) throw new Refusal(400, `force is true or false, not "${text}"`)
  if (!force && (store.scopes.get(scope)?.managedObjects ?? 0) > 0) {
    throw new Refusal(400, `scope "${scope}" has managed objects, cannot delete it without force`)
  }
  store.scopes.delete(scope)
  return done
}

function readRole(store: KmipStore, request: EngineRequest, scope: string, name: string): EngineReply {
  const role = store.scopes.get(scope)?.roles.get(name)
  return role === undefined ? notFound : { status: 200, data: shownRole(role.settings, request.dialect) }
}

function writeRole(store: KmipStore, request: EngineRequest, scopeName: string, name: string): EngineReply {
  const scope = store.scope(scopeName)
  const role = scope.roles.get(name)
  const config = store.config ?? defaultConfig(request.dialect)
  const settings = changedRole(role?.settings ?? emptyRole, request.body ?? {}, config)
  if (role === undefined) scope.roles.set(name, newRole(scope, settings))
  else role.settings = settings
  return done
}

function deleteRole(store: KmipStore, _request: EngineRequest, scope: string, name: string): EngineReply {
  store.scopes.get(scope)?.roles.delete(name)
  return done
}

async function listCredentials(store: KmipStore, _: EngineRequest, scope: string, name: string): Promise<EngineReply> {
  const role = store.scopes.get(scope)?.roles.get(name)
  return role === undefined ? notFound : names((await store.credentials(role)).keys())
}

async function generateCredential(
  store: KmipStore,
  request: EngineRequest,
  scope: string,
  name: string,
): Promise<EngineReply> {
  const role = store.role(scope, name)
  const format = formatOf(request.body ?? {}, request.dialect)
  const { publicKey, privateKey } = await generateKeys(store.keyKind(role))
  const credential = await store.issue(role, publicKey, store.term(role))
  const data = shownCredential(credential, format, privateKey)
  return { status: 200, data, ...warningsFor(request, ['format']) }
}

async function signCredential(
  store: KmipStore,
  request: EngineRequest,
  scope: string,
  name: string,
): Promise<EngineReply> {
  const role = store.role(scope, name)
  const body = request.body ?? {}
  const format = formatOf(body, request.dialect)
  const wanted = store.keyKind(role)
  const csr = readText(body, 'csr') ?? ''
  if (csr === '') throw new Refusal(400, 'csr is required')
  const { publicKeyOfRequest } = await import('./authority.ts')
  const key = await publicKeyOfRequest(csr)
  const sent = kindOf(key)
  if (sent.type !== wanted.type || sent.bits !== wanted.bits) {
    const keys = `${wanted.type} keys of ${wanted.bits} bits`
    throw new Refusal(400, `role "${name}" takes ${keys}; the key of the csr is ${sent.type}, ${sent.bits} bits`)
  }
  const credential = await store.issue(role, key, store.term(role))
  return { status: 200, data: shownCredential(credential, format), ...warningsFor(request, ['csr', 'format']) }
}

async function lookUpCredential(
  store: KmipStore,
  request: EngineRequest,
  scope: string,
  name: string,
): Promise<EngineReply> {
  const format = formatOf(objectFrom(request.query), request.dialect)
  const serial = request.query.get('serial_number') ?? ''
  if (serial === '') throw new Refusal(400, 'serial_number is required')
  const credential = (await store.credentials(store.role(scope, name))).get(readSerial(serial))
  if (credential === undefined) return notFound
  const warnings = warningsFor(request, ['serial_number', 'format'])
  return { status: 200, data: shownCredential(credential, format), ...warnings }
}

async function revokeCredential(
  store: KmipStore,
  request: EngineRequest,
  scope: string,
  name: string,
): Promise<EngineReply> {
  const role = store.role(scope, name)
  const body = request.body ?? {}
  const serial = readText(body, 'serial_number') ?? ''
  const certificate = readText(body, 'certificate') ?? ''
  if ((serial === '') === (certificate === '')) {
    throw new Refusal(400, 'exactly one of serial_number and certificate must be given')
  }
  const credentials = await store.credentials(role)
  const found =
    serial === '' ? holderOf(credentials, readCertificate(certificate)) : credentials.get(readSerial(serial))
  if (found === undefined) {
    const what = serial === '' ? 'this certificate' : `a certificate with serial number ${serial}`
    throw new Refusal(404, `role "${name}" has no credential with ${what}`)
  }
  credentials.delete(found.serial)
  return done
}

function holderOf(credentials: ReadonlyMap<string, Credential>, der: Buffer): Credential | undefined {
  return [...credentials.values()].find((credential) => credential.certificate.equals(der))
}

/** A list: 404 without texts when there is nothing to name. */
function names(keys: Iterable<string>): EngineReply {
  const sorted: Json[] = [...keys].toSorted(compareBytes)
  return sorted.length === 0 ? notFound : { status: 200, data: { keys: sorted } }
}
