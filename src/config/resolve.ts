import { isAbsolute } from 'node:path'
import { originOf, parseAddress, withoutLogin, withoutVersion } from '../core/address.ts'
import { isYes } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import { isObject, jsonOrNothing } from '../core/json.ts'
import { flagName } from '../core/param.ts'
import type { ServiceName } from '../core/service.ts'
import type { Profile, ServiceProfile } from './profiles.ts'
import type { VendorKey, Flags, Setting, SettingKey, ValueOf } from './settings.ts'
import { vendorVariables, isPath, settingName, settingRows, settings } from './settings.ts'

/** A setting's value and its source. */
export interface Resolved<T = unknown> {
  readonly value: T
  /** The value for display. */
  readonly text: string
  readonly source: string
}

/** Where settings are read from. */
interface GivenSources {
  readonly flags: Flags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly service: ServiceName | undefined
}

/** The sources of settings, and which of them select the server. */
export interface SettingSources extends GivenSources {
  /**
   * True if `--profile` names a profile that configures the service. It then overrides the environment, so an exported variable cannot
   * redirect a write to another server.
   */
  readonly isProfileFirst: boolean
  /** The address from the environment: `TUG_…`, then the vendors' variables. */
  readonly variable: Text | undefined
  /** True if that is a vendor's variable and is used. Their other variables and their dialect then apply. */
  readonly isVendors: boolean
  /** True if the address in use is not the profile's: a namespace or certificate of one server means nothing to another. */
  readonly isOtherServer: boolean
  /** False if a profile comes first and the `TUG_…` variables are for another server: the token there doesn't belong to this one. */
  readonly trustsVariables: boolean
}

/** A value as a string, and the variable or file that it comes from. */
export interface Text {
  readonly text: string
  readonly source: string
}

/** Reads a setting of a session. */
export type ReadSetting = <K extends SettingKey>(key: K) => ReturnType<typeof resolveSetting<K>>

/** Determines which sources select the server. */
export function settingSources(given: GivenSources): SettingSources {
  const { flags, env, profile, service } = given
  const saved = service === undefined ? undefined : profile?.[service]?.address
  const isProfileFirst = flags.profile !== undefined && saved !== undefined
  const tugVariable = variableOf(settings.address, given)
  const variable = tugVariable ?? (service === undefined ? undefined : vendorValue(service, 'address', env))
  const used = flags.address ?? (isProfileFirst ? saved : variable?.text)
  return {
    ...given,
    isProfileFirst,
    variable,
    isVendors: flags.address === undefined && !isProfileFirst && variable !== tugVariable,
    isOtherServer: saved !== undefined && used !== undefined && !isSameServer(saved, used),
    trustsVariables: !isProfileFirst || tugVariable === undefined || isSameServer(tugVariable.text, saved),
  }
}

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
  const flagKey = setting.flagKey ?? key
  const given = sources.flags[flagKey as keyof Flags] as ValueOf<K> | undefined
  const typed = Array.isArray(given) && given.length === 0 ? undefined : given
  const found =
    typed === undefined
      ? untypedText(key, sources)
      : {
          text: key === 'timeout' ? `${Number(typed) / 1000}s` : [typed].flat().join('\n'),
          source: `flag ${flagName(flagKey)}`,
        }
  if (found === undefined) return undefined
  const { text, source } = found
  const texts = key === 'headers' ? text.split('\n').filter((line) => line.trim() !== '') : [text]
  const value = typed ?? ((setting.flag.boolean ? isYes(text) : setting.flag.read(texts, source)) as ValueOf<K>)
  // Addresses are shown without passwords, headers without values.
  if (key === 'address') return { value, text: withoutLogin(text), source }
  return { value, text: key === 'headers' ? text.replaceAll(/[:,].*/g, '').replaceAll('\n', ', ') : text, source }
}

/** The value of a setting that no flag sets. */
function untypedText(key: SettingKey, sources: SettingSources): Text | undefined {
  const setting: Setting = settings[key]
  const { vendorKey, server = false } = setting
  const { service, env } = sources
  const isProfileFirst = server && sources.isProfileFirst
  const tugVariable = isProfileFirst && !sources.trustsVariables ? undefined : variableOf(setting, sources)
  const isOfVendor = sources.isVendors && service !== undefined && vendorKey !== undefined
  const vendorVariable = isOfVendor ? vendorValue(service, vendorKey, env) : undefined
  // A vendor's address implies its dialect.
  const implied =
    sources.isVendors && key === 'dialect'
      ? { text: 'hashicorp', source: `${sources.variable?.source} is set` }
      : undefined
  const saved = savedText(key, sources)
  const found = (isProfileFirst ? saved : undefined) ?? tugVariable ?? vendorVariable ?? implied ?? saved
  return found ?? (setting.default === undefined ? undefined : { text: setting.default, source: 'default' })
}

/** A variable without blanks at its end: in cmd, `set X=value && tug` adds one. */
export function variableIn(env: SettingSources['env'], name: string): string | undefined {
  return env[name]?.replace(/[ \t]+$/, '')
}

/** A setting's `TUG_…` variable if it is set. */
function variableOf({ variables }: Setting, { env, service }: GivenSources): Text | undefined {
  const source = variables?.all ?? (service === undefined ? undefined : variables?.[service])
  const text = source === undefined ? undefined : variableIn(env, source)
  return source !== undefined && text ? { text, source } : undefined
}

function savedText(key: SettingKey, sources: SettingSources): Text | undefined {
  const { profile, profileName, service } = sources
  const setting: Setting = settings[key]
  const place = setting.profile
  if (profile === undefined || place === undefined) return undefined
  const isUsed = (setting.server !== true && key !== 'dialect') || key === 'address' || !sources.isOtherServer
  const ofService = service === undefined || place === 'profile' || !isUsed ? undefined : profile[service]
  const text =
    ofService?.[settingName(key) as keyof ServiceProfile] ||
    (place === 'service' ? undefined : profile[settingName(key) as 'output' | 'dialect' | 'read_only'])
  if (!text) return undefined
  const source = `profile ${profileName}`
  // A relative path would name another file in every directory.
  if (isPath(setting) && !isAbsolute(String(text)))
    throw usageError(`${source}: ${settingName(key)} is not an absolute path: '${text}'`)
  return { text: String(text), source }
}

/** The value of a vendor's variable. Those of one tool don't apply to the other tool's server. */
export function vendorValue(service: ServiceName, key: VendorKey, env: SettingSources['env']): Text | undefined {
  const address = key === 'address' ? undefined : vendorValue(service, 'address', env)
  for (const [source, meaning] of Object.entries(vendorVariables[service])) {
    const text = variableIn(env, source)
    if (meaning !== key || !text) continue
    const ownAddress = env[`${source.split('_')[0]}_ADDR`]
    if (address !== undefined && ownAddress && !isSameServer(ownAddress, address.text)) continue
    if (key === 'headers') {
      // A JSON object of strings, or arrays of strings.
      const headers = jsonOrNothing(text)
      const lines = isObject(headers)
        ? Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
        : undefined
      if (lines === undefined || lines.some(([, value]) => typeof value !== 'string'))
        throw usageError(`${source} is not a JSON object of names and values`)
      return { text: lines.map(([name, value]) => `${name}: ${String(value)}`).join('\n'), source }
    }
    const isHost = key === 'address' && service === 'explorer' && !/^https?:/.test(text)
    return { text: isHost ? `https://${text}` : text, source }
  }
  return undefined
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

/** A warning if profile and variables name different servers, or if a profile chosen with `--profile` overrides variables. */
export function serverWarning(sources: SettingSources): string | undefined {
  const { flags, env, profile, profileName, service, isProfileFirst, variable } = sources
  if (flags.address === undefined && service !== undefined && variable !== undefined) {
    const address = profile?.[service]?.address
    const saved = address ? [{ text: address, source: `profile ${profileName}` }] : []
    const vendors = Object.entries(vendorVariables[service]).flatMap(([name, key]) =>
      key === 'address' ? (vendorValue(service, key, { [name]: env[name] }) ?? []) : [],
    )
    const [used, ...others] = [...(isProfileFirst ? [...saved, variable] : [variable, ...saved]), ...vendors]
    const other = others.find(({ text }) => used !== undefined && !isSameServer(text, used.text))
    const named = ({ text, source }: Text) => `${withoutLogin(text)} (${source})`
    if (used !== undefined && other !== undefined) return `using ${named(used)}, not ${named(other)}`
  }
  if (!isProfileFirst) return undefined
  const overridden = settingRows.flatMap(([key, setting]) => {
    const text = setting.server === true && key !== 'address' ? savedText(key, sources)?.text : undefined
    const ofKey = text === undefined ? undefined : variableOf(setting, sources)
    return ofKey === undefined || text === ofKey.text ? [] : [ofKey.source]
  })
  if (overridden.length === 0) return undefined
  return `profile ${profileName} overrides ${overridden.join(', ')}, because it was chosen with --profile`
}
