import { closeSync, fstatSync, fsyncSync, lstatSync, openSync, write } from 'node:fs'
import { promisify } from 'node:util'
import { TugError } from '../core/errors.ts'

/** A file that this program created, under the descriptor with which it was created: its name may be somebody else's by now. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
  sync(): void
  /** Throws if another file has this name now. Call it right before the file is renamed. */
  checkPlace(path: string): void
  /** May be called more than once. */
  close(): void
}

const writeSome = promisify(write)

/**
 * Creates a file. It is created at once: a signal that removes it finds it there, and nothing creates it after that. Throws if it
 * exists.
 */
export function createFile(path: string, mode: number): NewFile {
  const descriptor = openSync(path, 'wx', mode)
  let isOpen = true
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await writeSome(descriptor, bytes, done)
        done += bytesWritten
      }
    },
    sync: () => fsyncSync(descriptor),
    checkPlace(place) {
      const own = fstatSync(descriptor, { bigint: true })
      const there = lstatSync(place, { bigint: true })
      if (own.dev === there.dev && own.ino === there.ino) return
      throw new TugError('failed', `another program replaced ${place} while it was written; it was not used`)
    },
    close() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}
