import { expect, test } from 'vitest'
import { goneVersion } from '../../../src/commands/kv/secret/missing.ts'
import { patchOfGone } from '../../../src/commands/kv/secret/patch.ts'
import type { Context } from '../../../src/core/context.ts'
import { TugError } from '../../../src/core/errors.ts'
import { startDevServer } from '../../support/dev.ts'
import { failure } from '../../support/run.ts'
import { plainLine } from '../../support/line.ts'

// A program that calls tug tells one kind of failure from another by the reason, without reading the message.
test.each([
  ['kv get app/nothing', 'no_secret', 3],
  ['kv get app', 'folder', 3],
])('the JSON error of %s has the reason %s', async (line, reason, exit) => {
  const { env } = await startDevServer()
  expect(await failure(line, { env })).toMatchObject({ reason, exit, stdout: '' })
})

const context = { commandLine: plainLine } as unknown as Context
const linesOf = ({ hints }: TugError) => hints.map((hint) => hint.replace(/^.*: /, ''))

test.each([
  ['deleted', ['tug kv undelete a --versions 3', 'tug kv history a']],
  ['destroyed', ['tug kv history a']],
] as const)('of a version that was %s the hints are %j', (state, lines) => {
  const gone = goneVersion(context, 'a', { version: '3', state })
  expect([gone.reason, linesOf(gone)]).toEqual([`version_${state}`, lines])
  const put = 'tug kv put a --cas 3 key=value'
  const patch = patchOfGone(context, 'a', new TugError('invalid', ''), { version: 3, state })
  expect([patch.code, patch.reason]).toEqual(['conflict', `version_${state}`])
  expect(linesOf(patch)).toEqual(state === 'deleted' ? ['tug kv undelete a', put] : [put])
})
