import { randomInt, type KeyObject } from 'node:crypto'
import type { DevClock } from '../http.ts'
import type { Authority } from './authority.ts'
import { changedConfig, defaultConfig, changedRole, emptyRole, keyKindOf } from './config.ts'
import type { KmipConfig, RoleSettings } from './config.ts'
import { checkKind, generateKeys, type Credential, type KeyKind } from './credentials.ts'
import { Refusal } from '../secrets/fields.ts'

export interface Scope {
  /** Names the scope in certificates. */
  readonly id: string
  readonly roles: Map<string, Role>
  readonly managedObjects: number
}

export interface Role {
  /** Names the role in certificates. */
  readonly id: string
  readonly scope: Scope
  settings: RoleSettings
  readonly credentials: Map<string, Credential>
}

/** Configuration and CA, scopes, their roles, and the roles' credentials. */
export class KmipStore {
  readonly scopes = new Map<string, Scope>()
  readonly clock: DevClock
  config: KmipConfig | undefined
  private configuredAt = new Date(0)
  private authority: Promise<Authority> | undefined

  constructor(clock: DevClock) {
    this.clock = clock
  }

  /** Sets the configuration. The first one, and one with another kind of CA key, starts a new CA. */
  configure(config: KmipConfig, at = this.clock.now()): void {
    const before = this.config
    this.config = config
    const { tls_ca_key_type: type, tls_ca_key_bits: bits } = config
    if (before?.tls_ca_key_type === type && before.tls_ca_key_bits === bits) return
    this.configuredAt = at
    this.authority = undefined
  }

  /** The configuration. Throws {@link Refusal} if there isn't one yet. */
  configured(): KmipConfig {
    if (this.config === undefined) throw new Refusal(400, 'the engine has not been configured: write its config first')
    return this.config
  }

  /** The CA, created when it is first needed. Throws as {@link configured} does. */
  async ca(): Promise<Authority> {
    const { tls_ca_key_bits: bits } = this.configured()
    const since = this.configuredAt
    // The X.509 library is slow to load: only once a certificate is wanted.
    this.authority ??= import('./authority.ts').then(({ createAuthority }) => createAuthority(bits, since))
    return this.authority
  }

  /** Creates the scope unless it exists. */
  addScope(name: string, managedObjects = 0): Scope {
    const scope = this.scopes.get(name) ?? { id: newId(), roles: new Map(), managedObjects }
    this.scopes.set(name, scope)
    return scope
  }

  /** Throws {@link Refusal} if it doesn't exist. */
  scope(name: string): Scope {
    const scope = this.scopes.get(name)
    if (scope === undefined) throw new Refusal(404, `scope "${name}" not found`)
    return scope
  }

  /** Throws {@link Refusal} if it doesn't exist. */
  role(scopeName: string, name: string): Role {
    const role = this.scope(scopeName).roles.get(name)
    if (role === undefined) throw new Refusal(404, `role "${name}" not found in scope "${scopeName}"`)
    return role
  }

  /** The kind of keys in the role's credentials. Throws {@link Refusal} if a new configuration made it impossible. */
  keyKind(role: Role): KeyKind {
    const kind = keyKindOf(role.settings, this.configured())
    checkKind(kind)
    return kind
  }

  /** Issues a certificate, now and for the role's time unless `term` is given. */
  async issue(role: Role, publicKey: KeyObject, term?: { from: Date; seconds: number }): Promise<Credential> {
    const from = term?.from ?? this.clock.now()
    const seconds = term?.seconds ?? (role.settings.ttl || this.configured().default_tls_client_ttl)
    const ca = await this.ca()
    const issued = await ca.issue({
      publicKey,
      organizationalUnit: role.scope.id,
      commonName: role.id,
      notBefore: from,
      notAfter: new Date(from.getTime() + seconds * 1000),
    })
    const credential = { ...issued, chain: ca.chain }
    role.credentials.set(credential.serial, credential)
    return credential
  }
}

export function newRole(scope: Scope, settings: RoleSettings): Role {
  return { id: newId(), scope, settings, credentials: new Map() }
}

/** Demo data: a role with credentials near and far from their end, and a scope in use. */
export async function seedKmip(store: KmipStore): Promise<void> {
  const ago = (days: number) => new Date(store.clock.now().getTime() - days * 86_400_000)
  const config = changedConfig(defaultConfig, { server_hostnames: ['kmip.acme.example', 'localhost'] })
  store.configure(config, ago(60))
  const addRole = (scope: Scope, name: string, operations: readonly string[]): Role => {
    const granted = Object.fromEntries(operations.map((operation) => [`operation_${operation}`, true]))
    const role = newRole(scope, changedRole(emptyRole, granted, config))
    scope.roles.set(name, role)
    return role
  }
  addRole(store.addScope('archive', 12), 'reader', ['all'])
  const operations = ['activate', 'create', 'get', 'get_attributes', 'locate', 'register']
  const backup = addRole(store.addScope('storage'), 'backup', operations)
  const terms = [
    { from: ago(0.75), seconds: 86_400 },
    { from: ago(25), seconds: 30 * 86_400 },
    { from: ago(2), seconds: 365 * 86_400 },
  ]
  for (const term of terms) {
    const { publicKey } = await generateKeys(store.keyKind(backup))
    await store.issue(backup, publicKey, term)
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function newId(): string {
  return Array.from({ length: 5 }, () => letters.charAt(randomInt(letters.length))).join('')
}
