import { isAbsolute } from 'node:path'
import { withoutVersion } from '../core/address.ts'
import { isYes } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import { flagName } from '../core/param.ts'
import type { ServiceName } from '../core/request.ts'
import type { Profile, ServiceProfile } from './profiles.ts'
import type { FamilyKey, Flags, Setting, SettingKey, ValueOf } from './settings.ts'
import { familyVariables, isPath, settingName, settingRows, settings } from './settings.ts'

/** A setting's value and where it came from. */
export interface Resolved<T = unknown> {
  readonly value: T
  /** The value as text, for people. */
  readonly text: string
  readonly source: string
}

/** What settings are read from. */
export interface SettingSources {
  readonly flags: Flags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly service: ServiceName | undefined
}

/** A value as text, and the name of the variable or file that it comes from. */
export interface Text {
  readonly text: string
  readonly source: string
}

/**
 * The value of a setting: flag, then environment, then profile, then the vendors' variables (only while these also give the
 * address), then the default. Throws a usage error that names the source for a text that cannot be read.
 */
export function resolveSetting<K extends SettingKey>(
  key: K,
  sources: SettingSources,
): Resolved<ValueOf<K>> | undefined {
  const setting: Setting = settings[key]
  const typed = sources.flags[(setting.flagKey ?? key) as keyof Flags] as ValueOf<K> | undefined
  if (typed !== undefined) {
    const text = key === 'timeout' ? `${Number(typed) / 1000}s` : String(typed)
    return { value: typed, text, source: `flag ${flagName(setting.flagKey ?? key)}` }
  }
  const found = ownText(key, sources) ?? familyText(key, sources)
  if (found === undefined && setting.default === undefined) return undefined
  const { text, source } = found ?? { text: setting.default as string, source: 'default' }
  const value = setting.flag.boolean ? isYes(text) : setting.flag.read([text], source)
  return { text, source, value: value as ValueOf<K> }
}

/** True when the service's address comes from the vendors' own variables: then their other variables count, and their dialect. */
export function speaksFamily(sources: SettingSources): boolean {
  return (
    sources.flags.address === undefined &&
    ownText('address', sources) === undefined &&
    familyAddress(sources) !== undefined
  )
}

/**
 * True when `--profile` names a profile that configures the service: it then comes before the environment, so that nobody
 * writes to the server of an exported variable while naming another.
 */
export function profileComesFirst({ flags, profile, service }: SettingSources): boolean {
  return flags.profile !== undefined && service !== undefined && profile?.[service]?.address !== undefined
}

/** The variables that a profile named by `--profile` overrides. */
export function overriddenVariables(sources: SettingSources): string[] {
  return settingRows.flatMap(([key, setting]) => {
    const variable = variableOf(setting, sources)
    return variable === undefined || ownText(key, sources)?.source === variable ? [] : [variable]
  })
}

/**
 * Whether the token variable belongs to the address of a profile that comes first: the environment's token goes to the
 * environment's address.
 */
export function trustsTokenVariable(sources: SettingSources): boolean {
  const address = sources.env[variableName(settings.address, sources) as string]
  return (
    !address ||
    withoutVersion(address) === withoutVersion(sources.profile?.[sources.service as ServiceName]?.address as string)
  )
}

function ownText(key: SettingKey, sources: SettingSources): Text | undefined {
  const setting: Setting = settings[key]
  const variable = variableOf(setting, sources)
  const saved = savedText(key, sources)
  const first = setting.server === true && profileComesFirst(sources)
  if (first && saved !== undefined) return saved
  if (variable !== undefined && (!first || trustsTokenVariable(sources)))
    return { text: sources.env[variable] as string, source: variable }
  return saved
}

function variableName({ variables }: Setting, { service }: SettingSources): string | undefined {
  return variables?.all ?? (service === undefined ? undefined : variables?.[service])
}

/** A setting's variable if it is set. */
function variableOf(setting: Setting, sources: SettingSources): string | undefined {
  const name = variableName(setting, sources)
  return name !== undefined && sources.env[name] ? name : undefined
}

function savedText(key: SettingKey, { profile, profileName, service }: SettingSources): Text | undefined {
  const place = (settings[key] as Setting).profile
  if (profile === undefined || place === undefined) return undefined
  const ofService = service === undefined || place === 'profile' ? undefined : profile[service]
  const text =
    ofService?.[settingName(key) as keyof ServiceProfile] ||
    (place === 'service' ? undefined : profile[settingName(key) as 'output' | 'dialect' | 'read_only'])
  if (!text) return undefined
  const source = `profile ${profileName}`
  // A relative one would name another file in every directory.
  if (isPath(settings[key]) && !isAbsolute(String(text)))
    throw usageError(`${source}: ${settingName(key)} is not an absolute path: '${text}'`)
  return { text: String(text), source }
}

function familyText(key: SettingKey, sources: SettingSources): Text | undefined {
  const { service, env } = sources
  if (service === undefined || !speaksFamily(sources)) return undefined
  const { family } = settings[key] as Setting
  const found = family === undefined ? undefined : familyValue(service, family, env)
  if (found !== undefined) return found
  if (key !== 'dialect') return undefined
  return { text: 'hashicorp', source: `${familyAddress(sources)?.source} is set` }
}

function familyAddress({ service, env }: SettingSources) {
  return service === undefined ? undefined : familyValue(service, 'address', env)
}

/** The value that a family's variables give for a key. */
export function familyValue(service: ServiceName, key: FamilyKey, env: SettingSources['env']): Text | undefined {
  for (const [name, meaning] of Object.entries(familyVariables[service])) {
    const value = env[name]
    if (meaning !== key || !value) continue
    if (key === 'address' && service === 'explorer' && !/^https?:/.test(value)) {
      return { text: `https://${value}`, source: name }
    }
    return { text: value, source: name }
  }
  return undefined
}
