import type { Writable } from 'node:stream'
import { TugError } from '../core/errors.ts'
import { fileReason } from '../core/words.ts'
import type { Host, OutputStream } from '../process/host.ts'

/**
 * The stream itself, for drawing and asking questions. Only for this folder: results are already escaped and are written with
 * {@link writeAll}; messages go through `createMessages`, which masks and escapes them.
 */
export function writable(stream: OutputStream): Writable {
  return stream as unknown as Writable
}

/** Writes, and waits until the stream has accepted it. A closed pipe ends the program silently (141). */
export function writeAll(stream: OutputStream, bytes: Uint8Array | string, name: string): Promise<void> {
  return new Promise((done, fail) => {
    writable(stream).write(bytes, (error) => {
      if (error == null) done()
      else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes((error as NodeJS.ErrnoException).code ?? ''))
        fail(new TugError('closed_pipe', `${name} is closed`))
      else fail(new TugError('failed', `cannot write to ${name}: ${fileReason(error)}`))
    })
  })
}

/** A terminal's width in columns, or that of `COLUMNS`; undefined if the stream is not a terminal. */
export function widthOf(stream: OutputStream, env: Host['env']): number | undefined {
  if (stream.isTTY !== true) return undefined
  const asked = Number(env['COLUMNS'])
  if (Number.isInteger(asked) && asked > 0) return asked
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : 80
}
