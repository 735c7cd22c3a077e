import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs'
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCodeCache } from '../src/process/code-cache.ts'
import { root, start } from './support/process.ts'
import { json, serve } from './support/serve.ts'
import { scratchFolder } from './support/folder.ts'

const source = `(function () { return ${JSON.stringify('text'.repeat(2000))} })`

function systemAt(env: Readonly<Record<string, string>>, changes: Partial<NodeJS.Process> = {}) {
  const { arch, getBuiltinModule, getuid, pid, versions } = process
  const own = { arch, getBuiltinModule, pid, versions, platform: 'linux' as const, execArgv: [], env }
  return { ...own, ...(getuid && { getuid }), ...changes }
}

/** True if a file with this source is compiled with the cached code of a command. */
function isCached(system: ReturnType<typeof systemAt>, { command = 'kv-get', text = source } = {}) {
  return openCodeCache(system, command)?.compile('main.cjs', '/main.cjs', text).cachedDataRejected === false
}

function save(system: ReturnType<typeof systemAt>, { command = 'kv-get', text = source } = {}) {
  const cache = openCodeCache(system, command)
  cache?.compile('main.cjs', '/main.cjs', text)
  cache?.save()
}

/** A home folder with a cache in it, and the file of the cache. */
function written() {
  const home = scratchFolder()
  const system = systemAt({ HOME: home })
  save(system)
  const builds = join(home, '.cache/tug/code')
  const [build = ''] = readdirSync(builds)
  return {
    home,
    system,
    builds,
    own: join(home, '.cache/tug'),
    parent: join(home, '.cache'),
    file: join(builds, build, 'kv-get'),
  }
}

test('compiled code is used again, by the same command only', () => {
  const { system } = written()
  expect(isCached(system)).toBe(true)
  expect(isCached(system, { command: 'job' })).toBe(false)
})

test('only the user can read or write the cache', () => {
  const { own, file } = written()
  expect((statSync(own).mode & 0o777).toString(8)).toBe('700')
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test.each<[string, (place: ReturnType<typeof written>) => void]>([
  ['cut short', ({ file }) => writeFileSync(file, readFileSync(file).subarray(0, 30))],
  ['too long', ({ file }) => appendFileSync(file, 'more')],
  ['without one of its blocks', ({ file }) => writeFileSync(file, readFileSync(file).fill(0, 4096))],
  ['empty', ({ file }) => writeFileSync(file, '')],
  ['writable by others', ({ file }) => chmodSync(file, 0o666)],
])('a cache that is %s is ignored and replaced', (_, spoil) => {
  const place = written()
  spoil(place)
  expect(isCached(place.system)).toBe(false)
  save(place.system)
  expect(isCached(place.system)).toBe(true)
})

test('a flipped bit anywhere in the file is noticed', () => {
  const { system, file } = written()
  const whole = readFileSync(file)
  for (let at = 0; at < whole.length; at += 97) {
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
    writeFileSync(file, flipped)
    expect([at, isCached(system)]).toEqual([at, false])
  }
})

test('code of another source of the same length is not used', () => {
  const { system } = written()
  const patched = source.replace('text', 'next')
  expect(isCached(system, { text: patched })).toBe(false)
  save(system, { text: patched })
  expect(isCached(system, { text: patched })).toBe(true)
})

test.each(['own', 'parent', 'home'] as const)('a folder that others can write is not used: %s', (name) => {
  const place = written()
  chmodSync(place[name], 0o777)
  expect(isCached(place.system)).toBe(false)
  const before = readFileSync(place.file)
  save(place.system, { command: 'job' })
  expect(readdirSync(join(place.file, '..'))).toEqual(['kv-get'])
  expect(readFileSync(place.file)).toEqual(before)
})

test.each(['file', 'builds', 'own', 'parent'] as const)('a symbolic link is not followed: %s', (name) => {
  const place = written()
  renameSync(place[name], `${place[name]}-moved`)
  symlinkSync(`${place[name]}-moved`, place[name])
  expect(isCached(place.system)).toBe(false)
})

test.each(['.cache', '.cache/tug', '.cache/tug/code'])('nothing is created or removed behind a link at %s', (name) => {
  const [home, foreign] = [scratchFolder(), scratchFolder()]
  const folders = ['a', 'b', 'c', 'd', 'e'].map((one) => join('tug/code', `1.0.0-${one.repeat(16)}-11.3.244.8-x64`))
  for (const folder of ['.cache/tug', name === '.cache' ? '' : 'x'])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 })
  for (const folder of folders) mkdirSync(join(foreign, folder), { recursive: true, mode: 0o700 })
  rmSync(join(home, name), { recursive: true, force: true })
  symlinkSync(join(foreign, name.slice('.cache/'.length)), join(home, name))
  const before = readdirSync(foreign, { recursive: true })
  save(systemAt({ HOME: home }))
  expect(readdirSync(foreign, { recursive: true })).toEqual(before)
})

test('the cache of another user is neither read nor written', () => {
  const { home, file } = written()
  const other = systemAt({ HOME: home }, { getuid: () => 4321 })
  expect(isCached(other)).toBe(false)
  const before = readFileSync(file)
  save(other, { text: source.replace('text', 'next') })
  expect(readFileSync(file)).toEqual(before)
})

test.each<[string, Readonly<Record<string, string>>, Partial<NodeJS.Process>]>([
  ['HOME is not set', {}, {}],
  ['HOME is empty', { HOME: '' }, {}],
  ['HOME is relative', { HOME: 'here' }, {}],
  ['the flags are too long for a name', { HOME: '/', NODE_OPTIONS: '--no-opt '.repeat(50) }, {}],
  ['compile caches are switched off', { HOME: '/', NODE_DISABLE_COMPILE_CACHE: '1' }, {}],
])('there is no cache if %s', (_, env, changes) => {
  expect(openCodeCache(systemAt(env, changes), 'kv-get')).toBeUndefined()
})

test.each<[string, Readonly<Record<string, string>>, Partial<NodeJS.Process>]>([
  ['of NODE_OPTIONS', { NODE_OPTIONS: '--stack-size=2000 --title=a/b' }, {}],
  ['of the command line', {}, { execArgv: ['--no-opt'] }],
])('flags %s have a cache of their own', (_, env, changes) => {
  const { home, system, builds } = written()
  const flagged = systemAt({ HOME: home, ...env }, changes)
  expect(isCached(flagged)).toBe(false)
  save(flagged)
  expect(isCached(flagged)).toBe(true)
  expect(isCached(system)).toBe(true)
  expect(readdirSync(builds)).toHaveLength(2)
})

test('a missing XDG_CACHE_HOME is created, for the user alone', () => {
  const home = join(scratchFolder(), 'new/caches')
  const system = systemAt({ XDG_CACHE_HOME: home })
  save(system)
  expect(isCached(system)).toBe(true)
  expect((statSync(home).mode & 0o777).toString(8)).toBe('700')
})

test('XDG_CACHE_HOME is used if it is absolute', () => {
  const home = scratchFolder()
  const cache = scratchFolder()
  save(systemAt({ HOME: home, XDG_CACHE_HOME: cache }))
  expect(readdirSync(cache)).toEqual(['tug'])
  expect(readdirSync(home)).toEqual([])
  save(systemAt({ HOME: home, XDG_CACHE_HOME: 'cache' }))
  expect(readdirSync(home)).toEqual(['.cache'])
})

test('a home that does not exist is not created', () => {
  const home = join(scratchFolder(), 'missing')
  save(systemAt({ HOME: home }))
  expect(existsSync(home)).toBe(false)
})

test('the oldest builds are removed, and nothing that has another name', () => {
  const { system, builds, file } = written()
  const old = [1, 2, 3, 4, 5].map((number) => `1.0.${number}-${'ab'.repeat(8)}-11.3.244.8-node.38-x64`)
  for (const name of [...old, 'mine']) mkdirSync(join(builds, name))
  for (const name of [...old, 'mine']) writeFileSync(join(builds, name, 'kv-get'), '')
  writeFileSync(join(builds, old[0] as string, 'Notes.txt'), '')
  for (const [index, name] of [...old, 'mine'].entries()) utimesSync(join(builds, name), index, index)
  rmSync(join(file, '..'), { recursive: true })
  save(system)
  const left = readdirSync(builds).filter((name) => !name.startsWith('source'))
  expect(left).toEqual([old[0], old[2], old[3], old[4], 'mine'])
  expect(readdirSync(join(builds, old[0] as string))).toEqual(['Notes.txt'])
  expect(isCached(system)).toBe(true)
})

test('a run writes the cache after its answer, and the next one prints the same from it', async () => {
  const line = ['help', 'exit-codes']
  const [first, next] = await runTwice(line)
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(next).toEqual(first)
})

test('the flags of V8 that bulk work sets do not make its compiled code useless', async () => {
  const keys = Array.from({ length: 501 }, (_, index) => `s${index}`)
  const { env } = await serve(({ url }, response) => {
    if (url.includes('list=true')) return json(response, 200, JSON.stringify({ data: { keys } }))
    if (url.endsWith('/app')) return json(response, 404, '{"errors":[]}')
    return json(response, 200, '{"data":{"data":{"a":"1"},"metadata":{"version":1}}}')
  })
  const [first] = await runTwice(['kv', 'export', 'app', '--mount', 'secret'], env)
  expect(first).toMatchObject({ status: 0, stderr: '' })
})

/** Runs a line twice. Fails if the second run writes the cache again, because V8 has rejected it. */
async function runTwice(line: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = scratchFolder()
  const run = async () => {
    const { status, stdout, stderr } = await start(line, { env: { HOME: home, ...env } }).ended
    const builds = join(home, '.cache/tug/code')
    const file = statSync(join(builds, readdirSync(builds)[0] as string, line.slice(0, 2).join('-')))
    return { printed: { status, stdout: stdout.toString(), stderr }, file: [file.ino, file.mtimeMs] }
  }
  const first = await run()
  const next = await run()
  expect(next.file).toEqual(first.file)
  return [first.printed, next.printed] as const
}

test.each(['.cache', '.cache/tug', '.cache/tug/code'])('a file at %s is no problem', async (name) => {
  const home = scratchFolder()
  mkdirSync(join(home, name, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, name), '')
  expect(await start(['help', 'exit-codes'], { env: { HOME: home } }).ended).toMatchObject({ status: 0, stderr: '' })
})

test('the lines that begin with flags share one cache, whatever the values of the flags', async () => {
  const home = scratchFolder()
  for (const namespace of ['one', 'two'])
    await start(['-n', namespace, 'help', 'exit-codes'], { env: { HOME: home } }).ended
  const builds = join(home, '.cache/tug/code')
  expect(readdirSync(join(builds, readdirSync(builds)[0] as string))).toEqual(['flags'])
})

test('code of another version of V8 is compiled anew', async () => {
  const home = scratchFolder()
  const help = () => start(['help', 'exit-codes'], { env: { HOME: home } }).ended
  const { stdout } = await help()
  const builds = join(home, '.cache/tug/code')
  const file = join(builds, readdirSync(builds)[0] as string, 'help-exit-codes')
  const saved = readFileSync(file, 'latin1')
  // The second number of V8's data is the version.
  const at = saved.indexOf('\n') + 1 + 4
  const foreign = `${saved.slice(0, at)}\0\0\0\0${saved.slice(at + 4)}`
  writeFileSync(file, foreign, 'latin1')
  expect(await help()).toMatchObject({ status: 0, stderr: '', stdout })
  expect(readFileSync(file, 'latin1')).not.toBe(foreign)
})

test('runs at the same time leave one whole cache, and nothing in the package', async () => {
  const home = scratchFolder()
  const before = readdirSync(join(root, 'dist'))
  const runs = Array.from({ length: 6 }, () => start(['help', 'exit-codes'], { env: { HOME: home } }).ended)
  for (const { status, stderr } of await Promise.all(runs))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const builds = join(home, '.cache/tug/code')
  expect(readdirSync(join(builds, readdirSync(builds)[0] as string))).toEqual(['help-exit-codes'])
  expect(readdirSync(join(root, 'dist'))).toEqual(before)
})

test('a line that is not understood is not cached', async () => {
  const home = scratchFolder()
  expect((await start(['unexpected_response'], { env: { HOME: home } }).ended).status).toBe(2)
  expect(readdirSync(home)).toEqual([])
})
