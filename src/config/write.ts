import { closeSync, openSync, rmSync } from 'node:fs'
import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import Conf from 'conf'
import { TugError } from '../core/errors.ts'
import { makeFolder } from '../core/environment.ts'
import { fileReason } from '../core/words.ts'
import type { Host } from '../process/host.ts'
import type { ConfigFile, CredentialsFile } from './profiles.ts'
import { configFileName, credentialsFileName, readConfig, readCredentials } from './profiles.ts'

const signal = new AbortController().signal

/** Changes the saved profiles: read, change, write as one step that no other `tug` comes between. File 0600, folder 0700. */
export function updateConfig(folder: string, host: Host, change: (config: ConfigFile) => ConfigFile): Promise<void> {
  return locked(folder, host, () => store(folder, configFileName, change(readConfig(folder))))
}

/** Changes the stored tokens in the same way. */
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

/** Holds a lock file while `work` runs; waits for another's for up to ten seconds, and takes over one that was left behind. */
async function locked(folder: string, host: Host, work: () => void): Promise<void> {
  if (folder === '')
    throw new TugError('failed', 'cannot save the configuration: HOME is not set', {
      hints: ['set TUG_CONFIG_DIR to a folder of your own'],
    })
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new TugError('failed', `cannot create ${folder}: ${fileReason(error)}`)
  }
  const lock = join(folder, '.lock')
  for (let tries = 0; ; tries += 1) {
    const taken = take(lock)
    if (taken === undefined) {
      // A signal must not leave the lock behind: the next run would wait for it.
      const release = () => rmSync(lock, { force: true })
      const forgetExit = host.onExit(release)
      try {
        work()
      } finally {
        release()
        forgetExit()
      }
      return
    }
    if (taken.code !== 'EEXIST') throw new TugError('failed', `cannot write in ${folder}: ${fileReason(taken)}`)
    const age = await stat(lock).then(
      ({ mtimeMs }) => host.now().getTime() - mtimeMs,
      () => 0,
    )
    if (age > 30_000) await unlink(lock).catch(() => undefined)
    else if (tries >= 200) {
      throw new TugError('failed', `${folder} is being changed by another tug`, {
        hints: [`if none runs, remove ${lock}`],
      })
    } else await host.sleep(50, signal)
  }
}

/** Creates the lock file, at once: no signal comes between it and its registration. Returns why it could not. */
function take(lock: string): NodeJS.ErrnoException | undefined {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}
