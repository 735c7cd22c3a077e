import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { credentials } from '../support/credentials.ts'
import { methodRewriter } from '../../src/dev/list-method.ts'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'

const chunked =
  'POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\nLIST /\r\n5\r\n\r\nLIS\r\n0\r\nLIST : x\r\n\r\n'
const sized = 'PUT /a HTTP/1.1\r\nx-content-length: 9\r\ncontent-length: 14\r\n\r\nLIST / HTTP\r\n\r\n'

test.each([
  ['LIST /a HTTP/1.1\r\n\r\n', 'LINK /a HTTP/1.1\r\n\r\n'],
  ['LIST /a HTTP/1.1\r\n\r\nLIST /b HTTP/1.1\r\n\r\n', 'LINK /a HTTP/1.1\r\n\r\nLINK /b HTTP/1.1\r\n\r\n'],
  ['GET /LIST HTTP/1.1\r\nx: LIST \r\n\r\n\r\nLIST /b ', 'GET /LIST HTTP/1.1\r\nx: LIST \r\n\r\n\r\nLINK /b '],
  [`${sized}LIST /b `, `${sized}LINK /b `],
  [`${chunked}LIST /b `, `${chunked}LINK /b `],
  ['LISTEN /a HTTP/1.1\r\n\r\n', 'LISTEN /a HTTP/1.1\r\n\r\n'],
  ['GET /a HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nLIST ', undefined],
])('LIST is replaced where a request starts, however the bytes come: %j', (sent, expected = sent) => {
  for (let size = 1; size <= sent.length; size += 1) {
    const rewrite = methodRewriter()
    const pieces = sent.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
    expect(pieces.map((piece) => rewrite(Buffer.from(piece)).toString()).join('')).toBe(expected)
  }
})

test('LIST is answered between other requests of a pipelined connection, in their order', async () => {
  const { origin } = await startDevServer()
  const { port } = new URL(origin)
  const head = (method: string, path: string, more = '') =>
    `${method} /v1/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Secrets-Token: ${credentials.secrets.token}\r\n${more}\r\n`
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    [
      head('POST', 'kv1/new/x', 'Content-Length: 7\r\n') + '{"a":1}',
      head('LIST', 'kv1/new'),
      head('LIST', 'secret/metadata/app/'),
      head('GET', 'kv1/new/x'),
      head('LIST', 'kv1/none', 'Connection: close\r\n'),
    ].join(''),
  )
  const pieces: Buffer[] = []
  for await (const piece of socket) pieces.push(piece as Buffer)
  const answers = Buffer.concat(pieces)
    .toString()
    .split(/(?=HTTP\/1\.1 )/)
  expect(answers.map((answer) => [answer.slice(9, 12), /"data":\{.*?\}|"errors".*/.exec(answer)?.[0]])).toEqual([
    ['204', undefined],
    ['200', '"data":{"keys":["x"]}'],
    ['200', '"data":{"keys":["api","cache","db","features"]}'],
    ['200', '"data":{"a":1}'],
    ['404', '"errors":[]}'],
  ])
})

test('the client lists with LIST', async () => {
  const { env } = await startDevServer()
  const { exit, stdout } = await tug('kv list app -o name', { env: { ...env, TUG_LIST_METHOD: 'list' } })
  expect([exit, stdout]).toEqual([0, 'api\ncache\ndb\nfeatures\n'])
})

test('a version 1 mount stores, reads, lists and removes plain keys, and its mount shows its version', async () => {
  const { env } = await startDevServer()
  const lines = [
    `api secrets PUT kv1/app/x --data '{"a":1}'`,
    'api secrets GET kv1/app/x --query data',
    'api secrets LIST kv1/app --query data.keys',
    'api secrets GET sys/internal/ui/mounts/kv1 --query data.options',
    'api secrets DELETE kv1/app/x --yes',
  ]
  const printed = []
  for (const line of lines) printed.push((await tug(`${line} -o json`, { env })).stdout)
  expect(printed.map((text) => text.replaceAll(/\s/g, ''))).toEqual(['', '{"a":1}', '["x"]', '{"version":"1"}', ''])
  expect((await tug('api secrets GET kv1/app/x', { env })).exit).toBe(3)
})

test('writes are recorded once carried out, reads and refused writes are not', async () => {
  const { env, writes } = await startDevServer()
  const lines = [
    'kv get app/db',
    'kv list app',
    'kv put app/new a=1',
    'kv put app/new a=1 --cas 7',
    'kmip scope create fin',
    'explorer views delete none --yes',
    `api scheduler POST jobs/parse --data '{"JobHCL":"job x {}"}'`,
    'job stop web --yes',
  ]
  for (const line of lines) await tug(line, { env: { ...env, TUG_LIST_METHOD: 'list' } })
  expect(writes).toEqual(['POST /v1/secret/data/app/new', 'POST /v1/kmip/scope/fin', 'DELETE /v1/job/web'])
})
