import { expect, test } from 'vitest'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

const unexpectedResponse = [
  '',
  'null',
  '5',
  '[]',
  '{}',
  '{"data":null}',
  '{"data":{"id":"ws-1"}}',
  '{"data":[null,5,"x"]}',
]

test.each(unexpectedResponse)('an answer without rows is an error, not an empty result: %j', async (body) => {
  const { env } = await serve((_, response) => json(response, 200, body))
  for (const line of ['query workspaces', 'query workspaces --all', 'views list', 'views results sq-1']) {
    expect(await failure(`explorer ${line}`, { env })).toMatchObject({
      exit: 1,
      reason: 'unexpected_response',
      stdout: '',
    })
  }
})

test.each([...unexpectedResponse, '{"data":{"id":"sq-1","attributes":{"name":"Drifted"}}}'])(
  "a saved view that couldn't be read is not overwritten: %j",
  async (body) => {
    const { env, seen } = await serve((_, response) => json(response, 200, body))
    const update = await failure('explorer views update sq-1 --name Other', { env })
    expect(update).toMatchObject({ exit: 1, reason: 'unexpected_response' })
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    expect((await tug('explorer views get sq-1', { env })).exit).toBe(1)
  },
)

test('a write with an empty answer is confirmed by a read', async () => {
  const view = { id: 'sq-1', name: 'Drifted', query_type: 'workspaces', query: {} }
  let stored: object[] = []
  const { env } = await serve(({ method, url }, response) => {
    if (method === 'GET') return json(response, 200, JSON.stringify({ data: url.endsWith('/views') ? stored : view }))
    stored = [view]
    return response.writeHead(204).end()
  })
  const run = await tug('explorer views create Drifted --type workspaces', { env })
  expect(run).toMatchObject({ exit: 0, stdout: expect.stringContaining('sq-1'), stderr: '' })
})
