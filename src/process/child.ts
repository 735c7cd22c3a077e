import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, resolve } from 'node:path'
import spawn from 'cross-spawn'
import { usageError } from '../core/errors.ts'
import { fileReason } from '../core/words.ts'
import type { ChildSignal, EndSignal, Host } from './host.ts'
import type { Interrupts } from './interrupts.ts'

/** Dependencies for running a child process. */
export interface ChildOptions {
  readonly host: Host
  readonly interrupts: Interrupts
  /** Called once it is running. */
  readonly started: () => void
}

/**
 * The words that run a user's command line, such as an editor's, with one more argument. It may be the path of a program, which may
 * have blanks. Otherwise, except on Windows, a shell parses it. `exec`
 * makes the editor a direct child, so signals reach it; that is impossible after an assignment.
 */
export function wordsOfLine(line: string, argument: string, platform: string): readonly string[] {
  if (/\s/.test(line) && existsSync(line)) return [line, argument]
  if (platform === 'win32') {
    const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []
    return [...words.map((word) => word.replaceAll('"', '')), argument]
  }
  return ['sh', '-c', `${/^\s*\w+=/.test(line) ? '' : 'exec '}${line} "$1"`, 'editor', argument]
}

/** Whether Windows finds a program. Without this check cmd.exe would look for it, and its failure would look like the program's. */
function isFoundOnWindows(command: string, env: Readonly<Record<string, string | undefined>>, cwd: string): boolean {
  const variable = (wanted: string) => Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1] ?? ''
  const path = variable('PATH').split(delimiter)
  const folders = /[\\/]/.test(command) ? [] : path.map((folder) => folder.replace(/^"(.*)"$/, '$1'))
  const extensions = ['', ...(variable('PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';')]
  return [cwd, ...folders].some((folder) =>
    extensions.some((extension) => existsSync(resolve(folder, command + extension))),
  )
}

/** Runs a command on the streams of `tug` and returns its exit status (128 + n for a signal). Signals are forwarded once. */
export function runChild(
  [command = '', ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { host, interrupts, started }: ChildOptions,
): Promise<number> {
  return new Promise((done, fail) => {
    if (host.platform === 'win32' && !isFoundOnWindows(command, env, host.cwd))
      throw usageError(`cannot run '${command}': no such file or program`)
    const pass = (signal: EndSignal | ChildSignal) => {
      // Ctrl-C and Ctrl-\ at a terminal reach the child directly, as on Windows does closing the console.
      const isOfTerminal = ['SIGINT', 'SIGQUIT'].includes(signal) && host.stdin.isTTY === true
      if (!isOfTerminal && !(signal === 'SIGHUP' && host.platform === 'win32')) child.kill(signal)
      return true
    }
    interrupts.pass = pass
    // Before the child starts: a signal that arrives meanwhile would end this process and leave the child.
    const cancels = (['SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const).map((name) => host.onSignal(name, () => pass(name)))
    const child = spawn(command, words, { stdio: 'inherit', env, cwd: host.cwd })
    // The child must not outlive this process.
    const forgetExit = host.onExit(() => child.kill())
    const end = () => {
      interrupts.pass = undefined
      for (const cancel of cancels) cancel()
      forgetExit()
    }
    child.on('spawn', started)
    child.on('error', (error) => {
      end()
      fail(usageError(`cannot run '${command}': ${fileReason(error)}`))
    })
    child.on('exit', (code, signal) => {
      end()
      done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
