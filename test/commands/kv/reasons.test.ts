import { expect, test } from 'vitest'
import { goneVersion } from '../../../src/commands/kv/messages.ts'
import type { Context } from '../../../src/core/context.ts'
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

test.each([
  ['deleted', ['tug kv undelete a --versions 3', 'tug kv history a']],
  ['destroyed', ['tug kv history a']],
] as const)('of a version that was %s the hints are %j', (state, lines) => {
  const context = { commandLine: (...words: string[]) => ['tug', ...words].join(' ') } as unknown as Context
  const { hints, reason } = goneVersion(context, 'a', { version: '3', asked: '3', state, deleted: '' })
  expect(reason).toBe(`version_${state}`)
  expect(hints.map((hint) => hint.replace(/^.*: /, ''))).toEqual(lines)
})
