import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

/** The documented shape. */
const documented = {
  id: 'sq-1',
  type: 'explorer-saved-queries',
  attributes: {
    name: 'Drifted',
    'created-at': '2026-11-18T07:30:00.000Z',
    query: {
      filter: [
        { field: 'workspace_name', operator: 'contains', value: ['net'] },
        { field: 'drifted', operator: 'is', value: ['true'], note: 'kept' },
      ],
      sort: ['-drifted'],
      type: 'workspaces',
      limit: 10,
    },
    'query-type': 'workspaces',
  },
}

/** The shape that the live service was seen to use (docs/servers.md, Explorer saved views). */
const live = {
  id: 'sq-2',
  type: 'explorer-saved-views',
  attributes: {
    name: 'Drifted',
    'created-at': '2026-11-18T07:30:00.000Z',
    query: {
      filter: [{ 'workspace-name': { does_not_contain: ['net'] }, drifted: { is: ['true'] } }],
      fields: { workspaces: [] },
    },
    'query-type': 'workspaces',
  },
}

async function folder(files: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tug-views-'))
  onTestFinished(() => rm(path, { recursive: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return path
}

/** The view after a write with this body, in either form. */
function written(view: object, body: string) {
  const { data } = JSON.parse(body) as {
    data: { attributes?: object; name: string; query_type?: string; query: object }
  }
  const { name, query_type: type, query } = data
  return { ...view, attributes: data.attributes ?? { name, 'query-type': type ?? 'workspaces', query } }
}

/** A service with one view that accepts every change, unless it `refuses` the documented form with this status. */
async function holding(view: object, refuses?: number) {
  const server = await serve(({ method, url, body }, response) => {
    const isList = method === 'GET' && /\/views(?:\?|$)/.test(url)
    const isRefused = refuses !== undefined && method !== 'GET' && !body.includes('"attributes"')
    if (isRefused) json(response, refuses, '{"errors":[{"status":"422","title":"invalid body"}]}')
    else if (method === 'GET') json(response, 200, JSON.stringify({ data: isList ? [view] : view }))
    else json(response, method === 'POST' ? 201 : 200, JSON.stringify({ data: written(view, body) }))
  })
  return { ...server, sent: () => JSON.parse(server.seen.at(-1)?.body ?? 'null') as unknown }
}

test('both shapes of a stored view are read', async () => {
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data: [documented, live] })))
  const run = await tug('explorer views list -o ndjson', { env })
  expect(
    run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      id: 'sq-1',
      name: 'Drifted',
      type: 'workspaces',
      created_at: '2026-11-18T07:30:00.000Z',
      query: documented.attributes.query,
    },
    {
      id: 'sq-2',
      name: 'Drifted',
      type: 'workspaces',
      created_at: '2026-11-18T07:30:00.000Z',
      query: {
        filter: [
          { field: 'workspace_name', operator: 'does not contain', value: ['net'] },
          { field: 'drifted', operator: 'is', value: ['true'] },
        ],
      },
    },
  ])
  expect((await tug('explorer views list', { env })).stdout).toBe(
    [
      'ID    NAME     TYPE        AGE  FILTERS\n',
      'sq-1  Drifted  workspaces  3d   workspace_name contains net and drifted is true\n',
      'sq-2  Drifted  workspaces  3d   workspace_name does not contain net and drifted is true\n',
    ].join(''),
  )
})

test('a paged list is read to its end', async () => {
  const { env, seen } = await serve(({ url }, response) => {
    const page = url.includes('number%5D=2') ? 2 : 1
    const data = [{ ...documented, id: `sq-${page}` }]
    json(response, 200, JSON.stringify({ data, meta: { pagination: { 'current-page': page, 'total-pages': 2 } } }))
  })
  expect((await tug('explorer views list -o name', { env })).stdout).toBe('sq-1\nsq-2\n')
  expect(seen[0]?.url).toBe('/api/v2/organizations/acme/explorer/views')
})

test("an update sends back everything it doesn't change", async () => {
  const one = await holding(documented)
  await tug("explorer views update sq-1 --name 'New'", { env: one.env })
  const { filter, sort, limit } = documented.attributes.query
  expect(one.sent()).toEqual({ data: { name: 'New', query: { limit, filter, fields: [], sort } } })

  const two = await holding(live, 422)
  await tug('explorer views update sq-2 --fields workspace_tool_version --dialect hashicorp', two)
  expect(two.sent()).toEqual({
    data: {
      type: 'explorer-saved-queries',
      id: 'sq-2',
      attributes: {
        name: 'Drifted',
        query: {
          type: 'workspaces',
          filter: [{ workspace_name: { does_not_contain: ['net'] } }, { drifted: { is: ['true'] } }],
          fields: { workspaces: ['workspace_terraform_version'] },
          sort: [],
        },
      },
    },
  })
  // Public clients of the product send only this form.
  expect(two.seen.map(({ method }) => method)).toEqual(['GET', 'PATCH'])
})

test.each([
  [400, 0, ['documented', 'JSON:API']],
  [422, 0, ['documented', 'JSON:API']],
  [403, 4, ['documented']],
  [500, 1, ['documented']],
])('after %i for the documented form, a create ends with %i and has sent %j', async (status, exit, forms) => {
  const { env, seen } = await holding(live, status)
  const line = 'explorer views create A --type modules --dialect neutral --retries 0'
  expect((await tug(line, { env })).exit).toBe(exit)
  const writes = seen.filter(({ method }) => method !== 'GET')
  expect(writes.map(({ body }) => (body.includes('"attributes"') ? 'JSON:API' : 'documented'))).toEqual(forms)
})

test.each([
  ['its filters', { filter: [] }, 1],
  ['one of two filters', { filter: [{ drifted: { is: ['true'] } }] }, 1],
  ['its fields', { fields: {} }, 1],
  ['its sorting', { sort: [] }, 1],
  [
    'nothing, spelled its own way',
    { filter: [{ drifted: { is: ['TRUE'] } }, { 'workspace-name': { contains: 'net' } }] },
    0,
  ],
  ['nothing, with a member of its own', { limit: 5 }, 0],
])('a service that accepts a view and drops %s', async (_, stored, exit) => {
  const { env } = await serve(({ method, body }, response) => {
    if (method === 'GET') return json(response, 200, '{"data":[]}')
    const view = written(live, body)
    const query = { ...(view.attributes as { query: object }).query, ...stored }
    return json(response, 201, JSON.stringify({ data: { ...view, attributes: { ...view.attributes, query } } }))
  })
  const line =
    "explorer views create A --type workspaces -f 'drifted is true' -f 'workspace_name ~ net' --fields workspace_name --sort drifted --dialect hashicorp"
  const run = await tug(`${line} -o json`, { env })
  expect(run.exit, run.stderr).toBe(exit)
  if (exit === 1)
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: { applied: true, hint: 'what is stored: tug explorer views get sq-2 --dialect hashicorp' },
    })
})

test.each([
  ['is read', 0, '', true],
  ['shows the old view for now', 0, 'warning: ', false],
])('after an empty answer to an update, the view %s', async (_, exit, words, isStored) => {
  let view: object = documented
  const { env, seen } = await serve(({ method, body }, response) => {
    if (method === 'GET') return json(response, 200, JSON.stringify({ data: view }))
    if (isStored) view = written(view, body)
    return response.writeHead(204).end()
  })
  const run = await tug('explorer views update sq-1 --name Other', { env })
  expect({ exit: run.exit, isWarned: run.stderr.startsWith('warning: ') }).toEqual({ exit, isWarned: words !== '' })
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET'])
})

test.each([
  ['--page 2', ['page%5Bnumber%5D=2'], 'c\n', 0],
  ['--page 2 --page-size 1', ['page%5Bnumber%5D=2', 'page%5Bsize%5D=1'], 'b\n', 0],
  ['--page-size 1', ['page%5Bsize%5D=1'], 'a\n', 0],
])('results that ignore %s are read by their links', async (flags, sent, stdout, exit) => {
  const { env, seen } = await serve(({ url }, response) => {
    const asked = new URL(url, 'http://x').searchParams
    const isQuery = !url.includes('/results')
    const [number, size] = isQuery ? [Number(asked.get('page[number]')), Number(asked.get('page[size]') ?? 2)] : [1, 2]
    const ids = ['a', 'b', 'c'].slice((number - 1) * size, number * size)
    const data = ids.map((id) => ({ id, type: 'visibility-workspace', attributes: { 'workspace-name': id } }))
    const next = 'https://elsewhere.example/api/v2/organizations/acme/explorer?type=workspaces&page%5Bnumber%5D=2'
    const pagination = {
      'current-page': number,
      'page-size': size,
      'total-pages': Math.ceil(3 / size),
      'total-count': 3,
    }
    json(response, 200, JSON.stringify({ data, links: { next }, meta: { pagination } }))
  })
  const run = await tug(`explorer views results sq-1 ${flags} -o name`, { env })
  expect([run.exit, run.stdout]).toEqual([exit, stdout])
  for (const parameter of sent) for (const { url } of seen) expect(url).toContain(parameter)
  expect(seen.map(({ url }) => url.includes('/results'))).toEqual([true, false])
})

test('results without links are an error if the page is another one', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, '{"data":[{"id":"a","type":"x","attributes":{}},{"id":"b","type":"x","attributes":{}}]}'),
  )
  for (const flags of ['--page 2', '--page-size 1'])
    expect(await failure(`explorer views results sq-1 ${flags}`, { env })).toMatchObject({
      exit: 1,
      reason: 'unexpected_response',
    })
  expect((await tug('explorer views results sq-1 --page 1 --page-size 5', { env })).exit).toBe(0)
})

test('where both forms are refused, the error is that of the first', async () => {
  const { env } = await serve(({ method, body }, response) =>
    method === 'GET'
      ? json(response, 200, '{"data":[]}')
      : json(response, 422, `{"errors":[{"title":"${body.includes('attributes') ? 'second' : 'first'}"}]}`),
  )
  const { exit, stderr } = await tug('explorer views create A --type modules --dialect neutral', { env })
  expect([exit, stderr]).toEqual([6, expect.stringContaining('first')])
})

test('the form that a server took is sent for the views that follow', async () => {
  const { env, seen } = await serve(({ method, body }, response) => {
    if (method === 'GET') json(response, 200, '{"data":[]}')
    else if (body.includes('"attributes"')) json(response, 201, JSON.stringify({ data: written(live, body) }))
    else json(response, 400, '{}')
  })
  const stdin = '[{"name":"A","query_type":"modules"},{"name":"B","query_type":"modules"}]'
  expect((await tug('explorer views apply - --dialect neutral', { env, stdin })).exit).toBe(0)
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST'])
})

test("an update that doesn't fit the stored view is refused before it is sent", async () => {
  const { env, seen } = await holding(documented)
  const cwd = await folder({ 'modules.json': '{"query_type":"modules"}' })
  const lines: [string, string[]][] = [
    ["-f 'source is x'", ['GET']],
    ['--from-file modules.json', ['GET']],
    ["-f 'sauce is x'", []],
    ["-f 'drifted is 7'", []],
  ]
  for (const [flags, methods] of lines) {
    seen.length = 0
    const { exit } = await tug(`explorer views update sq-1 ${flags}`, { env, cwd })
    expect([flags, exit, ...seen.map(({ method }) => method)]).toEqual([flags, 2, ...methods])
  }
})

test('a relative date is stored as an absolute one, with a note', async () => {
  const { env, sent } = await holding(documented)
  const run = await tug("explorer views create Old --type workspaces -f 'workspace_updated_at is_before 30d'", { env })
  expect(run.exit).toBe(0)
  expect(run.stderr).toMatch(mentions("'30d' …"))
  expect(run.stderr).toContain('2026-10-22T07:30:00Z')
  expect(sent()).toEqual({
    data: {
      name: 'Old',
      query_type: 'workspaces',
      query: {
        filter: [{ field: 'workspace_updated_at', operator: 'is_before', value: ['2026-10-22T07:30:00Z'] }],
      },
    },
  })
})

test('a view is read from a file in every shape; flags override it', async () => {
  const yaml = [
    'name: Versions',
    'query_type: workspaces',
    'query:',
    '  filter:',
    '    - workspace_tool_version is 1.10',
    '    - {field: drifted, operator: is-not-empty}',
    '    - {field: module_count, operator: gteq, value: 3.0}',
    '  sort: -workspace_name',
    '',
  ]
  const cwd = await folder({ 'view.yaml': yaml.join('\n'), 'live.json': JSON.stringify({ data: live }) })
  const { env, sent } = await holding(documented)
  await tug('explorer views create --from-file view.yaml --fields drifted', { env, cwd })
  expect(sent()).toEqual({
    data: {
      name: 'Versions',
      query_type: 'workspaces',
      query: {
        filter: [
          { field: 'workspace_tool_version', operator: 'is', value: ['1.10'] },
          { field: 'drifted', operator: 'is_not_empty', value: ['true'] },
          { field: 'module_count', operator: 'gteq', value: ['3.0'] },
        ],
        fields: ['drifted'],
        sort: ['-workspace_name'],
      },
    },
  })
  await tug('explorer views create Copy --from-file live.json --sort drifted', { env, cwd })
  expect(sent()).toEqual({
    data: {
      name: 'Copy',
      query_type: 'workspaces',
      query: {
        filter: [
          { field: 'workspace_name', operator: 'does not contain', value: ['net'] },
          { field: 'drifted', operator: 'is', value: ['true'] },
        ],
        fields: [],
        sort: ['drifted'],
      },
    },
  })
})

test('create accepts what views get prints', async () => {
  const { env } = await startDevServer()
  const [id = ''] = (await tug('explorer views list -o name', { env })).stdout.split('\n')
  const original = JSON.parse((await tug(`explorer views get ${id} -o json`, { env })).stdout) as object
  for (const format of ['json', 'yaml']) {
    const { stdout } = await tug(`explorer views get ${id} -o ${format}`, { env })
    const copy = await tug(`explorer views create Copy-${format} --from-file - -o json`, { env, stdin: stdout })
    expect(copy.exit).toBe(0)
    const made = JSON.parse(copy.stdout) as { id: string; name: string; created_at: string }
    const same = { id: '', name: '', created_at: '' }
    expect(made).toMatchObject({ action: 'create', changed: true })
    expect({ ...made, ...same }).toMatchObject({ ...original, ...same })
  }
})

test('a file without a view, a misspelt key and an unknown view are refused', async () => {
  const { env, seen } = await holding(documented)
  const cwd = await folder({
    'list.json': '[1]',
    'key.yaml': 'nam: x\n',
    'wrapped.yaml': 'views: [{name: x}]\n',
    'two.yaml': 'name: a\n---\nname: b\n',
    'bad.yaml': 'name: x\nquery_type: workspaces\nquery: {filter: [{field: drifted, operator: is, value: 7}]}\n',
  })
  for (const line of [
    'create x --from-file list.json',
    'create x --from-file key.yaml',
    'apply wrapped.yaml',
    'create --from-file two.yaml',
    'create x --from-file bad.yaml',
    'create x --from-file none.yaml',
    'create x --type workspace',
    'create --type workspaces',
  ])
    expect((await tug(`explorer views ${line}`, { env, cwd })).exit, line).toBe(2)
  expect(seen).toEqual([])
})

test('delete asks first and accepts an answer with or without the view', async () => {
  let empty = false
  const { env, seen } = await serve(({ method }, response) =>
    empty && method !== 'GET'
      ? response.writeHead(204).end()
      : json(response, 200, JSON.stringify({ data: documented })),
  )
  const refused = await tug('explorer views delete sq-1', { env })
  expect([refused.exit, seen.map(({ method }) => method)]).toEqual([2, ['GET']])
  expect(refused.stderr).toContain('--yes')
  for (const isEmpty of [false, true]) {
    empty = isEmpty
    const shown = await tug('explorer views delete sq-1 -y', { env })
    expect(shown).toMatchObject({ exit: 0, stdout: '', stderr: says('… sq-1\n') })
    const { stdout } = await tug('explorer views delete sq-1 -y -o json', { env })
    expect(JSON.parse(stdout)).toMatchObject({ action: 'delete', view: 'sq-1', changed: true, id: 'sq-1' })
  }
})

test('a create typed again stores nothing, and one of that name that differs is a conflict', async () => {
  const { env, writes } = await startDevServer()
  const line = "explorer views create Drifted --type workspaces -f 'drifted is true'"
  expect((await tug(line, { env })).exit).toBe(0)
  expect(JSON.parse((await tug(`${line} -o json`, { env })).stdout)).toMatchObject({ action: 'unchanged' })
  expect((await tug(`${line} --sort workspace_name`, { env })).exit).toBe(5)
  expect(writes).toHaveLength(1)
})

test('results are read by links if the service ignores page numbers', async () => {
  const page = (number: number, ids: string[], next: string | null) =>
    JSON.stringify({
      data: ids.map((id) => ({ id, type: 'visibility-workspace', attributes: { 'workspace-name': id } })),
      links: { next },
      meta: { pagination: { 'current-page': number, 'page-size': 2, 'total-pages': 2, 'total-count': 3 } },
    })
  const { env, seen } = await serve(({ url }, response) => {
    const next = 'https://elsewhere.example/api/v2/organizations/acme/explorer?page%5Bnumber%5D=2&type=workspaces'
    json(response, 200, url.includes('/results') ? page(1, ['a', 'b'], next) : page(2, ['c'], null))
  })
  const run = await tug('explorer views results sq-1 --all -o name', { env })
  expect([run.exit, run.stdout, run.stderr]).toEqual([0, 'a\nb\nc\n', ''])
  expect(seen.map(({ url }) => url).at(-1)).toBe(
    '/api/v2/organizations/acme/explorer?page%5Bnumber%5D=2&type=workspaces',
  )
  expect(seen).toHaveLength(3)
})

test('results have the columns of the stored query', async () => {
  const { env } = await startDevServer()
  const [id = ''] = (await tug('explorer views list -o name', { env })).stdout.split('\n')
  const run = await tug(`explorer views results ${id} --limit 1`, { env })
  expect(run.stdout.split('\n')[0]).toMatch(/^WORKSPACE +PROJECT +RESOURCES DRIFTED$/)
  expect((await tug('explorer views results sq-none', { env })).exit).toBe(3)
})

test('an unknown member of a query is kept, whatever its name', async () => {
  const query = '{"filter":[],"constructor":"a","toString":{"b":1}}'
  const { env } = await serve((_, response) =>
    json(response, 200, `{"data":{"id":"sq-1","attributes":{"name":"n","query":${query},"query-type":"workspaces"}}}`),
  )
  const { exit, stdout } = await tug('explorer views get sq-1 -o json', { env })
  expect({ exit, query: (JSON.parse(stdout) as { query: unknown }).query }).toEqual({
    exit: 0,
    query: JSON.parse(query),
  })
})

test.each([
  ['10', '10'],
  ['Drifted', '10'],
  ['11', '10'],
])('the view %s is found in one list, by its ID before its name', async (typed, found) => {
  const { env, seen } = await serve(({ url }, response) => {
    const views = typed === '11' ? [{ ...live, id: '12', attributes: { ...live.attributes, name: '10' } }] : []
    const list = [
      ...views,
      { ...live, id: '10', attributes: { ...live.attributes, name: typed === '11' ? '11' : 'Drifted' } },
    ]
    json(response, 200, JSON.stringify({ data: url.endsWith('/views') ? list : list.at(-1) }))
  })
  const { exit, stdout } = await tug(`explorer views get ${typed} -o name`, { env })
  expect([exit, stdout, seen.length]).toEqual([0, `${found}\n`, 2])
  expect(seen[1]?.url).toContain(`/views/${found}`)
})
