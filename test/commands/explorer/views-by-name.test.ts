import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

const view = (id: string, name: string) => ({
  id,
  type: 'explorer-saved-queries',
  attributes: { name, query: { filter: [], type: 'workspaces' }, 'query-type': 'workspaces' },
})

/** A service with these views, which answers every read of one with the first. */
async function holding(...views: object[]) {
  return serve(({ url }, response) =>
    json(response, 200, JSON.stringify({ data: url.endsWith('/views') ? views : views[0] })),
  )
}

test('a view is found by its exact name in one list request; an ID is not looked up', async () => {
  const { env, seen } = await holding(view('sq-1', 'Drifted'), view('sq-2', 'drifted'))
  expect((await tug('explorer views get drifted -o name', { env })).exit).toBe(0)
  expect((await tug('explorer views get sq-drifted -o name', { env })).exit).toBe(0)
  expect(seen.map(({ method, url }) => `${method} ${url.replace(/.*explorer/, '')}`)).toEqual([
    'GET /views',
    'GET /views/sq-2',
    'GET /views/sq-drifted',
  ])
})

test('every command takes a name', async () => {
  const { env } = await startDevServer()
  const lines = [
    "results 'Failed checks' --limit 1",
    "export 'Failed checks'",
    "update 'Failed checks' --sort=-checks_failed,workspace_name",
    "get 'Failed checks'",
    "delete 'Failed checks' -y",
  ]
  for (const line of lines) expect((await tug(`explorer views ${line}`, { env })).exit, line).toBe(0)
  const gone = await tug("explorer views get 'Failed checks'", { env })
  expect([gone.exit, gone.stdout]).toEqual([3, ''])
})

test('a view that does not exist is reported before the question whether to delete it', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":[]}'))
  expect((await failure('explorer views delete Absent --org acme', { env })).exit).toBe(3)
  expect(seen).toHaveLength(1)
})

test('a name that several views have is refused with their IDs', async () => {
  const { env, seen } = await holding(view('sq-1', 'Drifted'), view('sq-2', 'Drifted'))
  const run = await tug('explorer views delete Drifted -y', { env })
  expect(run).toMatchObject({ exit: 2, stdout: '' })
  expect(run.stderr).toMatch(mentions('sq-1, sq-2'))
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
})

test('a name is not looked for in half a list', async () => {
  const { env } = await serve((_, response) =>
    json(
      response,
      200,
      JSON.stringify({ data: [view('sq-1', 'A')], meta: { pagination: { 'current-page': 1, 'total-pages': 2 } } }),
    ),
  )
  expect((await tug('explorer views get B', { env })).exit).toBe(1)
})

test.each(["''", 'a\tb'])('%j is no name', async (name) => {
  const { env, seen } = await holding(view('sq-1', 'A'))
  expect((await tug(['explorer', 'views', 'get', name.replaceAll("'", '')], { env })).exit).toBe(2)
  expect(seen).toEqual([])
})

test('a delete that got no answer is in doubt, with the command that finds out', async () => {
  const { env, seen } = await serve(({ method }, response) => {
    if (method === 'GET')
      json(response, 200, '{"data":{"id":"sq-1","attributes":{"name":"V","query":{"type":"modules"}}}}')
    else response.socket?.destroy()
  })
  const refused = await failure('explorer views delete sq-1 -y --org acme', { env })
  expect(refused).toMatchObject({ exit: 7, reason: 'in_doubt', stdout: '' })
  expect(refused.hint).toContain('tug explorer views list --org acme')
  expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(1)
})

test('a plan refuses a new name that is taken, as the service does', async () => {
  const { env, writes } = await startDevServer()
  expect((await tug("explorer views create Drift --type workspaces -f 'drifted is true'", { env })).exit).toBe(0)
  const before = writes.length
  const line = "explorer views update Drift --name 'Failed checks'"
  expect((await tug(`${line} --plan`, { env })).exit).toBe(6)
  expect(writes).toHaveLength(before)
  expect((await tug(`${line} --yes`, { env })).exit).toBe(6)
  expect((await tug('explorer views update Drift --name Drift --plan', { env })).exit).toBe(0)
})
