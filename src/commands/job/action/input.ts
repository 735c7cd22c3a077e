import type { Context, Socket } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { formatSpan } from '../../../core/duration.ts'
import { closeInputFrame, inputFrame } from './frames.ts'

/** How long a pipe may stay silent before it counts as empty: the action cannot end before its input does. */
const responseTimeout = 2000
/** Bytes in a frame. */
const frameSize = 32 * 1024

/**
 * Passes standard input on to an action and closes the action's input at its end; at once for a terminal, and for a pipe that
 * stays open and silent. The returned function stops; the promise rejects if data comes when the input is already closed.
 */
export function passInput(
  { io }: Pick<Context, 'io'>,
  socket: Socket,
): { readonly failed: Promise<never>; stop(): void } {
  const { stdin } = io
  let isClosed = false
  let hasData = false
  let fail: (error: TugError) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const close = () => {
    if (!isClosed) socket.send(closeInputFrame)
    isClosed = true
  }
  if (stdin.isTTY === true || stdin.readableEnded) {
    close()
    return { failed, stop: () => {} }
  }
  const take = (data: Uint8Array | string) => {
    if (isClosed) return fail(tooLate())
    hasData = true
    const bytes = Buffer.from(data)
    for (let at = 0; at < bytes.length; at += frameSize) socket.send(inputFrame(bytes.subarray(at, at + frameSize)))
    stdin.pause()
    void socket.flushed().then(() => stdin.resume())
  }
  stdin.on('data', take)
  stdin.on('end', close)
  stdin.on('error', close)
  stdin.resume()
  const timer = setTimeout(() => {
    if (!hasData) close()
  }, responseTimeout)
  return {
    failed,
    stop() {
      clearTimeout(timer)
      stdin.removeListener('data', take)
      stdin.removeListener('end', close)
      stdin.removeListener('error', close)
      stdin.pause()
    },
  }
}

function tooLate(): TugError {
  return new TugError(
    'tug_failed',
    `data arrived on standard input after ${formatSpan(responseTimeout)} of silence, when the action's input was already closed`,
    { hints: ['put the data into a file: tug job action … < file'] },
  )
}
