import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { TugError, usageError } from '../core/errors.ts'
import type { ServiceName } from '../core/request.ts'
import { serviceVariable } from '../core/request.ts'
import { isLoopback, originOf, parseAddress, socketHost } from '../core/address.ts'
import { fileReason, fileText, withoutMark } from '../core/words.ts'
import { pathOf } from './settings.ts'
import type { CredentialsFile, Profile } from './profiles.ts'
import type { Text } from './resolve.ts'
import { familyValue } from './resolve.ts'

/** Sources of a service's token. */
export interface TokenSources {
  readonly service: ServiceName
  /** `--token-file`. */
  readonly file: string | undefined
  /** Whether the service's variable comes before or after the profile, or belongs to another address. */
  readonly variable: 'first' | 'last' | 'ignored'
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: string
  readonly cwd: () => string
  readonly profileName: string
  readonly profile: Profile | undefined
  readonly credentials: CredentialsFile
  /** The origin that the token would be sent to, and the source of that address. */
  readonly origin: string
  readonly address: string
  /** True if the address comes from the vendors' variables. */
  readonly family: boolean
  /** True if the address comes from the environment. */
  readonly isFromEnvironment: boolean
  /** Reads `-`. */
  readonly readStdin: () => Promise<string>
  /** Runs a `token_command` and returns its output. */
  readonly runCommand: (command: string) => Promise<string>
  readonly warn: (line: string) => void
}

/** A token source, and how to read it. */
export interface TokenSource {
  readonly source: string
  readonly read: () => Promise<string> | string
}

/**
 * Finds the token's source: `--token-file`, the service's variable, the vendors' variables and files, the token that `login` stored, or
 * the profile's `token_command`. A stored token goes only to the origin that it was stored for.
 */
export function tokenSource(sources: TokenSources): TokenSource | undefined {
  const { file, variable } = sources
  if (file !== undefined) {
    return {
      source: `--token-file ${file}`,
      read: () => (file === '-' ? sources.readStdin() : readTokenFile(file, sources.cwd)),
    }
  }
  return (
    (variable === 'first' ? fromVariable(sources) : undefined) ??
    (sources.family ? fromFamily(sources) : undefined) ??
    fromLogin(sources) ??
    fromCommand(sources) ??
    (variable === 'last' ? fromVariable(sources) : undefined)
  )
}

/** True for a token's source that is a variable. */
export function isVariable(source: string): boolean {
  return /^(?:[A-Z][A-Z0-9_]*|TF_TOKEN_\w+)$/.test(source)
}

function fromVariable({ service, env }: TokenSources): TokenSource | undefined {
  const source = serviceVariable(service, 'TOKEN')
  const value = env[source]
  return value ? { source, read: () => value } : undefined
}

function fromLogin({ service, credentials, profileName, origin, warn }: TokenSources): TokenSource | undefined {
  const stored = credentials[profileName]?.[service]
  if (stored === undefined) return undefined
  if (stored.origin === origin) return { source: `login (profile ${profileName})`, read: () => stored.token }
  warn(`the stored ${service} token is for ${stored.origin}; it is not sent to ${origin}`)
  return undefined
}

function fromCommand(sources: TokenSources): TokenSource | undefined {
  const { service, profile, profileName, origin } = sources
  const { token_command: line, address } = profile?.[service] ?? {}
  if (line === undefined || line === '') return undefined
  const isFor = (stored: string) => originOf(parseAddress(stored, `profile ${profileName}`)) === origin
  if (address === undefined ? !sources.isFromEnvironment : isFor(address))
    return { source: `token_command of profile ${profileName}`, read: () => sources.runCommand(line) }
  const owner = address === undefined ? 'has no address' : `is for ${address}`
  sources.warn(`the token_command of profile ${profileName} ${owner}; its token is not sent to ${origin}`)
  return undefined
}

function fromFamily(sources: TokenSources): TokenSource | undefined {
  const found = familyToken(sources.service, sources.address, sources)
  return found === undefined ? undefined : { source: found.source, read: () => found.text }
}

/** The token itself, checked: printable ASCII without blanks. It is never part of an error. */
export async function readToken({ source, read }: TokenSource): Promise<string> {
  const token = (await read()).replace(/\r?\n$/, '')
  if (token === '') throw new TugError('not_allowed', `the token from ${source} is empty`)
  if (!/^[\u0021-\u007e]+$/.test(token)) {
    throw usageError(
      `the token from ${source} contains a blank, a line break or another character that cannot be part of a token`,
      'a token is one line of printable ASCII; was a whole file pasted?',
    )
  }
  return token
}

function readTokenFile(file: string, cwd: () => string): string {
  const path = pathOf(file, cwd)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw usageError(`--token-file: cannot read ${file}: ${fileReason(error)}`)
  }
  return fileText(bytes, `--token-file ${file}`)
}

/** A family's token for its own address: its variables, then the files written by the vendors' tools. */
export function familyToken(
  service: ServiceName,
  address: string,
  { env, home, platform }: Pick<TokenSources, 'env' | 'home' | 'platform'>,
): Text | undefined {
  const direct = familyValue(service, 'token', env)
  if (direct !== undefined) return direct
  if (service === 'secrets') {
    const file = env['BAO_TOKEN_PATH'] || env['VAULT_TOKEN_PATH'] || join(home, '.vault-token')
    const token = readIfThere(file)?.trim()
    return token ? { text: token, source: file } : undefined
  }
  if (service !== 'explorer') return undefined
  const host = terraformHost(address)
  if (host === undefined) return undefined
  const name = `TF_TOKEN_${host.replaceAll('-', '__').replaceAll('.', '_')}`
  const token = env[name]
  if (token) return { text: token, source: name }
  const folder = platform === 'win32' ? join(env['APPDATA'] ?? '', 'terraform.d') : join(home, '.terraform.d')
  return tokenFromCredentialsFile(join(folder, 'credentials.tfrc.json'), host)
}

function tokenFromCredentialsFile(file: string, host: string): Text | undefined {
  const content = readIfThere(file)
  if (content === undefined) return undefined
  try {
    const stored = JSON.parse(content) as { credentials?: Record<string, { token?: unknown }> }
    const token = stored.credentials?.[host]?.token
    return typeof token === 'string' && token !== '' ? { text: token, source: file } : undefined
  } catch {
    return undefined
  }
}

function readIfThere(file: string): string | undefined {
  // Without a home folder, a file in the current directory must not be used.
  if (!isAbsolute(file)) return undefined
  try {
    return withoutMark(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * The name under which Terraform keeps a token: the host, with its port if that isn't 443. Undefined for plain HTTP; on loopback, the
 * host alone.
 */
function terraformHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (isLoopback(socketHost(url))) return url.hostname
  return url.protocol === 'https:' ? url.host : undefined
}
