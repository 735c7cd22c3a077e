import { expect, test } from 'vitest'
import { typedSecrets } from '../../src/cli/usage-error.ts'
import { tug } from '../support/run.ts'

const planted = 'hunter-two-forever'

test.each([
  `kv put app/db password:${planted}`,
  `kv put app/db a=1 a=${planted}`,
  `kv rollback app/db password=${planted}`,
  `kv rollback app/db password:${planted}`,
  `kv rollback app/db p:${planted}`,
  `kv rollback app/db -- password=${planted}`,
  `kv rollback app/db 'password = ${planted}'`,
  `kv rollback app/db https://user:${planted}@host`,
  `kv get app/db --password=${planted}`,
  `kv get app/db --address user:${planted}@host`,
  `kv get app/db --address=http://user:${planted}@:host`,
  `kv get app/db --timeout https://user:${planted}@host`,
  `kv list app password=${planted}`,
  `kv nope password=${planted}`,
  `nope password=${planted}`,
  `job run f -var=password=${planted}`,
  `job run f --var password=${planted} --nope`,
  `job scale web app n=${planted}`,
  `explorer query workspaces token=${planted}`,
  `profile set prod secrets.token=${planted}`,
  `profile set prod password=${planted}`,
  `profile set prod secrets.token_command:${planted}`,
  `profile set prod secrets.token_command=${planted} output=pretty`,
  `profile set prod secrets.address=https://user:${planted}@host`,
  `profile set prod secrets.address=ftp://user:${planted}@host`,
  `profile set password=${planted} output=pretty`,
])('a secret in the wrong place is not repeated: %s', async (line) => {
  for (const flags of ['', ' -o json']) {
    const { exit, stdout, stderr } = await tug(line.replace(/ -- |$/, (end) => `${flags}${end}`))
    expect(exit, stderr).toBe(2)
    expect(stdout + stderr).not.toContain(planted)
  }
})

test.each(['TUG_SECRETS_ADDR', 'VAULT_ADDR'])('a password in %s is not repeated', async (name) => {
  for (const address of [`user:${planted}@host`, `ftp://user:${planted}@host`, `http://user:${planted}@:host`]) {
    const { exit, stdout, stderr } = await tug('kv get app/db', { env: { [name]: address } })
    expect(exit, stderr).toBe(2)
    expect(stdout + stderr).not.toContain(planted)
  }
})

test('what was mistyped in a known flag is named', async () => {
  expect((await tug('kv get app/db --version 3:latest')).stderr).toContain("'3:latest'")
  expect((await tug('kv put app/db x=1 --mount=a//b')).stderr).toContain('a//b')
})

test.each([
  ['output=pretty', "output: 'pretty'"],
  ['secrets.address=vault.example.com', "'vault.example.com'"],
  ['SECRETS.ADDR=vault.example.com', "'vault.example.com'"],
  ['scheduler.timeout=fortnight', 'fortnight'],
  ['dialect=kubernetes', "'kubernetes'"],
])("what was mistyped in a profile's setting is named: %s", async (assignment, words) => {
  for (const flags of [[], ['-o', 'json']])
    expect((await tug(['profile', 'set', 'prod', assignment, ...flags])).stderr).toContain(words)
})

test.each([String.raw`C:\jobs\web.nomad`, 'd:/jobs/web.nomad'])('%s is the path of a file, and no secret', (path) => {
  expect(typedSecrets([{ at: 0, text: path, role: 'argument' }])).toEqual([])
})
