import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

const planted = 'Planted-Value-7f3a'
const number = '735562819044'
const stdin = JSON.stringify({ planted, number: Number(number), deep: { list: [planted] } })

/** Commands that read or write values; those that print them on stdout are marked. */
const lines: readonly (readonly [line: string, shows?: 'shows'])[] = [
  ['kv put app/s -'],
  ['kv put app/s planted=-'],
  [`kv put app/s planted=${planted}`],
  [`kv put app/s planted:="${planted}`],
  [`kv put app/s planted=a planted=${planted}`],
  [`kv put app/s =${planted}`],
  ['kv put app/s - --cas 1'],
  ['kv put app/s @values.json --cas 0'],
  ['kv patch app/s -'],
  ['kv patch nope -'],
  ['kv set app/s -'],
  ['kv set app/s - --cas 77'],
  ['kv get app/s', 'shows'],
  ['kv get app/s -o json', 'shows'],
  ['kv get app/s --field planted', 'shows'],
  ['kv get app/s --field nope'],
  ['kv get app/s --columns nope -o csv'],
  ['kv subkeys app/s'],
  ['kv history app/s'],
  ['kv diff app/s'],
  ['kv diff app/s -o json'],
  ['kv diff app/s --show-values', 'shows'],
  ['kv rollback app/s --to 1'],
  ['kv copy app/s app/t'],
  ['kv copy app b --recursive'],
  ['kv move app/t app/u --yes'],
  ['kv find lanted --keys'],
  ['kv tree'],
  ['kv export app/s', 'shows'],
  ['kv export app/ -O out.json --force'],
  ['kv import values-of.json'],
  ['kv import - in'],
  ['kv exec app/s -- true'],
  ['kv edit app/s'],
  ['kv metadata get app/s'],
  ['kv delete app/s'],
  ['kv put app/s - --mount kv1'],
]

async function machine() {
  const { env } = await startDevServer()
  const cwd = mkdtempSync(join(tmpdir(), 'tug-test-'))
  writeFileSync(join(cwd, 'values.json'), stdin)
  writeFileSync(join(cwd, 'values-of.json'), JSON.stringify({ one: JSON.parse(stdin), two: planted }))
  return { cwd, env: { ...env, PATH: process.env['PATH'], XDG_RUNTIME_DIR: cwd, EDITOR: 'sed -i s/deep/deeper/' } }
}

test('no value appears on stderr, in a trace or a dry run, whatever happens', async () => {
  const { cwd, env } = await machine()
  for (const more of ['--trace', '--dry-run', '--trace -o json']) {
    await tug('kv put app/s -', { env, cwd, stdin })
    for (const [line, shows] of lines) {
      if (more.includes('-o') && /-o |--field|-O |export|exec/.test(line)) continue
      const words = line.includes(' -- ') ? line.replace(' -- ', ` ${more} -- `) : `${line} ${more}`
      const text = line.includes('import -') ? JSON.stringify({ s: JSON.parse(stdin) }) : stdin
      const { stdout, stderr } = await tug(words, { env, cwd, stdin: line.includes('=-') ? planted : text })
      expect(stderr, words).not.toMatch(/Planted-Value|735562819044/)
      if (shows === undefined || more === '--dry-run') expect(stdout, words).not.toMatch(/Planted-Value|735562819044/)
    }
  }
})

test('files are private and temporary files are removed', async () => {
  const { cwd, env } = await machine()
  for (const [line] of lines) {
    const text = line.includes('import -') ? JSON.stringify({ s: JSON.parse(stdin) }) : stdin
    await tug(line, { env, cwd, stdin: line.includes('=-') ? planted : text })
  }
  expect(readdirSync(cwd).toSorted()).toEqual(['out.json', 'values-of.json', 'values.json'])
  expect(statSync(join(cwd, 'out.json')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(cwd, 'out.json'), 'utf8')).toContain(planted)
})

test('no bulk command shows a value, or writes a file that others may read', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'in.json'), JSON.stringify({ one: JSON.parse(stdin), two: { planted, other: 'a' } }))
  for (const path of ['p/one', 'p/two', 'gone/three']) await tug(`kv put ${path} -`, { env, stdin })
  const before = new Date(Date.now() - 60_000).toISOString()
  const bulkLines = [
    'kv import in.json q --plan',
    'kv import in.json q',
    'kv import in.json q',
    'kv import in.json q --update --prune --yes',
    'kv export p/ -O out.json',
    'kv backup -O all.tugkv',
    'kv restore all.tugkv r --plan',
    'kv restore all.tugkv r',
    'kv restore all.tugkv q',
    'kv verify all.tugkv q',
    'kv copy p c --recursive --plan',
    'kv copy p c --recursive',
    'kv copy p q --recursive',
    'kv copy p h --recursive --versions all',
    'kv move c m --recursive --yes',
    'kv diff p q --recursive',
    'kv find lanted p --keys',
    'kv audit --older-than 1s',
    'kv delete p --recursive --yes --plan',
    'kv delete p --recursive --yes',
    'kv undelete p --recursive --plan',
    'kv undelete p --recursive',
    `kv rollback p/ --at ${before} --plan`,
    `kv rollback p/ --at ${before}`,
  ]
  const kept = new Set(['in.json', 'out.json', 'all.tugkv'])
  const leaks: string[] = []
  for (const line of bulkLines) {
    const place = { env, cwd, now: new Date() }
    const { exit, stdout, stderr } = await tug(`${line} -o ndjson --trace`.replace(/(-O \S+.*) -o ndjson/, '$1'), place)
    expect({ line, exit, stderr }).not.toMatchObject({ exit: 2 })
    if (/Planted-Value|735562819044/.test(stdout + stderr)) leaks.push(line)
  }
  const files = readdirSync(cwd)
  for (const file of files.filter((name) => !kept.has(name)))
    if (/Planted-Value|735562819044/.test(readFileSync(join(cwd, file), 'utf8'))) leaks.push(file)
  const open = files.filter((name) => name !== 'in.json' && (statSync(join(cwd, name)).mode & 0o777) !== 0o600)
  expect({ leaks, open }).toEqual({ leaks: [], open: [] })
})

test("values that a server echoes in an error don't reach the terminal", async () => {
  const { env } = await serve((request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ errors: [`cannot store ${request.body}`, `cannot store ${planted}`] }))
  })
  for (const line of ['kv put x -', 'kv patch x -', 'kv import - --format json']) {
    const text = line.includes('import') ? `{"x":${stdin}}` : stdin
    for (const more of ['', ' -o json', ' --trace']) {
      const { exit, stdout, stderr } = await tug(line + more, { env, stdin: text })
      expect(exit).toBe(6)
      expect(stdout + stderr, line + more).not.toMatch(/Planted-Value|735562819044/)
      expect(stderr).toContain('<redacted>')
    }
  }
})

test('an internal error shows no value and no token', async () => {
  let wasAsked = false
  const { env } = await serve((_, response) => {
    wasAsked = true
    json(response, 200, `{"data":{"data":{"a":"${planted}"},"metadata":{"version":1}}}`)
  })
  const columns = () => {
    if (wasAsked) throw new Error(`lost ${planted} and ${env['TUG_SECRETS_TOKEN']}`)
    return 80
  }
  const { exit, stdout, stderr } = await tug('kv get app/s', { env, terminals: { stdout: columns } })
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
  expect(stderr).toContain('tug: internal error: lost <redacted> and <redacted>')
})

test("a value that is also part of the path doesn't redact messages about the path", async () => {
  const { env } = await startDevServer()
  const { stderr } = await tug('kv put team/grafana user=grafana password=another-secret --cas 7', { env })
  expect(stderr).toContain('kv put team/grafana: check-and-set')
  expect(stderr).toContain('tug kv history team/grafana')
  const imported = await tug('kv import - team', {
    env,
    stdin: '{"payments/ledger":{"user":"ledger"},"search/index":{"a":"index-er"}}',
  })
  expect(imported.stderr).toContain('team/payments/ledger already exists')
})

test('--dry-run and --trace mask every value, whatever its key or form', async () => {
  const words = [
    'kv',
    'put',
    'x',
    'toJSON=abc',
    'text=def',
    '__proto__=ghi',
    'a=<from request 1: jkl>',
    'm:={"2":"mno","1":5}',
  ]
  const { env } = await startDevServer()
  const dry = await tug([...words, '--dry-run'], { env })
  expect(dry.stdout).toContain(
    '{"data":{"toJSON":"<redacted>","text":"<redacted>","__proto__":"<redacted>","a":"<redacted>","m":{"2":"<redacted>","1":"<redacted>"}}}',
  )
  const traced = await tug([...words, '--trace'], { env })
  expect(traced.stderr).not.toMatch(/abc|def|ghi|jkl|mno/)
})

test.each([
  'kv copy app TOKEN --recursive',
  'kv move app TOKEN --recursive --without-deleted',
  'kv copy app/db TOKEN/x',
])('a token in the place of the new path is masked in the rows of a plan: %s', async (line) => {
  const { env } = await startDevServer()
  const token = env['TUG_SECRETS_TOKEN'] ?? ''
  for (const format of ['', '-o ndjson']) {
    const { stdout, stderr } = await tug(`${line.replace('TOKEN', token)} --plan ${format}`, { env })
    expect(stdout).toContain('<redacted>/')
    expect(stdout + stderr).not.toContain(token)
  }
})
