import { expect, test } from 'vitest'
import { configured, tug } from '../support/run.ts'

test.each(['', '.', '..', 'a/b', 'a b', 'a\nb', 'a\ufffd'])('an organization name cannot be %j', async (name) => {
  const words = ['explorer', 'views', 'list', '--dry-run', '--org', name]
  const { exit, stdout, stderr } = await tug(words, { env: configured })
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain('flag --org: ')
})

test.each(['', '/', 'a//b', 'a/../b', 'a\u0007', 'a\ufffd'])('a mount path cannot be %j', async (name) => {
  const { exit, stderr } = await tug(['kv', 'list', '--dry-run', '--mount', name], { env: configured })
  expect(exit).toBe(2)
  expect(stderr).toContain('flag --mount: ')
})

test('non-ASCII names are percent-encoded', async () => {
  const { stdout } = await tug('explorer views list --dry-run --org ä', { env: configured })
  expect(stdout).toContain('/organizations/%C3%A4/explorer')
})

test.each(['__proto__=x', 'constructor=x', 'secrets.__proto__=x', 'toString.constructor=x'])(
  'profile set p %s is a usage error',
  async (assignment) => {
    expect(await tug(['profile', 'set', 'p', assignment])).toMatchObject({ exit: 2, stdout: '' })
  },
)
