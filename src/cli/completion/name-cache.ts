import { createHash } from 'node:crypto'
import { chmod, readFile, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../core/folders.ts'

/** Remembers names between two presses of TAB. Names only: nothing else of a service's answers is kept. */
export interface NameCache {
  /** The names, where they are young enough. */
  read(key: string): Promise<readonly string[] | undefined>
  /** Keeps names; failing to write the cache is not an error. */
  write(key: string, names: readonly string[]): Promise<void>
}

/** Milliseconds for which names are kept. */
const life = 10_000

/** A cache of files with mode 0600 in a folder with mode 0700; old ones are removed when a new one is written. */
export function createNameCache(
  folder: string,
  now: () => Date,
  writePrivate: (file: string, text: string) => Promise<void>,
): NameCache {
  const fileOf = (key: string) =>
    join(folder, `names-${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)

  async function removeOld(): Promise<void> {
    for (const name of await readdir(folder)) {
      if (!name.startsWith('names-')) continue
      const file = join(folder, name)
      const { mtimeMs } = await stat(file)
      if (Math.abs(now().getTime() - mtimeMs) > life) await unlink(file)
    }
  }

  return {
    async read(key) {
      try {
        const { at, names } = JSON.parse(await readFile(fileOf(key), 'utf8')) as { at: number; names: string[] }
        const age = now().getTime() - at
        return age >= 0 && age < life && Array.isArray(names) ? names : undefined
      } catch {
        return undefined
      }
    },
    async write(key, names) {
      try {
        makeFolder(folder, 0o700)
        await chmod(folder, 0o700)
        await removeOld().catch(() => undefined)
        const text = JSON.stringify({ at: now().getTime(), names })
        await writePrivate(fileOf(key), text)
      } catch {
        // Without a cache the names are asked for again.
      }
    },
  }
}
