import { expect, test } from 'vitest'
import { tug } from '../support/run.ts'

const planted = 'hunter-two-forever'

test.each([
  `kv put app/db password:${planted}`,
  `kv put app/db a=1 a=${planted}`,
  `kv rollback app/db password=${planted}`,
  `kv rollback app/db password:${planted}`,
  `kv rollback app/db -- password=${planted}`,
  `kv get app/db --password=${planted}`,
  `kv get app/db --address user:${planted}@host`,
  `kv get app/db --address=http://user:${planted}@:host`,
  `kv list app password=${planted}`,
  `kv nope password=${planted}`,
  `nope password=${planted}`,
  `job run f -var=password=${planted}`,
  `job run f --var password=${planted} --nope`,
  `job scale web app n=${planted}`,
  `explorer query workspaces token=${planted}`,
])('a secret in the wrong place is not repeated: %s', async (line) => {
  for (const flags of ['', ' -o json']) {
    const { exit, stdout, stderr } = await tug(line.replace(/ -- |$/, (end) => `${flags}${end}`))
    expect(exit, stderr).toBe(2)
    expect(stdout + stderr).not.toContain(planted)
  }
})

test('what was mistyped in a known flag is named', async () => {
  expect((await tug('kv get app/db --version 3:latest')).stderr).toContain("'3:latest'")
  expect((await tug('kv put app/db x=1 --mount=a//b')).stderr).toContain('a//b')
})
