import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, resolve } from 'node:path'
import spawn from 'cross-spawn'
import { usageError } from '../core/errors.ts'
import { fileReason } from '../core/words.ts'
import type { Host } from './host.ts'
import type { Interrupts } from './interrupts.ts'

/** Dependencies for running a child process. */
export interface ChildOptions {
  readonly host: Host
  readonly interrupts: Interrupts
  /** Called once it is running. */
  readonly started: () => void
}

/**
 * The words that run a user's command line, such as an editor's, with one more argument. Except on Windows, a shell parses it. `exec`
 * makes the editor a direct child, so signals reach it; that is impossible after an assignment.
 */
export function wordsOfLine(line: string, argument: string, platform: string): readonly string[] {
  if (platform === 'win32') {
    const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []
    return [...words.map((word) => word.replaceAll('"', '')), argument]
  }
  return ['sh', '-c', `${/^\s*\w+=/.test(line) ? '' : 'exec '}${line} "$1"`, 'editor', argument]
}

/** Whether Windows finds a program. Without this check cmd.exe would look for it, and its failure would look like the program's. */
function isFoundOnWindows(command: string, env: Readonly<Record<string, string | undefined>>, cwd: string): boolean {
  const variable = (wanted: string) => Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1] ?? ''
  const folders = /[\\/]/.test(command) ? [] : variable('PATH').split(delimiter)
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
    const child = spawn(command, words, { stdio: 'inherit', env, cwd: host.cwd })
    interrupts.pass = (signal) => {
      // Ctrl-C at a terminal reaches the child directly, as on Windows does closing the console.
      const isForAll =
        signal === 'SIGINT' ? host.stdin.isTTY === true : signal === 'SIGHUP' && host.platform === 'win32'
      if (!isForAll) child.kill(signal)
    }
    // The child must not outlive this process.
    const forgetExit = host.onExit(() => child.kill())
    const end = () => {
      interrupts.pass = undefined
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
