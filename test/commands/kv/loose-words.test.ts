import { expect, test } from 'vitest'
import { failure } from '../../support/run.ts'

test.each([
  ['kv set app/db password hunter2', 'password=…'],
  ['kv put app/db user name', 'user=…'],
  ['kv patch app/db a=1 hunter2', ''],
])('a word without = after the first is refused, and not repeated: %s', async (line, meant) => {
  const { exit, code, message } = await failure(line)
  expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
  expect(message).toContain(meant)
  expect(message).not.toContain(line.split(' ').at(-1))
})
