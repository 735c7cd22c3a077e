import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runChild, wordsOfLine } from '../src/process/child.ts'
import type { Host } from '../src/process/host.ts'
import type { Interrupts } from '../src/process/interrupts.ts'
import { start } from '../src/main.ts'
import { root, start as startProgram } from './support/process.ts'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { serve } from './support/serve.ts'
import { tug } from './support/run.ts'

/** What is different on Windows, with a system that says it is one. Paths are in `config/settings` and `core/environment`. */

/** A process, as far as the program needs one. */
function fakeProcess(platform: string, env: Readonly<Record<string, string>>) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const target = Object.assign(new EventEmitter(), streams, {
    argv: ['node', 'tug', 'job', 'list'],
    env: { TUG_CONFIG_DIR: '/nonexistent', ...env },
    platform,
    pid: 1,
    versions: process.versions,
    cwd: () => '/',
    kill: vi.fn(),
    exit: vi.fn(),
    exitCode: undefined as number | undefined,
  })
  return target
}

test.each([
  ['SIGINT', 'linux', 130, ['SIGINT']],
  ['SIGHUP', 'linux', 129, ['SIGHUP']],
  ['SIGINT', 'win32', 130, []],
  ['SIGHUP', 'win32', 129, []],
  ['SIGTERM', 'win32', 143, []],
])('after %s on %s the status is %i, and the process signals itself: %j', async (signal, platform, status, sent) => {
  const asked = new EventEmitter()
  const { env } = await serve(() => asked.emit('request'))
  const target = fakeProcess(platform, env)
  const request = once(asked, 'request')
  start(target as unknown as NodeJS.Process, ['tug'])
  await request
  target.emit(signal)
  await vi.waitFor(() => expect(target.exitCode).toBe(status))
  expect(target.kill.mock.calls).toEqual(sent.map((name) => [1, name]))
  expect(target.exit).not.toHaveBeenCalled()
})

test('a second Ctrl-C on Windows leaves with the status of the signal', async () => {
  const asked = new EventEmitter()
  const { env } = await serve(() => asked.emit('request'))
  const target = fakeProcess('win32', env)
  const request = once(asked, 'request')
  start(target as unknown as NodeJS.Process, ['tug'])
  await request
  target.emit('SIGINT')
  target.emit('SIGINT')
  expect(target.exit.mock.calls).toEqual([[130]])
  expect(target.kill).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(target.exitCode).toBe(130))
})

test('a console that is closed on Windows ends the child by itself, and other signals are passed on', async () => {
  const interrupts = { pass: undefined } as unknown as Interrupts
  const host = { platform: 'win32', cwd: '/', stdin: {}, onExit: () => () => undefined } as unknown as Host
  const command = [process.execPath, '-e', 'process.on("SIGHUP", () => process.exit(9)); setInterval(() => {}, 9999)']
  let started = () => {}
  const running = new Promise<void>((done) => (started = done))
  const ended = runChild(command, {}, { host, interrupts, started })
  await running
  interrupts.pass?.('SIGHUP')
  interrupts.pass?.('SIGTERM')
  expect(await ended).toBe(143)
})

test.each([
  ['notepad', ['notepad', 'a b.yaml']],
  [
    String.raw`"C:\Program Files\Code\code.cmd" --wait`,
    [String.raw`C:\Program Files\Code\code.cmd`, '--wait', 'a b.yaml'],
  ],
  [String.raw`C:\"My Tools"\vi.exe  -u NONE`, [String.raw`C:\My Tools\vi.exe`, '-u', 'NONE', 'a b.yaml']],
])('an editor runs without a shell on Windows: %s', (line, words) => {
  expect(wordsOfLine(line, 'a b.yaml', 'win32')).toEqual(words)
})

test('dev starts tug itself without a shell, and shells find a tug.cmd', async () => {
  const machine = {
    env: { PATH: process.env['PATH'] },
    cwd: root,
    platform: 'win32',
    self: [process.execPath, '--eval'],
  }
  const show = 'process.exit(require("fs").readFileSync(process.env.PATH.split(":")[0] + "/tug.cmd", "utf8").length)'
  const written = `@"${process.execPath}" "--eval" %*\r\n`
  expect(await tug(['dev', '--', 'tug', show], machine)).toMatchObject({ exit: written.length })
})

test('files are written where Node has a longer volume number by name than by descriptor', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const preload = join(cwd, 'preload.cjs')
  writeFileSync(
    preload,
    `const fs = require('node:fs'); const { lstatSync } = fs
    fs.lstatSync = (...given) => {
      const stats = lstatSync(...given)
      if (typeof stats.dev === 'bigint') stats.dev |= 0x12345678n << 32n
      return stats
    }`,
  )
  for (const line of ['kv export app/db -O out.json', 'kmip cred generate storage backup --out-dir keys']) {
    const { status, stderr } = await startProgram(line.split(' '), {
      env: { ...env, NODE_OPTIONS: `--require=${preload}` },
      cwd,
    }).ended
    expect(status, stderr).toBe(0)
  }
})
