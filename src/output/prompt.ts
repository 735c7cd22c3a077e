import { createInterface } from 'node:readline'
import { TugError } from '../core/errors.ts'
import type { Host } from '../host.ts'

/** Asks for one line on stderr. `hidden` shows nothing of what is typed; raw mode is undone on every way out. */
export function askLine(
  host: Host,
  question: string,
  options: { hidden: boolean; signal: AbortSignal },
): Promise<string> {
  return options.hidden ? askHidden(host, question, options.signal) : askOpenly(host, question, options.signal)
}

function askOpenly(host: Host, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    const reader = createInterface({ input: host.stdin, output: host.stderr, terminal: true })
    let answered = false
    const stop = () => reader.close()
    signal.addEventListener('abort', stop, { once: true })
    reader.on('SIGINT', stop)
    reader.on('close', () => {
      signal.removeEventListener('abort', stop)
      if (!answered) {
        host.stderr.write('\n')
        fail(new TugError('interrupted', 'cancelled; nothing was changed'))
      }
    })
    reader.question(question, (answer) => {
      answered = true
      reader.close()
      done(answer)
    })
  })
}

function askHidden(host: Host, question: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = host
  return new Promise((done, fail) => {
    let typed = ''
    const finish = (failure?: TugError) => {
      stdin.removeListener('data', take)
      signal.removeEventListener('abort', stop)
      stdin.setRawMode?.(false)
      stdin.pause()
      stderr.write('\n')
      if (failure === undefined) done(typed)
      else fail(failure)
    }
    const stop = () => finish(new TugError('interrupted', 'cancelled; nothing was changed'))
    const take = (piece: Buffer | string) => {
      for (const character of piece.toString()) {
        if (character === '\r' || character === '\n') return finish()
        // Ctrl-C and Ctrl-D.
        if (character === '\u0003' || character === '\u0004') return stop()
        if (character === '\u0015') typed = ''
        else if (character === '\u007f' || character === '\b') typed = Array.from(typed).slice(0, -1).join('')
        else typed += character
      }
      return undefined
    }
    stderr.write(question)
    signal.addEventListener('abort', stop, { once: true })
    stdin.setRawMode?.(true)
    stdin.resume()
    stdin.on('data', take)
  })
}
