import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { posixQuote } from '../../../core/shell.ts'
import type { TerminalSize } from './frames.ts'
import { findCommand, follow, killGroup, startPiped } from './process.ts'
import type { ActionCommand, ProcessListener, RunningProcess } from './process.ts'

/**
 * Starts a command in a pseudo-terminal, which `script` of util-linux provides. A machine without it runs the command with
 * pipes, and the output begins with a line about that.
 */
export function startInTerminal(
  command: ActionCommand,
  size: TerminalSize | undefined,
  listener: ProcessListener,
): RunningProcess {
  const script = findCommand('script', command.env['PATH'] ?? '')
  if (process.platform !== 'linux' || 'failure' in script) return startWithoutTerminal(command, listener)

  // `script` turns echo off because its own input is not a terminal.
  const line = `stty echo ${sizeWords(size).join(' ')}; exec ${[command.file, ...command.args].map(posixQuote).join(' ')}`
  const child = spawn(script.file, ['-qefc', line, '/dev/null'], {
    cwd: command.folder,
    env: { ...command.env, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  return {
    ...follow(child, listener),
    // Closing the input of a terminal does nothing on real servers either.
    closeInput: () => {},
    resize: (wanted) => {
      if (cells(wanted.height) > 0 && cells(wanted.width) > 0) resize(leaderBelow(child.pid), wanted)
    },
    kill: () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const leader = leaderBelow(child.pid)
      if (leader !== undefined) killGroup(leader)
      killGroup(child.pid)
    },
  }
}

function startWithoutTerminal(command: ActionCommand, listener: ProcessListener): RunningProcess {
  const notice = 'tug dev: this action runs without a terminal because script (util-linux) is missing\r\n'
  listener.output('stdout', Buffer.from(notice))
  return startPiped(command, {
    output: (_, bytes) => listener.output('stdout', bytes),
    drained: () => listener.drained(),
    exited: (code) => listener.exited(code),
    failed: (reason) => listener.failed(reason),
  })
}

/** The process that `script` started; it leads the terminal's session. */
function leaderBelow(script: number | undefined): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${script}/task/${script}/children`, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

/** Sets the size of a process's terminal. A process that has just ended has none. */
function resize(leader: number | undefined, size: TerminalSize): void {
  try {
    execFileSync('stty', ['-F', readlinkSync(`/proc/${leader}/fd/0`), ...sizeWords(size)], { stdio: 'ignore' })
  } catch {
    // The command has ended.
  }
}

function sizeWords(size: TerminalSize | undefined): string[] {
  return size === undefined ? [] : ['rows', String(cells(size.height)), 'cols', String(cells(size.width))]
}

function cells(count: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(Math.trunc(count), 0), 0xffff) : 0
}
