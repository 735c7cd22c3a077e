import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as system } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { TerminalSize } from './frames.ts'

export interface ActionCommand {
  /** Absolute: see {@link findCommand}. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

export interface ProcessListener {
  output(stream: 'stdout' | 'stderr', bytes: Buffer): void
  /** The command takes input again after a {@link RunningProcess.write} that returned false. */
  drained(): void
  /** Called last, after all output. 128 + n after signal n. */
  exited(code: number): void
  /** Called last for a command that never ran. */
  failed(reason: string): void
}

/** A command that runs, with pipes or in a terminal. */
export interface RunningProcess {
  /** False if the command takes no more for now. */
  write(bytes: Buffer): boolean
  closeInput(): void
  resize(size: TerminalSize): void
  /** Kills the command and what it started, unless it has ended. */
  kill(): void
}

/** The file of a command, or why it cannot start, in the words of real servers. */
export function findCommand(
  name: string,
  searchPath: string,
): { readonly file: string } | { readonly failure: string } {
  if (process.platform === 'win32') return findOnWindows(name, searchPath)
  if (name.includes('/')) {
    const fault = whyNotExecutable(name)
    return fault === undefined ? { file: name } : { failure: `fork/exec ${name}: ${fault}` }
  }
  for (const folder of searchPath.split(delimiter)) {
    const file = join(folder, name)
    if (folder !== '' && whyNotExecutable(file) === undefined) return { file }
  }
  return { failure: `exec: "${name}": executable file not found in $PATH` }
}

/** On Windows programs of POSIX systems, such as `/bin/sh`, are those of the PATH or of Git. */
function findOnWindows(name: string, searchPath: string): { readonly file: string } | { readonly failure: string } {
  const program = name.replace(/^(?:\/usr)?\/bin\//, '')
  const git = join(process.env['ProgramFiles'] ?? '', 'Git')
  const folders = isAbsolute(program)
    ? ['']
    : [...searchPath.split(delimiter), join(git, 'bin'), join(git, 'usr', 'bin')]
  const files = folders.flatMap((folder) => ['.exe', ''].map((extension) => join(folder, program + extension)))
  const file = files.find((one) => isAbsolute(one) && whyNotExecutable(one) === undefined)
  return file === undefined ? { failure: `exec: "${name}": executable not found in %PATH% or Git` } : { file }
}

function whyNotExecutable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? undefined : 'permission denied'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'permission denied' : 'no such file or directory'
  }
}

/** Starts a command with pipes. It leads a process group of its own, so killing it also ends what it started. */
export function startPiped(command: ActionCommand, listener: ProcessListener): RunningProcess {
  const child = spawn(command.file, command.args, {
    cwd: command.folder,
    env: command.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // On Windows this would open a console.
    detached: process.platform !== 'win32',
  })
  return follow(child, listener)
}

export function follow(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  listener: ProcessListener,
): RunningProcess {
  child.stdout.on('data', (bytes: Buffer) => listener.output('stdout', bytes))
  child.stderr.on('data', (bytes: Buffer) => listener.output('stderr', bytes))
  child.stdin.on('drain', () => listener.drained())
  child.stdin.on('close', () => listener.drained())
  // A command may end without reading its input.
  child.stdin.on('error', () => {})
  child.on('error', (error) => listener.failed(error.message))
  child.on('close', (code, signal) => {
    if (child.pid !== undefined) listener.exited(code ?? 128 + (signal === null ? 0 : system.signals[signal]))
  })
  return {
    write: (bytes) => child.stdin.write(bytes),
    closeInput: () => child.stdin.end(),
    resize: () => {},
    kill: () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
    },
  }
}

/** Kills a process group. It may just have ended by itself. */
export function killGroup(leader: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore' })
    return
  }
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
