// Counts the named functions of src/ that run for a command, by file; `--all` names them:
//   node bench/path.mjs [--all] [words of a command, by default kv get one]
// `node bin/tug.js dev -- node bench/path.mjs job status web` counts a command of another service.
// The program is built with a file for each module, and V8 counts the calls. Getters and functions that run while files load count too.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { startServer } from './measure.mjs'

const run = promisify(execFile)
/** What the loader puts before a file, so that offsets count from there. */
const wrapper = '(function (exports, require) {'
const isLong = process.argv[2] === '--all'
const words = process.argv.slice(isLong ? 3 : 2)
const home = await mkdtemp(join(tmpdir(), 'tug-path-'))
const server = await startServer()
try {
  const built = join(home, 'built')
  await run(process.execPath, ['scripts/build.mjs', '--modules', built], { cwd: join(import.meta.dirname, '..') })
  await writeFile(join(home, 'start.cjs'), `require('./built/load.cjs').start('${built}', process)`)
  await writeFile(
    join(home, 'count.cjs'),
    `const { Session } = require('node:inspector'), { writeFileSync } = require('node:fs'), session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
process.once('exit', () => session.post('Profiler.takePreciseCoverage', (_, { result }) =>
  writeFileSync(process.env.COUNTED, JSON.stringify(result))))`,
  )
  const counted = join(home, 'counted.json')
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TUG_SECRETS_ADDR: server.origin,
    TUG_SECRETS_TOKEN: 'a',
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('TUG_'))),
    COUNTED: counted,
  }
  const line = words.length === 0 ? ['kv', 'get', 'one'] : words
  const args = ['-r', join(home, 'count.cjs'), join(home, 'start.cjs'), ...line]
  await run(process.execPath, args, { env })
  const modulesOf = JSON.parse(await readFile(join(built, 'meta.json'), 'utf8'))
  const rows = []
  for (const { url, functions } of JSON.parse(await readFile(counted, 'utf8'))) {
    const file = basename(url)
    const modules = url.includes(built) ? Object.keys(modulesOf[file] ?? {}).filter((id) => id.startsWith('src')) : []
    if (modules.length === 0) continue
    const text = await readFile(join(built, file), 'latin1')
    const wrapped = file === 'load.cjs' ? text : `${wrapper}${text}`
    const names = functions.filter((each) => isCalled(each, wrapped)).map(({ functionName }) => functionName)
    if (names.length > 0) rows.push({ file: modules.join(', '), names })
  }
  rows.sort((one, other) => other.names.length - one.names.length)
  for (const { file, names } of rows)
    console.log(`${String(names.length).padStart(4)} ${file}${isLong ? ` ${names.join(' ')}` : ''}`)
  console.log(`${rows.reduce((sum, { names }) => sum + names.length, 0)} functions in ${rows.length} files`)
} finally {
  server.end()
  await rm(home, { recursive: true })
}

/** True for a named function that was called, other than those that the bundler makes for exports. */
function isCalled({ functionName, ranges: [{ count, startOffset, endOffset }] }, text) {
  if (count === 0 || functionName === '') return false
  return !/^function\(\)\{return [\w$]+\}$/.test(text.slice(startOffset, endOffset))
}
