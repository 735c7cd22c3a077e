import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

const writes = [
  'kv config set --max-versions 3',
  'kv metadata put app/x --max-versions 3',
  'kv metadata patch app/x --max-versions 3',
  'kv metadata delete app/x --yes',
]
const reads = ['kv list', 'kv tree', 'kv find x', 'kv export', 'kv config get', 'kv delete / --recursive --yes']

test.each([...writes, ...reads])('%s does not touch a version 1 engine', async (line) => {
  const { env } = await startDevServer()
  const keys = async () => (await tug(['api', 'secrets', 'GET', 'kv1/?list=true'], { env })).stdout
  const before = await keys()
  const { exit, code, reason, stdout } = await failure(`${line} --mount kv1`, { env })
  expect({ exit, code, reason, stdout }).toEqual({ exit: 1, code: 'failed', reason: 'version_1', stdout: '' })
  expect(await keys()).toBe(before)
})

test('neither a backup nor a history is written to or from a version 1 engine', async () => {
  const { env } = await startDevServer()
  const machine = { env, cwd: scratchFolder() }
  await tug('kv backup app/ -O app.tugkv', machine)
  const keys = async () => (await tug(['api', 'secrets', 'GET', 'kv1/?list=true'], machine)).stdout
  const before = await keys()
  for (const line of [
    'kv backup -O kv1.tugkv --mount kv1',
    'kv restore app.tugkv --mount kv1',
    'kv copy app/db --to-mount kv1 --versions all',
    'kv move app/db --to-mount kv1 --yes',
    'kv copy app/ --to-mount kv1 --recursive --versions all',
  ]) {
    const { exit, reason } = await failure(line, machine)
    expect({ line, exit, reason }).toEqual({ line, exit: 1, reason: 'version_1' })
    expect(await keys(), line).toBe(before)
  }
})

test('the mount is asked for once before many histories are written', async () => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kv copy app/ other/ --recursive --versions all --trace', { env })
  expect({ exit, asked: stderr.match(/^> GET .*sys\/internal/gm)?.length }).toEqual({ exit: 0, asked: 1 })
})

const mount = (type: string, options: object | null) => JSON.stringify({ data: { type, options } })

/** A server whose mount is described by `body`; every list is a 404, every write is accepted. */
async function engine(status: number, body: string) {
  return serve(({ method, url }, response) => {
    if (url.startsWith('/v1/sys/')) return json(response, status, body)
    if (method === 'GET') return json(response, 404, '{"errors":[]}')
    return void response.writeHead(204).end()
  })
}

test.each([
  ['version 1', 200, mount('kv', { version: '1' }), 1],
  ['no version, as before there were two', 200, mount('kv', null), 1],
  ['no engine for keys and values', 200, mount('transit', null), 1],
  ['version 2', 200, mount('kv', { version: '2' }), 0],
  ['a server without that path', 404, '{"errors":[]}', 0],
  ['a token without the right', 403, '{"errors":["permission denied"]}', 0],
])('%s is asked for once, before a write and after an empty list', async (_, status, body, expected) => {
  for (const line of [...writes.slice(0, 2), 'kv metadata delete app/x --yes', 'kv list', 'kv tree']) {
    const { env, seen } = await engine(status, body)
    const { exit, stderr } = await tug(line, { env })
    expect(exit, line).toBe(expected)
    expect(
      seen.filter(({ url }) => url === '/v1/sys/internal/ui/mounts/secret'),
      line,
    ).toHaveLength(1)
    expect(seen.filter(({ method }) => method !== 'GET').length, line).toBe(
      expected === 0 && writes.includes(line) ? 1 : 0,
    )
    expect(stderr.includes('version 1'), line).toBe(expected === 1 && body.includes('"kv"'))
  }
})

test.each([
  [500, '{"errors":["internal error"]}'],
  [200, '<html>'],
])('if the question itself fails (%s), a write is not sent, and a read is what it was', async (status, body) => {
  const { env, seen } = await engine(status, body)
  expect((await tug('kv config set --max-versions 3 --retries 0', { env })).exit).toBe(1)
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
  expect((await tug('kv list --retries 0', { env })).exit).toBe(0)
})

test('a mount that shows what it is by its answers is not asked for', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  expect((await tug('kv list', { env })).exit).toBe(0)
  expect((await tug('kv tree', { env })).exit).toBe(0)
  expect(seen).toHaveLength(2)
})

test.each([
  [{ type: 'kv', options: { version: '2' } }, 0],
  [{ type: 'kv-v2', options: null }, 0],
  [{ type: 'kv-v2' }, 0],
  [{ type: null }, 0],
  [{}, 0],
  [{ type: 'generic', options: { version: '2' } }, 0],
  [{ type: 'generic', options: null }, 1],
  [{ type: 'kv', options: {} }, 1],
  [{ type: 'kv', options: { version: '3' } }, 1],
  [{ type: 'kv-v1', options: { version: '2' } }, 1],
  [{ type: '' }, 1],
])('a mount that is %j is written to or refused: %i', async (data, exit) => {
  const { env, seen } = await engine(200, JSON.stringify({ data }))
  expect((await tug('kv config set --max-versions 3', { env })).exit).toBe(exit)
  expect(seen.length).toBe(exit === 0 ? 2 : 1)
})
