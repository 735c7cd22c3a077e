import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { ServiceName } from '../core/request.ts'
import { serviceVariable } from '../core/request.ts'
import type { Host } from '../process/host.ts'
import { familyToken } from './families.ts'
import type { ConfigFile, CredentialsFile, Profile } from './profiles.ts'
import { configFolder, readConfig, readCredentials } from './profiles.ts'
import { resolveSetting } from './resolve.ts'
import type { Flags } from './settings.ts'

/** The saved configuration, as it is on the disk. */
export interface Saved {
  readonly folder: string
  readonly config: ConfigFile
  readonly credentials: CredentialsFile
  readonly profileName: string
  readonly profile: Profile | undefined
  /** Why its files could not be read, where flags and variables name all that a command needs; then it counts as empty. */
  readonly problem?: string
}

/** Reads the files. `isNew`: commands about `tug` itself may name a profile that doesn't exist yet (`login`), or need none (`dev`). */
export function readSaved(host: Host, flags: Flags, service: ServiceName | undefined, isNew: boolean): Saved {
  const folder = configFolder(host.env, host.home, host.platform)
  const asked = flags.profile ?? (host.env['TUG_PROFILE'] || undefined)
  const mustExist = service !== undefined && !isNew
  let config: ConfigFile
  let credentials: CredentialsFile
  try {
    config = readConfig(folder)
    credentials = readCredentials(folder)
  } catch (error) {
    if (asked !== undefined || !mustExist || !isNamed(service, flags, host)) throw error
    const { message } = error as TugError
    return { folder, config: {}, credentials: {}, profileName: 'default', profile: undefined, problem: message }
  }
  const profileName = asked ?? config.current ?? 'default'
  const profile = Object.hasOwn(config.profiles ?? {}, profileName) ? config.profiles?.[profileName] : undefined
  if (mustExist && asked !== undefined && profile === undefined && !Object.hasOwn(credentials, profileName)) {
    const names = Object.keys(config.profiles ?? {})
    throw usageError(
      `there is no profile '${asked}'${didYouMean(asked, names)}`,
      names.length === 0
        ? `create it: tug profile set ${asked} secrets.address=https://…`
        : `profiles: ${names.join(', ')}`,
    )
  }
  return { folder, config, credentials, profileName, profile }
}

/** True if flags and variables name the service's address and token, and the organization, so that nothing saved is needed. */
function isNamed(service: ServiceName, flags: Flags, { env, home }: Host): boolean {
  const sources = { flags, env, profileName: 'default', profile: undefined, service }
  const address = resolveSetting('address', sources)?.value
  if (address === undefined) return false
  const token = flags.tokenFile ?? (env[serviceVariable(service, 'TOKEN')] || familyToken(service, address, env, home))
  if (token === undefined && service !== 'scheduler') return false
  return service !== 'explorer' || resolveSetting('org', sources) !== undefined
}
