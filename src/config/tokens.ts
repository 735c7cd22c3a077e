import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { TugError, usageError } from '../core/errors.ts'
import type { ServiceName } from '../core/request.ts'
import { originOf, parseAddress } from '../http/address.ts'
import { familyToken } from './families.ts'
import type { CredentialsFile, Profile } from './profiles.ts'

/** Where a service's token may come from. */
export interface TokenSources {
  readonly service: ServiceName
  /** `--token-file`. */
  readonly file: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly credentials: CredentialsFile
  /** The origin that the token would go to, and where that address comes from. */
  readonly origin: string
  readonly address: string
  /** True when the vendors' own variables give the address. */
  readonly family: boolean
  /** Reads `-`. */
  readonly readStdin: () => Promise<string>
  /** Runs a `token_command` and gives back what it prints. */
  readonly runCommand: (command: string) => Promise<string>
  readonly warn: (line: string) => void
}

/** A place that a token would come from, and how to get it. */
export interface TokenSource {
  readonly source: string
  readonly read: () => Promise<string> | string
}

/**
 * Finds where the token comes from: `--token-file`, the service's variable, what `login` stored or the profile's
 * `token_command`, the vendors' variables and files. A stored token goes only to the origin that it was stored for.
 */
export function tokenSource(sources: TokenSources): TokenSource | undefined {
  const { service, env, profile, profileName } = sources
  if (sources.file !== undefined) {
    const file = sources.file
    return {
      source: `--token-file ${file}`,
      read: () => (file === '-' ? sources.readStdin() : readTokenFile(file, sources.cwd)),
    }
  }
  const variable = `TUG_${service.toUpperCase()}_TOKEN`
  const value = env[variable]
  if (value) return { source: variable, read: () => value }
  const stored = sources.credentials[profileName]?.[service]
  if (stored !== undefined) {
    if (stored.origin === sources.origin) return { source: `login (profile ${profileName})`, read: () => stored.token }
    sources.warn(`the stored ${service} token is for ${stored.origin}; it is not sent to ${sources.origin}`)
  }
  const commandLine = profile?.[service]?.token_command
  if (commandLine !== undefined && commandLine !== '') {
    const own = profile?.[service]?.address
    if (own === undefined || originOf(parseAddress(own, `profile ${profileName}`)) === sources.origin) {
      return { source: `token_command of profile ${profileName}`, read: () => sources.runCommand(commandLine) }
    }
    sources.warn(
      `the token_command of profile ${profileName} is for ${own}; its token is not sent to ${sources.origin}`,
    )
  }
  if (!sources.family) return undefined
  const found = familyToken(service, sources.address, env, sources.home)
  return found === undefined ? undefined : { source: found.source, read: () => found.value }
}

/** The token itself, checked: printable ASCII without blanks. It is never part of an error. */
export async function readToken({ source, read }: TokenSource): Promise<string> {
  const token = (await read()).replace(/\r?\n$/, '')
  if (token === '') throw new TugError('not_allowed', `the token from ${source} is empty`)
  if (!/^[\u0021-\u007e]+$/.test(token)) {
    throw usageError(
      `the token from ${source} holds a blank, a line break or another character that no token has`,
      'a token is one line of printable ASCII; was a whole file pasted?',
    )
  }
  return token
}

function readTokenFile(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw usageError(`--token-file: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
}
