import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { widthOf, writeAll } from '../../src/output/streams.ts'

test.each([
  ['EPIPE', 'closed_pipe', 'stdout is closed'],
  ['ERR_STREAM_DESTROYED', 'closed_pipe', 'stdout is closed'],
  ['ENOSPC', 'failed', / stdout: /],
  ['EIO', 'failed', / stdout: /],
])('a write that fails with %s is %s', async (code, expected, words) => {
  const stream = new Writable({ write: (_, __, done) => done(Object.assign(new Error('the reason'), { code })) })
  stream.on('error', () => undefined)
  const error = (await writeAll(stream, 'x', 'stdout').catch((reason: unknown) => reason)) as Error
  expect(error).toMatchObject({ code: expected })
  if (typeof words === 'string') expect(error.message).toBe(words)
  else expect(error.message).toMatch(words)
})

test.each([
  [true, 100, undefined, 100],
  [true, 0, undefined, 80],
  [true, undefined, undefined, 80],
  [true, 100, '60', 60],
  [true, 100, '1', 1],
  [true, 100, '0', 100],
  [true, 100, '-1', 100],
  [true, 100, '1.5', 100],
  [true, 100, 'x', 100],
  [true, 100, '', 100],
  [true, 1, undefined, 1],
  [false, 100, '60', undefined],
  [undefined, 100, '60', undefined],
])('terminal %s with %s columns and COLUMNS=%s is %s wide', (isTTY, columns, asked, width) => {
  expect(widthOf({ isTTY, columns } as never, { COLUMNS: asked })).toBe(width)
})
