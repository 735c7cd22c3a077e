import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says, told } from '../../support/told.ts'

const folders = 100
const secretsEach = 20

/** 2,000 secrets in 100 folders; counts concurrent requests by delaying each answer until others arrive. */
async function large(refuse: (path: string) => boolean = () => false) {
  let underWay = 0
  const peak = { value: 0 }
  const bodies: string[] = []
  const server = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x')
    underWay += 1
    peak.value = Math.max(peak.value, underWay)
    setImmediate(() => {
      underWay -= 1
      const path = decodeURIComponent(pathname.replace(/^\/v1\/secret\/\w+\/?/, ''))
      if (refuse(path)) return json(response, 403, '{"errors":["1 error occurred:\\n\\t* permission denied\\n\\n"]}')
      if (request.method === 'GET' && path.startsWith('new')) return json(response, 404, '{"errors":[]}')
      if (searchParams.has('list')) return json(response, 200, JSON.stringify({ data: { keys: names(path) } }))
      if (request.method !== 'GET') bodies.push(`${request.method} ${pathname} ${request.body}`)
      if (request.method === 'DELETE') return response.writeHead(204).end()
      const answer = request.method === 'POST' ? { version: 1 } : secret(path, pathname)
      return json(response, 200, JSON.stringify({ data: answer }))
    })
  })
  return { ...server, peak, bodies }
}

function names(path: string): string[] {
  if (path === '') return Array.from({ length: folders }, (_, index) => `f${index}/`)
  return Array.from({ length: secretsEach }, (_, index) => `s${index}`)
}

function secret(path: string, pathname: string) {
  const metadata = { version: 1, deletion_time: '', destroyed: false }
  if (pathname.includes('/metadata/')) return { current_version: 1, versions: { 1: { ...metadata, created_time: '' } } }
  if (pathname.includes('/subkeys/')) return { subkeys: { password: null }, metadata }
  return { data: { path, password: 'x' }, metadata }
}

test('a tree of 2,000 secrets is listed with at most 16 requests at a time', async () => {
  const { env, peak, seen } = await large()
  const { exit, stdout } = await tug('kv tree -o name', { env })
  expect(exit).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(folders * secretsEach)
  expect(stdout.startsWith('f0/s0\nf0/s1\n')).toBe(true)
  expect(seen).toHaveLength(folders + 1)
  expect(peak.value).toBeGreaterThan(4)
  expect(peak.value).toBeLessThanOrEqual(16)
})

test('an export of 2,000 secrets is complete and in order, with at most 16 requests at a time', async () => {
  const { env, peak } = await large()
  const { exit, stdout, stderr } = await tug('kv export', { env })
  expect(stderr).toBe('')
  expect(exit).toBe(0)
  const exported = JSON.parse(stdout) as Record<string, { path: string }>
  expect(Object.entries(exported).filter(([path, data]) => path !== data.path)).toEqual([])
  expect(Object.keys(exported)).toHaveLength(folders * secretsEach)
  expect(peak.value).toBeLessThanOrEqual(16)
})

test('a forbidden folder is named, the rest is done, and the exit code is 10', async () => {
  const { env, peak } = await large((path) => path === 'f7')
  const tree = await tug('kv tree', { env })
  expect(tree.exit).toBe(10)
  expect(tree.stdout).toContain('├── f7/  (not allowed)\n')
  expect(tree.stderr).toContain('warning: f7/: permission denied')
  const removed = await tug('kv delete / --recursive --yes', { env })
  expect(removed.exit).toBe(10)
  expect(removed.stdout.match(/^- f\d+\/s\d+ /gm)).toHaveLength(1980)
  expect(removed.stderr).toContain('1 of 1981 secrets failed, 1980 done\n  f7/: permission denied')
  expect(removed.stderr).toContain('needed: list on secret/metadata/f7')
  expect(peak.value).toBeLessThanOrEqual(16)
})

test('a copy of a folder goes on after a refused write, and sends check-and-set 0', async () => {
  const { env, bodies, peak } = await large((path) => path === 'new/f3/s3')
  const { exit, stderr } = await tug('kv copy / new --recursive', { env })
  expect(exit).toBe(10)
  expect(stderr).toContain('1 of 2000 secrets failed, 1999 done\n  new/f3/s3: permission denied')
  expect(bodies).toHaveLength(1999)
  expect(bodies[0]).toBe('POST /v1/secret/data/new/f0/s0 {"data":{"path":"f0/s0","password":"x"},"options":{"cas":0}}')
  expect(peak.value).toBeLessThanOrEqual(16)
})

test('a search for key names reads every secret and prints results as they arrive', async () => {
  const { env, peak } = await large((path) => path === 'f1/s1')
  const { exit, stdout, stderr } = await tug('kv find word --keys -o ndjson', { env })
  expect(exit).toBe(10)
  expect(stdout.trim().split('\n')).toHaveLength(1999)
  expect(stdout.split('\n')[0]).toBe('{"path":"f0/s0","key":"password"}')
  expect(stderr).toContain('warning: f1/s1: permission denied')
  expect(peak.value).toBeLessThanOrEqual(16)
})

test('nothing is done if the first folder cannot be listed', async () => {
  const { env, bodies } = await large(() => true)
  for (const line of ['kv tree', 'kv find x', 'kv export', 'kv copy / b --recursive', 'kv delete / --recursive -y']) {
    const { exit, stdout } = await tug(line, { env })
    expect(exit, line).toBe(4)
    expect(stdout, line).toBe('')
  }
  expect(bodies).toEqual([])
})

test.each([
  ['cannot be reached', 7, (response: ServerResponse) => void response.destroy()],
  ['is sealed', 1, (response: ServerResponse) => json(response, 503, '{"errors":["Vault is sealed"]}')],
])('a server that %s ends a bulk operation at once', async (...[, code, fail]) => {
  for (const line of ['kv tree', 'kv export']) {
    let asked = 0
    const { env } = await serve((_, response) => {
      asked += 1
      const keys = line === 'kv tree' ? names('') : names('').map((name) => name.replace('/', ''))
      if (asked === 1) json(response, 200, JSON.stringify({ data: { keys } }))
      else fail(response)
    })
    const { exit } = await tug(`${line} --retries 0`, { env })
    expect([exit, asked < 60], line).toEqual([code, true])
  }
})

test.each(['json', 'yaml'])('an export as %s can be imported unchanged', async (format) => {
  const { env } = await startDevServer()
  const folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
  const odd = {
    text: 'it\'s "quoted" $HOME `x` \\ end',
    lines: 'one\n\n  two\r\nthree\n',
    'odd key=1': ' blanks ',
    '7': '',
    empty: {},
    nested: { b: [1, null, true, { c: 'd' }], a: 1.5 },
    nothing: null,
    '#hash': '# not a comment',
    unicode: '名前 🔑 \u2028',
  }
  await tug('kv put app/odd -', { env, stdin: JSON.stringify(odd) })
  await tug('kv put app/none -', { env, stdin: '{}' })
  const exported = await tug(`kv export app/ --format ${format} -O all.txt`, { env, cwd: folder })
  expect(exported.stderr).toContain('6 secrets → all.txt')
  expect(statSync(join(folder, 'all.txt')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, 'all.txt'), 'utf8')).toContain('demo-password-4')
  const imported = await tug(`kv import all.txt copy --format ${format}`, { env, cwd: folder })
  expect(imported.stderr).toContain('6 created below copy')
  const [before, after] = [await tug('kv export app/', { env }), await tug('kv export copy/', { env })]
  expect(JSON.parse(after.stdout)).toEqual(JSON.parse(before.stdout))
  expect(JSON.parse(after.stdout)['odd']).toEqual(odd)
})

test('an import checks everything first and replaces nothing without --force', async () => {
  const { env } = await startDevServer()
  const there = await tug('kv import - app', { env, stdin: '{"db":{"a":"b"},"new":{"a":"b"}}' })
  expect(there.exit).toBe(10)
  expect(there.stdout).toContain('+ app/new')
  expect(there.stderr).toContain('app/db already exists')
  expect((await tug('kv import - app', { env, stdin: '{"db":{"a":"b"}}' })).exit).toBe(5)
  expect((await tug('kv history app/db -o json --query length(@)', { env })).stdout).toBe('4\n')
  expect((await tug('kv import - app --update', { env, stdin: 'db:\n  a: b\n' })).exit).toBe(0)
  expect((await tug('kv get app/db --field a', { env })).stdout).toBe('b')
  for (const stdin of ['{"a":1}', '[1]', '{"../x":{}}', '{"a/":{}}', '{"a":{},"a":{}}', 'a: {b: c}\na: {}\n', '']) {
    const { exit, stderr } = await tug('kv import -', { stdin })
    expect(exit, `${stdin}: ${stderr}`).toBe(2)
  }
})

test('a plain environment file is one secret', async () => {
  const { env } = await startDevServer()
  const folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
  writeFileSync(join(folder, '.env'), '# a comment\nexport A=1 # one\nB="x\\ny"\nC=\'z # z\'\nD=\n')
  expect((await tug('kv import .env', { env, cwd: folder })).exit).toBe(2)
  expect(await tug('kv import .env app/env', { env, cwd: folder })).toMatchObject({
    exit: 0,
    stderr: '1 created at app/env\n',
  })
  expect((await tug('kv get app/env -o json --query data', { env })).stdout).toBe(
    '{"A":"1","B":"x\\ny","C":"z # z","D":""}\n',
  )
  const single = await tug('kv export app/env --format dotenv', { env })
  expect(single.stdout).toBe("A=1\nB='x\ny'\nC='z # z'\nD=\n")
})

test('a version-1 engine ends an import after the first secret, with a message what was stored', async () => {
  const { env } = await startDevServer()
  const stdin = JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, { a: 'b' }])))
  const { exit, stderr } = await tug('kv import - --mount kv1', { env, stdin })
  expect(exit).toBe(1)
  expect(stderr).toMatch(
    /version 1 .*nothing was sent; 1 of 30 secrets failed, 29 not sent\n {2}failed: .*\n {2}not sent: /,
  )
})

test('a limited token lists what it may and is refused at the root', async () => {
  const { env } = await startDevServer()
  const limited = { ...env, TUG_SECRETS_TOKEN: credentials.secrets.limitedToken }
  expect((await tug('kv tree app', { env: limited })).exit).toBe(0)
  expect((await tug('kv tree', { env: limited })).exit).toBe(4)
})

test('copying between nested folders never loses what is both read and replaced', async () => {
  const { env } = await startDevServer()
  await tug('kv import -', { env, stdin: '{"a/x":{"k":"outer"},"a/b/x":{"k":"inner"}}' })
  const flags = '--recursive --versions current --force --yes'
  expect((await tug(`kv move a/b a ${flags}`, { env })).stderr).toContain('1 moved')
  expect((await tug('kv get a/x --field k', { env })).stdout).toBe('inner')
  await tug('kv import -', { env, stdin: '{"a/b/b/x":{"k":"innermost"},"a/b/x":{"k":"inner"}}' })
  const { exit, stderr } = await tug(`kv move a/b a ${flags}`, { env })
  expect(stderr).toMatch(mentions('a/b/x … a/b/b/x …'))
  expect(exit).toBe(2)
})

test.each(['copy', 'move'])(
  'a %s into a folder inside the old one leaves that folder alone, run again too',
  async (verb) => {
    const { env } = await startDevServer()
    await tug('kv import -', { env, stdin: '{"a/x":{"k":"1"},"a/new/y":{"k":"2"}}' })
    const line = `kv ${verb} a a/new --recursive --yes`
    expect((await tug(line, { env })).exit).toBe(0)
    const { stdout } = await tug('kv tree a -o json', { env })
    expect(JSON.parse(stdout)).toEqual(['a/new/x', 'a/new/y', ...(verb === 'copy' ? ['a/x'] : [])])
    expect((await tug(`${line} --plan --exit-code`, { env })).exit).toBe(0)
  },
)

test('a move that cannot remove the old path says that the new one is written', async () => {
  const { env } = await serve((request, response) =>
    request.method === 'DELETE'
      ? json(response, 403, '{"errors":["permission denied"]}')
      : json(
          response,
          200,
          '{"data":{"data":{"a":"1"},"metadata":{"version":1,"deletion_time":""},"version":1,"current_version":1,"versions":{}}}',
        ),
  )
  const { exit, stderr } = await tug(['kv', 'move', 'app/my db', 'app/new', '--yes', '--versions', 'current'], { env })
  expect(exit).toBe(4)
  expect(stderr).toMatch(mentions('app/new is equal, but … app/my db: …'))
  expect(stderr).toContain("tug kv metadata delete 'app/my db'")
})

test.each(["A='it'\\''s'", 'A="x"y', "A='x'#y"])('%s is refused rather than truncated', async (line) => {
  const { exit, stderr } = await tug('kv import - app/env --format dotenv', { stdin: `B=1\n${line}\n` })
  expect(exit).toBe(2)
  expect(stderr).toMatch(told('tug: …: line 2: …\n'))
})

/** A secret whose only version is live. */
const liveMetadata = '{"data":{"current_version":1,"versions":{"1":{"created_time":"","deletion_time":""}}}}'

test('a connection that breaks is the failure of its item; when nothing is answered any more, the operation ends', async () => {
  let answered = 30
  const { env, seen } = await serve((request, response) => {
    const isList = request.url.includes('list=true')
    const all = Array.from({ length: 200 }, (_, index) => `s${index}`)
    if (isList) json(response, 200, JSON.stringify({ data: { keys: all } }))
    else if (request.method === 'GET' && answered >= 0) json(response, 200, liveMetadata)
    else if (request.method === 'GET') response.destroy()
    else if (request.url.endsWith('s3') || (answered -= 1) < 0) response.destroy()
    else response.writeHead(204).end()
  })
  const { exit, stdout, stderr } = await tug('kv delete f --recursive --yes --retries 0', { env })
  expect(exit).toBe(10)
  expect(stdout.match(/^- /gm)).toHaveLength(30)
  // Every write that was sent is told as done or as unknown; listing more would need the server.
  const unknown = stderr.match(/^ {2}unknown: f\/s\d+: /gm)?.length ?? 0
  const sent = seen.filter(({ method }) => method === 'POST').length
  expect(30 + unknown).toBe(sent)
  expect(sent).toBeLessThan(80)
  expect(stderr).toContain('hint: to continue, run it again: tug kv delete f --recursive --yes --retries 0\n')
})

test('an exhausted 429 is the failure of its item, and the export says that it is incomplete', async () => {
  const { env } = await serve((request, response) => {
    if (request.url.includes('list=true')) json(response, 200, '{"data":{"keys":["a","b","c"]}}')
    else if (request.url.endsWith('/b')) json(response, 429, '{"errors":["rate limit quota exceeded"]}')
    else json(response, 200, '{"data":{"data":{"k":"v"},"metadata":{"version":1,"deletion_time":""}}}')
  })
  const outcomes: string[] = []
  for (const format of ['json', 'yaml']) {
    const { exit, stdout, stderr } = await tug(`kv export f/ --retries 1 --format ${format}`, { env })
    expect(exit, format).toBe(10)
    expect(stderr, format).toContain('tug: 1 of 3 failed\n  f/b: rate limit quota exceeded')
    outcomes.push(stdout)
    const again = await tug(`kv import - --format ${format}`, { env, stdin: stdout })
    expect(again.exit, format).toBe(2)
    expect(again.stderr, format).toContain('1 of 3 secrets missing')
  }
  expect(JSON.parse(outcomes[0] ?? '')).toEqual({
    a: { k: 'v' },
    c: { k: 'v' },
    '# incomplete': '1 of 3 secrets missing',
  })
})

test('an export leaves out deleted secrets and those without a version, and says how many', async () => {
  const { env } = await startDevServer()
  await tug('kv metadata put team/empty --max-versions 3', { env })
  const whole = await tug('kv export team', { env })
  expect(whole).toMatchObject({ exit: 0, stderr: says('3 secrets, 2 …\n') })
  expect(Object.keys(JSON.parse(whole.stdout))).toEqual(['payments/gateway/webhook', 'payments/ledger', 'search/index'])
  const flat = await tug('kv export team/payments/ --depth 1', { env })
  expect(Object.keys(JSON.parse(flat.stdout))).toEqual(['ledger'])
  expect(flat.stderr).toMatch(/^left out 1 folder \(--depth 1\): team\/payments\/gateway\/\n/)
  const root = await tug('kv export --depth 1', { env })
  expect(root).toMatchObject({
    exit: 0,
    stdout: '{}\n',
    stderr: 'left out 2 folders (--depth 1): app/, team/\n',
  })
  const leftOut = async (...folder: string[]) => {
    for (const name of folder) await tug(`kv put ${name}/x a=1`, { env })
    return (await tug('kv export --depth 1', { env })).stderr
  }
  const others = ['z1', 'z2', 'z3', 'z4', 'z5', 'z6', 'z7', 'z8']
  const all = ['app', 'team', ...others].map((name) => `${name}/`).join(', ')
  expect(await leftOut(...others)).toBe(`left out 10 folders (--depth 1): ${all}\n`)
  expect(await leftOut('z9')).toBe(`left out 11 folders (--depth 1): ${all}, …\n`)
})

test('where an export goes is checked before anything is sent; - is standard output', async () => {
  const cwd = scratchFolder()
  const { env, seen } = await serve((_, response) =>
    json(response, 200, '{"data":{"data":{"k":"v"},"metadata":{"version":1,"deletion_time":""}}}'),
  )
  writeFileSync(join(cwd, 'there.json'), 'theirs')
  for (const file of ['there.json', 'nosuch/x.json']) {
    expect((await tug(`kv export app -O ${file}`, { env, cwd })).exit, file).not.toBe(0)
    expect(seen, file).toEqual([])
  }
  expect((await tug('kv export app -O -', { env, cwd })).stdout).toContain('"k": "v"')
  expect(readdirSync(cwd)).toEqual(['there.json'])
})

test('an export needs no right to the path of the same name as its folder', async () => {
  const { env } = await serve((request, response) => {
    if (request.url === '/v1/secret/data/app') json(response, 403, '{"errors":["permission denied"]}')
    else if (request.url.includes('list=true')) json(response, 200, '{"data":{"keys":["db"]}}')
    else json(response, 200, '{"data":{"data":{"k":"v"},"metadata":{"version":1,"deletion_time":""}}}')
  })
  const { exit, stdout } = await tug('kv export app', { env })
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ db: { k: 'v' } })
})

test('folders without an end are followed for 100 levels', async () => {
  const { env, seen } = await serve((request, response) =>
    request.url.includes('list=true')
      ? json(response, 200, '{"data":{"keys":["d/","s"]}}')
      : json(response, 200, '{"data":{"data":{"a":"b"},"metadata":{"version":1}}}'),
  )
  for (const line of ['kv tree f', 'kv export f/']) {
    seen.length = 0
    const { exit, stderr } = await tug(line, { env })
    expect(exit).toBe(10)
    const words = '… 100 levels …'
    expect(stderr).toMatch(mentions(`f/${'d/'.repeat(100)}: ${words}\n`))
    expect(seen.filter(({ url }) => url.includes('list=true'))).toHaveLength(100)
  }
})

test('listed names that lead out of the folder are not followed', async () => {
  const keys = ['..', '../', '', './', 'a/../../b', '...', '.hidden', 'x/']
  const { env, seen } = await serve((request, response) => {
    if (request.url.endsWith('/metadata/f/x/in')) json(response, request.method === 'GET' ? 200 : 405, liveMetadata)
    else if (request.url.includes('/metadata/f/x')) json(response, 200, '{"data":{"keys":["in"]}}')
    else if (request.url.includes('list=true')) json(response, 200, JSON.stringify({ data: { keys } }))
    else if (request.method === 'GET') json(response, 200, liveMetadata)
    else response.writeHead(204).end()
  })
  const { exit, stderr } = await tug('kv delete f --recursive --yes', { env })
  expect(exit).toBe(10)
  expect(stderr).toMatch(mentions('f/..: … name'))
  expect(seen.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
    'GET /v1/secret/metadata/f',
    'GET /v1/secret/metadata/f/...',
    'GET /v1/secret/metadata/f/.hidden',
    'GET /v1/secret/metadata/f/x/in',
    'GET /v1/secret/metadata/f/x?list=true',
    'GET /v1/secret/metadata/f?list=true',
    'POST /v1/secret/delete/f/...',
    'POST /v1/secret/delete/f/.hidden',
    'POST /v1/secret/delete/f/x/in',
  ])
  for (const line of ['kv tree f', 'kv find . f --keys', 'kv export f/'])
    expect((await tug(line, { env })).exit, line).not.toBe(0)
  expect(seen.filter(({ url }) => /\/\.{0,2}(?:\/|\?|$)/.test(url))).toEqual([])
})
