import { expect, test } from 'vitest'
import { failure, tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const decodes = '{"EvalID":"e-1","EvalCreateIndex":12,"JobModifyIndex":12}'
const event = (body: string) => JSON.parse(body) as { Error?: unknown; Message?: string }

/** A scheduler that takes an error's text as a product does: only as a message that is marked. */
const product = (headers: Record<string, string> = {}) =>
  serve(({ method, url, body }, response) => {
    if (method === 'GET' && url.includes('/scale'))
      return json(response, 200, '{"JobID":"web","TaskGroups":{"app":{"Desired":1}}}', headers)
    if (method === 'GET') return json(response, 200, '{"ID":"web","TaskGroups":[{"Name":"app"}]}', headers)
    if (typeof event(body).Error === 'string') return response.writeHead(400).end('json: cannot unmarshal string')
    return json(response, 200, decodes, headers)
  })

test('a write that was refused unread is sent in the words of a product', async () => {
  const { env, seen } = await product()
  expect((await tug('job scale web app --error broken', { env })).exit).toBe(0)
  expect(seen.map(({ body }) => event(body))).toMatchObject([{ Error: 'broken' }, { Error: true, Message: 'broken' }])
})

test('an earlier answer settles the dialect', async () => {
  const { env, seen } = await product({ 'X-Nomad-Index': '12' })
  expect((await tug('job scale web --error broken', { env })).exit).toBe(0)
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
})

test('a server of the specification is asked once, whatever it answers', async () => {
  for (const status of [200, 400]) {
    const { env, seen } = await serve((_, response) => json(response, status, decodes, { 'X-Scheduler-Index': '12' }))
    expect((await tug('job scale web app --error broken', { env })).exit).toBe(status === 200 ? 0 : 6)
    expect(seen).toHaveLength(1)
  }
})

test('if neither is accepted, the error is that of the first', async () => {
  const { env, seen } = await serve(({ body }, response) =>
    response.writeHead(400).end(`refused ${String(event(body).Error)}`),
  )
  expect(await failure('job scale web app --error broken', { env })).toMatchObject({
    exit: 6,
    message: expect.stringMatching(/refused broken$/) as string,
  })
  expect(seen).toHaveLength(2)
})

test('if the fate of the second is unknown, the refusal of the first does not hide that', async () => {
  const { env } = await serve(({ body }, response) => {
    if (typeof event(body).Error === 'string') response.writeHead(400).end('refused')
    else response.destroy()
  })
  expect(await failure('job scale web app --error broken', { env })).toMatchObject({ code: 'unreachable' })
})

test('a write whose fate is unknown is not sent in other words', async () => {
  const { env, seen } = await serve((_, response) => response.writeHead(500).end('broken'))
  expect((await tug('job scale web app --error broken', { env })).exit).toBe(1)
  expect(seen).toHaveLength(1)
})

test('what a product says of a parsed job settles how the job is registered', async () => {
  const { env, seen } = await serve(({ url }, response) =>
    json(response, 200, url.endsWith('/parse') ? '{"ID":"web","NomadTokenID":""}' : decodes),
  )
  const stdin = 'variable "a" {}\njob "web" {}'
  expect((await tug('job run - --var a=b --no-submission', { env, stdin })).exit).toBe(0)
  expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { VariableFlags: { a: 'b' }, Variables: 'a = "b"\n' },
    { Submission: {} },
  ])
})

test.each([
  ['by the names of its rows', {}, '{"data":[{"id":"1","attributes":{"workspace-terraform-version":"1.9"}}]}'],
  ['by a header', { 'tfp-api-version': '2.6' }, '{"data":[{"id":"1","attributes":{}}]}'],
])('a query is asked again in the words of the product that is known %s', async (_, headers, rows) => {
  const { env, seen } = await serve((__, response) => json(response, 200, rows, headers))
  const { exit } = await tug('explorer query workspaces --fields workspace_tool_version', { env })
  expect(exit).toBe(0)
  expect(seen.map(({ url }) => new URL(url, 'http://host').searchParams.get('fields'))).toEqual([
    'workspace_tool_version',
    'workspace_terraform_version',
  ])
})

test('an export and a new view that are refused unread are sent in the words of the product', async () => {
  const { env, seen } = await serve(({ method, url, body }, response) => {
    if (/tool_version/.test(url + body))
      return json(response, 422, '{"errors":[{"status":"422","title":"invalid field"}]}')
    if (url.includes('csv')) return response.end('workspace_terraform_version\n"1.9"\n')
    // A new name is looked for among the existing views.
    if (method === 'GET') return json(response, 200, '{"data":[]}')
    return json(response, 201, '{"data":{"id":"sq-1","attributes":{"name":"x"}}}')
  })
  const exported = await tug('explorer export workspaces --fields workspace_tool_version', { env })
  expect([exported.exit, exported.stdout]).toEqual([0, 'workspace_terraform_version\n"1.9"\n'])
  const line = 'explorer views create x --type workspaces --fields workspace_tool_version'
  expect((await tug(line, { env })).exit).toBe(0)
  expect(seen.filter(({ url }) => url.includes('csv'))).toHaveLength(2)
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(2)
})
