import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { serveBetween } from '../../support/between.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'

/** The local server with a secret and a folder of the same name. */
async function withBoth() {
  const { env } = await startDevServer()
  await tug('kv import -', { env, stdin: '{"both":{"k":"1"},"both/in":{"k":"2"},"plain/in":{"k":"3"}}' })
  return { env, cwd: scratchFolder() }
}

const lines = [
  'kv delete X --recursive --yes',
  'kv undelete X --recursive',
  'kv destroy X --recursive --keep 1 --yes',
  'kv metadata delete X --recursive --yes',
  'kv copy X other --recursive',
  'kv copy X other --recursive --update --prune --yes',
  'kv move X other --recursive --yes',
  'kv backup X -O b.tugkv',
  'kv audit X',
  'kv find in X',
  'kv diff X app --recursive',
  'kv diff app X --recursive',
]

test.each(lines)('a secret with the name of the folder is left out, which is said: %s', async (line) => {
  const machine = await withBoth()
  const run = (folder: string) => tug(line.replace('X', folder), machine)
  const { stderr } = await run('both')
  expect(stderr).toContain('both is also a secret, which was left out')
  expect((await tug('kv get both k', machine)).stdout).toBe('1')
  const others = await withBoth()
  for (const folder of ['both/', 'plain']) {
    const exact = await tug(line.replace('X', folder), { ...others, cwd: scratchFolder() })
    expect(exact.stderr, folder).not.toContain('which was left out')
  }
})

test('an export of a secret names the folder that it leaves out', async () => {
  const machine = await withBoth()
  const { exit, stdout, stderr } = await tug('kv export both', machine)
  expect([exit, JSON.parse(stdout)]).toEqual([0, { both: { k: '1' } }])
  expect(stderr).toContain('tug kv export both/')
  expect(JSON.parse((await tug('kv export both/', machine)).stdout)).toEqual({ in: { k: '2' } })
  await tug('kv delete both', machine)
  const deleted = await tug('kv export both', machine)
  expect(deleted.exit).toBe(3)
  expect(deleted.stderr).toContain('tug kv export both/')
})

test('where the metadata may not be read, nothing is said of a secret', async () => {
  const { env } = await withBoth()
  const weak = await serveBetween(env, {
    denies: ({ url, method }) => method === 'GET' && url.endsWith('/metadata/both'),
  })
  const { exit, stderr } = await tug('kv find in both', { env: weak })
  expect([exit, stderr]).toEqual([0, ''])
})

test('a dry run of an export prints its first request alone', async () => {
  const { env } = await withBoth()
  const { stdout } = await tug('kv export both --dry-run', { env })
  expect(stdout.match(/curl/g)).toHaveLength(1)
})
