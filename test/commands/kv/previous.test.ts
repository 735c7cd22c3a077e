import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { serveBetween } from '../../support/between.ts'
import { failure, tug } from '../../support/run.ts'

/** The local server with four versions of `s`, of which the third is deleted. */
async function versions() {
  const { env } = await startDevServer()
  for (const value of ['1', '2', '3', '4']) await tug(`kv put s k=${value}`, { env })
  await tug('kv delete s --versions 3', { env })
  return { env, value: async () => (await tug('kv get s k', { env })).stdout }
}

test('a rollback without a version goes to the previous one with data, and back', async () => {
  const { env, value } = await versions()
  const plan = await tug('kv rollback s --plan', { env })
  expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('version 2')])
  const first = await tug('kv rollback s', { env })
  expect([first.exit, await value()]).toEqual([0, '2'])
  expect(first.stderr).toContain('version 2')
  await tug('kv rollback s', { env })
  expect(await value()).toBe('4')
})

test('after a lost response the rollback is about the same version', async () => {
  const { env, value } = await versions()
  let isFirst = true
  const between = await serveBetween(env, {
    after: ({ method }) => {
      if (method !== 'POST' || !isFirst) return undefined
      isFirst = false
      return 502
    },
  })
  expect((await tug('kv rollback s --retries 0', { env: between })).exit).toBe(0)
  expect([await value(), (await tug('kv history s -o json --query length(@)', { env })).stdout]).toEqual(['2', '5\n'])
})

test('a rollback of the first version is not found', async () => {
  const { env } = await startDevServer()
  await tug('kv put s k=1', { env })
  expect((await failure('kv rollback s', { env })).exit).toBe(3)
})

test.each([
  ['--keep 2', ['live', 'deleted', 'destroyed', 'destroyed']],
  ['--keep 1 --older-than 0s', ['live', 'destroyed', 'destroyed', 'destroyed']],
  ['--older-than 1h', ['live', 'deleted', 'live', 'live']],
])('kv destroy of one secret with %s destroys what is old', async (flags, states) => {
  const { env } = await versions()
  const { exit } = await tug(`kv destroy s ${flags} --yes`, { env })
  expect(exit).toBe(0)
  const history = await tug('kv history s -o json --query [].state', { env })
  expect(JSON.parse(history.stdout)).toEqual(states)
})

test.each(['kv destroy s', 'kv destroy s --versions 1 --keep 1', 'kv destroy s --keep 1 --no-verify'])(
  '%s is refused',
  async (line) => {
    const { env } = await versions()
    expect((await failure(`${line} --yes`, { env })).exit).toBe(2)
  },
)
