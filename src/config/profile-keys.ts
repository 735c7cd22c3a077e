import { formats } from '../core/context.ts'
import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { readInteger } from '../core/param.ts'
import type { ServiceName } from '../core/request.ts'
import { serviceNames } from '../core/request.ts'
import { parseAddress } from '../http/address.ts'
import type { Profile, ServiceProfile } from './profiles.ts'
import { dialects } from './flags.ts'

type Check = (value: string, key: string) => void

const any: Check = () => undefined
const yesOrNo: Check = (value, key) => oneOf(['true', 'false'])(value, key)
const oneOf =
  (choices: readonly string[]): Check =>
  (value, key) => {
    if (!choices.includes(value)) throw usageError(`${key}: '${value}' is not one of ${choices.join(', ')}`)
  }
const reads =
  (read: (value: string) => unknown): Check =>
  (value, key) => {
    try {
      read(value)
    } catch (error) {
      throw usageError(`${key}: ${(error as Error).message}`)
    }
  }

/** What a profile may hold of each service, and how its values are checked. */
const ofEvery: Readonly<Partial<Record<keyof ServiceProfile, Check>>> = {
  address: (value, key) => void parseAddress(value, key),
  dialect: oneOf(dialects),
  ca_cert: any,
  client_cert: any,
  client_key: any,
  tls_server_name: any,
  insecure: yesOrNo,
  timeout: reads(parseDuration),
  retries: reads((value) => readInteger(value, 0, 100)),
  token_command: any,
}

const checks: Readonly<Record<ServiceName, Readonly<Partial<Record<keyof ServiceProfile, Check>>>>> = {
  explorer: { ...ofEvery, org: any },
  secrets: { ...ofEvery, namespace: any, kv_mount: any, kmip_mount: any, list_method: oneOf(['get', 'list']) },
  scheduler: { ...ofEvery, namespace: any, region: any },
}

const ofProfile: Readonly<Record<string, Check>> = {
  output: oneOf(formats),
  dialect: oneOf(dialects),
  protected: yesOrNo,
}

/** Every key that `profile set` takes: `secrets.address`, `output`, … */
const profileKeys: readonly string[] = [
  ...Object.keys(ofProfile),
  ...serviceNames.flatMap((service) => Object.keys(checks[service]).map((key) => `${service}.${key}`)),
]

/**
 * Applies one `key=value` to a profile; an empty value removes the key. Throws a usage error for a key that there is not, a
 * value that its check refuses, and for a token, which is no part of a profile.
 */
export function withProfileValue(profile: Profile, assignment: string): Profile {
  const equals = assignment.indexOf('=')
  if (equals <= 0) throw usageError(`'${assignment}' is not of the form key=value`, `keys: ${profileKeys.join(', ')}`)
  const key = normalKey(assignment.slice(0, equals))
  const value = assignment.slice(equals + 1)
  const [service, name] = key.split('.') as [ServiceName, keyof ServiceProfile | undefined]
  const check = name === undefined ? ofProfile[key] : checks[service]?.[name]
  if (check === undefined) {
    if (/(?:^|\.)token$/.test(key)) {
      throw usageError(
        'a token is no part of a profile',
        `store it: tug login ${name === undefined ? '<service>' : service}`,
      )
    }
    throw usageError(`a profile has no '${key}'.${didYouMean(key, profileKeys)}`, `keys: ${profileKeys.join(', ')}`)
  }
  if (value !== '') check(value, key)
  if (name === undefined) return changed(profile, key, value)
  return { ...profile, [service]: changed(profile[service] ?? {}, name, value) }
}

/** `secrets-addr`, `SECRETS.ADDR` and `TUG_SECRETS_ADDR` mean `secrets.address`; a key that one service alone has needs no service. */
function normalKey(typed: string): string {
  const key = typed
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^tug_/, '')
    .replace(/^(explorer|secrets|scheduler)_/, '$1.')
    .replace(/(^|\.)addr$/, '$1address')
    .replace(/(^|\.)organization$/, '$1org')
  if (key.includes('.') || Object.hasOwn(ofProfile, key)) return key
  const owners = serviceNames.filter((service) => Object.hasOwn(checks[service], key))
  return owners.length === 1 ? `${owners[0]}.${key}` : key
}

function changed<T extends object>(object: T, key: string, value: string): T {
  const { [key as keyof T]: _, ...rest } = object
  return (value === '' ? rest : { ...rest, [key]: value }) as T
}
