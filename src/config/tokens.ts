import { readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { TugError, usageError } from '../core/errors.ts'
import { at } from '../core/answer.ts'
import { jsonOrNothing } from '../core/json.ts'
import type { ServiceName } from '../core/service.ts'
import { serviceVariable } from '../core/service.ts'
import type { Address } from '../core/address.ts'
import { isLoopback, originOf, parseAddress, socketHost } from '../core/address.ts'
import { fileReason, fileText, refuseUtf16, withoutMark } from '../core/words.ts'
import type { CommandSettings, Io } from '../core/context.ts'
import type { Host } from '../process/host.ts'
import { mayWait, readInput } from './files.ts'
import type { CredentialsFile } from './profiles.ts'
import { whoElseWrites } from './profiles.ts'
import type { ReadSetting, SettingSources } from './resolve.ts'
import { variableIn, vendorValue } from './resolve.ts'
import { pathOf } from './settings.ts'

/** A token source, and how to read it. */
export interface TokenSource {
  /** The variable, file or command. */
  readonly source: string
  readonly isVariable?: boolean
  readonly read: () => Promise<string> | string
}

/** The settings of the service whose token is read. */
interface ServiceSettings {
  readonly service: ServiceName | undefined
  readonly sources: SettingSources
  readonly saved: { readonly folder: string; readonly credentials: CredentialsFile }
  readonly setting: ReadSetting
  readonly commandSettings: Pick<CommandSettings, 'timeout'>
  address(): Address
}

/** Dependencies for reading a token. `signal` ends a `token_command`. */
interface TokenReaders {
  readonly host: Host
  readonly io: Pick<Io, 'readText' | 'warn'>
  readonly signal: AbortSignal
}

/**
 * Finds the token's source: `--token-file`, the service's variable, the vendors' variables and files, the token that `login` stored, or
 * the profile's `token_command`. A stored token goes only to the origin that it was stored for.
 */
export function tokenSource(session: ServiceSettings, { host, io, signal }: TokenReaders): TokenSource | undefined {
  const { service, sources, saved } = session
  if (service === undefined) return undefined
  const { flags, env, isProfileFirst, profileName, profile } = sources
  const origin = originOf(session.address())
  const file = flags.tokenFile
  if (file !== undefined) {
    return {
      source: `--token-file ${file}`,
      read: () => (file === '-' ? io.readText('-') : readTokenFile(file, session, { host, signal })),
    }
  }
  const name = serviceVariable(service, 'TOKEN')
  const value = variableIn(env, name)
  const ofVariable = value ? { source: name, isVariable: true, read: () => value } : undefined
  if (!isProfileFirst && ofVariable !== undefined) return ofVariable
  const vendors = sources.isVendors ? vendorToken(service, session.setting('address')?.value ?? '', host) : undefined
  if (vendors !== undefined) return vendors
  const stored = saved.credentials[profileName]?.[service]
  if (stored?.origin === origin) return { source: `login (profile ${profileName})`, read: () => stored.token }
  if (stored !== undefined) io.warn(`the stored ${service} token is for ${stored.origin}; it is not sent to ${origin}`)
  const { token_command: command, address } = profile?.[service] ?? {}
  if (command) {
    const isFromEnvironment = flags.address === undefined && !isProfileFirst && sources.variable !== undefined
    const isForOrigin =
      address === undefined ? !isFromEnvironment : originOf(parseAddress(address, `profile ${profileName}`)) === origin
    if (isForOrigin)
      return {
        source: `token_command of profile ${profileName}`,
        async read() {
          const other = whoElseWrites(saved.folder, host.uid)
          if (other !== undefined)
            throw usageError(
              `${other.why}, so the token_command of profile ${profileName} is not run`,
              `check the command, then: ${other.remedy}`,
            )
          const { timeout } = session.commandSettings
          return (await import('./token-command.ts')).runTokenCommand(command, host, { signal, timeout })
        },
      }
    const owner = address === undefined ? 'has no address' : `is for ${address}`
    io.warn(`the token_command of profile ${profileName} ${owner}; its token is not sent to ${origin}`)
  }
  return isProfileFirst && sources.trustsVariables ? ofVariable : undefined
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

async function readTokenFile(
  file: string,
  session: ServiceSettings,
  { host, signal }: Pick<TokenReaders, 'host' | 'signal'>,
) {
  const path = pathOf(file, () => host.cwd)
  let bytes: Uint8Array
  try {
    bytes = await readInput(path, { host, signal, timeout: session.commandSettings.timeout })
  } catch (error) {
    if (error instanceof TugError) throw error
    throw usageError(`--token-file: cannot read ${file}: ${fileReason(error)}`)
  }
  return fileText(bytes, `--token-file ${file}`)
}

/** The vendors' token for their address: their variables, then the files that their tools write. */
export function vendorToken(
  service: ServiceName,
  address: string,
  { env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>,
): TokenSource | undefined {
  const direct = vendorValue(service, 'token', env)
  if (direct !== undefined) return { source: direct.source, isVariable: true, read: () => direct.text }
  if (service === 'secrets') {
    const file = env['BAO_TOKEN_PATH'] || env['VAULT_TOKEN_PATH'] || join(home, '.vault-token')
    const token = readIfThere(file)?.trim()
    return token ? { source: file, read: () => token } : undefined
  }
  if (service !== 'explorer' || !URL.canParse(address)) return undefined
  const url = new URL(address)
  const isLocal = isLoopback(socketHost(url))
  if (!isLocal && url.protocol !== 'https:') return undefined
  // Terraform stores a token by host, with the port if that isn't 443. On loopback the port is ignored here.
  const host = isLocal ? url.hostname : url.host
  const name = `TF_TOKEN_${host.replaceAll('-', '__').replaceAll('.', '_')}`
  const token = variableIn(env, name)
  if (token) return { source: name, isVariable: true, read: () => token }
  const folder = platform === 'win32' ? join(env['APPDATA'] ?? '', 'terraform.d') : join(home, '.terraform.d')
  const file = join(folder, 'credentials.tfrc.json')
  const saved = at(jsonOrNothing(readIfThere(file) ?? ''), 'credentials', host, 'token')
  return typeof saved === 'string' && saved !== '' ? { source: file, read: () => saved } : undefined
}

function readIfThere(file: string): string | undefined {
  // Without a home folder, a file in the current directory must not be used.
  if (!isAbsolute(file) || file === devNull) return undefined
  let bytes: Buffer
  try {
    if (mayWait(file)) throw usageError(`${file} is not a regular file`, 'name it with --token-file')
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof TugError) throw error
    return undefined
  }
  refuseUtf16(bytes, file)
  return withoutMark(bytes.toString())
}
