import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { program, start } from './support/process.ts'
import { json, serve } from './support/serve.ts'
import { mentions, says } from './support/told.ts'

/** Runs a line of bash, with the built program as `tug`. */
function bash(line: string, env: Readonly<Record<string, string>>, cwd?: string) {
  const script = `set -o pipefail\ntug() { "${process.execPath}" "${program}" "$@"; }\n${line}`
  return start(['-c', script], { command: 'bash', env, ...(cwd === undefined ? {} : { cwd }) }).ended
}

test('every byte arrives in a pipe, including the last', async () => {
  const rows = Array.from({ length: 4000 }, (_, index) => ({ ID: `job-${index}`, Text: 'x'.repeat(250) }))
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(rows)))
  const { status, stdout } = await start(['job', 'list', '-o', 'json'], { env }).ended
  expect(status).toBe(0)
  expect(stdout.length).toBeGreaterThan(1_000_000)
  expect(JSON.parse(stdout.toString())).toHaveLength(4000)
})

test('a closed pipe ends silently with status 141', async () => {
  const rows = Array.from({ length: 40_000 }, (_, index) => ({ ID: `job-${index}`, Name: 'x'.repeat(100) }))
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(rows)))
  const { stdout, stderr } = await bash('tug job list -o ndjson | head -n 1; echo "${PIPESTATUS[0]}"', env)
  expect(stderr).toBe('')
  expect(stdout.toString()).toMatch(/^\{"ID":"job-0",.*\}\n141\n$/)
})

test.each(['explorer export workspaces', 'kv export app', 'kmip ca'])(
  'a closed pipe that -O names ends like standard output: %s',
  async (line) => {
    const { env } = await startDevServer()
    const { stdout, stderr } = await bash(`tug ${line} -O /dev/stdout | exec 0<&-; echo "\${PIPESTATUS[0]}"`, env)
    expect([stdout.toString(), stderr]).toEqual(['141\n', ''])
  },
)

test.each(['kv list', '--version', '--help'])('a full disk is one clear line: %s', async (line) => {
  const { env } = await startDevServer()
  const { status, stderr } = await bash(`tug ${line} > /dev/full`, env)
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: says('tug: … stdout: …\n'),
  })
})

test('Ctrl-C ends a read at once and dies of the signal, so a loop around it ends too', async () => {
  let arrived = () => {}
  const asked = new Promise<void>((done) => {
    arrived = done
  })
  const { env } = await serve(() => arrived())
  const { child, ended } = start(['job', 'list'], { env })
  await asked
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ signal: 'SIGINT', stderr: '' })
})

test('SIGTERM does the same', async () => {
  let arrived = () => {}
  const asked = new Promise<void>((done) => {
    arrived = done
  })
  const { env } = await serve(() => arrived())
  const { child, ended } = start(['job', 'list'], { env })
  await asked
  child.kill('SIGTERM')
  expect((await ended).signal).toBe('SIGTERM')
})

test('Ctrl-C during a write says that it is in flight', async () => {
  let arrived = () => {}
  const asked = new Promise<void>((done) => {
    arrived = done
  })
  const { env } = await serve(({ method }, response) => {
    if (method === 'POST') arrived()
    else json(response, 200, '{"data":{"keys":[]}}')
  })
  const { child, ended } = start(['kmip', 'scope', 'create', 'finance'], { env })
  await asked
  child.kill('SIGINT')
  expect((await ended).stderr).toMatch(mentions('POST /v1/kmip/scope/finance …'))
})

test('an interrupted export leaves no file', async () => {
  let arrived = () => {}
  const asked = new Promise<void>((done) => {
    arrived = done
  })
  const { env } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' }).write('workspace_name\n"a"\n')
    arrived()
  })
  const cwd = scratchFolder()
  const { child, ended } = start(['explorer', 'export', 'workspaces', '-O', 'drift.csv'], { env, cwd })
  await asked
  child.kill('SIGINT')
  expect((await ended).signal).toBe('SIGINT')
  expect(readdirSync(cwd)).toEqual([])
})

test.each([
  ['kv get app/db', true],
  ['kv put app/new a=b', true],
  ['kmip scope list', true],
  ['job list', true],
  ['explorer query workspaces --all', true],
  ['status', true],
  ['--version', false],
  ['--help', false],
  ['kv get --help', false],
  ['completion bash', false],
  ['endpoints', false],
  ['profile set x secrets.address=http://127.0.0.1:1', false],
])('%s connects to nothing but its server: %s', async (line, connects) => {
  const { env, origin } = await startDevServer()
  const folder = scratchFolder()
  const note = join(folder, 'connections')
  // Node's own connections and look-ups of names all pass here.
  writeFileSync(
    join(folder, 'hook.cjs'),
    `const { appendFileSync } = require('node:fs'), net = require('node:net'), dns = require('node:dns'), dgram = require('node:dgram')
const { connect } = net.Socket.prototype, { lookup } = dns
const note = (text) => appendFileSync(${JSON.stringify(note)}, text + '\\n')
net.Socket.prototype.connect = function (...words) {
  const [{ host, port, path }] = net._normalizeArgs(Array.isArray(words[0]) ? words[0] : words)
  note(path ?? host + ':' + port)
  return connect.apply(this, words)
}
dns.lookup = (name, ...rest) => (note(name), lookup(name, ...rest))
dgram.createSocket = () => note('dgram')`,
  )
  writeFileSync(note, '')
  const words = ['-r', join(folder, 'hook.cjs'), program, ...line.split(' ')]
  const { status, stderr } = await start(words, {
    command: process.execPath,
    env: { ...env, TUG_CONFIG_DIR: join(folder, 'config') },
  }).ended
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  const seen = new Set(readFileSync(note, 'utf8').split('\n').filter(Boolean))
  expect([...seen]).toEqual(connects ? [new URL(origin).host] : [])
})

test('a pipe and a file get the same output', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await bash('tug explorer query workspaces > file; tug explorer query workspaces | cat > pipe', env, cwd)
  expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe(readFileSync(join(cwd, 'pipe'), 'utf8'))
  expect(readFileSync(join(cwd, 'file'), 'utf8')).toMatch(/^WORKSPACE /)
})

test('dev runs a command against the local server and passes its exit code on', async () => {
  const line =
    'tug kv get app/db --field host > /dev/null && tug -q explorer query workspaces --all -o name | head -n 1 && test -z "$TUG_PROFILE" && exit 3'
  const env = { TUG_PROFILE: 'elsewhere', VAULT_ADDR: 'http://127.0.0.1:1' }
  const { status, stdout, stderr } = await bash(`tug dev -- sh -c '${line}'`, env)
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
  const dialect = await bash("tug dev --dialect hashicorp -- sh -c 'echo $TUG_DIALECT'", env)
  expect(dialect.stdout.toString()).toBe('hashicorp\n')
  expect(stdout.toString()).toMatch(/^ws-\w{16}\n$/)
})

test.each([
  ['exit 130', 130],
  ['kill -TERM $$', 143],
])('a child that ends with %s gives its status, and no signal reaches us', async (script, status) => {
  expect(await start(['dev', '--', 'sh', '-c', script]).ended).toMatchObject({ status, signal: null })
})

test('dev without a command prints the variables and ends at a signal', async () => {
  const { child, ended } = start(['dev'])
  await new Promise<void>((done) => child.stderr?.once('data', () => done()))
  child.kill('SIGTERM')
  const { stdout, signal } = await ended
  expect(signal).toBe('SIGTERM')
  expect(stdout.toString()).toMatch(/^export TUG_EXPLORER_ADDR=http:\/\/127\.0\.0\.1:\d+\/api\/v2$/m)
})

test('a missing child program is a usage error; a child that fails has its own exit code', async () => {
  expect(await start(['dev', '--', '/no/such/command']).ended).toMatchObject({
    status: 2,
    stderr: says("tug: … '/no/such/command': …\n"),
  })
  expect((await start(['dev', '--', 'sh', '-c', 'kill -9 $$']).ended).status).toBe(137)
})

test('a command runs with an unwritable configuration folder', async () => {
  const { env } = await startDevServer()
  expect(existsSync('/nonexistent')).toBe(false)
  expect((await start(['kv', 'list'], { env }).ended).status).toBe(0)
})

test('nothing after -- is a usage error', async () => {
  expect(await start(['dev', '--']).ended).toMatchObject({
    status: 2,
    stderr: says('tug: … command… -- …\n'),
  })
})

test.each([
  ['profile list', 0],
  ['profile set stage output=json', 1],
])('no command hangs where no folder can be made: %s', async (line, status) => {
  const env = { HOME: '/proc', TUG_CONFIG_DIR: '/proc/config', XDG_CACHE_HOME: '' }
  expect(await start(line.split(' '), { env }).ended).toMatchObject({ status })
})
