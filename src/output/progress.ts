import type { Ora } from 'ora'
import type { OutputStream } from '../host.ts'
import { escapeControl } from './safe.ts'
import { cut } from './width.ts'

/** What a wait tells the person in front of the terminal. */
export interface Progress {
  /** Replaces the live line; without a terminal it says nothing. */
  update(text: string): void
  /** A line that stays, above the live one. Silent with `-q`. */
  line(text: string): void
  /** Takes the live line away; nothing is left behind. May be called more than once, and a later update begins anew. */
  stop(): void
}

export interface ProgressOptions {
  readonly stderr: OutputStream
  readonly quiet: boolean
  /** False where animation is unwanted whatever the stream is (`CI`, `TERM=dumb`, `--trace`). */
  readonly enabled: boolean
  /** Calls once after so many milliseconds; returns what takes that back. */
  readonly after: (milliseconds: number, call: () => void) => () => void
  readonly redact: (text: string) => string
}

/** A wait that is shorter shows nothing, and does not load the spinner. */
const patience = 300

/** The spinner's symbol and its blank, the `^C` that a terminal may add, and a cell to spare: the line must never wrap. */
const reserved = 5

/**
 * A calm live line on stderr for things that take time. It is drawn only on a terminal that has columns: the spinner loops
 * for ever where there are none.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { stderr, quiet, enabled, after, redact } = options
  let text = ''
  let spinner: Ora | undefined
  let cancel: (() => void) | undefined
  /** Counts the waits, so that a spinner that loads after its wait is over does not appear. */
  let wait = 0

  const live = () => enabled && !quiet && stderr.isTTY === true && (stderr.columns ?? 0) > 0
  const shown = (source: string) => escapeControl(redact(source))
  const fitted = () => cut(text, (stderr.columns ?? 0) - reserved)

  async function start(mine: number): Promise<void> {
    const { default: ora } = await import('ora')
    if (mine !== wait || !live()) return
    spinner = ora({
      text: fitted(),
      stream: stderr as NodeJS.WriteStream,
      isEnabled: true,
      discardStdin: false,
      hideCursor: false,
      color: false,
    }).start()
  }

  const stop = () => {
    wait += 1
    cancel?.()
    cancel = undefined
    spinner?.stop()
    spinner = undefined
  }

  return {
    update(source) {
      if (!live()) {
        stop()
        return
      }
      text = shown(source)
      if (spinner !== undefined) spinner.text = fitted()
      const mine = wait
      // A live line that cannot be shown is no failure of the work it is about.
      cancel ??= after(patience, () => void start(mine).catch(() => undefined))
    },
    line(source) {
      if (quiet) return
      stderr.write(`${shown(source)}\n`)
    },
    stop,
  }
}
