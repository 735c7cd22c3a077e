import { fstatSync } from 'node:fs'
import type { Context, Io } from '../../../core/context.ts'
import type { TerminalSize } from './frames.ts'

/** What happens at a terminal while an action uses it. */
export interface TerminalListener {
  resized(size: TerminalSize): void
  /** Keys, as the bytes that a terminal makes of them. With it the terminal is raw. */
  readonly typed?: ((bytes: Uint8Array) => void) | undefined
  /** `~.` at the start of a line: away from an action that does not listen. */
  left(): void
}

type LentContext = Pick<Context, 'io' | 'onResize' | 'onExit' | 'terminalSize'>

/**
 * Lends the terminal to an action: tells its size now and at each change and, where keys are wanted, makes it raw. The
 * answer gives it back; so does every other way out of the process.
 */
export function lendTerminal(context: LentContext, listener: TerminalListener): () => void {
  const { stdin } = context.io
  const tell = () => listener.resized(context.terminalSize())
  const ends = [context.onResize(tell)]
  tell()
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
    ends.push(restore, context.onExit(restore))
  }
  return () => {
    for (const end of ends) end()
  }
}

const [tilde, dot, lineFeed, carriageReturn] = [0x7e, 0x2e, 0x0a, 0x0d]

/**
 * Finds `~.` at the start of a line among the keys, as remote shells do, and gives the keys that are to be sent; `~~` there
 * stands for one `~`.
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
 * Calls back, once, when standard input is a pipe or file with data, which no action gets. Waits for nothing: a pipe that
 * stays open and silent is let go by what it answers.
 */
export function watchUnusedInput(stdin: Io['stdin'], call: () => void): () => void {
  if (stdin.isTTY === true) return () => {}
  const size = fileSize(stdin)
  if (size !== undefined) {
    // A file is not read: it may belong to a loop around this command.
    if (size > 0) call()
    return () => {}
  }
  const take = () => {
    release()
    call()
  }
  // Input that cannot be read holds no data.
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

/** Bytes of the file that the stream reads; undefined when it reads something else. */
function fileSize(stdin: Io['stdin'] & { readonly fd?: number }): number | undefined {
  if (stdin.fd === undefined) return undefined
  const facts = fstatSync(stdin.fd)
  return facts.isFile() ? facts.size : undefined
}
