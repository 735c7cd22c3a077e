import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { errorAnnotation, withoutCommands } from '../../src/output/safe.ts'
import { looksSecret } from '../../src/output/redact.ts'
import { secretsIn } from '../../src/output/secret-text.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { says } from '../support/told.ts'

const github = { GITHUB_ACTIONS: 'true', CI: 'true' }

/** The key-value engine's answer for a secret. */
function answer(data: object): string {
  const metadata = { created_time: '2026-11-21T07:12:00Z', deletion_time: '', destroyed: false, version: 3 }
  return JSON.stringify({ data: { data, metadata } })
}

function masked(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => /^::add-mask::(.*)$/.exec(line)?.[1] ?? [])
}

test.each(['app/db', 'app/db --field password', 'app/db -o json', 'app/db -o csv', 'app/db --raw'])(
  'kv get %s masks its values for the workflow and leaves stdout alone',
  async (words) => {
    const { env } = await serve((_, response) =>
      json(response, 200, answer({ host: 'db.internal', password: 'correct horse', port: '5432' })),
    )
    const inWorkflow = await tug(`kv get ${words}`, { env: { ...env, ...github } })
    const elsewhere = await tug(`kv get ${words}`, { env })
    expect(masked(inWorkflow.stderr)).toEqual(['correct horse'])
    expect(inWorkflow.stdout).toBe(elsewhere.stdout)
    expect(elsewhere.stderr).not.toContain('::')
    expect([inWorkflow.exit, elsewhere.exit]).toEqual([0, 0])
  },
)

test.each([
  ['password', 'correct horse'],
  ['DB_PASSWORD', 'correct horse'],
  ['apiKey', 'correct horse'],
  ['access_key', 'correct horse'],
  ['key', 'correct horse'],
  ['client-secret', 'correct horse'],
  ['auth', 'correct horse'],
  ['x', 'hvs.abcdef'],
  ['x', 'eyJhbGciOiJIUzI1NiJ9.e30.sig'],
  ['x', '-----BEGIN EC PRIVATE KEY-----\nabc'],
  ['x', 'postgres://app:hunter2@db.internal/app'],
  ['x', 'abcdefghijklmno1'],
  ['x', ' 5f4dcc3b5aa765d61d8327deb882cf99 '],
  ['x', 'abcdefghijklmno1:${NOMAD_PORT_http}'],
  ['x', '${abcdefghijklmno1}'],
])('the value of %s, %j, is masked', (name, text) => {
  expect(looksSecret(text, name)).toBe(true)
})

test.each([
  ['host', 'db.internal'],
  ['host', 'db-1.eu-central-1.internal.example.com'],
  ['address', 'db-1.eu-central-1.example.com:5432'],
  ['url', 'https://app.example.com/path/number/1'],
  ['mail', 'somebody.else1@example.com'],
  ['path', '/var/lib/app/releases/2'],
  ['id', '123e4567-e89b-12d3-a456-426614174000'],
  ['user', 'payments_service'],
  ['port', '5432'],
  ['keyboard', 'correct horse'],
  ['author', 'correct horse'],
  ['passenger', 'correct horse'],
  ['x', 'abcdefghijklmn1'],
  ['x', 'a sentence of words and 1 number'],
  ['x', '1234567890123456'],
  ['listen', '0.0.0.0:${NOMAD_PORT_http}'],
  ['node', '${attr.unique.network.ip-address}/${node.unique.id}-1'],
])('the value of %s, %j, stays readable', (name, text) => {
  expect(looksSecret(text, name)).toBe(false)
})

test('kv exec masks every value, whatever it looks like, before the command starts', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, answer({ host: 'db.internal', password: 'correct horse', port: '5432' })),
  )
  const cwd = scratchFolder()
  const hadStarted: boolean[] = []
  const { exit, stderr } = await tug(['kv', 'exec', 'app/db', '--', 'sh', '-c', ': > started'], {
    env: { ...env, ...github, PATH: process.env['PATH'] },
    cwd,
    onWrite: (_, text) => text.includes('::add-mask::') && hadStarted.push(existsSync(join(cwd, 'started'))),
  })
  expect({ exit, masks: masked(stderr) }).toEqual({ exit: 0, masks: ['correct horse', 'db.internal'] })
  expect(hadStarted).toEqual([false])
  expect(existsSync(join(cwd, 'started'))).toBe(true)
})

test.each([
  ['::stop-commands::x', String.raw`\x3a:stop-commands::x`],
  ['a\n \t::error::x\n::b', `a\n \t${String.raw`\x3a:error::x`}\n${String.raw`\x3a:b`}`],
  ['a ::error::x', 'a ::error::x'],
  [':a', ':a'],
  ['x ##[error]y ##[z]', String.raw`x #\x23[error]y #\x23[z]`],
  ['## [x]', '## [x]'],
])('%j cannot command the runner', (text, shown) => {
  expect(withoutCommands(text)).toBe(shown)
})

const command = '::stop-commands::x ##[group]y'

test.each(['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name'])(
  "a server's text cannot start a workflow command: -o %s",
  async (format) => {
    const row = { id: command, type: 'visibility-workspace', attributes: { 'workspace-name': `a\n${command}` } }
    const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data: [row] })))
    const line = `explorer query workspaces --columns id,workspace_name -o ${format}`
    const { exit, stdout } = await tug(line, { env: { ...env, ...github } })
    expect(exit).toBe(0)
    expect(stdout).toContain('stop-commands::x')
    expect(stdout).not.toMatch(/^\s*::|##\[/m)
    if (format === 'json') expect(JSON.parse(stdout)).toEqual([{ id: command, workspace_name: `a\n${command}` }])
    if (format === 'yaml') expect(parse(stdout)).toEqual([{ id: command, workspace_name: `a\n${command}` }])
    const elsewhere = await tug(line, { env })
    if (format === 'name') expect(elsewhere.stdout).toBe(`${command}\n`)
  },
)

test.each(['table', 'json'])("a server's error text cannot start a workflow command: -o %s", async (format) => {
  const { env } = await serve((_, response) =>
    json(response, 422, JSON.stringify({ errors: [{ title: `a\n${command}` }] })),
  )
  const { exit, stderr } = await tug(`explorer query workspaces -o ${format}`, { env: { ...env, ...github } })
  expect(exit).toBe(6)
  expect(stderr).toContain('stop-commands::x')
  const commands = stderr.split('\n').filter((line) => /^\s*::|##\[/.test(line))
  expect(commands).toEqual(
    format === 'json' ? [] : [`::error title=tug explorer query::explorer query: a\\n${command}`],
  )
})

test('masks come before the result', async () => {
  const order: string[] = []
  const { env } = await serve((_, response) => json(response, 200, answer({ password: 'correct horse' })))
  const outcome = await tug('kv get app/db --field password', {
    env: { ...env, ...github },
    onWrite: (stream) => order.push(stream),
  })
  expect(outcome.exit).toBe(0)
  expect(order).toEqual(['stderr', 'stdout'])
})

test('exported secrets and the private key of a credential are masked', async () => {
  const { env } = await startDevServer()
  const exported = await tug('kv export app', { env: { ...env, ...github } })
  expect(exported.exit).toBe(0)
  expect(masked(exported.stderr).length).toBeGreaterThan(0)
  const issued = await tug('kmip cred generate storage backup -o json', { env: { ...env, ...github } })
  const { private_key: key } = JSON.parse(issued.stdout) as { private_key: string }
  expect(masked(issued.stderr)).toEqual(expect.arrayContaining(key.trim().split('\n').slice(1, -1)))
})

test("tug's own token is not put into the log", async () => {
  const { env } = await serve((_, response) => json(response, 200, '{"data":{"keys":["db"]}}'))
  const { stderr } = await tug('kv list', { env: { ...env, ...github } })
  expect(stderr).toBe('')
})

test('words of our own messages are no secrets', async () => {
  const { env } = await serve((_, response) => json(response, 403, '{"errors":["denied"]}'))
  const { TUG_SECRETS_TOKEN: _, ...withoutToken } = env
  const flags = ['', ' --token-file missing', ' --token-file missing -o json']
  for (const each of flags) {
    const one = each === '' ? env : { TUG_SECRETS_ADDR: String(withoutToken['TUG_SECRETS_ADDR']) }
    const outcome = await tug(`status${each}`, { env: { ...one, ...github } })
    expect(outcome.exit).not.toBe(0)
    expect(masked(outcome.stderr)).toEqual([])
  }
})

test.each([
  ['--token-file: cannot read x', []],
  ['give --token-file <file>', []],
  ['give --token-file=missing', []],
  ['--api-token: planted', ['planted']],
  ['--token planted', ['planted']],
  ['env { PASSWORD = "planted 7 }', ['planted 7']],
])('of %j is secret: %j', (text, secrets) => {
  expect([...secretsIn(text)].map(([secret]) => secret)).toEqual(secrets)
})

test('a failure adds one annotation to the usual lines', async () => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { exit, stdout, stderr } = await tug('kv get app/db', { env: { ...env, ...github } })
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  const lines = stderr.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^tug: kv get app\/db: .*/)
  expect(lines.filter((line) => line.startsWith('::'))).toEqual([
    says('::error title=tug kv get::kv get app/db: … secret/, …'),
  ])
  expect(lines.at(-1)).toMatch(/^::error /)
})

test.each([
  ['kv get app/db', { GITHUB_ACTIONS: 'false' }],
  ['kv get app/db -o json', github],
])('%s with %j adds no annotation', async (line, variables) => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { exit, stderr } = await tug(line, { env: { ...env, ...variables } })
  expect(exit).toBe(3)
  expect(stderr).not.toContain('::error')
})

test('a usage error is annotated, a finding is not', async () => {
  expect((await tug('kv gte app/db', { env: github })).stderr).toMatch(/^::error title=tug kv::/m)
  const { env } = await serve((_, response, count) => json(response, 200, answer({ password: `word ${count}` })))
  const differing = await tug('kv diff app/db --from 1 --to 2 --exit-code', { env: { ...env, ...github } })
  expect(differing.exit).toBe(9)
  expect(differing.stderr).not.toContain('::error')
})

test('an annotation is always one line', () => {
  expect(errorAnnotation('tug kv get', '50% of\r\nit: a, b')).toBe('::error title=tug kv get::50%25 of%0D%0Ait: a, b\n')
  expect(errorAnnotation('a:b,c', 'x')).toBe('::error title=a%3Ab%2Cc::x\n')
})
