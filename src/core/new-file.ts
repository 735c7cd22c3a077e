import type { BigIntStats } from 'node:fs'
import { closeSync, fstatSync, fsyncSync, lstatSync, openSync, write, writeSync } from 'node:fs'

// Every file of the program is created here: exclusively, so that nothing that exists is followed or written, and private unless a mode
// is given. `output/files.ts` writes results with it, and replaces files atomically. Only `conf` writes by itself (`config/write.ts`).

/** A file created by this process, held by its descriptor, because another process may replace the file at that path. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
  /** Writes at once: a signal or the end of the process cannot come in between. */
  writeNow(bytes: Uint8Array): void
  sync(): void
  /** Differs from that of another file, and of a later state of this one. */
  identity(): string
  /** False if there is another file at this path now. Ask right before renaming. */
  isAt(path: string): boolean
  /** May be called more than once. */
  close(): void
}

/**
 * Creates a file synchronously, so a signal handler that removes it finds it, and it isn't created afterwards. Throws if it exists.
 */
export function createFile(path: string, mode = 0o600): NewFile {
  const descriptor = openSync(path, 'wx', mode)
  let isOpen = true
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length;)
        done += await new Promise<number>((resolve, reject) =>
          write(descriptor, bytes, done, null, null, (error, count) => (error ? reject(error) : resolve(count))),
        )
    },
    writeNow(bytes) {
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done)
    },
    sync: () => fsyncSync(descriptor),
    identity: () => identityOf(fstatSync(descriptor, { bigint: true })),
    isAt(place) {
      const opened = fstatSync(descriptor, { bigint: true })
      const current = lstatSync(place, { bigint: true })
      // On Windows some versions of Node return 64 bits of a volume's number for a path, and the lower 32 for a descriptor.
      return BigInt.asUintN(32, opened.dev) === BigInt.asUintN(32, current.dev) && opened.ino === current.ino
    },
    close() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}

/** Creates a file with this content, and returns once it is on the disk. */
export function writeNewFile(path: string, content: string | Uint8Array, mode?: number): void {
  const file = createFile(path, mode)
  try {
    file.writeNow(Buffer.from(content))
    file.sync()
  } finally {
    file.close()
  }
}

/** Identifies a file, to tell it from another at the same path. */
export function identityOf({ ino, mtimeNs }: BigIntStats): string {
  return `${ino}-${mtimeNs}`
}
