import type { Readable, Writable } from 'node:stream'

/** A stream to write to, as `process.stdout` is one. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** A stream to read from, as `process.stdin` is one. */
export type InputStream = Readable & { readonly isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }

/** Signals that ask the program to end: Ctrl-C, a polite kill, and a terminal that was closed. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The machine as the program sees it; nothing else reaches for `process`. Tests pass their own. */
export interface Host {
  /** What was typed after `tug`. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Throws when it no longer exists. */
  readonly cwd: string
  /** The home folder, absolute; empty when there isn't one. */
  readonly home: string
  readonly user: string
  /** The number of the user whose rights the process has; undefined on Windows. */
  readonly uid: number | undefined
  readonly platform: string
  readonly nodeVersion: string
  /** The command that starts this very program again: `[node, script]`, or an executable with Node in it. */
  readonly self: readonly string[]
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly now: () => Date
  /** Milliseconds of a clock that only goes forward, from any start: for durations. */
  readonly monotonic: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /**
   * Calls back for a signal; returns what cancels that. A call that returns `true` means that a child has taken the signal; of the
   * others, the second that asks to end, whichever it is, ends the program at once.
   */
  readonly onSignal: (signal: EndSignal | 'SIGWINCH', call: () => unknown) => () => void
  /** Calls back on every way out of the process, an uncaught error and a second Ctrl-C included; returns what cancels that. */
  readonly onExit: (call: () => void) => () => void
  /** Asks every process of a group to end; nothing happens if none is left. Not on Windows, which has no such groups. */
  readonly endGroup: (leader: number) => void
  /** From now on the exit status is that of a child or an action: `exit 130` of theirs is no Ctrl-C of ours. */
  readonly passesStatus: () => void
}
