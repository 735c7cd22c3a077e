import { spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import type { TerminalSize } from './frames.ts'
import { findCommand, follow, killGroup } from './process.ts'
import type { ActionCommand, ProcessListener, RunningProcess } from './process.ts'

/** The part of `@lydell/node-pty` in use; with `encoding: null` it gives and takes bytes, which its own types do not say. */
export interface PtyModule {
  spawn(file: string, args: string[], options: PtyOptions): Pty
}

interface PtyOptions {
  readonly name: string
  readonly cols: number
  readonly rows: number
  readonly cwd: string
  readonly env: Record<string, string>
  readonly encoding: null
}

interface Pty {
  readonly pid: number
  /** The device of the command's end; not on every system. */
  readonly ptsName?: string
  readonly onData: (listener: (bytes: Buffer) => void) => unknown
  readonly onExit: (listener: (end: { exitCode: number; signal?: number }) => void) => unknown
  resize(columns: number, rows: number): void
  write(bytes: Buffer): void
  pause(): void
  resume(): void
}

/** Loads the optional package, which has no build for some machines: then it rejects. */
async function loadPty(): Promise<PtyModule> {
  return (await import('@lydell/node-pty')) as unknown as PtyModule
}

/**
 * Starts a command in a pseudo-terminal. Without the optional package it falls back to `script` of util-linux, whose terminal
 * keeps its first size. Rejects with a text for people when the machine has neither.
 */
export async function startInTerminal(
  command: ActionCommand,
  size: TerminalSize | undefined,
  listener: ProcessListener,
  load: () => Promise<PtyModule> = loadPty,
): Promise<RunningProcess> {
  let module: PtyModule
  try {
    module = await load()
  } catch {
    return startInScript(command, size, listener)
  }
  return startInPty(module, command, size, listener)
}

/** How often a paused terminal is asked whether its command has ended, in milliseconds. */
const pausedCheck = 50

function startInPty(
  module: PtyModule,
  command: ActionCommand,
  size: TerminalSize | undefined,
  listener: ProcessListener,
): RunningProcess {
  const pty = module.spawn(command.file, [...command.args], {
    name: 'xterm-256color',
    // Without a size the service's terminal is 0x0 (contract d). The package reads 0 as "not given" but cuts fractions off.
    cols: cells(size?.width) || 0.5,
    rows: cells(size?.height) || 0.5,
    cwd: command.folder,
    env: { ...command.env },
    encoding: null,
  })
  const letGo = holdOpen(pty.ptsName)
  let ended = false
  let check: NodeJS.Timeout | undefined
  pty.onData((bytes) => listener.output('stdout', bytes))
  pty.onExit(({ exitCode, signal }) => {
    ended = true
    clearInterval(check)
    letGo()
    listener.exited(signal ? 128 + signal : exitCode)
  })
  const resume = () => {
    clearInterval(check)
    if (!ended) pty.resume()
  }
  return {
    write: (bytes) => {
      if (!ended) pty.write(bytes)
      return true
    },
    // A terminal has no end of input: contract d, "On a TTY stdin close does nothing".
    closeInput: () => {},
    resize: ({ height, width }) => {
      if (!ended && cells(width) > 0 && cells(height) > 0) pty.resize(cells(width), cells(height))
    },
    pause: () => {
      pty.pause()
      // The package drops what a command left behind 200 ms after its end, unless it is read.
      check = setInterval(() => {
        if (!isAlive(pty.pid)) resume()
      }, pausedCheck)
    },
    resume,
    kill: () => {
      if (!ended) killGroup(pty.pid)
    },
  }
}

/**
 * Holds the command's end of the terminal open too: a terminal that hangs up with more than one buffer of output unread
 * loses the rest. The package itself ends the reading 200 ms after the command.
 */
function holdOpen(device: string | undefined): () => void {
  if (device === undefined) return () => {}
  const end = openSync(device, constants.O_RDWR | constants.O_NOCTTY)
  return () => closeSync(end)
}

function startInScript(
  command: ActionCommand,
  size: TerminalSize | undefined,
  listener: ProcessListener,
): RunningProcess {
  const script = findCommand('script', command.env['PATH'] ?? '')
  if (process.platform !== 'linux' || 'failure' in script) {
    throw new Error('this machine offers no pseudo-terminal: neither @lydell/node-pty nor script is there')
  }
  const sized = size === undefined ? '' : `stty rows ${cells(size.height)} cols ${cells(size.width)}; `
  const line = `${sized}exec ${[command.file, ...command.args].map(quoted).join(' ')}`
  const child = spawn(script.file, ['-qefc', line, '/dev/null'], {
    cwd: command.folder,
    env: { ...command.env, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  return { ...follow(child, listener), closeInput: () => {} }
}

function cells(count: number | undefined): number {
  return count === undefined || !Number.isFinite(count) ? 0 : Math.min(Math.max(Math.trunc(count), 0), 0xffff)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
