import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { bundledModules, program, root, start } from './support/process.ts'
import { tug } from './support/run.ts'
import { json, serve } from './support/serve.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** What a run loads: files of the program, and built-in modules. */
async function loaded(line: string, env: Readonly<Record<string, string>> = {}) {
  const folder = scratchFolder()
  const hook = join(folder, 'hook.cjs')
  const seen = JSON.stringify(join(folder, 'seen'))
  writeFileSync(
    hook,
    `const Module = require('node:module'), vm = require('node:vm'), { basename } = require('node:path')
const { _load } = Module, { Script } = vm, files = [], builtins = new Set()
Module._load = function (name) {
  if (Module.isBuiltin(name)) builtins.add(name.replace('node:', ''))
  return _load.apply(this, arguments)
}
const { getBuiltinModule } = process
process.getBuiltinModule = (name) => {
  builtins.add(name.replace('node:', ''))
  return getBuiltinModule(name)
}
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    files.push(basename(options.filename))
  }
}
process.on('exit', () => require('node:fs').writeFileSync(${seen}, JSON.stringify({ files, builtins: [...builtins] })))`,
  )
  const { status, stderr } = await start(['-r', hook, program, ...line.split(' ')], { command: process.execPath, env })
    .ended
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(readFileSync(join(folder, 'seen'), 'utf8')) as { files: string[]; builtins: string[] }
}

/** The packages that have parts in these files of the program. */
function packagesIn(files: readonly string[]): string[] {
  const modules = files.flatMap((file) => Object.keys(bundledModules()[file] ?? {}))
  return [...new Set(modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))].toSorted()
}

const small = ['commander', 'diff', 'get-east-asian-width']
/** The files with what commands on jobs share. */
const shared = (...parts: string[]) => parts.map((part) => `job-${part}-more.cjs`)
/** Built-in modules that take a long time to load. */
const slow = ['child_process', 'crypto', 'fs/promises', 'http2', 'https', 'readline', 'timers/promises', 'tls']

test('--version loads only what prints it', async () => {
  expect(await loaded('--version')).toEqual({ files: [], builtins: ['fs'] })
  const { status, stdout } = await start(['--version']).ended
  expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: `${version}\n` })
})

test.each(['--help', 'kv get -h', 'job action --help', 'completion zsh'])(
  '%s loads no commands, and prints what they would print',
  async (line) => {
    const { files, builtins } = await loaded(line)
    expect({ files, slow: builtins.filter((name) => slow.includes(name)) }).toEqual({ files: [], slow: [] })
    const [fixed, made] = await Promise.all(
      [{}, { FORCE_COLOR: '0' }].map((env) => start(line.split(' '), { env: { ...env } }).ended),
    )
    expect(fixed).toMatchObject({ status: 0, stderr: '' })
    expect(fixed?.stdout.length).toBeGreaterThan(500)
    expect(fixed).toEqual(made)
  },
)

test('colours that are asked for are not those of a fixed text', async () => {
  const { stdout } = await start(['--help'], { env: { FORCE_COLOR: '1' } }).ended
  expect(stdout.toString()).toContain('\u001b[1m')
})

test.each([
  ['kv get app/db', ['main.cjs', 'kv.cjs', 'transport.cjs'], 317_000],
  ['kv list', ['main.cjs', 'kv.cjs', 'transport.cjs'], 317_000],
  ['job list', ['main.cjs', 'job.cjs', 'transport.cjs'], 343_000],
  ['job get web', ['main.cjs', 'job.cjs', 'transport.cjs'], 343_000],
  ['job get web -o json', ['main.cjs', 'job.cjs', 'transport.cjs'], 343_000],
  [
    'job status web -q',
    ['main.cjs', 'job.cjs', ...shared('status', 'status-stop', 'plan-status-stop'), 'transport.cjs'],
    426_000,
  ],
  [
    'job plan examples/web.hcl -q',
    ['main.cjs', 'job.cjs', 'job-plan.cjs', ...shared('plan', 'plan-stop', 'plan-status-stop'), 'transport.cjs'],
    447_000,
  ],
  ['explorer query workspaces --all', ['main.cjs', 'explorer.cjs', 'explorer-service.cjs', 'transport.cjs'], 317_000],
  ['kmip role get storage backup', ['main.cjs', 'kmip.cjs', 'transport.cjs'], 288_000],
])('%s loads few files, and nothing slow that it does not use', async (line, expected, mostBytes) => {
  const { env } = await startDevServer()
  const { files: all, builtins } = await loaded(line, env)
  const files = all.filter((file) => file !== 'windows.cjs')
  expect(files.filter((file) => file !== 'rolldown-runtime.cjs')).toEqual(expected)
  const bytes = files.reduce((sum, file) => sum + statSync(join(root, 'dist', file)).size, 0)
  expect(bytes).toBeLessThan(mostBytes)
  expect(packagesIn(files).filter((name) => !small.includes(name))).toEqual([])
  expect(builtins.filter((name) => slow.includes(name))).toEqual([])
})

test('completion of a command loads no other group of commands', async () => {
  const { files } = await loaded('__complete fish kv get app/', { XDG_CACHE_HOME: scratchFolder() })
  expect(files.filter((file) => /^(?:explorer|kmip|tug)/.test(file))).toEqual([])
})

test.each([
  ['kv get app/db', 1],
  ['kv get app/db -o json', 1],
  ['kv get app/db --query data', 1],
  ['job list', 1],
  ['job list -o json', 1],
  ['job list -o ndjson', 1],
  ['job get web', 1],
])('%s parses its answer once', async (line, times) => {
  const kv = { data: { data: { mark: 'answer' }, metadata: { version: 1, created_time: '2026-11-21T07:00:00Z' } } }
  const job = { ID: 'web', Name: 'answer', SubmitTime: 1763709321123456 }
  const { env } = await serve(({ url }, response) =>
    json(response, 200, JSON.stringify(url.includes('/jobs') ? [job] : url.includes('/job/') ? job : kv)),
  )
  const parse = vi.spyOn(JSON, 'parse')
  try {
    const { exit, stderr } = await tug(line, { env })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(parse.mock.calls.filter(([text]) => text.includes('answer'))).toHaveLength(times)
  } finally {
    parse.mockRestore()
  }
})

test.each([
  ['kv get app/db', 1],
  ['job list', 1],
  ['job list --all --per-page 1', 1],
  ['kv tree', 16],
])('%s opens no more connections than it needs', async (line, most) => {
  const ports = new Set<number | undefined>()
  const folders = Array.from({ length: 100 }, (_, index) => `folder-${index}/`)
  const { env, seen } = await serve(({ url }, response) => {
    ports.add(response.socket?.remotePort)
    const page = Number(new URLSearchParams(url.split('?')[1]).get('next_token') ?? 0)
    if (url.includes('/jobs'))
      json(response, 200, '[{"ID":"web"}]', page < 5 ? { 'x-nomad-nexttoken': String(page + 1) } : {})
    else if (url.includes('/metadata'))
      json(response, 200, JSON.stringify({ data: { keys: /metadata\/?\?/.test(url) ? folders : ['a'] } }))
    else json(response, 200, '{"data":{"data":{},"metadata":{"version":1}}}')
  })
  const { exit, stderr } = await tug(line, { env: { ...env, TUG_DIALECT: 'hashicorp' } })
  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  expect(ports.size).toBeLessThanOrEqual(most)
  if (line === 'kv tree') expect(seen).toHaveLength(101)
})
