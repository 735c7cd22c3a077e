import { fstatSync } from 'node:fs'
import type { Context, Io } from '../../../core/context.ts'
import type { Socket } from '../../../core/connection.ts'
import type { TerminalSize } from './frames.ts'
import { closeInputFrame, inputFrame } from './frames.ts'

/** Events of a terminal that an action uses. */
export interface TerminalListener {
  resized(size: TerminalSize): void
  /** Keys, as bytes. With it the terminal is raw. */
  readonly typed?: ((bytes: Uint8Array) => void) | undefined
  /** `~.` at the start of a line: leaves an action that doesn't react. */
  left(): void
}

type LentContext = Pick<Context, 'io' | 'onResize' | 'onExit' | 'terminalSize'>

/**
 * Lends the terminal to an action: reports its size now and at each change and, if keys are wanted, makes it raw. The
 * returned function restores it, as does every other way out of the process.
 */
export function lendTerminal(context: LentContext, listener: TerminalListener): () => void {
  const { stdin } = context.io
  const report = () => listener.resized(context.terminalSize())
  const cleanups = [context.onResize(report)]
  report()
  if (listener.typed !== undefined) {
    const { typed } = listener
    const escape = createEscape(() => listener.left())
    const take = (bytes: Uint8Array | string) => {
      const keys = escape(Buffer.from(bytes))
      if (keys.length > 0) typed(keys)
    }
    stdin.setRawMode?.(true)
    stdin.on('data', take)
    stdin.resume()
    const restore = () => {
      stdin.setRawMode?.(false)
      stdin.removeListener('data', take)
      stdin.pause()
    }
    cleanups.push(restore, context.onExit(restore))
  }
  return () => {
    for (const call of cleanups) call()
  }
}

const [tilde, dot, lineFeed, carriageReturn] = [0x7e, 0x2e, 0x0a, 0x0d]

/**
 * Finds `~.` at the start of a line among the keys, like remote shells, and returns the keys to send; `~~` there
 * means one `~`.
 */
function createEscape(leave: () => void): (bytes: Uint8Array) => Uint8Array {
  let atLineStart = true
  let held = false
  return (bytes) => {
    const keys: number[] = []
    for (const byte of bytes) {
      if (held) {
        held = false
        if (byte === dot) {
          leave()
          break
        }
        if (byte !== tilde) keys.push(tilde)
      } else if (atLineStart && byte === tilde) {
        held = true
        atLineStart = false
        continue
      }
      keys.push(byte)
      atLineStart = byte === lineFeed || byte === carriageReturn
    }
    return Uint8Array.from(keys)
  }
}

/**
 * Notes once if standard input is a pipe or file with data, which the action doesn't get. Never waits: the returned function
 * releases a pipe that stays open and silent.
 */
export function watchUnusedInput(io: Pick<Io, 'stdin' | 'note'>): () => void {
  const stdin: Io['stdin'] & { readonly fd?: number } = io.stdin
  const note = () => io.note("standard input has data, which the action doesn't get")
  if (stdin.isTTY === true) return () => {}
  const file = stdin.fd === undefined ? undefined : fstatSync(stdin.fd)
  if (file?.isFile() === true) {
    // A file is not read: it may belong to a loop around this command.
    if (file.size > 0) note()
    return () => {}
  }
  const take = () => {
    release()
    note()
  }
  // Unreadable input has no data.
  const ignore = () => {}
  const release = () => {
    stdin.removeListener('data', take)
    stdin.pause()
  }
  stdin.on('error', ignore)
  stdin.on('data', take)
  stdin.resume()
  return release
}

/** Bytes in a frame. */
const frameSize = 32 * 1024

/**
 * Passes standard input on to an action, however late it comes, and closes the action's input at its end; at once for a terminal.
 * Returns a function that stops.
 */
export function passInput({ io }: Pick<Context, 'io'>, socket: Socket): () => void {
  const { stdin } = io
  let isClosed = false
  const close = () => {
    if (!isClosed) socket.send(closeInputFrame)
    isClosed = true
  }
  if (stdin.isTTY === true || stdin.readableEnded) {
    close()
    return () => {}
  }
  const take = (data: Uint8Array | string) => {
    const bytes = Buffer.from(data)
    for (let at = 0; at < bytes.length; at += frameSize) socket.send(inputFrame(bytes.subarray(at, at + frameSize)))
    stdin.pause()
    void socket.flushed().then(() => stdin.resume())
  }
  stdin.on('data', take)
  stdin.on('end', close)
  stdin.on('error', close)
  stdin.resume()
  return () => {
    stdin.removeListener('data', take)
    stdin.removeListener('end', close)
    stdin.removeListener('error', close)
    stdin.pause()
  }
}

/** Removes carriage returns before line feeds, because Node's raw mode still adds one to each line feed. */
export function withoutDoubledReturns(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, index) => byte !== carriageReturn || bytes[index + 1] !== lineFeed)
}
