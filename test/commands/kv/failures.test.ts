import { expect, test } from 'vitest'
import { reportFailures } from '../../../src/read/bulk.ts'
import { TugError } from '../../../src/core/errors.ts'
import { serveRaw } from '../../http/raw-server.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

test('every failure is named, with its reason', () => {
  const lines: string[] = []
  const failures = Array.from({ length: 25 }, (_, index) => ({
    item: `app/${index}`,
    error: new TugError('failed', index === 1 ? 'app/1 is gone' : 'no'),
  }))
  reportFailures({ warnAlways: (line: string) => void lines.push(line) } as never, failures, true)
  expect(lines).toEqual(failures.map(({ item }, index) => (index === 1 ? 'app/1 is gone' : `${item}: no`)))
})

const listHint = /^hint: .*TUG_LIST_METHOD=get/m

test.each([
  ['list', 402, false],
  ['list', 400, true],
  ['list', 405, true],
  ['list', 501, true],
  ['list', 403, false],
  ['list', 500, false],
  ['get', 405, false],
])('TUG_LIST_METHOD=%s and status %i: a hint at the other method: %s', async (method, status, expected) => {
  // Node's server refuses the method itself.
  const { origin } = await serveRaw((socket) =>
    socket.end(`HTTP/1.1 ${status} x\r\nContent-Length: 17\r\n\r\n{"errors":["no"]}`),
  )
  const env = { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: 'secrets-token', TUG_LIST_METHOD: method }
  const { stderr } = await tug('kv list app --retries 0', { env })
  expect(stderr).toContain('tug: kv list app: no')
  expect(listHint.test(stderr)).toBe(expected)
})

test('a folder that is not there is an error of its own', async () => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  for (const [line, hint] of [
    ['kv list app', '…: tug kv list'],
    ['kv tree team/app', '…: tug kv list team'],
    ['kv audit secret/app', '… mount: tug kv audit app/'],
  ] as const) {
    const { exit, stderr } = await tug(line, { env })
    expect({ line, exit }).toEqual({ line, exit: 3 })
    expect(stderr).toMatch(mentions(` folder …\nhint: ${hint}\n`))
  }
})
