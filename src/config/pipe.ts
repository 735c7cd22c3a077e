import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { formatSpan } from '../core/duration.ts'
import { interrupted, TugError } from '../core/errors.ts'
import { readableBytes } from '../core/words.ts'
import type { Host } from '../process/host.ts'

/** What ends a read that may have to wait for a writer. */
export interface ReadLimits {
  readonly host: Pick<Host, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly timeout: number
}

/** The bytes that settings and tokens may have: a device may have no end. */
const largest = 16 * 1024 * 1024

/** Reads a pipe or device without ever blocking, so that signals and the time limit end it. */
export async function readPipe(file: string, { host, signal, timeout }: ReadLimits): Promise<Uint8Array> {
  // The end of a named pipe without a writer means that none has opened it yet; a process substitution has had one.
  const awaitsWriter = statSync(file).isFIFO() && !/^\/(?:dev\/fd|proc\/self\/fd)\//.test(file)
  const until = host.monotonic() + timeout
  const pieces: Buffer[] = []
  let [hasWriter, size] = [!awaitsWriter, 0]
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    for (;;) {
      if (signal.aborted) throw interrupted()
      if (host.monotonic() >= until)
        throw new TugError('failed', `cannot read ${file}: no end of it within ${formatSpan(timeout)} (--timeout)`)
      const piece = readNow(descriptor)
      if (piece?.length === 0 && hasWriter) return Buffer.concat(pieces)
      if (piece === undefined || piece.length > 0) hasWriter = true
      if (piece !== undefined && piece.length > 0) {
        pieces.push(piece)
        size += piece.length
        if (size > largest)
          throw new TugError('failed', `cannot read ${file}: it has more than ${readableBytes(largest)}, or no end`)
      } else
        await host.sleep(20, signal).catch(() => {
          throw interrupted()
        })
    }
  } finally {
    closeSync(descriptor)
  }
}

/** What there is; empty at the end, undefined if a writer has not written yet. */
function readNow(descriptor: number): Buffer | undefined {
  const piece = Buffer.alloc(65_536)
  try {
    return piece.subarray(0, readSync(descriptor, piece))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}
