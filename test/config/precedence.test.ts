import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

/** Which server a line talks to, and with which token, where flags, environment and profile name different ones. */

const names = { secrets: 'VAULT', scheduler: 'NOMAD' } as const

/** Two servers, one of which the current profile names, with what else the profile has. */
async function twoServers(more: object = {}, token: string | null = 'of-profile') {
  const answer = (response: Parameters<typeof json>[0]) => json(response, 200, '{"data":{"keys":["a"]}}')
  const ofProfile = await serve((_, response) => answer(response))
  const other = await serve((_, response) => answer(response))
  const folder = scratchFolder()
  const secrets = { address: ofProfile.origin, namespace: 'team', insecure: 'true' }
  const profiles = { prod: { secrets, ...more } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ current: 'prod', profiles }), { mode: 0o600 })
  const credentials = { prod: { secrets: { token, origin: ofProfile.origin } } }
  if (token !== null) writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 })
  const run = (line: string, env: Record<string, string> = {}) => tug(line, { env: { TUG_CONFIG_DIR: folder, ...env } })
  return { ofProfile, other, folder, run }
}

describe('a server of the environment', () => {
  test.each(['TUG_SECRETS', 'VAULT', 'BAO'])('%s_ADDR beats the current profile, with its own token', async (tool) => {
    const { ofProfile, other, run } = await twoServers()
    const env = { [`${tool}_ADDR`]: other.origin, [`${tool}_TOKEN`]: 'of-variable' }
    const { exit, stderr } = await run('kv list', env)
    expect([exit, ofProfile.seen.length, other.seen.length]).toEqual([0, 0, 1])
    expect(other.seen[0]?.headers).toMatchObject({ 'x-vault-token': 'of-variable' })
    expect(other.seen[0]?.headers).not.toHaveProperty('x-vault-namespace')
    expect(stderr).toBe(`warning: using ${other.origin} (${tool}_ADDR), not ${ofProfile.origin} (profile prod)\n`)
  })

  test.each(['TUG_SECRETS', 'VAULT', 'BAO'])('%s_ADDR never gets the token of the profile', async (tool) => {
    for (const commandOnly of [false, true]) {
      const secrets = { token_command: 'echo of-command' }
      const { other, run } = await twoServers(commandOnly ? { secrets } : {}, commandOnly ? null : 'of-profile')
      const { exit, stderr } = await run('kv list', { [`${tool}_ADDR`]: other.origin })
      expect([exit, other.seen]).toEqual([4, []])
      expect(stderr).toContain(`export ${tool}_TOKEN=`)
    }
  })

  test.each(['-p prod', '--profile prod'])('a profile named by %s beats it, and a line says so', async (flags) => {
    const { ofProfile, other, run } = await twoServers()
    for (const tool of ['TUG_SECRETS', 'VAULT', 'BAO']) {
      ofProfile.seen.length = 0
      const env = { [`${tool}_ADDR`]: other.origin, [`${tool}_TOKEN`]: 'of-variable', [`${tool}_NAMESPACE`]: 'x' }
      const { exit, stderr } = await run(`kv list ${flags}`, env)
      expect([exit, other.seen]).toEqual([0, []])
      expect(ofProfile.seen[0]?.headers).toMatchObject({ 'x-vault-token': 'of-profile', 'x-vault-namespace': 'team' })
      expect(stderr).toContain(`using ${ofProfile.origin} (profile prod), not ${other.origin} (${tool}_ADDR)`)
    }
  })

  test('TUG_PROFILE does not', async () => {
    const { other, run } = await twoServers()
    await run('kv list', { TUG_PROFILE: 'prod', VAULT_ADDR: other.origin, VAULT_TOKEN: 't' })
    expect(other.seen).toHaveLength(1)
  })

  test('the same server is none of another: its stored token and namespace count, and no line is printed', async () => {
    const { ofProfile, run } = await twoServers()
    const { exit, stderr } = await run('kv list', { VAULT_ADDR: `${ofProfile.origin}/v1/` })
    expect([exit, stderr.includes('using')]).toEqual([0, false])
    expect(ofProfile.seen[0]?.headers).toMatchObject({ 'x-vault-token': 'of-profile', 'x-vault-namespace': 'team' })
  })

  test.each([
    [{ protected: 'true' }, 'kv put app/db a=1', 'protected: pass --confirm-profile'],
    [{ read_only: 'true' }, 'kv put app/db a=1', 'read-only'],
  ])('%j of the current profile holds there too', async (more, line, message) => {
    const { other, run } = await twoServers(more)
    const { exit, stderr } = await run(`${line} --yes --no-verify`, { VAULT_ADDR: other.origin, VAULT_TOKEN: 't' })
    expect([exit, other.seen]).toEqual([2, []])
    expect(stderr).toContain(message)
  })
})

describe('one tool’s token and the other tool’s address', () => {
  test.each([
    ['BAO', 'VAULT', undefined, true],
    ['BAO', 'VAULT', 'same', true],
    ['BAO', 'VAULT', 'http://127.0.0.1:1', false],
    ['VAULT', 'BAO', undefined, true],
  ])('%s_ADDR with %s_TOKEN and its own address %s: sent %s', async (tool, owner, ownAddress, isSent) => {
    const { origin, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
    const env = {
      [`${tool}_ADDR`]: origin,
      [`${owner}_TOKEN`]: 'of-owner',
      [`${owner}_NAMESPACE`]: 'n',
      ...(ownAddress === undefined ? {} : { [`${owner}_ADDR`]: ownAddress === 'same' ? `${origin}/` : ownAddress }),
    }
    const { exit } = await tug('kv list', { env })
    expect([exit, seen.map(({ headers }) => headers['x-vault-token'])]).toEqual(isSent ? [0, ['of-owner']] : [4, []])
  })
})

test.each(['secrets', 'scheduler'] as const)(
  'profile show --effective names the variables in effect: %s',
  async (service) => {
    const { run } = await twoServers({ scheduler: { address: 'http://127.0.0.1:9' } })
    const env = { [`${names[service]}_ADDR`]: 'http://127.0.0.1:1', [`${names[service]}_TOKEN`]: 't' }
    const { stdout } = await run('profile show --effective --all -o json', env)
    const rows = JSON.parse(stdout) as { service: string; setting: string; source: string }[]
    const sourceOf = (setting: string) => rows.find((row) => row.service === service && row.setting === setting)?.source
    expect([sourceOf('address'), sourceOf('token'), sourceOf('namespace')]).toEqual([
      `${names[service]}_ADDR`,
      `${names[service]}_TOKEN`,
      'not set',
    ])
  },
)
