import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathsOf } from '../core/environment.ts'
import { TugError, usageError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import type { ServiceName } from '../core/service.ts'
import { serviceNames } from '../core/service.ts'
import { shellQuote } from '../core/shell.ts'
import { didYouMean, fileReason, refuseUtf16, withoutMark } from '../core/words.ts'
import { mayWait } from './files.ts'

/** A profile's settings for one service. */
export interface ServiceProfile {
  readonly address?: string
  readonly namespace?: string
  readonly org?: string
  readonly region?: string
  readonly dialect?: string
  /** `community`, as `login` has found: the server ignores namespaces. */
  readonly edition?: string
  readonly kv_mount?: string
  readonly kmip_mount?: string
  readonly list_method?: string
  readonly ca_cert?: string
  readonly ca_path?: string
  readonly client_cert?: string
  readonly client_key?: string
  readonly tls_server_name?: string
  readonly insecure?: string
  /** One per line. */
  readonly headers?: string
  readonly timeout?: string
  readonly retries?: string
  readonly parallel?: string
  readonly rate?: string
  readonly max_failures?: string
  readonly max_connections?: string
  /** A shell command that prints the token. */
  readonly token_command?: string
}

/** The warning for a namespace that the server ignores. */
export const ignoredNamespace = (namespace: string) =>
  `the server is Vault's community edition, which ignores namespaces: '${namespace}' is its root`

/** A saved profile. */
export interface Profile extends Partial<Record<ServiceName, ServiceProfile>> {
  readonly output?: string
  readonly dialect?: string
  /** `true`: writes ask for the profile's name. */
  readonly protected?: string
  /** `true`: as `--read-only`, which no flag can undo. */
  readonly read_only?: string
}

export interface ConfigFile {
  /** The current profile, used when none is named. */
  readonly current?: string
  readonly profiles?: Readonly<Record<string, Profile>>
}

/** A token that `login` stored, and the origin that it may be sent to. */
export interface StoredToken {
  readonly token: string
  readonly origin: string
  /** Settings that `login` saved in the profile with the token, and `logout` removes. */
  readonly settings?: ServiceProfile
}

/** Tokens by profile and service, in a file of their own. */
export type CredentialsFile = Readonly<Record<string, Partial<Record<ServiceName, StoredToken>>>>

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The folder of the configuration: `TUG_CONFIG_DIR`, else the platform's place; empty without a home folder. A relative
 * `XDG_CONFIG_HOME` is ignored, as its standard requires: configuration never comes from the current directory. On Windows it is the
 * local folder, so tokens don't roam to other machines.
 */
export function configFolder(env: Environment, home: string, platform: string): string {
  if (env['TUG_CONFIG_DIR']) return env['TUG_CONFIG_DIR']
  const paths = pathsOf(platform)
  const absolute = (folder = '') => (paths.isAbsolute(folder) ? folder : '')
  const base =
    platform === 'win32'
      ? absolute(env['LOCALAPPDATA']) || (home && paths.join(home, 'AppData', 'Local'))
      : absolute(env['XDG_CONFIG_HOME']) || (home && paths.join(home, '.config'))
  return base && paths.join(base, 'tug')
}

export const configFileName = 'config.json'
export const credentialsFileName = 'credentials.json'

/**
 * The configuration; empty if the file doesn't exist. Throws for a file that cannot be read or has another shape. Every command reads
 * it, so this doesn't wait for conf to load, which takes as long as a request; what changes the file reads it by conf (`write.ts`).
 */
export function readConfig(folder: string): ConfigFile {
  const file = join(folder, configFileName)
  const config = folder === '' ? undefined : readJsonFile(file)
  if (config === undefined) return {}
  const { current, profiles = {} } = config
  if (current !== undefined && typeof current !== 'string') throw wrongShape(file, 'current', 'the name of a profile')
  for (const [name, profile] of Object.entries(objectAt(file, 'profiles', profiles))) {
    const place = `profiles/${name}`
    const settings = objectAt(file, place, profile)
    for (const [key, value] of Object.entries(settings)) {
      if (!serviceNames.some((service) => service === key)) settings[key] = stringAt(file, `${place}/${key}`, value)
      else {
        const ofService = objectAt(file, `${place}/${key}`, value)
        for (const [inner, text] of Object.entries(ofService))
          ofService[inner] = stringAt(file, `${place}/${key}/${inner}`, text)
      }
    }
  }
  return config
}

/** The stored tokens; empty if the file doesn't exist. */
export function readCredentials(folder: string): CredentialsFile {
  const file = join(folder, credentialsFileName)
  const credentials = folder === '' ? undefined : readJsonFile(file)
  if (credentials === undefined) return {}
  for (const [name, services] of Object.entries(credentials)) {
    for (const [service, stored] of Object.entries(objectAt(file, name, services))) {
      const place = `${name}/${service}`
      const { token, origin } = objectAt(file, place, stored)
      if (typeof token !== 'string' || typeof origin !== 'string')
        throw wrongShape(file, place, 'an object with a token and an origin')
    }
  }
  return credentials as CredentialsFile
}

function objectAt(file: string, place: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw wrongShape(file, place, 'an object')
}

/** The value as a string: hand-written `true` and `7` mean the same as `"true"` and `"7"`. */
function stringAt(file: string, place: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw wrongShape(file, place, 'a string')
}

function wrongShape(file: string, place: string, wanted: string): TugError {
  return new TugError('failed', `${file}: '${place}' is not ${wanted}`, { hints: [fixHint(file)] })
}

/** How to repair a file of the configuration. */
export function fixHint(file: string): string {
  const again = file.endsWith(credentialsFileName) ? 'tug login <service>' : 'tug profile set <name> …'
  return `fix the file by hand, or move it away and run: ${again}`
}

/**
 * Why programs named in the configuration must not be run, and the command that fixes it: the file, its folder or the target of a
 * link belongs to a user other than `uid` and root, or is writable by others. Undefined if it is safe.
 */
export function whoElseWrites(folder: string, uid: number | undefined): { why: string; remedy: string } | undefined {
  if (uid === undefined) return undefined
  const file = realpathSync(join(folder, configFileName))
  for (const path of new Set([folder, dirname(file), file])) {
    const { uid: owner, mode } = statSync(path)
    if (owner !== uid && owner !== 0)
      return { why: `${path} belongs to another user`, remedy: `sudo chown ${uid} ${shellQuote(path)}` }
    if ((mode & 0o022) !== 0)
      return { why: `${path} can be changed by others`, remedy: `chmod go-w ${shellQuote(path)}` }
  }
  return undefined
}

/** A warning for each of the two files if other users can read it. */
export function wideFiles(folder: string, platform: string): string[] {
  if (platform === 'win32' || folder === '') return []
  return [configFileName, credentialsFileName].flatMap((name) => {
    const file = join(folder, name)
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & 0o077) === 0) return []
    return [`${file} can be read by others (mode ${(mode & 0o777).toString(8)}); fix it: chmod 600 ${shellQuote(file)}`]
  })
}

function readJsonFile(file: string): Record<string, unknown> | undefined {
  let content: Buffer
  try {
    if (mayWait(file)) throw new TugError('failed', `${file} is not a regular file`)
    content = readFileSync(file)
  } catch (error) {
    if (error instanceof TugError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TugError('failed', `cannot read ${file}: ${fileReason(error)}`, { cause: error })
  }
  refuseUtf16(content, file)
  try {
    const value: unknown = JSON.parse(withoutMark(content.toString()))
    if (isObject(value)) return value
  } catch {
    // Reported below, without the parser's message: it may quote the file.
  }
  throw new TugError('failed', `${file} is not a JSON object`, { hints: [fixHint(file)] })
}

/** The usage error for a profile that doesn't exist. */
export function noSuchProfile(asked: string, { profiles = {} }: ConfigFile): TugError {
  const names = Object.keys(profiles)
  const hint =
    names.length === 0
      ? `create it: tug profile set ${shellQuote(asked)} secrets.address=https://…`
      : `profiles: ${names.join(', ')}`
  return usageError(`there is no profile '${asked}'${didYouMean(asked, names)}`, hint)
}
