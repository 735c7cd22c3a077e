import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as system } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { TerminalSize } from './frames.ts'

/** A command of an action, ready to start. */
export interface ActionCommand {
  /** Absolute: see {@link findCommand}. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

/** What a running command tells. */
export interface ProcessListener {
  output(stream: 'stdout' | 'stderr', bytes: Buffer): void
  /** More input is welcome after a {@link RunningProcess.write} that said no. */
  drained(): void
  /** The last word, after all output. 128 + n after signal n. */
  exited(code: number): void
  /** The last word of a command that never ran. */
  failed(reason: string): void
}

/** A command that runs, with pipes or in a terminal. */
export interface RunningProcess {
  /** False when the command has enough for now. */
  write(bytes: Buffer): boolean
  closeInput(): void
  resize(size: TerminalSize): void
  /** Stops reading the command's output, so that it blocks once the pipe is full. */
  pause(): void
  resume(): void
  /** Ends the command and what it started; nothing when it has ended. */
  kill(): void
}

/** Where a command lies, or in the service's words why it cannot start (contract d, "Errors"). */
export function findCommand(
  name: string,
  searchPath: string,
): { readonly file: string } | { readonly failure: string } {
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

function whyNotExecutable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? undefined : 'permission denied'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'permission denied' : 'no such file or directory'
  }
}

/** Starts a command with pipes. It leads a process group of its own, so that what it starts can be ended with it. */
export function startPiped(command: ActionCommand, listener: ProcessListener): RunningProcess {
  const child = spawn(command.file, command.args, {
    cwd: command.folder,
    env: command.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  return follow(child, listener)
}

/** What a started child tells and takes. */
export function follow(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  listener: ProcessListener,
): RunningProcess {
  child.stdout.on('data', (bytes: Buffer) => listener.output('stdout', bytes))
  child.stderr.on('data', (bytes: Buffer) => listener.output('stderr', bytes))
  child.stdin.on('drain', () => listener.drained())
  child.stdin.on('close', () => listener.drained())
  // A command that ends without reading its input is no failure.
  child.stdin.on('error', () => {})
  child.on('error', (error) => listener.failed(error.message))
  child.on('close', (code, signal) => {
    if (child.pid !== undefined) listener.exited(code ?? 128 + (signal === null ? 0 : system.signals[signal]))
  })
  return {
    write: (bytes) => child.stdin.write(bytes),
    closeInput: () => child.stdin.end(),
    resize: () => {},
    pause: () => pauseBoth(child.stdout, child.stderr),
    resume: () => resumeBoth(child.stdout, child.stderr),
    kill: () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
    },
  }
}

function pauseBoth(...streams: Readable[]): void {
  for (const stream of streams) stream.pause()
}

function resumeBoth(...streams: Readable[]): void {
  for (const stream of streams) stream.resume()
}

/** Ends a process group at once. One that has just ended by itself is no failure. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
