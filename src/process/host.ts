import { constants, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { longestTimer } from '../core/request.ts'
import { TugError } from '../core/errors.ts'
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
  /** Asks every process of a group to end, on Windows a process and all that it started; nothing happens if none is left. */
  readonly endGroup: (leader: number) => void
  /** From now on the exit status is that of a child or an action: `exit 130` of theirs is no Ctrl-C of ours. */
  readonly passesStatus: () => void
}

/**
 * Runs `tug` as this process: gives `run` the process as a {@link Host}, sets the exit status that it resolves to, re-raises
 * signals. `self` is the command that starts it again.
 */
export function startProcess(
  target: NodeJS.Process,
  self: readonly string[],
  run: (host: Host) => Promise<number>,
): void {
  for (const stream of [target.stdout, target.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A write's own callback reports it; without this listener Node would end with a stack trace.
      if (error.code !== 'EPIPE') target.exitCode ??= 1
    })
  }
  const ending: Ending = { passed: false, received: new Set() }
  void run(hostOf(target, self, ending)).then((status) => {
    target.exitCode = status
    const signal = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).find((name) => status === 128 + constants.signals[name])
    if (signal !== undefined && ending.passed && !ending.received.has(signal)) return
    // A surrounding shell loop ends too when it sees the signal itself. On Windows nothing can: a process that signals itself
    // there ends with status 1, or with an error for SIGHUP.
    if (signal !== undefined && target.platform !== 'win32') target.kill(target.pid, signal)
  })
}

/** Whose the exit status is, and the signals that came. */
interface Ending {
  passed: boolean
  readonly received: Set<NodeJS.Signals>
}

function hostOf(target: NodeJS.Process, self: readonly string[], ending: Ending): Host {
  const exitCalls = new Set<() => void>()
  const leave = () => {
    for (const call of exitCalls) call()
    exitCalls.clear()
  }
  target.once('exit', leave)
  let asked = 0
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
    monotonic: () => performance.now(),
    random: Math.random,
    async sleep(milliseconds, signal) {
      const timers = await import('node:timers/promises')
      return timers.setTimeout(Math.min(milliseconds, longestTimer), undefined, { signal })
    },
    onSignal(signal, call) {
      const take = () => {
        ending.received.add(signal)
        if (call() === true || signal === 'SIGWINCH') return
        asked += 1
        if (asked < 2) return
        // The second one leaves at once, whatever still runs.
        leave()
        for (const name of names) target.removeListener(name, take)
        if (target.platform === 'win32') target.exit(128 + constants.signals[signal])
        else target.kill(target.pid, signal)
      }
      // On Windows Ctrl-Break is another Ctrl-C.
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
        // All of it has ended.
      }
    },
    passesStatus() {
      ending.passed = true
    },
  }
}

/** Throws a clear error when the folder was removed under our feet: only what needs it fails. */
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
