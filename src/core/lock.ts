import { closeSync, fstatSync, lstatSync, openSync, rmSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { dirname } from 'node:path'
import { TugError } from './errors.ts'
import { fileReason } from './words.ts'

/** What a lock needs of the machine. */
export interface LockMachine {
  readonly now: () => Date
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly onExit: (call: () => void) => () => void
}

/** Milliseconds after which a lock belongs to a program that was killed: `work` takes a moment. */
const staleAfter = 30_000

/** Milliseconds between two tries. */
const pause = 50

/** Calls `work` while this program alone has the lock file. Waits for another's, and takes over one that was left behind. */
export async function withLock<T>(lock: string, { now, sleep, onExit }: LockMachine, work: () => T): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const own = take(lock)
    if (own !== undefined) {
      const release = () => removeLock(lock, own)
      // A signal must not leave the lock behind: the next run would wait for it.
      const forgetExit = onExit(release)
      try {
        return work()
      } finally {
        release()
        forgetExit()
      }
    }
    if (removeStale(lock, now())) continue
    if (tries * pause > staleAfter) {
      throw new TugError('failed', `${dirname(lock)} is being changed by another tug`, {
        hints: [`if none runs, remove ${lock}`],
      })
    }
    await sleep(pause)
  }
}

/** Creates the lock file, at once: no signal comes between it and its registration. Undefined if it exists. */
function take(lock: string): string | undefined {
  try {
    const file = openSync(lock, 'wx', 0o600)
    try {
      return identity(fstatSync(file, { bigint: true }))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw new TugError('failed', `cannot write in ${dirname(lock)}: ${fileReason(error)}`)
  }
}

/**
 * Removes a lock that was left behind. Several programs may find it, and one of them may have removed it and made its own before
 * another acts: who may remove it is decided by a second file, whose name is that of this very lock.
 */
function removeStale(lock: string, now: Date): boolean {
  const found = lstatSync(lock, { bigint: true, throwIfNoEntry: false })
  if (found === undefined || now.getTime() - Number(found.mtimeMs) <= staleAfter) return false
  const mark = `${lock}-${identity(found)}`
  try {
    closeSync(openSync(mark, 'wx', 0o600))
  } catch {
    return false
  }
  removeLock(lock, identity(found))
  rmSync(mark, { force: true })
  return true
}

function removeLock(lock: string, id: string): void {
  const found = lstatSync(lock, { bigint: true, throwIfNoEntry: false })
  if (found !== undefined && identity(found) === id) rmSync(lock, { force: true })
}

/** Tells a file from another of the same name. */
function identity({ ino, mtimeNs }: BigIntStats): string {
  return `${ino}-${mtimeNs}`
}
