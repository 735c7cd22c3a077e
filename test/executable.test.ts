import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { root, start } from './support/process.ts'

/** What `npm run build:sea` makes, with the Node that runs the tests in it. */

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
let folder = ''
let executable = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
  execFileSync(process.execPath, ['scripts/build-sea.mjs', folder], { cwd: root })
  executable = join(folder, process.platform === 'win32' ? 'tug.exe' : 'tug')
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the executable somewhere without Node on the PATH, or any file of the checkout. */
async function run(words: readonly string[], options: { env?: Record<string, string>; stdin?: string } = {}) {
  const env = { PATH: '/usr/bin:/bin', ...options.env }
  const ended = await start(words, { ...options, command: executable, cwd: scratchFolder(), env }).ended
  return { status: ended.status, stdout: ended.stdout.toString(), stderr: ended.stderr }
}

test('it comes with licenses, manual pages and completions', () => {
  const names = readdirSync(folder)
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'THIRD_PARTY_LICENSES.txt', 'man', 'completions']))
  expect(readdirSync(join(folder, 'man'))).toContain('tug-kv-get.1')
})

test('it is the same bytes whoever builds it', () => {
  const again = mkdtempSync(join(tmpdir(), 'tug-test-'))
  try {
    execFileSync(process.execPath, ['scripts/build-sea.mjs', again], { cwd: root })
    const [first, second] = [folder, again].map((each) => readFileSync(join(each, basename(executable))))
    expect(first?.equals(second as Buffer)).toBe(true)
  } finally {
    rmSync(again, { recursive: true, force: true })
  }
}, 120_000)

test('another Node must be able to hold a program, and be of the same version', () => {
  const node = join(scratchFolder(), 'node.exe')
  const build = () =>
    execFileSync(process.execPath, ['scripts/build-sea.mjs', '--node', node, scratchFolder()], {
      cwd: root,
      stdio: 'pipe',
    })
  writeFileSync(node, `MZ/v${process.versions.node}/`)
  expect(build).toThrow('cannot hold a program')
  writeFileSync(node, 'MZ NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2 /v1.2.3/')
  expect(build).toThrow(`is not Node ${process.versions.node}`)
})

test("it says nothing of Node's own flags", async () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=512', HOME: scratchFolder() }
  for (let time = 0; time < 2; time += 1)
    expect(await run(['help', 'exit-codes'], { env })).toMatchObject({ status: 0, stderr: '' })
})

test.each(['--version', '-V'])('%s prints the version', async (flag) => {
  expect(await run([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
})

test.each(['--help', 'kv get --help', 'completion bash'])('%s prints what the package prints', async (line) => {
  const words = line.split(' ')
  const fromPackage = await start(words).ended
  expect(await run(words)).toEqual({ status: 0, stdout: fromPackage.stdout.toString(), stderr: '' })
  expect(fromPackage.stdout.toString()).toContain('tug')
})

test('a command asks a server, and its compiled code is cached for the next time', async () => {
  const { env } = await startDevServer()
  const home = scratchFolder()
  for (let time = 0; time < 2; time += 1) {
    const { status, stdout, stderr } = await run(['kv', 'get', 'app/db', '--field', 'user'], {
      env: { ...env, HOME: home },
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'app', stderr: '' })
  }
  expect(readdirSync(join(home, '.cache/tug/code'))).toHaveLength(1)
})

test('dev starts the local server, and its tug is the executable', async () => {
  const script = 'tug job list -o name && tug kv get none; echo $?; cat "$(command -v tug)"'
  const { status, stdout, stderr } = await run(['dev', '--', 'sh', '-c', script])
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('no such secret') as string })
  expect(stdout).toMatch(/^web$/m)
  expect(stdout).toContain(`\n3\n#!/bin/sh\nexec ${executable} "$@"\n`)
})

test('a package from a folder above is never loaded', async () => {
  const { env } = await startDevServer()
  const marker = join(scratchFolder(), 'loaded')
  const planted = join(folder, 'node_modules/bufferutil')
  mkdirSync(planted, { recursive: true })
  writeFileSync(join(planted, 'index.js'), `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`)
  const { status, stdout } = await run(['job', 'action', 'web', 'hello', '--all'], { env })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('hello from srv') as string })
  expect(() => readFileSync(marker)).toThrow('no such file')
})
