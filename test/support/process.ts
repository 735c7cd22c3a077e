import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const program = join(root, 'bin/tug.js')

/** The modules in each built file, with their size in it. */
export function bundledModules(): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return JSON.parse(readFileSync(join(root, 'dist/meta.json'), 'utf8')) as Record<string, Record<string, number>>
}

/** The result of a process. */
export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** Starts the built program (or another one). A warning of Node's on stderr, such as one of a deprecation, is an error. */
export function start(
  words: readonly string[],
  options: { env?: Readonly<Record<string, string>>; cwd?: string; command?: string; stdin?: string } = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const command = options.command ?? process.execPath
  const child = spawn(command, options.command === undefined ? [program, ...words] : words, {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', TUG_CONFIG_DIR: '/nonexistent', ...options.env },
    cwd: options.cwd ?? root,
    stdio: 'pipe',
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin ?? '')
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece))
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece))
  const ended = new Promise<Ended>((done, fail) => {
    child.on('error', fail)
    child.on('close', (status, signal) => {
      const said = Buffer.concat(stderr).toString()
      const warning = /^\(node:\d+\) .*/m.exec(said)?.[0]
      if (warning !== undefined) fail(new Error(`Node warned: ${warning}`))
      done({ status, signal, stdout: Buffer.concat(stdout), stderr: said })
    })
  })
  return { child, ended }
}
