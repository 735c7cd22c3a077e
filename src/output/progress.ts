import type { Ora } from 'ora'
import { formatElapsed } from '../core/duration.ts'
import type { Activity, Io } from '../core/context.ts'
import type { OutputStream } from '../process/host.ts'
import { cut } from './width.ts'
import { writable } from './streams.ts'

/** The live progress line on stderr. */
export interface Progress {
  /**
   * Starts an activity. The newest is shown, a `background` one only while there is no other. `narrated` ones print their own lines, so
   * without animation nothing is printed for them.
   */
  start(label: string, options?: { readonly background?: boolean; readonly narrated?: boolean }): Activity
  /** Hides the line while something else uses the terminal (a question, a child, a live screen); returns a function that shows it again. */
  pause(): () => void
}

export interface ProgressOptions {
  readonly stderr: OutputStream
  /** `spinner` animates, `lines` prints a line for each change (screen readers, simple terminals), `none` shows nothing. */
  readonly style: 'spinner' | 'lines' | 'none'
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Starts a timer; returns a function that cancels it. */
  readonly after: (milliseconds: number, call: () => void) => () => void
  /** Masks secrets and escapes control characters. */
  readonly clean: (text: string) => string
  /** Registers an exit handler; returns a function that cancels it. */
  readonly onExit: (call: () => void) => () => void
}

/** A shorter wait shows nothing and doesn't load the spinner. */
const delay = 300

/** An activity that starts this soon after the last one continues its wait: many short requests are one long wait. */
const sameWait = 100

/** Screen readers read every line aloud, so print at most one per this interval. */
const lineInterval = 5000

/** Room for the symbol, the elapsed time, blanks, a `^C` echoed by the terminal, and a spare cell: the line must never wrap. */
const reserved = 14

interface RunningActivity {
  label: string
  readonly background: boolean
  readonly narrated: boolean
}

const unseen: Activity = { update: () => undefined, end: () => undefined }

const nothing: Progress = {
  start: () => unseen,
  pause: () => () => undefined,
}

/** Nothing is drawn on a terminal that doesn't report its width: the spinner would loop forever. */
export function createProgress(options: ProgressOptions): Progress {
  const { stderr, style, monotonic, after, clean, onExit } = options
  if (style === 'none' || stderr.isTTY !== true) return nothing
  const activities = new Set<RunningActivity>()
  let pauses = 0
  /** When the current wait began, and when its last activity ended. */
  let begun = 0
  let ended = -Infinity
  let shown: Shown | undefined
  let cancel: (() => void) | undefined
  const spoken = { label: '', at: -Infinity }

  const isLive = () => Number(stderr.columns) > 0
  const current = () => {
    const all = [...activities]
    return all.findLast(({ background }) => !background) ?? all[0]
  }

  const hide = () => {
    cancel?.()
    cancel = undefined
    shown?.stop()
    shown = undefined
  }

  /** Updates the line. */
  const refresh = () => {
    const activity = current()
    if (activity === undefined || pauses > 0 || !isLive()) return hide()
    if (shown !== undefined) return shown.show(activity)
    cancel ??= after(Math.max(0, begun + delay - monotonic()), () => {
      cancel = undefined
      if (!isLive()) return
      const elapsed = () => monotonic() - begun
      shown =
        style === 'lines' ? lines({ stderr, clean, elapsed, spoken }) : spinner({ stderr, clean, elapsed, onExit })
      shown.show(current() as RunningActivity)
    })
    return undefined
  }

  return {
    start(label, { background = false, narrated = false } = {}) {
      const moment = monotonic()
      if (activities.size === 0 && moment - ended > sameWait) {
        begun = moment
        Object.assign(spoken, { label: '', at: -Infinity })
      }
      const added: RunningActivity = { label, background, narrated }
      activities.add(added)
      refresh()
      return {
        update(text) {
          added.label = text
          refresh()
        },
        end() {
          if (!activities.delete(added)) return
          ended = monotonic()
          refresh()
        },
      }
    },
    pause() {
      pauses += 1
      refresh()
      let over = false
      return () => {
        if (over) return
        over = true
        pauses -= 1
        refresh()
      }
    },
  }
}

/** What the terminal shows now. */
interface Shown {
  show(activity: RunningActivity): void
  stop(): void
}

type Drawing = Pick<ProgressOptions, 'stderr' | 'clean'> & { readonly elapsed: () => number }

/** An animated line with the elapsed time. Loads its library on first use. */
function spinner({ stderr, clean, elapsed, onExit }: Drawing & Pick<ProgressOptions, 'onExit'>): Shown {
  let text = ''
  let ora: Ora | undefined
  let stopped = false
  const stop = () => {
    if (stopped) return
    stopped = true
    forget()
    ora?.stop()
  }
  const forget = onExit(stop)

  async function load(): Promise<void> {
    const { default: create } = await import('ora')
    if (stopped) return
    ora = create({
      text,
      suffixText: () => ` ${formatElapsed(elapsed())}`,
      stream: writable(stderr) as NodeJS.WriteStream,
      isEnabled: true,
      discardStdin: false,
      hideCursor: false,
      color: false,
    }).start()
  }
  // Failing to show progress must not fail the work.
  load().catch(() => undefined)
  return {
    show({ label }) {
      text = cut(clean(label).replaceAll('\n', ' '), (stderr.columns as number) - reserved)
      if (ora !== undefined) ora.text = text
    },
    stop,
  }
}

/** A line at the start, and for later changes with pauses in between; nothing is animated or erased. */
function lines({ stderr, clean, elapsed, spoken }: Drawing & { spoken: { label: string; at: number } }): Shown {
  return {
    show({ label, narrated }) {
      if (narrated || label === spoken.label || elapsed() - spoken.at < lineInterval) return
      Object.assign(spoken, { label, at: elapsed() })
      writable(stderr).write(`${clean(label).replaceAll('\n', ' ')}\n`)
    },
    stop: () => undefined,
  }
}

/**
 * Passes items through and shows their count: `exporting secrets: 12 of 200`. `sizeOf` is the number of items in a batch, by default 1.
 */
export async function* counted<T>(
  io: Pick<Io, 'progress'>,
  what: string,
  items: AsyncIterable<T>,
  total?: number,
  sizeOf: (item: T) => number = () => 1,
): AsyncGenerator<T> {
  const counter = openCounter(io, what, total)
  try {
    for await (const item of items) {
      counter.add(sizeOf(item))
      yield item
    }
  } finally {
    counter.end()
  }
}

/** Shows how many of `total` items are done: `importing secrets: 12 of 200`. */
export function openCounter(io: Pick<Io, 'progress'>, what: string, total?: number) {
  let count = 0
  const label = () => `${what}: ${count}${total === undefined ? '' : ` of ${total}`}`
  const activity = io.progress(label())
  return {
    add(more: number): void {
      count += more
      activity.update(label())
    },
    end: activity.end,
  }
}
