import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure } from '../../support/run.ts'

// A program that calls tug tells one kind of failure from another by the reason, without reading the message.
test.each([
  ['kv get app/nothing', 'no_secret', 3],
  ['kv get app', 'folder', 3],
])('the JSON error of %s has the reason %s', async (line, reason, exit) => {
  const { env } = await startDevServer()
  expect(await failure(line, { env })).toMatchObject({ reason, exit, stdout: '' })
})
