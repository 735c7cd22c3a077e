import { isAbsolute } from 'node:path'
import { originOf, parseAddress, withoutLogin, withoutVersion } from '../core/address.ts'
import { isYes } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import { flagName } from '../core/param.ts'
import { headerLines } from './headers.ts'
import type { ServiceName } from '../core/request.ts'
import type { Profile, ServiceProfile } from './profiles.ts'
import type { FamilyKey, Flags, Setting, SettingKey, ValueOf } from './settings.ts'
import { familyVariables, isPath, settingName, settingRows, settings } from './settings.ts'

/** A setting's value and its source. */
export interface Resolved<T = unknown> {
  readonly value: T
  /** The value for display. */
  readonly text: string
  readonly source: string
}

/** The sources of settings. */
export interface SettingSources {
  readonly flags: Flags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly service: ServiceName | undefined
}

/** A value as a string, and the variable or file that it comes from. */
export interface Text {
  readonly text: string
  readonly source: string
}

/** Reads a setting of a session. */
export type ReadSetting = <K extends SettingKey>(key: K) => ReturnType<typeof resolveSetting<K>>

/**
 * The value of a setting: flag, then environment (the vendors' variables last), then profile, then the default. For settings that
 * select a server, a profile named by `--profile` comes before the environment. Throws a usage error that names the source of an
 * invalid value.
 */
export function resolveSetting<K extends SettingKey>(
  key: K,
  sources: SettingSources,
): Resolved<ValueOf<K>> | undefined {
  const setting: Setting = settings[key]
  const given = sources.flags[(setting.flagKey ?? key) as keyof Flags] as ValueOf<K> | undefined
  const typed = Array.isArray(given) && given.length === 0 ? undefined : given
  if (typed !== undefined) {
    const text = key === 'timeout' ? `${Number(typed) / 1000}s` : [typed].flat().join('\n')
    return { value: typed, text: shown(key, text), source: `flag ${flagName(setting.flagKey ?? key)}` }
  }
  const isProfileFirst = setting.server === true && profileComesFirst(sources)
  const saved = savedText(key, sources)
  const found = (isProfileFirst ? saved : undefined) ?? variableText(key, sources) ?? vendorText(key, sources) ?? saved
  if (found === undefined && setting.default === undefined) return undefined
  const { text, source } = found ?? { text: setting.default as string, source: 'default' }
  const texts = key === 'headers' ? text.split('\n').filter((line) => line.trim() !== '') : [text]
  const value = setting.flag.boolean ? isYes(text) : setting.flag.read(texts, source)
  return { text: shown(key, text), source, value: value as ValueOf<K> }
}

/** A setting's value for display: addresses without passwords, headers without values. */
function shown(key: SettingKey, text: string): string {
  if (key === 'address') return withoutLogin(text)
  return key === 'headers' ? text.replaceAll(/[:,].*/g, '').replaceAll('\n', ', ') : text
}

/** True if the service's address comes from the vendors' variables: then their other variables and their dialect apply. */
export function speaksFamily(sources: SettingSources): boolean {
  if (sources.flags.address !== undefined || profileComesFirst(sources)) return false
  return addressVariable(sources)?.source.startsWith('TUG_') === false
}

/**
 * True if `--profile` names a profile that configures the service. It then overrides the environment, so an exported variable cannot
 * redirect a write to another server.
 */
export function profileComesFirst({ flags, profile, service }: SettingSources): boolean {
  return flags.profile !== undefined && service !== undefined && profile?.[service]?.address !== undefined
}

/** The address from the environment: `TUG_…`, then the vendors' variables. */
export function addressVariable(sources: SettingSources): Text | undefined {
  const variable = variableOf(settings.address, sources)
  if (variable !== undefined) return { text: sources.env[variable] as string, source: variable }
  return sources.service === undefined ? undefined : familyValue(sources.service, 'address', sources.env)
}

/** The profile's and the environment's addresses, if they are different servers and no flag decides; the one in use first. */
export function rivalServers(sources: SettingSources): readonly [used: Text, other: Text] | undefined {
  const { flags, profile, profileName, service } = sources
  const saved = service === undefined ? undefined : profile?.[service]?.address
  const variable = addressVariable(sources)
  if (flags.address !== undefined || !saved || variable === undefined) return undefined
  if (isSameServer(saved, variable.text)) return undefined
  const ofProfile = { text: saved, source: `profile ${profileName}` }
  return profileComesFirst(sources) ? [ofProfile, variable] : [variable, ofProfile]
}

/** True if the address in use is not the profile's: a namespace or certificate of one server means nothing to another. */
function isOtherServer(sources: SettingSources): boolean {
  const { flags, profile, service } = sources
  const saved = service === undefined ? undefined : profile?.[service]?.address
  const used = flags.address ?? (profileComesFirst(sources) ? saved : addressVariable(sources)?.text)
  return saved !== undefined && used !== undefined && !isSameServer(saved, used)
}

/** Whether two addresses, however spelled, are the same server. */
export function isSameServer(one: string, other: string): boolean {
  const normal = (text: string) => {
    try {
      const address = parseAddress(text, '')
      return originOf(address) + address.basePath
    } catch {
      return withoutVersion(text)
    }
  }
  return normal(one) === normal(other)
}

/** The variables of the environment that a profile named by `--profile` overrides. */
export function overriddenVariables(sources: SettingSources): string[] {
  if (!profileComesFirst(sources)) return []
  return settingRows.flatMap(([key, setting]) => {
    const variable = variableOf(setting, sources)
    const saved = setting.server === true && key !== 'address' ? savedText(key, sources) : undefined
    return variable === undefined || saved === undefined || saved.text === sources.env[variable] ? [] : [variable]
  })
}

/**
 * Whether the token variable belongs to the address of a profile that comes first: the environment's token goes to the
 * environment's address.
 */
export function trustsTokenVariable(sources: SettingSources): boolean {
  const address = sources.env[variableName(settings.address, sources) as string]
  return !address || isSameServer(address, sources.profile?.[sources.service as ServiceName]?.address as string)
}

/** The value of a setting's `TUG_…` variable. If a profile comes first, variables for another server don't apply. */
function variableText(key: SettingKey, sources: SettingSources): Text | undefined {
  const setting: Setting = settings[key]
  const variable = variableOf(setting, sources)
  if (variable === undefined) return undefined
  if (setting.server === true && profileComesFirst(sources) && !trustsTokenVariable(sources)) return undefined
  return { text: sources.env[variable] as string, source: variable }
}

function variableName({ variables }: Setting, { service }: SettingSources): string | undefined {
  return variables?.all ?? (service === undefined ? undefined : variables?.[service])
}

/** A setting's variable if it is set. */
function variableOf(setting: Setting, sources: SettingSources): string | undefined {
  const name = variableName(setting, sources)
  return name !== undefined && sources.env[name] ? name : undefined
}

function savedText(key: SettingKey, sources: SettingSources): Text | undefined {
  const { profile, profileName, service } = sources
  const setting: Setting = settings[key]
  const place = setting.profile
  if (profile === undefined || place === undefined) return undefined
  const isUsed = (setting.server !== true && key !== 'dialect') || key === 'address' || !isOtherServer(sources)
  const ofService = service === undefined || place === 'profile' || !isUsed ? undefined : profile[service]
  const text =
    ofService?.[settingName(key) as keyof ServiceProfile] ||
    (place === 'service' ? undefined : profile[settingName(key) as 'output' | 'dialect' | 'read_only'])
  if (!text) return undefined
  const source = `profile ${profileName}`
  // A relative path would name another file in every directory.
  if (isPath(settings[key]) && !isAbsolute(String(text)))
    throw usageError(`${source}: ${settingName(key)} is not an absolute path: '${text}'`)
  return { text: String(text), source }
}

/** The value of the vendors' variable for a setting; their address implies their dialect. */
function vendorText(key: SettingKey, sources: SettingSources): Text | undefined {
  const { service, env } = sources
  if (service === undefined || !speaksFamily(sources)) return undefined
  const { family } = settings[key] as Setting
  const found = family === undefined ? undefined : familyValue(service, family, env)
  if (found !== undefined) return found
  if (key !== 'dialect') return undefined
  return { text: 'hashicorp', source: `${addressVariable(sources)?.source} is set` }
}

/** A family's variable for a key. One tool's variables don't apply to the other tool's server. */
export function familyValue(service: ServiceName, key: FamilyKey, env: SettingSources['env']): Text | undefined {
  const names = Object.entries(familyVariables[service])
  const address = key === 'address' ? undefined : familyValue(service, 'address', env)
  for (const [name, meaning] of names) {
    const value = env[name]
    if (meaning !== key || !value) continue
    if (address !== undefined && !belongsTo(name, address)) continue
    if (key === 'headers') return { text: headerLines(value, name), source: name }
    if (key === 'address' && service === 'explorer' && !/^https?:/.test(value)) {
      return { text: `https://${value}`, source: name }
    }
    return { text: value, source: name }
  }
  return undefined

  function belongsTo(name: string, used: Text): boolean {
    const ownAddress = env[`${name.split('_')[0]}_ADDR`]
    return !ownAddress || isSameServer(ownAddress, used.text)
  }
}
