import type { Writable } from 'node:stream'
import { TugError } from '../core/errors.ts'
import { fileReason } from '../core/words.ts'
import type { Host, OutputStream } from '../process/host.ts'

/**
 * The stream itself, to draw on and to ask questions. Only for this folder: results are written with {@link writeAll}, already escaped,
 * and messages with `createMessages`, which masks and escapes them.
 */
export function writable(stream: OutputStream): Writable {
  return stream as unknown as Writable
}

/** Writes, and waits until the stream has accepted it. A closed pipe ends the program silently (141). */
export function writeAll(stream: OutputStream, bytes: Uint8Array | string, name: string): Promise<void> {
  return new Promise((done, fail) => {
    writable(stream).write(bytes, (error) => {
      if (error == null) done()
      else fail(writeFailure(error, name))
    })
  })
}

function writeFailure(error: Error, name: string): TugError {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new TugError('closed_pipe', `${name} is closed`)
  return new TugError('failed', `cannot write to ${name}: ${fileReason(error)}`)
}

/** Columns of a stream that is a terminal; `COLUMNS` overrides them. */
export function widthOf(stream: OutputStream, env: Host['env']): number | undefined {
  if (stream.isTTY !== true) return undefined
  const asked = Number(env['COLUMNS'])
  if (Number.isInteger(asked) && asked > 0) return asked
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : 80
}
