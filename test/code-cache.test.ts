import { appendFileSync, chmodSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCodeCache } from '../src/process/code-cache.ts'
import { root, start } from './support/process.ts'
import { json, serve } from './support/serve.ts'
import { scratchFolder } from './support/folder.ts'

const code = new Map([['main.cjs', Buffer.alloc(8192, 'compiled')]])

function systemAt(env: Readonly<Record<string, string>>, changes: Partial<NodeJS.Process> = {}) {
  const { arch, getuid, pid, versions } = process
  return { arch, pid, versions, platform: 'linux' as const, execArgv: [], env, ...(getuid && { getuid }), ...changes }
}

/** A home folder with a cache in it, and the file of the cache. */
function written() {
  const home = scratchFolder()
  const cache = openCodeCache(systemAt({ HOME: home }))
  cache?.write('kv-get', () => code)
  const builds = join(home, '.cache/tug/code')
  const [build = ''] = readdirSync(builds)
  return { home, cache, builds, own: join(home, '.cache/tug'), file: join(builds, build, 'kv-get') }
}

test('what is written is read again, by the same command only', () => {
  const { cache } = written()
  expect(cache?.read('kv-get')).toEqual(code)
  expect(cache?.read('job')).toBeUndefined()
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
  ['in a folder that others can write', ({ own }) => chmodSync(own, 0o777)],
  ['in a home that others can write', ({ home }) => chmodSync(home, 0o777)],
])('a cache that is %s is ignored', (_, spoil) => {
  const place = written()
  expect(place.cache?.read('kv-get')).toEqual(code)
  spoil(place)
  expect(place.cache?.read('kv-get')).toBeUndefined()
})

test.each(['file', 'own'] as const)('a symbolic link is not followed: %s', (name) => {
  const place = written()
  renameSync(place[name], `${place[name]}-moved`)
  symlinkSync(`${place[name]}-moved`, place[name])
  expect(place.cache?.read('kv-get')).toBeUndefined()
})

test('the cache of another user is neither read nor written', () => {
  const { home, file } = written()
  const other = openCodeCache(systemAt({ HOME: home }, { getuid: () => 4321 }))
  expect(other?.read('kv-get')).toBeUndefined()
  const before = readFileSync(file)
  other?.write('kv-get', () => new Map())
  expect(readFileSync(file)).toEqual(before)
})

test.each<[string, Readonly<Record<string, string>>, Partial<NodeJS.Process>]>([
  ['HOME is not set', {}, {}],
  ['HOME is empty', { HOME: '' }, {}],
  ['HOME is relative', { HOME: 'here' }, {}],
  ['the flags are too long for a name', { HOME: '/', NODE_OPTIONS: '--no-opt '.repeat(50) }, {}],
  ['compile caches are switched off', { HOME: '/', NODE_DISABLE_COMPILE_CACHE: '1' }, {}],
])('there is no cache if %s', (_, env, changes) => {
  expect(openCodeCache(systemAt(env, changes))).toBeUndefined()
})

test.each<[string, Readonly<Record<string, string>>, Partial<NodeJS.Process>]>([
  ['of NODE_OPTIONS', { NODE_OPTIONS: '--stack-size=2000 --title=a/b' }, {}],
  ['of the command line', {}, { execArgv: ['--no-opt'] }],
])('flags %s have a cache of their own', (_, env, changes) => {
  const { home, cache, builds } = written()
  const flagged = openCodeCache(systemAt({ HOME: home, ...env }, changes))
  expect(flagged?.read('kv-get')).toBeUndefined()
  flagged?.write('kv-get', () => new Map())
  expect(flagged?.read('kv-get')).toEqual(new Map())
  expect(cache?.read('kv-get')).toEqual(code)
  expect(readdirSync(builds)).toHaveLength(2)
})

test('a missing XDG_CACHE_HOME is created, for the user alone', () => {
  const home = join(scratchFolder(), 'new/caches')
  const cache = openCodeCache(systemAt({ XDG_CACHE_HOME: home }))
  cache?.write('kv-get', () => code)
  expect(cache?.read('kv-get')).toEqual(code)
  expect((statSync(home).mode & 0o777).toString(8)).toBe('700')
})

test('XDG_CACHE_HOME is used if it is absolute', () => {
  const home = scratchFolder()
  const cache = scratchFolder()
  openCodeCache(systemAt({ HOME: home, XDG_CACHE_HOME: cache }))?.write('kv-get', () => code)
  expect(readdirSync(cache)).toEqual(['tug'])
  expect(readdirSync(home)).toEqual([])
  openCodeCache(systemAt({ HOME: home, XDG_CACHE_HOME: 'cache' }))?.write('kv-get', () => code)
  expect(readdirSync(home)).toEqual(['.cache'])
})

test('a home that does not exist is not created, and nothing is compiled for it', () => {
  const home = join(scratchFolder(), 'missing')
  openCodeCache(systemAt({ HOME: home }))?.write('kv-get', () => {
    throw new Error('compiled in vain')
  })
  expect(() => statSync(home)).toThrow('ENOENT')
})

test('the oldest builds are removed', () => {
  const { cache, builds, file } = written()
  for (const name of ['a', 'b', 'c', 'd', 'e']) mkdirSync(join(builds, name))
  renameSync(join(file, '..'), join(builds, 'f'))
  cache?.write('kv-get', () => code)
  expect(readdirSync(builds)).toHaveLength(4)
  expect(cache?.read('kv-get')).toEqual(code)
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
