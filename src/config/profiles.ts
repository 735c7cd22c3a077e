import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { TugError } from '../core/errors.ts'
import type { ServiceName } from '../core/request.ts'

/** What a profile may say of one service. */
export interface ServiceProfile {
  readonly address?: string
  readonly namespace?: string
  readonly org?: string
  readonly region?: string
  readonly dialect?: string
  readonly kv_mount?: string
  readonly kmip_mount?: string
  readonly list_method?: string
  readonly ca_cert?: string
  readonly client_cert?: string
  readonly client_key?: string
  readonly tls_server_name?: string
  readonly insecure?: string
  readonly timeout?: string
  readonly retries?: string
  /** A command line whose output is the token; run by the shell. */
  readonly token_command?: string
}

/** A saved profile. */
export interface Profile extends Partial<Record<ServiceName, ServiceProfile>> {
  readonly output?: string
  readonly dialect?: string
  /** `true`: writes ask for the profile's name. */
  readonly protected?: string
}

export interface ConfigFile {
  /** The profile used when none is named. */
  readonly current?: string
  readonly profiles?: Readonly<Record<string, Profile>>
}

/** A token that `login` stored, and the origin that it may be sent to. */
export interface StoredToken {
  readonly token: string
  readonly origin: string
}

/** Tokens by profile and service, in a file of their own. */
export type CredentialsFile = Readonly<Record<string, Partial<Record<ServiceName, StoredToken>>>>

type Environment = Readonly<Record<string, string | undefined>>

/** The folder of the configuration: `TUG_CONFIG_DIR`, else the platform's place. */
export function configFolder(env: Environment, home: string, platform: string): string {
  if (env['TUG_CONFIG_DIR']) return env['TUG_CONFIG_DIR']
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'tug')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'tug')
}

export const configFileName = 'config.json'
export const credentialsFileName = 'credentials.json'

/** The configuration; empty where there is no file. Throws for a file that cannot be read or is no JSON object. */
export function readConfig(folder: string): ConfigFile {
  return readJsonFile<ConfigFile>(join(folder, configFileName)) ?? {}
}

/** The stored tokens; empty where there is no file. */
export function readCredentials(folder: string): CredentialsFile {
  return readJsonFile<CredentialsFile>(join(folder, credentialsFileName)) ?? {}
}

/** A warning for each of the two files that others than the owner may read. */
export function wideFiles(folder: string, platform: string): string[] {
  if (platform === 'win32') return []
  return [configFileName, credentialsFileName].flatMap((name) => {
    const file = join(folder, name)
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & 0o077) === 0) return []
    return [`${file} can be read by others (mode ${(mode & 0o777).toString(8)}); mend it: chmod 600 ${file}`]
  })
}

function readJsonFile<T>(file: string): T | undefined {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TugError('failed', `cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T
  } catch {
    // Said below, without the parser's words: they may quote the file.
  }
  throw new TugError('failed', `${file} is not a JSON object`, {
    hints: [`mend it by hand, or move it away and run: tug profile set <name> …`],
  })
}
