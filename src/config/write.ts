import { join } from 'node:path'
import Conf from 'conf'
import { TugError } from '../core/errors.ts'
import { makeFolder } from '../core/environment.ts'
import { parseJson, stringifyJson } from '../core/json.ts'
import { withLock } from '../core/lock.ts'
import { serviceNames } from '../core/service.ts'
import { fileReason, withoutMark } from '../core/words.ts'
import type { Host } from '../process/host.ts'
import type { ConfigFile, CredentialsFile } from './profiles.ts'
import { configFileName, credentialsFileName, fixHint, readConfig, readCredentials } from './profiles.ts'

const signal = new AbortController().signal

const text = { type: 'string' } as const
/** Written by hand, `true` and `7` mean the same as `"true"` and `"7"`. An object is a number that a double cannot express. */
const value = { type: ['string', 'number', 'boolean', 'object'] }
const ofService = { type: 'object', additionalProperties: value }
const profile = {
  type: 'object',
  properties: Object.fromEntries(serviceNames.map((service) => [service, ofService])),
  additionalProperties: value,
}
const stored = {
  type: 'object',
  properties: { token: text, origin: text, settings: ofService },
  required: ['token', 'origin'],
}

/**
 * What each file contains. No release has changed that yet, so there are no migrations; a file without a version is older than all of them.
 */
const schemas = {
  [configFileName]: { schema: { current: text, profiles: { type: 'object', additionalProperties: profile } } },
  [credentialsFileName]: { rootSchema: { additionalProperties: { type: 'object', additionalProperties: stored } } },
}

/** Updates the saved profiles atomically with respect to other `tug` processes. File 0600, folder 0700. */
export function updateConfig(folder: string, host: Host, change: (config: ConfigFile) => ConfigFile): Promise<void> {
  return locked(folder, host, () => update(folder, configFileName, change))
}

/** Updates the stored tokens in the same way. */
export function updateCredentials(
  folder: string,
  host: Host,
  change: (credentials: CredentialsFile) => CredentialsFile,
): Promise<void> {
  return locked(folder, host, () => update(folder, credentialsFileName, change))
}

function update<T extends object>(folder: string, fileName: keyof typeof schemas, change: (value: T) => T): void {
  const conf = open(folder, fileName)
  const next = change(conf.store as T)
  try {
    conf.store = next as Record<string, unknown>
  } catch (error) {
    throw failed('write', join(folder, fileName), error)
  }
}

/** The file, which conf writes by itself: into a private draft that it renames. Nothing else may write, since the lock is held. */
function open(folder: string, fileName: keyof typeof schemas): Conf {
  try {
    return new Conf({
      ...schemas[fileName],
      cwd: folder,
      configName: fileName.replace(/\.json$/, ''),
      configFileMode: 0o600,
      ajvOptions: { allowUnionTypes: true },
      deserialize: (content) => parseJson(withoutMark(content)) as Record<string, unknown>,
      serialize: (config) => `${stringifyJson(config, 2)}\n`,
    })
  } catch (error) {
    // The library's messages may quote the file.
    if (fileName === configFileName) readConfig(folder)
    else readCredentials(folder)
    throw failed('read', join(folder, fileName), error).with({ hints: [fixHint(fileName)] })
  }
}

function failed(what: string, file: string, error: unknown): TugError {
  return new TugError('failed', `cannot ${what} ${file}: ${fileReason(error)}`, { cause: error })
}

/** Calls `work` while holding the folder's lock; creates the folder if it is missing. */
async function locked(folder: string, { sleep, onExit }: Host, work: () => void): Promise<void> {
  if (folder === '')
    throw new TugError('failed', 'cannot save the configuration: HOME is not set', {
      hints: ['set TUG_CONFIG_DIR to a folder of your own'],
    })
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new TugError('failed', `cannot create ${folder}: ${fileReason(error)}`)
  }
  const machine = { onExit, sleep: (milliseconds: number) => sleep(milliseconds, signal) }
  await withLock(join(folder, '.lock'), machine, work)
}
