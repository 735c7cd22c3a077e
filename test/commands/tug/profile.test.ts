import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

function machine(more: Record<string, string> = {}) {
  const folder = scratchFolder()
  const env = { TUG_CONFIG_DIR: join(folder, 'config'), ...more }
  return {
    env,
    cwd: folder,
    home: folder,
    file: join(folder, 'config', 'config.json'),
    tokens: join(folder, 'config', 'credentials.json'),
  }
}

test("a profile's file and folder are readable by the owner only", async () => {
  const { file, ...host } = machine()
  expect(await tug('profile set prod secrets.address=https://vault.example.com', host)).toMatchObject({
    exit: 0,
    stdout: '',
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    current: 'prod',
    profiles: { prod: { secrets: { address: 'https://vault.example.com' } } },
  })
})

test.each(['output', 'dialect'])('an invalid %s in the current profile can be repaired', async (key) => {
  const { file, ...host } = machine()
  await tug('profile set a scheduler.region=x', host)
  writeFileSync(file, JSON.stringify({ current: 'a', profiles: { a: { [key]: 'nope' } } }))
  expect((await tug('job list --address http://127.0.0.1:9', host)).exit).toBe(2)
  for (const line of ['profile list', 'profile show', `profile set a ${key}=`])
    expect((await tug(line, host)).exit, line).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: 'a', profiles: { a: {} } })
  expect((await tug('profile list', { ...host, env: { ...host.env, TUG_OUTPUT: 'nope' } })).exit).toBe(2)
})

test('list, show, use and delete work on saved profiles', async () => {
  const { file, ...host } = machine()
  await tug('profile set prod secrets.address=https://vault.example.com protected=true', host)
  await tug('profile set dev secrets-addr=http://127.0.0.1:8200 secrets.kv_mount=kv', host)
  const { stdout } = await tug('profile list --columns name,current,secrets -o csv', host)
  expect(stdout).toBe('name,current,secrets\nprod,true,https://vault.example.com\ndev,false,http://127.0.0.1:8200\n')
  await tug('profile use dev', host)
  expect((await tug('profile show -o json', host)).stdout).toBe(
    '{"secrets.address":"http://127.0.0.1:8200","secrets.kv_mount":"kv"}\n',
  )
  const stored = { secrets: { token: 'kept', origin: 'https://vault.example.com' } }
  writeFileSync(host.tokens, JSON.stringify({ dev: stored, prod: stored }), { mode: 0o600 })
  await tug('profile delete dev --yes', host)
  expect(JSON.parse(readFileSync(host.tokens, 'utf8'))).toEqual({ prod: stored })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    profiles: { prod: { secrets: { address: 'https://vault.example.com' }, protected: 'true' } },
  })
})

test.each([
  'profile set other secrets.address=https://x.example.com',
  'profile use dev',
  'profile delete dev',
  'profile delete prod --yes',
  'logout',
  'login secrets --token-file - --address https://x.example.com',
])('a dry run changes no saved profile or token: %s', async (line) => {
  const { file, tokens, ...host } = machine()
  await tug('profile set prod secrets.address=https://vault.example.com protected=true', host)
  await tug('profile set dev secrets.address=http://127.0.0.1:8200', host)
  writeFileSync(tokens, '{"prod":{"secrets":{"token":"kept","origin":"https://vault.example.com"}}}', { mode: 0o600 })
  const before = [readFileSync(file, 'utf8'), readFileSync(tokens, 'utf8')]
  expect((await tug(`${line} --dry-run`, { ...host, stdin: 'new' })).exit).toBe(0)
  expect([readFileSync(file, 'utf8'), readFileSync(tokens, 'utf8')]).toEqual(before)
})

test('a file that others can read is reported with the command that fixes it', async () => {
  const { file, ...host } = machine()
  await tug('profile set prod output=table', host)
  chmodSync(file, 0o644)
  const { stderr } = await tug('profile list', host)
  expect(stderr).toMatch(mentions(`${file} … (mode 644); … 600 ${file}`))
})

test('true and numbers that were written by hand mean what their texts do', async () => {
  const { file, ...host } = machine()
  await tug('profile set prod output=table', host)
  const prod = { protected: true, retries: 0, secrets: { address: 'http://127.0.0.1:1', insecure: true } }
  writeFileSync(file, JSON.stringify({ current: 'prod', profiles: { prod } }), { mode: 0o600 })
  const refused = await tug('kv put a b=c', host)
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain('warning: --insecure')
  expect(refused.stderr).toContain('--confirm-profile prod')
  expect((await tug('profile delete prod', host)).exit).toBe(2)
  expect(JSON.parse((await tug('profile show prod -o json', host)).stdout)).toMatchObject({
    protected: 'true',
    retries: '0',
  })
})

test('delete asks; a protected profile asks for its name', async () => {
  const { file, ...host } = machine()
  await tug('profile set dev output=json', host)
  await tug('profile set prod protected=true', host)
  const terminals = { stdin: true, stderr: 80 }
  const saved = () => Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { profiles: object }).profiles)
  expect(await tug('profile delete dev', host)).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes') })
  expect((await tug('profile delete dev', { ...host, terminals, stdin: 'n\n' })).exit).toBe(2)
  expect((await tug('profile delete prod', { ...host, terminals, stdin: 'y\n' })).exit).toBe(2)
  expect((await tug('profile delete prod --yes', host)).exit).toBe(2)
  expect(saved()).toEqual(['dev', 'prod'])
  expect((await tug('profile delete dev', { ...host, terminals, stdin: 'y\n' })).exit).toBe(0)
  const named = await tug('profile delete prod', { ...host, terminals, stdin: 'prod\n' })
  expect(named.exit).toBe(0)
  // What is typed is shown.
  expect(stripVTControlCharacters(named.stderr)).toMatch(mentions('… delete it: prod'))
  expect(saved()).toEqual([])
})

test.each([
  ['secrets.addres', "… 'secrets.address' …", []],
  ['timeout', '…', ['explorer.timeout', 'secrets.timeout', 'scheduler.timeout']],
])('a misspelt key names those that may be meant, not all: %s', async (key, facts, keys) => {
  const { exit, stderr } = await tug(`profile set dev ${key}=1`, machine())
  const [message, hint = ''] = stderr.trim().split('\n')
  expect(exit).toBe(2)
  expect(message).toMatch(mentions(facts))
  expect(hint.match(/\w+\.\w+/g) ?? []).toEqual(keys)
})

test('a profile becomes the current one only if it is the only one', async () => {
  const host = machine()
  const current = async () => (JSON.parse(readFileSync(host.file, 'utf8')) as { current?: string }).current
  for (const name of ['prod', 'dev', 'stage']) await tug(`profile set ${name} output=json`, host)
  expect(await current()).toBe('prod')
  await tug('profile delete prod --yes', host)
  expect((await tug('profile set dev output=csv', host)).stderr).not.toContain('current')
  expect(await current()).toBeUndefined()
  await tug('profile delete stage --yes', host)
  expect((await tug('profile set dev output=csv', host)).stderr).toMatch(mentions('profile dev …'))
  expect(await current()).toBe('dev')
})

test('a configuration that somebody else can change runs no token_command', async () => {
  const host = machine()
  const folder = dirname(host.file)
  const line = `touch ${join(host.cwd, 'ran')}; echo the-token`
  await tug(['profile', 'set', 'prod', 'secrets.address=http://127.0.0.1:1', `secrets.token_command=${line}`], host)
  const hasRun = async () => {
    rmSync(join(host.cwd, 'ran'), { force: true })
    const { exit, stderr } = await tug('kv list', host)
    return { exit, remedy: /^hint: .*: (chmod .*)$/m.exec(stderr)?.[1], ran: existsSync(join(host.cwd, 'ran')) }
  }
  expect(await hasRun()).toEqual({ exit: 7, remedy: undefined, ran: true })
  for (const [path, mode, safe] of [
    [host.file, 0o620, 0o600],
    [host.file, 0o602, 0o600],
    [folder, 0o770, 0o700],
    [folder, 0o707, 0o700],
  ] as const) {
    chmodSync(path, mode)
    expect(await hasRun()).toEqual({ exit: 2, remedy: `chmod go-w ${path}`, ran: false })
    execFileSync('sh', ['-c', `chmod go-w ${path}`])
    expect(await hasRun()).toEqual({ exit: 7, remedy: undefined, ran: true })
    chmodSync(path, safe)
  }
  const linked = join(host.cwd, 'linked')
  mkdirSync(linked)
  renameSync(host.file, join(linked, 'config.json'))
  symlinkSync(join(linked, 'config.json'), host.file)
  chmodSync(linked, 0o777)
  expect(await hasRun()).toEqual({ exit: 2, remedy: `chmod go-w ${linked}`, ran: false })
})

test.runIf(process.geteuid?.() === 0)('a configuration of another user runs no token_command', async () => {
  const host = machine()
  const line = `touch ${join(host.cwd, 'ran')}; echo the-token`
  await tug(['profile', 'set', 'prod', 'secrets.address=http://127.0.0.1:1', `secrets.token_command=${line}`], host)
  for (const path of [host.file, dirname(host.file)]) {
    chownSync(path, 4242, 4242)
    const { exit, stderr } = await tug('kv list', host)
    expect({ exit, ran: existsSync(join(host.cwd, 'ran')) }).toEqual({ exit: 2, ran: false })
    expect(stderr).toContain(`sudo chown 0 ${path}\n`)
    chownSync(path, 0, 0)
  }
  expect((await tug('kv list', host)).exit).toBe(7)
})

test('a token_command that fails, is silent or does not end is a clear error', async () => {
  const host = machine()
  const tried = async (line: string, flags = '') => {
    await tug(['profile', 'set', 'prod', 'secrets.address=http://127.0.0.1:1', `secrets.token_command=${line}`], host)
    return tug(`kv list ${flags}`, host)
  }
  const hint = 'hint: …\n'
  expect(await tried('exit 3')).toMatchObject({ exit: 4, stderr: says(`tug: token_command … 3\n${hint}`) })
  expect(await tried('true')).toMatchObject({ exit: 4, stderr: says(`tug: token_command …\n${hint}`) })
  expect(await tried('kill -TERM $$')).toMatchObject({
    exit: 4,
    stderr: says(`tug: token_command … SIGTERM\n${hint}`),
  })
  expect(await tug('kv list', { ...host, cwd: join(host.cwd, 'gone') })).toMatchObject({
    exit: 4,
    stderr: expect.stringMatching(/^tug: token_command .*: spawn \S*sh ENOENT\nhint: .*\n$/),
  })
  expect(await tried('sleep 60 & sleep 60', '--timeout 50ms')).toMatchObject({
    exit: 4,
    stderr: says(`tug: token_command … 50ms (--timeout)\n${hint}`),
  })
})

test("a file that isn't JSON is named and its content is not shown", async () => {
  const { file, ...host } = machine()
  await tug('profile set prod output=table', host)
  writeFileSync(file, '{"profiles": secret-content', { mode: 0o600 })
  const { exit, stderr } = await tug('profile list', host)
  expect(exit).toBe(1)
  expect(stderr).toMatch(mentions(`${file} …`))
  expect(stderr).not.toContain('secret-content')
})

test.each<[string, Record<string, string | undefined>, number]>([
  ['is a warning where the environment has all that is needed', {}, 0],
  ['is an error where it lacks the token', { TUG_SECRETS_TOKEN: undefined }, 1],
  ['is an error where a profile is named', { TUG_PROFILE: 'prod' }, 1],
])('an unreadable configuration %s', async (_, env, expected) => {
  const service = await serve((__, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  const { file, ...host } = machine()
  await tug('profile set prod output=csv', host)
  writeFileSync(file, '{"profiles": ', { mode: 0o600 })
  const { exit, stdout, stderr } = await tug('kv list', { ...host, env: { ...host.env, ...service.env, ...env } })
  expect({ exit, stdout }).toEqual({ exit: expected, stdout: expected === 0 ? 'KEY\na\n' : '' })
  expect(stderr).toMatch(mentions(`${file} …`))
})

test('login checks the token, stores it separately, and sends it only to its address', async () => {
  const service = await serve((_, response) => json(response, 200, '{"data":{}}'))
  const other = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  const { tokens, file, ...host } = machine()
  const done = await tug(`login secrets --address ${service.origin} --token-file -`, {
    ...host,
    stdin: 'the-stored-token\n',
  })
  expect(done).toMatchObject({ exit: 0, stdout: '' })
  expect(done.stderr).not.toContain('the-stored-token')
  expect(service.seen[0]?.headers['x-secrets-token']).toBe('the-stored-token')
  expect(statSync(tokens).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain('the-stored-token')

  const elsewhere = await tug(`api secrets GET sys/mounts --address ${other.origin}`, host)
  expect(elsewhere.exit).toBe(4)
  expect(elsewhere.stderr).toMatch(mentions(`secrets … ${service.origin}; … ${other.origin}`))
  expect(other.seen).toEqual([])

  expect((await tug('logout', host)).stderr).toMatch(/^forgot .*secrets token/)
  expect(readFileSync(tokens, 'utf8')).not.toContain('the-stored-token')
})

test('login explorer asks for the organization, checks the token there and stores both', async () => {
  const service = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const { file, ...host } = machine()
  writeFileSync(join(host.cwd, 'token'), 'explorer-token-value', { mode: 0o600 })
  const line = `login explorer --address ${service.origin}/api/v2 --token-file token`
  const terminals = { stdin: true, stderr: 80 }
  const done = await tug(line, { ...host, stdin: 'acme\n', terminals })
  expect(done.exit).toBe(0)
  expect(done.stderr).toMatch(mentions('organization (…): '))
  expect(service.seen[0]?.url).toContain('/api/v2/organizations/acme/explorer')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    profiles: { default: { explorer: { address: `${service.origin}/api/v2`, org: 'acme' } } },
  })
  expect((await tug(line, { ...host, terminals })).stderr).not.toContain('organization')
})

test('login explorer stores no organization if none is given and it cannot ask', async () => {
  const service = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const { file, ...host } = machine()
  const done = await tug(`login explorer --address ${service.origin}/api/v2 --token-file -`, {
    ...host,
    stdin: 'a-token',
  })
  expect(done.exit).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    current: 'default',
    profiles: { default: { explorer: { address: `${service.origin}/api/v2` } } },
  })
})

test('without an address, login explorer asks for it, then for the organization', async () => {
  const host = machine()
  const nothing = await tug('explorer query workspaces', host)
  expect(nothing).toMatchObject({ exit: 2, stdout: '' })
  expect(nothing.stderr).toMatch(mentions('tug: … explorer …\nhint: tug login explorer '))
  await tug('profile set prod explorer.address=http://127.0.0.1:1/api/v2', host)
  const { stderr } = await tug('explorer query workspaces', host)
  expect(stderr).toMatch(mentions('hint: … --org <name>, … TUG_EXPLORER_ORG='))
  expect(stderr).toMatch(mentions('hint: …: tug profile set prod explorer.org=<name>\n'))
})

test('token_command provides the token and none of its output is shown', async () => {
  const { env, seen, origin } = await serve((_, response) => json(response, 200, '{"data":{}}'))
  const host = machine()
  await tug(['profile', 'set', 'prod', `secrets.address=${origin}`, 'secrets.token_command=echo from-a-command'], host)
  const { exit, stderr } = await tug('api secrets GET sys/health --trace', host)
  expect(exit).toBe(0)
  expect(seen[0]?.headers['x-secrets-token']).toBe('from-a-command')
  expect(stderr).not.toContain('from-a-command')
  expect(env).toBeDefined()
})

test('show --effective prints each value and its source, never the token', async () => {
  const host = machine({ TUG_SECRETS_TOKEN: 'a-secret-token' })
  await tug('profile set prod secrets.address=https://vault.example.com', host)
  const { stdout } = await tug('profile show --effective --timeout 5s -o csv', host)
  expect(stdout).toContain('secrets,address,https://vault.example.com,profile prod\n')
  expect(stdout).toContain('secrets,token,"(set, not shown)",TUG_SECRETS_TOKEN\n')
  expect(stdout).toContain('secrets,timeout,5s,flag --timeout\n')
  expect(stdout).toContain('secrets,dialect,auto,default\n')
  expect(stdout).not.toContain('a-secret-token')
})

test('the token and namespace of the environment never go to the address of a chosen profile, unless they have no other', async () => {
  const { seen, origin } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  const host = machine({ TUG_SECRETS_TOKEN: 'of-the-environment', TUG_SECRETS_NAMESPACE: 'team' })
  await tug(['profile', 'set', 'prod', `secrets.address=${origin}`], host)
  const elsewhere = { ...host, env: { ...host.env, TUG_SECRETS_ADDR: 'http://127.0.0.1:1' } }
  const refused = await tug('kv list -p prod', elsewhere)
  expect({ exit: refused.exit, requests: seen.length }).toEqual({ exit: 4, requests: 0 })
  const taken = await tug('kv list -p prod', host)
  expect(taken).toMatchObject({ exit: 0, stderr: '' })
  expect(seen[0]?.headers).toMatchObject({
    'x-secrets-token': 'of-the-environment',
    'x-secrets-namespace': 'team',
  })
})

test('a flag beats the chosen profile; TUG_PROFILE and the current profile come below the environment', async () => {
  const host = machine({ TUG_SECRETS_ADDR: 'http://127.0.0.1:1', TUG_SECRETS_TOKEN: 'x' })
  await tug('profile set prod secrets.address=http://127.0.0.1:2', host)
  const line = 'kv list --dry-run'
  expect((await tug(`${line} -p prod --address http://127.0.0.1:3`, host)).stdout).toContain('http://127.0.0.1:3/')
  expect((await tug(`${line} -p prod`, host)).stdout).toContain('http://127.0.0.1:2/')
  const named = { ...host, env: { ...host.env, TUG_PROFILE: 'prod' } }
  for (const one of [host, named]) {
    const { stdout, stderr } = await tug(line, one)
    expect(stdout).toContain('http://127.0.0.1:1/')
    expect(stderr).toMatch(
      mentions('using http://127.0.0.1:1 (TUG_SECRETS_ADDR), not http://127.0.0.1:2 (profile prod)'),
    )
  }
})

test('a protected profile asks for its name before a write, which --yes does not give; reads need no answer', async () => {
  const { env, seen, origin } = await serve((_, response) =>
    json(response, 200, '{"data":{"data":{},"metadata":{"version":1},"version":1}}'),
  )
  const host = machine({ TUG_SECRETS_TOKEN: String(env['TUG_SECRETS_TOKEN']) })
  await tug(['profile', 'set', 'prod', `secrets.address=${origin}`, 'protected=true'], host)
  const refused = await tug('kv put app/db a=1', host)
  expect({ exit: refused.exit, requests: seen.length }).toEqual({ exit: 2, requests: 0 })
  expect(refused.stderr).toContain('--confirm-profile prod')
  expect((await tug('kv get app/db', host)).exit).toBe(0)
  const writes = () => seen.filter(({ method }) => method === 'POST').length
  for (const flags of ['--yes', '--confirm-profile other', '--confirm-profile other --yes'])
    expect([(await tug(`kv put app/db a=1 ${flags}`, host)).exit, writes()], flags).toEqual([2, 0])
  const terminals = { stdin: true, stderr: 80 }
  for (const typed of ['\n', 'y\n', 'other\n'])
    expect([(await tug('kv put app/db a=1', { ...host, terminals, stdin: typed })).exit, writes()]).toEqual([2, 0])
  expect((await tug('kv put app/db a=1', { ...host, terminals, stdin: 'prod\n' })).exit).toBe(0)
  expect((await tug('kv put app/db a=1 --confirm-profile prod', host)).exit).toBe(0)
  const confirmed = { ...host, env: { ...host.env, TUG_CONFIRM_PROFILE: 'prod' } }
  expect((await tug('kv put app/db a=1', confirmed)).exit).toBe(0)
  expect(writes()).toBe(3)
})

test('a protected profile asks nothing before --plan, which writes nothing', async () => {
  const { env, seen, origin } = await serve(({ method }, response) =>
    json(response, 200, method === 'GET' ? '{"data":{"keys":[]}}' : '{"JobModifyIndex":7,"Diff":{"Type":"None"}}'),
  )
  const host = machine({ TUG_SECRETS_TOKEN: String(env['TUG_SECRETS_TOKEN']) })
  const addresses = [`secrets.address=${origin}`, `scheduler.address=${origin}`]
  await tug(['profile', 'set', 'prod', ...addresses, 'protected=true'], host)
  const lines = ['job apply - --plan', 'kv delete team/ --recursive --plan', 'kv copy team/ other/ --recursive --plan']
  for (const line of lines)
    expect((await tug(line, { ...host, stdin: '{"ID":"a"}' })).stderr, line).not.toContain('protected')
  expect(seen.filter(({ method, url }) => method !== 'GET' && !url.endsWith('/plan'))).toEqual([])
  expect((await tug('job apply - --yes', { ...host, stdin: '{"ID":"a"}' })).exit).toBe(2)
})

test("errors follow the profile's output format, as results do", async () => {
  const host = machine()
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  await tug('profile set prod output=json', host)
  const { exit, stderr } = await tug('kv list -q -p prod', { ...host, env: { ...host.env, ...env } })
  expect(exit).toBe(0)
  expect(stderr).toBe('')
  const missing = await tug('kv get app/db -p prod', { ...host, env: { ...host.env, ...env } })
  expect(JSON.parse(missing.stderr)).toMatchObject({ error: { code: 'not_found', exit: 3 } })
})

test('files in a profile are the same in every directory', async () => {
  const { file, ...host } = machine()
  const keys = ['ca_cert', 'ca_path', 'client_cert', 'client_key']
  await tug(['profile', 'set', 'prod', ...keys.map((key) => `secrets.${key}=tls/x`)], host)
  expect(JSON.parse(readFileSync(file, 'utf8')).profiles.prod.secrets).toEqual(
    Object.fromEntries(keys.map((key) => [key, join(host.cwd, 'tls/x')])),
  )
  const secrets = { address: 'https://127.0.0.1:1', ca_cert: 'ca.pem' }
  writeFileSync(file, JSON.stringify({ profiles: { prod: { secrets } } }))
  writeFileSync(join(host.cwd, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
  expect(await tug('kv list -p prod', { ...host, env: { ...host.env, TUG_SECRETS_TOKEN: 'x' } })).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(mentions("tug: profile prod: ca_cert …: 'ca.pem'")),
  })
  // The profile can still be repaired.
  expect((await tug('profile set prod secrets.ca_cert=ca.pem', host)).exit).toBe(0)
})

test('with -o json, profile set, use, delete and logout print what they did', async () => {
  const { file: _, ...host } = machine()
  const facts = async (line: string) => JSON.parse((await tug(`${line} -o json`, host)).stdout) as unknown
  expect(await facts('profile set prod explorer.org=acme')).toEqual({
    action: 'profile set',
    profile: 'prod',
    changed: true,
  })
  expect(await facts('profile set prod explorer.org=acme')).toMatchObject({ changed: false })
  expect(await facts('profile use prod')).toEqual({ action: 'profile use', profile: 'prod', changed: false })
  expect(await facts('logout')).toEqual({ action: 'logout', profile: 'prod', changed: false, services: [] })
  expect(await facts('profile delete prod --yes')).toEqual({
    action: 'profile delete',
    profile: 'prod',
    changed: true,
  })
})

test('show --effective leaves out what is not set, and --all does not', async () => {
  const sources = async (line: string) =>
    (await tug(`profile show ${line} -o csv --columns source --no-headers`)).stdout
  expect(await sources('--effective')).not.toContain('not set')
  expect(await sources('--effective --all')).toContain('not set')
  expect((await tug('profile show --all')).exit).toBe(2)
})
