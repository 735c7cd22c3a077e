import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { jobFilesOf } from '../src/commands/job/file/file.ts'
import { runChild, wordsOfLine } from '../src/process/child.ts'
import type { Host } from '../src/process/host.ts'
import type { Interrupts } from '../src/process/interrupts.ts'
import { start } from '../src/main.ts'
import { root, start as startProgram } from './support/process.ts'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { serve } from './support/serve.ts'
import { configured, failure, tug } from './support/run.ts'

/** What is different on Windows, with a system that says it is one. Paths are in `config/settings` and `core/environment`. */

/** A process, as far as the program needs one. */
function fakeProcess(platform: string, env: Readonly<Record<string, string>>) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const target = Object.assign(new EventEmitter(), streams, {
    argv: ['node', 'tug', 'job', 'list'],
    env: { TUG_CONFIG_DIR: '/nonexistent', ...env },
    platform,
    pid: 1,
    uptime: () => process.uptime(),
    versions: process.versions,
    cwd: () => '/',
    kill: vi.fn(),
    exit: vi.fn(),
    exitCode: undefined as number | undefined,
    getBuiltinModule: process.getBuiltinModule,
  })
  return target
}

test.each([
  ['SIGINT', 'linux', 130, ['SIGINT']],
  ['SIGHUP', 'linux', 129, ['SIGHUP']],
  ['SIGINT', 'win32', 130, []],
  ['SIGHUP', 'win32', 129, []],
  ['SIGTERM', 'win32', 143, []],
  ['SIGBREAK', 'win32', 130, []],
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
  const onSignal = () => () => undefined
  const host = { platform: 'win32', cwd: '/', stdin: {}, onSignal, onExit: () => () => undefined } as unknown as Host
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
  // Its paths are variables: cmd reads the file in another code page.
  const show = `const { env, execPath } = process
    const line = require('node:fs').readFileSync(env.PATH.split(':')[0] + '/tug.cmd', 'utf8')
    process.exit(line === '@"%TUG_SELF_0%" "%TUG_SELF_1%" %*\\r\\n' && env.TUG_SELF_0 === execPath && env.TUG_SELF_1 === '--eval' ? 0 : 9)`
  expect(await tug(['dev', '--', 'tug', show], machine)).toMatchObject({ exit: 0 })
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
      if (typeof stats?.dev === 'bigint') stats.dev |= 0x12345678n << 32n
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

test.each([
  ['win32', {}, ['tug kv exec app/db "--" env', 'or tug.cmd kv exec app/db -- env']],
  ['win32', { MSYSTEM: 'MINGW64' }, ['tug kv exec app/db -- env']],
  ['linux', {}, ['tug kv exec app/db -- env']],
])('on %s with %j, a missing -- is written as the shell passes it on', async (platform, env, hints) => {
  const { exit, hint } = await failure('kv exec app/db env', { platform, env: { ...configured, ...env } })
  expect([exit, hint?.split('\n')]).toEqual([2, hints])
})

test('a hint sets variables as PowerShell does', async () => {
  const { hint } = await failure('kv get app/db', { platform: 'win32', env: {} })
  expect(hint).toContain('$env:TUG_SECRETS_ADDR = ')
  const signals = new Map<string, () => void>()
  const machine = { platform: 'win32', env: {}, signals, onWrite: () => signals.get('SIGINT')?.() }
  expect((await tug('dev', machine)).stdout).toMatch(/^(?:\$env:\w+ = '[^']+'\n)+$/)
})

test('notepad edits where no editor is named, and access is not claimed to be restricted', async () => {
  const { env } = await startDevServer()
  const folder = scratchFolder()
  writeFileSync(join(folder, 'notepad'), '#!/bin/sh\nprintf "a: [" > "$1"\n', { mode: 0o755 })
  const paths = { PATH: `${folder}:${process.env['PATH']}`, XDG_RUNTIME_DIR: folder }
  const machine = { env: { ...env, ...paths }, platform: 'win32', cwd: folder }
  const { exit, hint } = await failure('kv edit app/db', machine)
  expect(exit).toBe(2)
  expect(hint).toContain('your text is in ')
  expect(hint).not.toContain('readable only by')
  for (const line of [
    'kmip cred generate storage backup --out-dir keys',
    'kv backup -O backup',
    'job export web -O jobs',
  ])
    expect((await tug(line, machine)).stderr).not.toMatch(/0600/)
})

test('a token_command that takes too long ends with all that it started', async () => {
  const { env } = await serve(() => undefined)
  const folder = scratchFolder()
  writeFileSync(join(folder, 'taskkill'), `#!/bin/sh\necho "$*" > ${folder}/killed; kill "$2"\n`, { mode: 0o755 })
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      profiles: { default: { secrets: { address: env['TUG_SECRETS_ADDR'], token_command: 'exec sleep 60' } } },
    }),
  )
  const words = ['kv', 'get', 'a', '--timeout', '50ms']
  const target = fakeProcess('win32', {
    TUG_SECRETS_ADDR: env['TUG_SECRETS_ADDR'] as string,
    TUG_CONFIG_DIR: folder,
    PATH: `${folder}:${process.env['PATH']}`,
  })
  Object.assign(target, { argv: ['node', 'tug', ...words] })
  start(target as unknown as NodeJS.Process, ['tug'])
  await vi.waitFor(() => expect(target.exitCode).toBe(4), 10_000)
  expect(readFileSync(join(folder, 'killed'), 'utf8')).toMatch(/^\/pid \d+ \/T \/F\n$/)
})

test.each(['kv exec app/db -- no-such-program', 'dev -- no-such-program', 'kv exec app/db -- ./no-such-program'])(
  'a program that Windows does not find is a usage error: %s',
  async (line) => {
    const { env } = await startDevServer()
    const machine = { platform: 'win32', env: { ...env, Path: process.env['PATH'] }, cwd: scratchFolder() }
    expect(await tug(line, machine)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('no-such-program') as string,
    })
  },
)

test('a program that Windows finds by its extension runs', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'show.EXE'), '')
  const machine = { platform: 'win32', env: { ...env, PATHEXT: '.EXE' }, cwd }
  // It is found, and then this system cannot run it.
  expect((await tug('kv exec app/db -- ./show', machine)).stderr).not.toContain('no such file or program')
})

test.each([
  ['*.hcl', ['one.hcl', 'two.hcl']],
  ['t?o.hcl', ['two.hcl']],
  ['*.nomad', ['*.nomad']],
])('on Windows, %s names %j', async (pattern, files) => {
  const cwd = scratchFolder()
  for (const name of ['two.hcl', 'one.hcl', '.hidden.hcl', 'other.txt']) writeFileSync(join(cwd, name), 'job "x" {')
  const { env } = await startDevServer()
  const { stdout, stderr } = await tug(`job plan ${pattern}`, { platform: 'win32', env, cwd })
  for (const file of files) expect(stdout + stderr).toContain(file)
  for (const file of ['one.hcl', 'two.hcl', '.hidden.hcl', 'other.txt'].filter((name) => !files.includes(name)))
    expect(stdout + stderr).not.toContain(file)
})

test.each([
  'kmip cred generate storage backup --out-dir NUL',
  'kmip cred generate storage backup --out-dir keys/con.d',
])('a folder with the name of a device is refused before anything is sent: %s', async (line) => {
  expect((await failure(line, { platform: 'win32' })).exit).toBe(2)
})

test.each([
  'job plan new.hcl',
  'job actions web',
  'kv get app/db --dry-run',
  'kv metadata get app/db',
  'explorer query workspaces -o csv',
])('the output is the same on Windows: %s', async (line) => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'new.hcl'), 'job "new" {\n group "g" {\n task "t" {\n driver = "docker"\n }\n }\n}\n')
  const { env } = await startDevServer()
  const [here, there] = await Promise.all(
    ['linux', 'win32'].map((platform) => tug(line, { platform, env, cwd, home: cwd })),
  )
  expect(there?.exit).toBe(0)
  expect(there?.stdout).toBe(here?.stdout)
})

test.each([
  [['kv', 'set', 'a/b', String.raw`key=@C:\none\file.txt`], String.raw`C:\none\file.txt`],
  [['kv', 'put', 'a/b', String.raw`C:\none\file.json`], String.raw`C:\none\file.json`],
])('the path of a file on a drive is not withheld as a secret: %j', async (words, shown) => {
  const { exit, message } = await failure(words, { platform: 'win32' })
  expect([exit, message.includes(shown)]).toEqual([2, true])
})

test('a token_command ends though Windows has no program that ends its children', async () => {
  const { env } = await serve(() => undefined)
  const folder = scratchFolder()
  writeFileSync(join(folder, 'taskkill'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const profiles = {
    default: { secrets: { address: env['TUG_SECRETS_ADDR'], token_command: 'echo $$ > pid; exec sleep 60' } },
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }))
  const target = fakeProcess('win32', {
    TUG_SECRETS_ADDR: env['TUG_SECRETS_ADDR'] as string,
    TUG_CONFIG_DIR: folder,
    PATH: `${folder}:${process.env['PATH']}`,
  })
  Object.assign(target, { argv: ['node', 'tug', 'kv', 'get', 'a', '--timeout', '300ms'], cwd: () => folder })
  start(target as unknown as NodeJS.Process, ['tug'])
  await vi.waitFor(() => expect(target.exitCode).toBe(4), 10_000)
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 10_000)
})

test.each(['kv verify old.backup', 'kv restore old.backup --plan'])(
  'a backup that PowerShell 5 redirected is UTF-16: %s',
  async (line) => {
    const cwd = scratchFolder()
    writeFileSync(join(cwd, 'old.backup'), Buffer.from('\ufeff{"format":"tug kv backup"}\r\n', 'utf16le'))
    expect((await failure(line, { platform: 'win32', cwd })).message).toContain('UTF-16')
  },
)

test('on Windows a pattern names the files in each of its parts, without var-files', async () => {
  const cwd = scratchFolder()
  for (const name of ['jobs-a/one.hcl', 'jobs-a/one.vars.hcl', 'jobs-b/two.HCL', 'other/three.hcl']) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), 'job "x" {')
  }
  const { env } = await startDevServer()
  for (const pattern of ['jobs*/*.hcl', String.raw`jobs*\*.hcl`, `${cwd}/jobs?*/*.hcl`]) {
    const { stdout, stderr } = await tug(['job', 'plan', pattern], { platform: 'win32', env, cwd })
    for (const file of ['one.hcl', 'two.HCL']) expect(stdout + stderr).toContain(file)
    for (const file of ['vars', 'three']) expect(stdout + stderr).not.toContain(file)
  }
})

test('in a folder, files with capital extensions are job files, and var-files are not', async () => {
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'jobs'))
  for (const name of ['WEB.HCL', 'API.JSON', 'PROD.VARS.HCL', 'b.txt']) writeFileSync(join(cwd, 'jobs', name), 'x')
  expect(jobFilesOf(cwd, ['jobs'])).toEqual([join('jobs', 'API.JSON'), join('jobs', 'WEB.HCL')])
})

test.each([
  ['TUG_OUTPUT', 'json '],
  ['TUG_TIMEOUT', '5s '],
  ['TUG_SECRETS_TOKEN', undefined],
  ['TUG_SECRETS_ADDR', undefined],
])('a blank that cmd adds at the end of %s is ignored', async (name, value) => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kv list', { env: { ...env, [name]: value ?? `${env[name] ?? ''} ` } })
  expect([exit, stderr]).toEqual([0, ''])
})

test('NUL is an empty file on Windows', async () => {
  for (const name of ['NUL', 'nul:'])
    expect((await failure(['job', 'plan', name], { platform: 'win32' })).message).toBe(`${name} is empty`)
})

test('a program in a quoted folder of PATH is found, and an editor whose path has blanks is run', async () => {
  const cwd = scratchFolder()
  const folder = join(cwd, 'bin dir')
  mkdirSync(folder)
  const editor = join(folder, 'my editor')
  writeFileSync(editor, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  expect(wordsOfLine(editor, 'file', 'win32')).toEqual([editor, 'file'])
  expect(wordsOfLine(editor, 'file', 'linux')).toEqual([editor, 'file'])
  expect(wordsOfLine('vi -R', 'file', 'win32')).toEqual(['vi', '-R', 'file'])
  const { env } = await startDevServer()
  const machine = { platform: 'win32', cwd, env: { ...env, PATH: `"${folder}"${delimiter}/usr/bin` } }
  expect((await tug(['kv', 'exec', 'app/db', '--', 'my editor'], machine)).stderr).not.toContain(
    'no such file or program',
  )
})

test('Windows has no base64: the hint for bytes that are not text names none', async () => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'bytes'), Buffer.from([0x61, 0xe9]))
  expect((await failure('kv put a/b c=@bytes', { platform: 'win32', cwd })).hint).not.toContain('base64 <')
  expect((await failure('kv put a/b c=@bytes', { cwd })).hint).toContain('base64 < bytes')
})

test.each(['config.json', 'credentials.json'])('UTF-16 is named: %s', async (name) => {
  const folder = scratchFolder()
  writeFileSync(join(folder, name), Buffer.from('\ufeff{}', 'utf16le'))
  const { stderr } = await tug('kv list', { env: { TUG_CONFIG_DIR: folder } })
  expect(stderr).toContain('UTF-16')
})

test('a folder that cannot be made fails alike in every command', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'file'), '')
  for (const line of [
    'kv export app/ -O file/x.json',
    'kv backup -O file/x.tugkv',
    'job export -O file/x',
    'kmip cred generate storage backup --out-dir file/x',
    'explorer export workspaces -O file/x.csv',
  ])
    expect([line, (await tug(line, { env, cwd })).exit]).toEqual([line, 1])
})
