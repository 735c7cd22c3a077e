import { constants, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { longestTimer } from '../core/duration.ts'
import { TugError } from '../core/errors.ts'
import type { Readable } from 'node:stream'

/** An output stream such as `process.stdout`. Only `src/output` writes to it. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly on: (event: 'error', call: () => void) => unknown
}

/** An input stream such as `process.stdin`. */
export type InputStream = Readable & { readonly isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }

/** Signals that ask the program to end: Ctrl-C, SIGTERM, and a closed terminal. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Signals that mean something to a child only. */
export type ChildSignal = 'SIGUSR1' | 'SIGUSR2' | 'SIGQUIT'

/** Injectable process: nothing else uses `process`, and tests pass their own. */
export interface Host {
  /** The words after `tug`. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Throws when it no longer exists. */
  readonly cwd: string
  /** The home folder, absolute; empty when there isn't one. */
  readonly home: string
  readonly user: string
  /** The effective user ID; undefined on Windows. */
  readonly uid: number | undefined
  readonly platform: string
  readonly nodeVersion: string
  /** The command that starts this program again: `[node, script]`, or an executable that contains Node. */
  readonly self: readonly string[]
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly now: () => Date
  /** Milliseconds of a monotonic clock, for durations. */
  readonly monotonic: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits for so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /**
   * Registers a signal handler; returns a function that cancels it. A handler returns `true` if a child handles the signal. Otherwise the
   * second signal that asks the program to end, whichever it is, ends it at once.
   */
  readonly onSignal: (signal: EndSignal | ChildSignal | 'SIGWINCH', call: () => unknown) => () => void
  /** Registers an exit handler, also called after an uncaught error or a second Ctrl-C; returns a function that cancels it. */
  readonly onExit: (call: () => void) => () => void
  /** Terminates a process group, on Windows a process and its descendants; does nothing if there are none. */
  readonly endGroup: (leader: number) => void
  /** From now on the exit status is a child's or action's: its `exit 130` is not a Ctrl-C of `tug`. */
  readonly passesStatus: () => void
}

/**
 * Runs `tug` in this process: passes it to `run` as a {@link Host}, sets the exit status, and re-raises signals. `self` is the command
 * that starts it again.
 */
export function startProcess(
  target: NodeJS.Process,
  self: readonly string[],
  run: (host: Host) => Promise<number>,
): void {
  for (const stream of [target.stdout, target.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Callbacks of writes report it; without this listener Node would end with a stack trace.
      if (error.code !== 'EPIPE') target.exitCode ??= 1
    })
  }
  const exitState: ExitState = { passed: false, received: new Set() }
  void run(hostOf(target, self, exitState)).then((status) => {
    target.exitCode = status
    const signal = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).find((name) => status === 128 + constants.signals[name])
    if (signal !== undefined && exitState.passed && !exitState.received.has(signal)) return
    // Re-raised, the signal also ends a surrounding shell loop. That is impossible on Windows: a process that signals itself ends with status
    // 1, or with an error for SIGHUP.
    if (signal !== undefined && target.platform !== 'win32') target.kill(target.pid, signal)
  })
}

/** Exit-status owner and received signals. */
interface ExitState {
  passed: boolean
  readonly received: Set<NodeJS.Signals>
}

function hostOf(target: NodeJS.Process, self: readonly string[], exitState: ExitState): Host {
  const exitCalls = new Set<() => void>()
  const leave = () => {
    for (const call of exitCalls) call()
    exitCalls.clear()
  }
  target.once('exit', leave)
  let signals = 0
  return {
    argv: target.argv.slice(2),
    env: target.env,
    get cwd() {
      return currentFolder(target)
    },
    get home() {
      const { HOME = '', USERPROFILE = '' } = target.env
      return [HOME, USERPROFILE].find(isAbsolute) ?? account()?.homedir ?? ''
    },
    get user() {
      return account()?.username ?? target.env['USER'] ?? `user ${target.getuid?.() ?? ''}`.trim()
    },
    uid: target.geteuid?.(),
    platform: target.platform,
    nodeVersion: target.versions.node,
    self,
    get stdin() {
      return target.stdin
    },
    get stdout() {
      return target.stdout
    },
    get stderr() {
      return target.stderr
    },
    now: () => new Date(),
    // Loading `performance` would take some milliseconds.
    monotonic: () => target.uptime() * 1000,
    random: Math.random,
    async sleep(milliseconds, signal) {
      const timers = await import('node:timers/promises')
      return timers.setTimeout(Math.min(milliseconds, longestTimer), undefined, { signal })
    },
    onSignal(signal, call) {
      const take = () => {
        exitState.received.add(signal)
        if (call() === true || signal === 'SIGWINCH') return
        signals += 1
        if (signals < 2) return
        // The second one ends the program at once.
        leave()
        for (const name of names) target.removeListener(name, take)
        if (target.platform === 'win32') target.exit(128 + constants.signals[signal])
        else target.kill(target.pid, signal)
      }
      // On Windows, Ctrl-Break acts like Ctrl-C.
      const names = signal === 'SIGINT' && target.platform === 'win32' ? [signal, 'SIGBREAK' as const] : [signal]
      for (const name of names) target.on(name, take)
      return () => {
        for (const name of names) target.removeListener(name, take)
      }
    },
    onExit(call) {
      exitCalls.add(call)
      return () => exitCalls.delete(call)
    },
    endGroup(leader) {
      try {
        if (target.platform === 'win32')
          target.getBuiltinModule('node:child_process').spawnSync('taskkill', ['/pid', String(leader), '/T', '/F'], {
            stdio: 'ignore',
            env: target.env,
          })
        else target.kill(-leader, 'SIGTERM')
      } catch {
        // All processes have ended.
      }
    },
    passesStatus() {
      exitState.passed = true
    },
  }
}

/** The current directory. It may have been removed, which is an error only for what needs it. */
function currentFolder(target: NodeJS.Process): string {
  try {
    return target.cwd()
  } catch (error) {
    throw new TugError('failed', 'the current directory no longer exists', {
      hints: ['cd to a directory that exists'],
      cause: error,
    })
  }
}

/** The account that runs the program; undefined for a user ID without an entry, as in many containers. */
function account() {
  try {
    return userInfo()
  } catch {
    return undefined
  }
}
