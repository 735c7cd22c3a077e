import { createInterface } from 'node:readline'
import type { TugError } from '../core/errors.ts'
import { interrupted, usageError } from '../core/errors.ts'
import type { Host } from '../process/host.ts'
import { writable } from './streams.ts'

/**
 * Asks for one line on stderr. `hidden` disables echo. Ctrl-D cancels with a usage error; Ctrl-C interrupts. The terminal is always
 * restored.
 */
export async function askLine(
  host: Host,
  question: string,
  { hidden, signal }: { hidden: boolean; signal: AbortSignal },
): Promise<string> {
  if (signal.aborted) throw interrupted()
  // Both ways of asking switch the terminal to raw mode.
  const forgetExit = host.onExit(() => host.stdin.setRawMode?.(false))
  try {
    return await (hidden ? askHidden(host, question, signal) : askOpenly(host, question, signal))
  } finally {
    forgetExit()
  }
}

function cancelled(): TugError {
  return usageError('cancelled; nothing was changed')
}

function stopped(): TugError {
  return interrupted().with({ message: 'cancelled; nothing was changed' })
}

function askOpenly(host: Host, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    const reader = createInterface({ input: host.stdin, output: writable(host.stderr), terminal: true })
    let answered = false
    let failure = cancelled()
    const stop = () => {
      failure = stopped()
      reader.close()
    }
    signal.addEventListener('abort', stop)
    reader.on('SIGINT', stop)
    reader.on('close', () => {
      signal.removeEventListener('abort', stop)
      if (answered) return
      writable(host.stderr).write('\n')
      fail(failure)
    })
    reader.question(question, (answer) => {
      answered = true
      reader.close()
      done(answer)
    })
  })
}

const ctrlC = '\u0003'
const ctrlD = '\u0004'
const ctrlU = '\u0015'

function askHidden({ stdin, stderr }: Host, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    let typed = ''
    const finish = (failure?: TugError) => {
      stdin.removeListener('data', take)
      stdin.removeListener('end', cancel)
      signal.removeEventListener('abort', stop)
      stdin.setRawMode?.(false)
      stdin.pause()
      writable(stderr).write('\n')
      if (failure === undefined) done(typed)
      else fail(failure)
    }
    const stop = () => finish(stopped())
    const cancel = () => finish(cancelled())
    const take = (piece: Buffer | string) => {
      for (const character of piece.toString()) {
        if (character === '\r' || character === '\n') return finish()
        if (character === ctrlC) return stop()
        if (character === ctrlD) return cancel()
        if (character === ctrlU) typed = ''
        else if (character === '\u007f' || character === '\b') typed = Array.from(typed).slice(0, -1).join('')
        else typed += character
      }
      return undefined
    }
    writable(stderr).write(question)
    signal.addEventListener('abort', stop)
    stdin.setRawMode?.(true)
    stdin.resume()
    stdin.on('data', take)
    stdin.on('end', cancel)
  })
}
