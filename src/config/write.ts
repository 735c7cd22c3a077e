import { join } from 'node:path'
import Conf from 'conf'
import { TugError } from '../core/errors.ts'
import { makeFolder } from '../core/environment.ts'
import { withLock } from '../core/lock.ts'
import { fileReason } from '../core/words.ts'
import type { Host } from '../process/host.ts'
import type { ConfigFile, CredentialsFile } from './profiles.ts'
import { configFileName, credentialsFileName, readConfig, readCredentials } from './profiles.ts'

const signal = new AbortController().signal

/** Updates the saved profiles atomically with respect to other `tug` processes. File 0600, folder 0700. */
export function updateConfig(folder: string, host: Host, change: (config: ConfigFile) => ConfigFile): Promise<void> {
  return locked(folder, host, () => store(folder, configFileName, change(readConfig(folder))))
}

/** Updates the stored tokens in the same way. */
export function updateCredentials(
  folder: string,
  host: Host,
  change: (credentials: CredentialsFile) => CredentialsFile,
): Promise<void> {
  return locked(folder, host, () => store(folder, credentialsFileName, change(readCredentials(folder))))
}

function store(folder: string, fileName: string, value: object): void {
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: fileName.replace(/\.json$/, ''),
      configFileMode: 0o600,
    })
    conf.store = value as Record<string, unknown>
  } catch (error) {
    throw new TugError('failed', `cannot write ${join(folder, fileName)}: ${fileReason(error)}`, {
      cause: error,
    })
  }
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
