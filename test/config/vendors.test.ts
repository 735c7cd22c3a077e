import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { mentions } from '../support/told.ts'

const empty = '{"data":{"keys":["a"]}}'

test.each([
  ['VAULT_ADDR', 'VAULT_TOKEN', 'VAULT_NAMESPACE'],
  ['BAO_ADDR', 'BAO_TOKEN', 'BAO_NAMESPACE'],
])("%s selects the product's dialect", async (address, token, namespace) => {
  const { origin, seen } = await serve((_, response) => json(response, 200, empty))
  await tug('kv list', { env: { [address]: origin, [token]: 'vendor-token', [namespace]: 'team-a' } })
  expect(seen[0]?.headers).toMatchObject({
    'x-vault-token': 'vendor-token',
    'x-vault-namespace': 'team-a',
    'x-vault-request': 'true',
  })
})

test('~/.vault-token is read for VAULT_ADDR, not for TUG_SECRETS_ADDR', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, empty))
  const home = scratchFolder()
  writeFileSync(join(home, '.vault-token'), 'from-the-file\n', { mode: 0o600 })
  await tug('kv list', { env: { VAULT_ADDR: origin }, home })
  expect(seen[0]?.headers['x-vault-token']).toBe('from-the-file')
  expect((await tug('kv list', { env: { TUG_SECRETS_ADDR: origin }, home })).exit).toBe(4)
  expect(seen).toHaveLength(1)
})

test.each(['VAULT_TOKEN_PATH', 'BAO_TOKEN_PATH'])('%s names the file in place of ~/.vault-token', async (name) => {
  const { origin, seen } = await serve((_, response) => json(response, 200, empty))
  const file = join(scratchFolder(), 'token')
  writeFileSync(file, 'from-the-file\n', { mode: 0o600 })
  await tug('kv list', { env: { VAULT_ADDR: origin, [name]: file } })
  expect(seen[0]?.headers['x-vault-token']).toBe('from-the-file')
})

test('NOMAD_ variables configure the scheduler, the namespace and region in the query', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '[]'))
  await tug('job list', {
    env: { NOMAD_ADDR: origin, NOMAD_TOKEN: 'nomad-token', NOMAD_NAMESPACE: 'ops', NOMAD_REGION: 'eu' },
  })
  expect(seen[0]).toMatchObject({
    url: '/v1/jobs?namespace=ops&region=eu',
    headers: { 'x-nomad-token': 'nomad-token' },
  })
})

test.each([
  [{ TFE_TOKEN: 'direct' }, 'direct'],
  [{ TF_TOKEN_127_0_0_1: 'by-host' }, 'by-host'],
])('the explorer takes TFE_ADDRESS with %j', async (tokens, expected) => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  await tug('explorer views list', { env: { TFE_ADDRESS: origin, TFE_ORG: 'acme', ...tokens } })
  expect(seen[0]).toMatchObject({
    url: '/api/v2/organizations/acme/explorer/views',
    headers: { authorization: `Bearer ${expected}` },
  })
})

test.each(['TFE_TOKEN', 'TF_TOKEN_app_example_io'])('a dry run names the variable of the token: %s', async (name) => {
  const env = { TFE_HOSTNAME: 'app.example.io', TFE_ORG: 'acme', [name]: 'value' }
  const { stdout } = await tug('explorer views list --dry-run', { env })
  expect(stdout).toContain(`Bearer $${name}"`)
})

test.each([{ TUG_SECRETS_ADDR: 'http://127.0.0.1:1' }, { BAO_ADDR: 'http://127.0.0.1:1' }])(
  'a missing token is explained by the variable that belongs to another address: %o',
  async (address) => {
    const env = { ...address, VAULT_ADDR: 'http://other:8200', VAULT_TOKEN: 'vendor-token' }
    const { exit, stderr } = await tug('kv list', { env })
    expect([exit, stderr]).toEqual([4, expect.stringContaining('VAULT_TOKEN is only sent to')])
  },
)

test("TUG_DIALECT overrides the vendor's dialect", async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, empty))
  await tug('kv list', { env: { VAULT_ADDR: origin, VAULT_TOKEN: 'vendor-token', TUG_DIALECT: 'neutral' } })
  expect(seen[0]?.headers['x-secrets-token']).toBe('vendor-token')
})

test('an unknown dialect is named with its source', async () => {
  const { exit, stderr } = await tug('kv list', {
    env: { TUG_SECRETS_ADDR: 'http://127.0.0.1:1', TUG_DIALECT: 'latin' },
  })
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions("TUG_DIALECT: 'latin' … auto, neutral, hashicorp"))
})
