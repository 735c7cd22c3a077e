import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'

// A program that calls tug tells one kind of failure from another by the reason, without reading the message.
test.each([
  ['kv get app/nothing', 'no_secret', 3, ['tug kv list app']],
  ['kv get app', 'folder', 3, ['tug kv list app', 'tug kv export app/']],
  ['kv get app/db --version 2', 'version_deleted', 3, ['tug kv undelete app/db --versions 2', 'tug kv history app/db']],
  ['kv get app/db --version 1', 'version_destroyed', 3, ['tug kv history app/db']],
  ['kv patch gone/a k=v', 'version_deleted', 5, ['tug kv undelete gone/a', 'tug kv put gone/a --cas 1 key=value']],
  ['kv patch gone/b k=v', 'version_destroyed', 5, ['tug kv put gone/b --cas 1 key=value']],
])('the JSON error of %s has the reason %s', async (line, reason, exit, lines) => {
  const { env } = await startDevServer()
  for (const path of ['gone/a', 'gone/b']) await tug(`kv put ${path} k=v`, { env })
  await tug('kv delete gone/a', { env })
  await tug('kv destroy gone/b --versions 1 --yes', { env })
  const { hint, ...found } = await failure(line, { env })
  expect(found).toMatchObject({ reason, exit, stdout: '' })
  expect(hint?.split('\n').map((one) => one.replace(/^.*?: (?=tug )/, ''))).toEqual(lines)
})
