import { lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { TugError } from './errors.ts'
import { createFile, identityOf } from './new-file.ts'
import { fileReason } from './words.ts'

/** Dependencies of a lock. */
export interface LockMachine {
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly onExit: (call: () => void) => () => void
}

/** Milliseconds after which a lock is stale: its owner was killed, since `work` is short. */
const staleAfter = 30_000

/** Milliseconds between attempts. */
const pause = 50

/** Calls `work` while holding the lock file. Waits for another process's lock, and takes over a stale one. */
export async function withLock<T>(lock: string, { sleep, onExit }: LockMachine, work: () => T): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const taken = take(lock)
    if (taken !== undefined) {
      const release = () => removeLock(lock, taken)
      // A signal must not leave the lock behind: the next run would wait for it.
      const forgetExit = onExit(release)
      try {
        return work()
      } finally {
        release()
        forgetExit()
      }
    }
    if (removeStale(lock)) continue
    if (tries * pause > staleAfter) {
      throw new TugError('failed', `${dirname(lock)} is being changed by another tug`, {
        hints: [`if none runs, remove ${lock}`],
      })
    }
    await sleep(pause)
  }
}

/** Creates the lock file synchronously, so no signal arrives before its removal is registered. Undefined if it exists. */
function take(lock: string): string | undefined {
  try {
    const file = createFile(lock)
    try {
      return file.identity()
    } finally {
      file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw new TugError('failed', `cannot write in ${dirname(lock)}: ${fileReason(error)}`)
  }
}

/**
 * Removes a stale lock. Several processes may find it, and one may have replaced it before another acts, so a second file, named
 * after this very lock, decides who removes it. Its time, by the same clock as that of the lock, shows the lock's age: the clock of this
 * machine or of a server may differ from that of the disk.
 */
function removeStale(lock: string): boolean {
  const found = lstatSync(lock, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return false
  const mark = `${lock}-${identityOf(found)}`
  try {
    createFile(mark).close()
  } catch {
    return false
  }
  try {
    const isStale = Number(lstatSync(mark).mtimeMs) - Number(found.mtimeMs) > staleAfter
    if (isStale) removeLock(lock, identityOf(found))
    return isStale
  } finally {
    rmSync(mark, { force: true })
  }
}

function removeLock(lock: string, id: string): void {
  const found = lstatSync(lock, { bigint: true, throwIfNoEntry: false })
  if (found !== undefined && identityOf(found) === id) rmSync(lock, { force: true })
}
