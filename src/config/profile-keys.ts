import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/words.ts'
import type { ServiceName } from '../core/service.ts'
import { serviceNames } from '../core/service.ts'
import { parseAddress } from '../core/address.ts'
import { commandLine } from '../core/shell.ts'
import type { Setting } from './settings.ts'
import { pathOf, isPath, settingName, settingRows, vendorVariables } from './settings.ts'
import type { Profile, ServiceProfile } from './profiles.ts'
import { flagName } from '../core/param.ts'
import { lookUp } from '../core/json.ts'

/** Checks a value and returns the stored form. Throws a usage error. */
type Check = (value: string, key: string, cwd: () => string) => string

/** A check that doesn't change the value. */
function unchanged(check: (value: string, key: string) => unknown): Check {
  return (value, key) => {
    check(value, key)
    return value
  }
}

const yesOrNo = unchanged((value, key) => {
  if (!['true', 'false'].includes(value)) throw usageError(`${key}: '${value}' is not one of true, false`)
})

/** Checks of profile keys, mostly the parsers of the settings' flags. */
const serviceChecks: Readonly<Record<ServiceName, Readonly<Record<string, Check>>>> = {
  explorer: checksOf('explorer'),
  secrets: checksOf('secrets'),
  scheduler: checksOf('scheduler'),
}

const profileChecks: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    settingRows
      .filter(([, { profile }]) => profile === 'profile' || profile === 'both')
      .map(([key, setting]) => [settingName(key), checkOf(setting)]),
  ),
  protected: yesOrNo,
}

/** Every key that `profile set` takes, with its meaning: `secrets.address`, `output`, … */
export const profileKeys: readonly (readonly [key: string, meaning: string])[] = [
  ...settingRows.flatMap(([key, { flag, profile, services }]) => {
    const name = settingName(key)
    if (profile === undefined) return []
    const ofService = `${services?.join('|') ?? '<service>'}.${name}`
    const keys = { profile: [name], service: [ofService], both: [name, ofService] }[profile]
    return keys.map((spelled) => [spelled, flag.summary] as const)
  }),
  ['<service>.token_command', 'shell command that prints the token'],
  ['protected', 'true: writes ask for the name of the profile first'],
]

function checksOf(service: ServiceName): Readonly<Record<string, Check>> {
  const rows = settingRows.filter(
    ([, { profile, services }]) =>
      (profile === 'service' || profile === 'both') && (services?.includes(service) ?? true),
  )
  return {
    ...Object.fromEntries(rows.map(([key, setting]) => [settingName(key), checkOf(setting)])),
    address: unchanged((value, key) => {
      if (parseAddress(value, key).login !== undefined)
        throw usageError(
          `${key}: an address with a password is not saved`,
          'NOMAD_HTTP_AUTH and TUG_<SERVICE>_ADDR may have one',
        )
    }),
    token_command: unchanged(() => undefined),
  }
}

function checkOf(setting: Setting): Check {
  const { flag } = setting
  // A profile must mean the same files in every directory.
  if (isPath(setting)) return (value, _, cwd) => pathOf(value, cwd)
  return flag.boolean ? yesOrNo : unchanged((value, key) => flag.read([value], key))
}

const keysHint = 'tug profile set --help lists the keys'

const allKeys: readonly string[] = [
  ...Object.keys(profileChecks),
  ...serviceNames.flatMap((service) => Object.keys(serviceChecks[service]).map((key) => `${service}.${key}`)),
]

/**
 * Applies one `key=value` to a profile; an empty value removes the key, a relative path becomes absolute. Throws a usage error for an
 * unknown key, an invalid value, and a token, which is never part of a profile.
 */
export function withProfileValue(
  profile: Profile,
  assignment: string,
  { profileName, cwd }: { readonly profileName: string; readonly cwd: () => string },
): Profile {
  const equals = assignment.indexOf('=')
  if (equals <= 0) throw usageError(`'${assignment}' is not of the form key=value`, keysHint)
  const key = normalKey(assignment.slice(0, equals))
  const typed = assignment.slice(equals + 1)
  const [service, name] = key.split('.') as [ServiceName, keyof ServiceProfile | undefined]
  const check = checkOfKey(key)
  if (check === undefined) {
    if (/(?:^|\.)token$/.test(key)) {
      throw usageError(
        'a profile does not contain tokens',
        `store it: ${commandLine(['-p', profileName], `login ${name === undefined ? '<service>' : service}`)}`,
      )
    }
    const ofServices = allKeys.filter((one) => one.endsWith(`.${key}`))
    const hint = ofServices.length > 0 ? `keys: ${ofServices.join(', ')}` : keysHint
    throw usageError(`a profile has no '${key}'${didYouMean(key, allKeys)}`, hint)
  }
  const value = typed === '' ? '' : check(typed, key, cwd)
  if (name === undefined) return changed(profile, key, value)
  const { [service]: before = {}, ...others } = profile
  const after = changed(before, name, value)
  return Object.keys(after).length === 0 ? others : { ...others, [service]: after }
}

/** Whether errors may show the value of this profile key: a command that prints a token may contain a password. */
export function isShownKey(typed: string): boolean {
  const key = normalKey(typed)
  return checkOfKey(key) !== undefined && !key.endsWith('.token_command')
}

function checkOfKey(key: string): Check | undefined {
  const [service, name] = key.split('.') as [string, string?]
  const checks = name === undefined ? profileChecks : lookUp(serviceChecks, service)
  return checks && lookUp(checks, name ?? key)
}

/** `secrets-addr`, `SECRETS.ADDR` and `TUG_SECRETS_ADDR` mean `secrets.address`; a key that only one service has needs no prefix. */
function normalKey(typed: string): string {
  const key = typed
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^tug_/, '')
    .replace(/^(explorer|secrets|scheduler)_/, '$1.')
    .replace(/(^|\.)addr$/, '$1address')
    .replace(/(^|\.)organization$/, '$1org')
  const owners = serviceNames.filter((service) => Object.hasOwn(serviceChecks[service], key))
  return owners.length === 1 ? `${owners[0]}.${key}` : key
}

function changed<T extends object>(object: T, key: string, value: string): T {
  const { [key as keyof T]: _, ...rest } = object
  return (value === '' ? rest : { ...rest, [key]: value }) as T
}

/** The table of settings as manual, reference and help topics show it. */
export function settingFacts() {
  const vendors = Object.entries(vendorVariables).map(([service, names]) => [service, Object.keys(names)] as const)
  const vendorKeys = Object.values(vendorVariables).flatMap((names) => Object.entries(names))
  const rows = settingRows.map(([key, setting]) => {
    const { flag, flagKey, hasNoFlag, meaning, variables, vendorKey, profile, services } = setting
    const name = settingName(key)
    const owner = services?.length === 1 ? services[0] : '<service>'
    return {
      meaning: meaning ?? flag.summary,
      flag: hasNoFlag === true ? undefined : flagName(flagKey ?? key),
      variables: [...new Set(Object.values(variables ?? {}))],
      profileKey: profile === undefined ? undefined : profile === 'profile' ? name : `${owner}.${name}`,
      default: flag.defaultText,
      vendorVariables: vendorKeys.filter(([, one]) => one === vendorKey).map(([variable]) => variable),
    }
  })
  return { rows, vendors }
}
