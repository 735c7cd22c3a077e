import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendorValue } from '../../src/config/resolve.ts'
import { settings } from '../../src/config/settings.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const answer = '{"data":{"keys":["a"]}}'

test.each<[string, string, Record<string, string>, Record<string, string>]>([
  ['a flag', "kv list -H 'X-Gate: one' --header 'X-Other: two'", {}, { 'x-gate': 'one', 'x-other': 'two' }],
  [
    'a variable, one a line',
    'kv list',
    { TUG_SECRETS_HEADERS: 'X-Gate: one\nX-Other:two\n' },
    { 'x-gate': 'one', 'x-other': 'two' },
  ],
  [
    'both',
    "kv list -H 'x-gate: typed'",
    { TUG_SECRETS_HEADERS: 'X-Gate: one\nX-Other: two' },
    { 'x-gate': 'typed', 'x-other': 'two' },
  ],
  [
    'several flags of one name',
    "kv list -H 'x-gate: 3' -H 'X-Gate: 4'",
    { TUG_SECRETS_HEADERS: 'X-Gate: one\nX-Other: two' },
    { 'x-gate': '3, 4', 'x-other': 'two' },
  ],
  ['a profile', 'kv list', {}, { 'x-profile': 'p' }],
])('headers of one’s own come from %s', async (name, line, more, expected) => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, answer))
  const folder = scratchFolder()
  const profiles = { a: { secrets: { address: origin, headers: 'X-Profile: p' } } }
  if (name === 'a profile')
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ current: 'a', profiles }), { mode: 0o600 })
  const { exit } = await tug(line, { env: { ...env, ...more, TUG_CONFIG_DIR: folder } })
  expect([exit, seen[0]?.headers]).toEqual([0, expect.objectContaining(expected)])
})

test.each(['VAULT', 'BAO'])('%s_HEADERS counts with %s_ADDR, and not for another address', async (tool) => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, answer))
  const given = { [`${tool}_HEADERS`]: '{"X-Gate":"one","X-Many":["a","b"]}', [`${tool}_TOKEN`]: 't' }
  await tug('kv list', { env: { ...given, [`${tool}_ADDR`]: origin } })
  expect(seen[0]?.headers).toMatchObject({ 'x-gate': 'one', 'x-many': 'a, b' })
  await tug('kv list', { env: { ...env, ...given, [`${tool}_ADDR`]: 'http://127.0.0.1:1' } })
  expect(seen[1]?.headers).not.toHaveProperty('x-gate')
})

test('the headers of a profile go to its own server only', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, answer))
  const folder = scratchFolder()
  const profiles = { a: { secrets: { address: 'http://127.0.0.1:1', headers: 'X-Profile: p' } } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ current: 'a', profiles }), { mode: 0o600 })
  await tug('kv list', { env: { ...env, TUG_CONFIG_DIR: folder } })
  expect(seen[0]?.headers).not.toHaveProperty('x-profile')
})

test('they are masked in traces and dry runs, as are user and password of an address', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, '[]'))
  const address = origin.replace('//', '//me:hidden-pass@')
  const machine = { env: { ...env, TUG_SCHEDULER_ADDR: address } }
  const basic = Buffer.from('me:hidden-pass').toString('base64')
  for (const flag of ['--trace', '--dry-run']) {
    const { exit, stdout, stderr } = await tug(`job list -H 'X-Gate: gate-value' ${flag}`, machine)
    expect(exit).toBe(0)
    expect(stdout + stderr).toContain('X-Gate: <redacted>')
    expect(stdout + stderr).toContain('Authorization: <redacted>')
    expect(stdout + stderr).not.toMatch(new RegExp(`gate-value|hidden-pass|${basic}`))
    if (flag === '--dry-run') expect(stdout).toMatch(/^# curl /)
  }
  expect(seen[0]?.headers).toMatchObject({ 'x-gate': 'gate-value', authorization: `Basic ${basic}` })
  const shown = await tug('profile show --effective', machine)
  expect(shown.stdout).not.toContain('hidden-pass')
})

test('NOMAD_HTTP_AUTH is Basic authentication for NOMAD_ADDR alone', async () => {
  const { env, origin, seen } = await serve((_, response) => json(response, 200, '[]'))
  await tug('job list', { env: { NOMAD_ADDR: origin, NOMAD_HTTP_AUTH: 'me:pass' } })
  await tug('job list', { env: { ...env, NOMAD_HTTP_AUTH: 'me:pass' } })
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    `Basic ${Buffer.from('me:pass').toString('base64')}`,
    undefined,
  ])
})

test.each([
  'nonsense',
  'X-Vault-Token: t',
  'Authorization: Bearer t',
  'Content-Type: text/plain',
  'X-Vault-Namespace: n',
  'x-secrets-wrap-ttl: 5m',
  'User-Agent: x',
  'Host: h',
])('%s is not a header of one’s own', (text) => {
  expect(() => settings.headers.flag.read([text], '--header')).toThrow('--header: ')
})

test.each(['[]', '{', '{"a":1}', '{"a":[{}]}'])('VAULT_HEADERS=%s is refused', (text) => {
  expect(() => vendorValue('secrets', 'headers', { VAULT_HEADERS: text })).toThrow('VAULT_HEADERS')
})
