import { usageError } from '../core/errors.ts'
import { readInteger } from '../core/param.ts'
import type { ServiceName } from '../core/request.ts'
import type { FamilyKey } from './families.ts'
import { familyValue } from './families.ts'
import type { Profile, ServiceProfile } from './profiles.ts'

/** A row of the one table of settings: where a value may come from, in this order. */
export interface Setting {
  readonly key: string
  /** Its global or group flag, without dashes; tokens have none. */
  readonly flag?: string
  /** Its variables, one for all or one per service. */
  readonly variables: Readonly<Partial<Record<ServiceName | 'all', string>>>
  /** Its key in a profile: of the profile itself, or of a service in it. */
  readonly profile?: { readonly of: 'profile' | 'service'; readonly key: string }
  readonly family?: FamilyKey
  readonly default?: string
  readonly meaning: string
}

const perService = (suffix: string) => ({
  explorer: `TUG_EXPLORER_${suffix}`,
  secrets: `TUG_SECRETS_${suffix}`,
  scheduler: `TUG_SCHEDULER_${suffix}`,
})
const ofService = (key: keyof ServiceProfile) => ({ of: 'service', key }) as const
const ofProfile = (key: keyof Profile) => ({ of: 'profile', key }) as const

/** Every setting with its flag, variable, profile key and default. */
export const settingsTable = [
  { key: 'profile', flag: 'profile', variables: { all: 'TUG_PROFILE' }, meaning: 'which saved profile to use' },
  {
    key: 'output',
    flag: 'output',
    variables: { all: 'TUG_OUTPUT' },
    profile: ofProfile('output'),
    default: 'table',
    meaning: 'output format',
  },
  {
    key: 'address',
    flag: 'address',
    variables: perService('ADDR'),
    profile: ofService('address'),
    family: 'address',
    meaning: 'base URL of the service',
  },
  {
    key: 'token',
    flag: 'token-file',
    variables: perService('TOKEN'),
    family: 'token',
    meaning: 'token of the service',
  },
  {
    key: 'org',
    flag: 'org',
    variables: { explorer: 'TUG_EXPLORER_ORG' },
    profile: ofService('org'),
    family: 'org',
    meaning: 'organization of the explorer',
  },
  {
    key: 'namespace',
    flag: 'namespace',
    variables: { secrets: 'TUG_SECRETS_NAMESPACE', scheduler: 'TUG_SCHEDULER_NAMESPACE' },
    profile: ofService('namespace'),
    family: 'namespace',
    meaning: 'namespace of the secrets store or the scheduler',
  },
  {
    key: 'region',
    flag: 'region',
    variables: {},
    profile: ofService('region'),
    family: 'region',
    meaning: 'region of the scheduler',
  },
  {
    key: 'kv_mount',
    flag: 'mount',
    variables: { secrets: 'TUG_KV_MOUNT' },
    profile: ofService('kv_mount'),
    default: 'secret',
    meaning: 'mount of the key-value engine',
  },
  {
    key: 'kmip_mount',
    flag: 'mount',
    variables: { secrets: 'TUG_KMIP_MOUNT' },
    profile: ofService('kmip_mount'),
    default: 'kmip',
    meaning: 'mount of the KMIP engine',
  },
  {
    key: 'list_method',
    flag: 'list-method',
    variables: {},
    profile: ofService('list_method'),
    default: 'get',
    meaning: 'how lists are sent: get or list',
  },
  {
    key: 'dialect',
    flag: 'dialect',
    variables: { all: 'TUG_DIALECT' },
    profile: ofService('dialect'),
    default: 'neutral',
    meaning: 'vocabulary on the wire',
  },
  {
    key: 'ca_cert',
    flag: 'ca-cert',
    variables: {},
    profile: ofService('ca_cert'),
    family: 'ca_cert',
    meaning: 'certificate authority to trust',
  },
  {
    key: 'client_cert',
    flag: 'client-cert',
    variables: {},
    profile: ofService('client_cert'),
    family: 'client_cert',
    meaning: 'client certificate',
  },
  {
    key: 'client_key',
    flag: 'client-key',
    variables: {},
    profile: ofService('client_key'),
    family: 'client_key',
    meaning: 'key of the client certificate',
  },
  {
    key: 'tls_server_name',
    flag: 'tls-server-name',
    variables: {},
    profile: ofService('tls_server_name'),
    family: 'tls_server_name',
    meaning: 'name to verify in the certificate',
  },
  {
    key: 'insecure',
    flag: 'insecure',
    variables: {},
    profile: ofService('insecure'),
    family: 'insecure',
    meaning: 'do not verify the certificate',
  },
  {
    key: 'timeout',
    flag: 'timeout',
    variables: { all: 'TUG_TIMEOUT' },
    profile: ofService('timeout'),
    meaning: 'time-out (default 60s, explorer 75s)',
  },
  {
    key: 'retries',
    flag: 'retries',
    variables: { all: 'TUG_RETRIES' },
    profile: ofService('retries'),
    default: '4',
    meaning: 'how often a request is repeated',
  },
  { key: 'trace', flag: 'trace', variables: { all: 'TUG_TRACE' }, meaning: 'requests and timings on stderr' },
  { key: 'no_input', flag: 'no-input', variables: { all: 'TUG_NO_INPUT' }, meaning: 'never prompt (CI too)' },
] as const satisfies readonly Setting[]

export type SettingKey = (typeof settingsTable)[number]['key']

/** A setting's value and where it came from. */
export interface Resolved {
  readonly value: string
  readonly source: string
  /** True when the vendors' own variables gave it. */
  readonly family?: boolean
}

/** What settings are read from. */
export interface SettingSources {
  /** Typed flags, by their name without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly service: ServiceName | undefined
}

/**
 * The value of a setting: flag, then environment, then profile, then the vendors' variables (only while these also give the
 * address), then the default.
 */
export function resolveSetting(key: SettingKey, sources: SettingSources): Resolved | undefined {
  const setting: Setting = settingsTable.find((row) => row.key === key) as Setting
  const own = ownValue(setting, sources)
  if (own !== undefined) return own
  const { service } = sources
  if (service !== undefined && speaksFamily(sources)) {
    const found = setting.family === undefined ? undefined : familyValue(service, setting.family, sources.env)
    if (found !== undefined) return { ...found, family: true }
    if (key === 'dialect')
      return { value: 'hashicorp', source: `${familyAddress(sources)?.source} is set`, family: true }
  }
  return setting.default === undefined ? undefined : { value: setting.default, source: 'default' }
}

/** True when the service's address comes from the vendors' own variables: then their other variables count, and their dialect. */
export function speaksFamily(sources: SettingSources): boolean {
  const address = settingsTable.find((row) => row.key === 'address') as Setting
  return ownValue(address, sources) === undefined && familyAddress(sources) !== undefined
}

function familyAddress(sources: SettingSources) {
  return sources.service === undefined ? undefined : familyValue(sources.service, 'address', sources.env)
}

function ownValue(setting: Setting, sources: SettingSources): Resolved | undefined {
  const { flags, env, profile, service } = sources
  const typed = setting.flag === undefined ? undefined : flags[setting.flag]
  if (typed !== undefined) return { value: typed, source: `flag --${setting.flag}` }
  const variable = setting.variables.all ?? (service === undefined ? undefined : setting.variables[service])
  const value = variable === undefined ? undefined : env[variable]
  if (value) return { value, source: variable as string }
  const saved = profileValue(setting, profile, service)
  return saved === undefined ? undefined : { value: saved, source: `profile ${sources.profileName}` }
}

function profileValue(setting: Setting, profile: Profile | undefined, service: ServiceName | undefined) {
  if (profile === undefined) return undefined
  const ofOne = service === undefined ? undefined : profile[service]?.[setting.key as keyof ServiceProfile]
  const value =
    ofOne ??
    (setting.key === 'dialect' || setting.profile?.of === 'profile'
      ? profile[setting.key as 'output' | 'dialect']
      : undefined)
  return value === undefined || value === '' ? undefined : String(value)
}

/** Checks a value that did not come as a flag against the choices of its flag. Throws a usage error naming the source. */
export function checkChoice<C extends string>(found: Resolved, choices: readonly C[]): C {
  const choice = choices.find((one) => one === found.value)
  if (choice === undefined) {
    throw usageError(`${found.source}: '${found.value}' is not one of ${choices.join(', ')}`)
  }
  return choice
}

/** A number of retries from any source. */
export function readRetries(found: Resolved): number {
  try {
    return readInteger(found.value, 0, 100)
  } catch (error) {
    throw usageError(`${found.source}: ${(error as Error).message}`)
  }
}
