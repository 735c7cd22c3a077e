import { setMaxListeners } from 'node:events'
import { exitCodes, interrupted, TugError } from '../core/errors.ts'
import type { ChildSignal, EndSignal, Host } from './host.ts'

/** Signal handling: the first signal ends reads and waits, the second exits at once. */
export interface Interrupts {
  readonly signal: AbortSignal
  /** The exit status for the signal; undefined if there was none. */
  readonly status: () => number | undefined
  /** The write in progress, for the message. */
  writing: string | undefined
  /** Passes signals to a child instead of handling them. */
  pass: ((signal: EndSignal | ChildSignal) => void) | undefined
  /** The message if a signal ended the program with `error`; undefined if none is needed. */
  readonly failure: (error: unknown) => TugError | undefined
  readonly end: () => void
}

const codes = { SIGHUP: 'hung_up', SIGINT: 'interrupted', SIGTERM: 'terminated' } as const

/** Listens for the signals until `end` is called. */
export function watchInterrupts(host: Host): Interrupts {
  const controller = new AbortController()
  // Every pending request listens to it.
  setMaxListeners(0, controller.signal)
  let code: (typeof codes)[EndSignal] | undefined
  let inFlight: string | undefined
  const take = (signal: EndSignal) => () => {
    if (interrupts.pass !== undefined) {
      interrupts.pass(signal)
      return true
    }
    code ??= codes[signal]
    inFlight ??= interrupts.writing
    controller.abort()
    return false
  }
  const cancels = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => host.onSignal(signal, take(signal)))
  const interrupts: Interrupts = {
    signal: controller.signal,
    status: () => (code === undefined ? undefined : exitCodes[code]),
    writing: undefined,
    pass: undefined,
    failure(error) {
      const interruption = error instanceof TugError && error.code === 'interrupted' ? error : interrupted()
      let message = interruption.lines
      if (interruption.message === 'interrupted') {
        // The report of a bulk write lists the items in progress.
        if (inFlight !== undefined) message = [`interrupted; ${inFlight} was under way and may have taken effect`]
        // Hints list what was kept or already done.
        else if (interruption.hints.length === 0) return undefined
      }
      return interruption.with({ message, code: code ?? 'interrupted' })
    },
    end: () => {
      for (const cancel of cancels) cancel()
    },
  }
  return interrupts
}
