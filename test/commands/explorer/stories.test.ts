import { expect, test } from 'vitest'
import { json, serve } from '../../support/serve.ts'
import type { DevClock } from '../../../src/dev/http.ts'
import { now, story } from '../../support/story.ts'
import { tug } from '../../support/run.ts'

/** The time stands still, and what must wait for it happens at once. */
const ready: DevClock = {
  now: () => now,
  after: (_, call) => {
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}

const files = {
  'new.yaml':
    "name: New\nquery_type: workspaces\nquery:\n  filter:\n    - drifted is true\n    - 'workspace_updated_at is_before 30d'\n  fields: [workspace_name, drifted]\n  sort: [-workspace_name]\n",
  'bare.json': '{"name":"Bare","query_type":"modules"}',
  'two.json': '[{"name":"A","query_type":"modules"},{"name":"B","query_type":"providers"}]',
  'modules.json': '{"name":"Drifted in production","query_type":"modules"}',
  'rename.json': '{"name":"Other name"}',
  'none.json': '[]',
  'unknown.json': '{"name":"V","query_type":"modules","query":{"filters":[]}}',
  'text.yaml': 'text',
  'number.json': '5',
  'broken.yaml': 'a: [1',
  'odd.json':
    '{"name":"Odd","query_type":"workspaces","query":{"filter":[{"field":"drifted","operator":"is","value":["maybe"]}]}}',
}

test('what changes saved views says so in both dialects', () =>
  story(
    'explorer-views',
    [
      "explorer views create Drift --type workspaces -f 'drifted is true' --fields workspace_name,drifted --sort=-workspace_name",
      'explorer views create Bare --type modules -o json --columns name',
      'explorer views create Bare --type modules -q -o name',
      'explorer views create --from-file new.yaml',
      'explorer views create Copy --from-file new.yaml --type modules',
      'explorer views create Copy --from-file bare.json --sort name',
      'explorer views create Copy --from-file two.json',
      'explorer views create Copy --from-file none.json',
      'explorer views create Copy --from-file unknown.json',
      'explorer views create Copy --from-file text.yaml',
      'explorer views create Copy --from-file number.json',
      'explorer views create Copy --from-file broken.yaml',
      'explorer views create --from-file odd.json',
      'explorer views create "" --type modules',
      'explorer views create X --type nonsense',
      'explorer views create X --type resources --dialect neutral',
      'explorer views get New -o yaml --columns query',
      'explorer views get Bare',
      'explorer views get Drif',
      'explorer views get Nothing-like-this',
      'explorer views get sq-absent',
      "explorer views update Drift --name 'Drift report'",
      "explorer views update 'Drift report' -f 'drifted is false' -f 'workspace_updated_at is_after 1d' --clear-sort --clear-fields",
      "explorer views update 'Drift report' --clear-filter --fields workspace_name --sort workspace_name",
      "explorer views get 'Drift report'",
      "explorer views update 'Drift report' --from-file modules.json",
      "explorer views update 'Drift report' --from-file rename.json",
      "explorer views update 'Other name' --sort version",
      "explorer views update 'Other name' -f 'version is 1' --no-check",
      'explorer views apply new.yaml',
      'explorer views apply new.yaml bare.json two.json',
      'explorer views apply two.json two.json',
      'explorer views apply modules.json',
      'explorer views apply odd.json',
      'explorer views apply none.json',
      'explorer views apply none.json -o json',
      'explorer views apply two.json --prune',
      'explorer views apply two.json --prune --yes',
      'explorer views apply two.json --prune --yes',
      'explorer views list',
      'explorer views list -o csv --columns name,type,query',
      'explorer views delete A',
      'explorer views delete A --yes',
      'explorer views delete A --yes',
      'explorer views delete sq-absent --yes',
      'explorer views delete B --yes -o json --query name',
    ],
    { files, dialect: 'both' },
  ))

test('the rows of queries and saved views, a page or all of them', () =>
  story('explorer-queries', [
    'explorer query providers --fields name,version --page-size 2',
    'explorer query providers --fields name,version --page 2 --page-size 2',
    'explorer query providers --fields name,version --page 99 --page-size 2',
    'explorer query providers --fields name,version --limit 2',
    'explorer query providers --fields version --limit 2 --page-size 1',
    "explorer query providers --limit 500 -o json --query 'length(@)'",
    "explorer query providers --all --fields name,version,workspace_count -o json --query 'length(@)'",
    'explorer query tf_versions --sort=-workspace_count --fields version,workspace_count --limit 3',
    "explorer query workspaces -f 'workspace_name is payments-prod' -o wide",
    "explorer query workspaces -f 'workspace_name is none'",
    "explorer query workspaces -f 'workspace_updated_at >= 2026-01-01' --limit 1 --fields workspace_name",
    "explorer query workspaces -f 'workspace_updated_at <= 30d' --limit 1 --fields id",
    "explorer views results 'Failed checks' --limit 2",
    { line: "explorer views results 'Modules by use' --page 1 --page-size 2", terminals: { stdout: 80 } },
    "explorer views export 'Modules by use' -O modules.csv",
    "explorer views export 'Modules by use' -O modules.csv",
    "explorer views export 'Drifted in production' -O out.csv -q",
    'explorer export tf_versions --fields version,workspace_count -O versions.csv',
    '! head -n 2 versions.csv',
    "explorer export tf_versions -f 'version is none' -O none.csv",
    '! cat none.csv',
    'explorer fields tf-versions -o wide',
  ]))

test('a CSV that takes too long is made of pages in both dialects', () =>
  story(
    'explorer-timeout',
    [
      'explorer export tf_versions --fields version,workspace_count',
      'explorer export tf_versions --fields version -O versions.csv',
      "explorer views export 'Modules by use' -O modules.csv",
      "explorer export tf_versions -f 'version is none'",
    ],
    { faults: ['csv-timeout'], dialect: 'both', clock: ready },
  ))

test('what an explorer refuses, and in which words', () =>
  story('explorer-filters', [
    "explorer query workspaces -f ''",
    "explorer query workspaces -f '5 is 5'",
    "explorer query workspaces -f 'drifted'",
    "explorer query workspaces -f 'drifted equals true'",
    "explorer query workspaces -f 'drifted != true'",
    "explorer query workspaces -f 'drifted is_not true'",
    "explorer query workspaces -f 'drifted > 1'",
    "explorer query workspaces -f 'drifted is_empty false'",
    "explorer query workspaces -f 'drifted is yes'",
    "explorer query workspaces -f 'module_count gteq 5.x'",
    "explorer query workspaces -f 'workspace_name is'",
    `explorer query workspaces -f "workspace_name is 'a"`,
    `explorer query workspaces -f "workspace_name is '"`,
    "explorer query workspaces -f 'workspace_updated_at within 2026-01-01'",
    "explorer query workspaces -f 'workspace_updated_at is_before 2026-02-30'",
    "explorer query workspaces -f 'workspace_nam is x'",
    "explorer query workspaces -f 'workspace-terraform-version is 1'",
    'explorer query workspaces --sort=-nam',
    'explorer query workspace',
    'explorer query resources --dialect neutral',
    'explorer query workspaces --fields nam',
    'explorer query workspaces --fields name',
    'explorer summary workspaces --by project_name --sum workspace_updated_at',
    'explorer summary workspaces --by project_name --sum odd',
    'explorer summary workspaces --by project_name --sum odd --no-check',
  ]))

test('rows counted by their values, and numbers added up', () =>
  story('explorer-summaries', [
    "explorer summary workspaces --by drifted,current_run_status -o csv --query '[:4]'",
    "explorer summary workspaces --by project_name --sum resources_drifted,module_count -f 'drifted is true' -o wide",
    'explorer summary tf_versions --by version --sum workspace_count -o json',
    "explorer summary workspaces --by drifted -f 'workspace_name is none'",
    'explorer summary workspaces --by drifted -o name',
    { line: 'explorer summary workspaces --by drifted', terminals: { stdout: 80, stderr: 80 } },
    { line: 'explorer summary workspaces --by drifted --sum module_count', terminals: { stdout: 80, stderr: 80 } },
    { line: "explorer summary workspaces --by drifted -f 'drifted is true'", terminals: { stdout: 80, stderr: 80 } },
    { line: "explorer summary workspaces --by drifted -f 'workspace_name is none'", terminals: { stdout: 80 } },
  ]))

const before = [
  {
    id: 'ws-1',
    workspace_name: 'a',
    drifted: false,
    module_count: 1,
    workspace_updated_at: '2026-11-01T10:00:00.000Z',
  },
  { id: 'ws-2', workspace_name: 'b', drifted: true, module_count: 2, providers: 'aws, gcp', more: 'x' },
  { id: 'ws-4', workspace_name: 'd', drifted: true },
]

/** A page of rows of workspaces; `-` in the names of attributes is the dialect of a product. */
function page(rows: readonly object[], meta: object = {}) {
  const rowOf = ({ id, ...attributes }: Record<string, unknown>) => ({ id, type: 'visibility-workspace', attributes })
  return JSON.stringify({ data: rows.map((row) => rowOf(row as Record<string, unknown>)), ...meta })
}

test('what changed since a baseline', async () => {
  const after = [
    {
      id: 'ws-1',
      workspace_name: 'a',
      drifted: true,
      module_count: null,
      workspace_updated_at: '2026-11-01T10:00:30.000Z',
    },
    { id: 'ws-2', workspace_name: 'renamed', drifted: true, module_count: 2, providers: 'gcp, azure', less: 'y' },
    { id: 'ws-3', workspace_name: 'c', drifted: false },
  ]
  const { env } = await serve(({ url }, response) => {
    const many = Array.from({ length: 12 }, (_, index) => ({ id: `ws-1${index}`, workspace_name: `w${index}` }))
    if (url.includes('tf_versions')) json(response, 200, page(['a', 'b'].map((id) => ({ id, version: '1.9.0' }))))
    else if (url.includes('many')) json(response, 200, page(many))
    else if (url.includes('none')) json(response, 200, page([]))
    else if (url.includes('twice')) json(response, 200, page([...after, ...after]))
    else if (url.includes('broken'))
      json(response, 200, page(after, { meta: { pagination: { 'current-page': 1, 'total-pages': 0 } } }))
    else json(response, 200, page(after))
  })
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, 'x']))
  await story(
    'explorer-diff',
    [
      'explorer diff workspaces before.json',
      'explorer diff workspaces before.json -o json',
      'explorer diff workspaces before.json -o csv',
      'explorer diff workspaces before.json --exit-code -q -o name',
      'explorer diff workspaces before.csv',
      'explorer diff workspaces before.ndjson --fields drifted',
      'explorer diff workspaces before.json --fields drifted,workspace_name --exit-code',
      'explorer diff workspaces wide.json',
      'explorer diff workspaces empty.json',
      "explorer diff workspaces empty.json -f 'workspace_name is many' -o json --query 'length(@)'",
      "explorer diff workspaces before.json -f 'workspace_name is many' -o json --query 'length(@)'",
      "explorer diff workspaces many.json -f 'workspace_name is none' -o json --query 'length(@)'",
      "explorer diff workspaces before.json -f 'workspace_name is twice' -o json --query 'length(@)'",
      { line: "explorer diff workspaces - -o json --query 'length(@)'", stdin: JSON.stringify(before) },
      'explorer diff workspaces twice.json',
      'explorer diff tf_versions versions.csv',
      'explorer diff workspaces keyless.csv',
      'explorer diff workspaces modules.json',
      'explorer diff workspaces modules.csv',
      'explorer diff workspaces before.json --fields project_name',
      'explorer diff workspaces rows.csv',
      'explorer diff workspaces quote.csv',
      'explorer diff workspaces absent.json',
      "explorer diff workspaces absent.csv -f 'drifted is true' --sort=-workspace_name --fields workspace_name,drifted",
      'explorer diff before.json workspaces',
      "explorer diff workspaces before.json --update -o json --query 'length(@)'",
      'explorer diff workspaces before.json --update --exit-code',
      { line: 'explorer diff workspaces before.json', terminals: { stdout: 80, stderr: 80 } },
      '! cat before.json',
      "explorer diff workspaces before.csv --update -o json --query 'length(@)'",
      '! cat before.csv',
      "explorer diff workspaces indented.json --update -o json --query 'length(@)'",
      '! cat indented.json',
      "explorer diff workspaces before.ndjson --update -q -o json --query 'length(@)'",
      '! cat before.ndjson',
    ],
    {
      env,
      files: {
        'before.json': JSON.stringify(before),
        'indented.json': JSON.stringify(before, undefined, 2),
        'before.ndjson': before.map((row) => `${JSON.stringify(row)}\n`).join(''),
        'before.csv':
          'workspace_name,drifted,module_count,workspace_updated_at\n"a","false","1","2026-11-01T10:00:00Z"\n"c","false","",""\n',
        'empty.json': '[]',
        'many.json': JSON.stringify(Array.from({ length: 12 }, (_, index) => ({ id: `ws-${index}` }))),
        'wide.json': JSON.stringify([{ id: 'ws-1', ...wide }]),
        'twice.json': JSON.stringify([before[0], before[0]]),
        'versions.csv': 'version\n"1.9.0"\n',
        'keyless.csv': 'drifted\n"true"\n',
        'modules.json': '[{"id":"m-1","registry_type":"private"}]',
        'modules.csv': 'id,name,version,source,workspace_count,registry_type,workspaces\n',
        'rows.csv': 'A B,c\n1,2\n',
        'quote.csv': 'id,b\n"1,2\n',
      },
    },
  )
})

/** Answers like a service whose pages or views are not what they should be. */
test('what is said of pages, views and changes that make no sense', async () => {
  const view = (id: string, name: string, query: unknown = { filter: [] }) => ({
    id,
    type: 'explorer-saved-queries',
    attributes: { name, query_type: 'workspaces', query },
  })
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `ws-${from + index}`, workspace_name: `w${from + index}` }))
  const pages = (current: number, total: number, count: number) => ({
    meta: { pagination: { 'current-page': current, 'total-pages': total, 'total-count': count } },
  })
  const { env } = await serve(({ method, url }, response) => {
    const at = new URL(url, 'http://x').searchParams
    const number = Number(at.get('page[number]') ?? 1)
    const wanted = at.get('filter[0][workspace_name][is][0]')
    const answer = (status: number, body: unknown) => json(response, status, JSON.stringify(body))
    const refuse = (status: number, detail: string) => answer(status, { errors: [{ status: String(status), detail }] })
    if (url.endsWith('/views') && method === 'GET')
      answer(200, {
        data: [
          view('sq-1', 'Twice'),
          view('sq-2', 'Twice'),
          view('sq-3', 'Kept'),
          view('sq-4', 'Refused'),
          view('sq-5', 'Gone'),
        ],
      })
    else if (url.endsWith('/views') && method === 'POST') answer(201, { data: null })
    else if (method === 'DELETE') {
      if (url.endsWith('sq-4')) refuse(403, 'not yours')
      else response.writeHead(204).end()
    } else if (method === 'PATCH') {
      if (url.endsWith('sq-4')) refuse(422, 'no')
      else answer(200, {})
    } else if (url.endsWith('/sq-3')) answer(200, { data: view('sq-3', 'Kept') })
    else if (url.endsWith('/sq-4')) answer(200, { data: view('sq-4', 'Refused') })
    else if (url.endsWith('/sq-6')) answer(200, { data: view('sq-6', 'Odd', 'text') })
    else if (url.endsWith('/sq-7')) answer(200, { data: { attributes: { name: 'No ID', query: {} } } })
    else if (wanted === 'shrinks')
      json(response, 200, page(rows(number * 100, number === 1 ? 100 : 20), pages(number, 2, number === 1 ? 150 : 120)))
    else if (wanted === 'repeats') json(response, 200, page(rows(number === 1 ? 0 : 99, 100), pages(number, 2, 200)))
    else if (wanted === 'short') json(response, 200, page(rows(0, 3), pages(1, 1, 5)))
    else if (wanted === 'one') json(response, 200, page(rows(0, 1), pages(1, 1, 1)))
    else if (wanted === 'breaks') {
      if (number === 1) json(response, 200, page(rows(0, 100), pages(1, 3, 250)))
      else refuse(500, 'out of order')
    } else if (wanted === 'empties') json(response, 200, page(number === 1 ? rows(0, 100) : [], pages(number, 3, 250)))
    else refuse(404, 'nothing here')
  })
  const query = (wanted: string, more = '') =>
    `explorer query workspaces -f 'workspace_name is ${wanted}' -o json --query 'length(@)'${more}`
  await story(
    'explorer-answers',
    [
      ...['shrinks', 'repeats', 'short', 'one', 'breaks', 'empties'].map((wanted) => ({
        line: query(wanted, ' --all -q'),
      })),
      ...['short', 'one'].map((wanted) => query(wanted)),
      query('short', ' --limit 2'),
      query('short', ' --limit 3'),
      query('one', ' --page 2'),
      query('one', ' --page 1'),
      query('short', ' --page 7'),
      query('absent'),
      "explorer summary workspaces --by workspace_name -f 'workspace_name is one'",
      "explorer export workspaces -f 'workspace_name is one'",
      'explorer views get Twice',
      'explorer views get sq-6',
      'explorer views get sq-7',
      'explorer views update sq-6 --name x',
      'explorer views update Kept --name x',
      'explorer views update Kept --name x -o json',
      'explorer views update Refused --name x',
      'explorer views create X --type modules',
      'explorer views create X --type modules -o json',
      'explorer views delete Kept --yes',
      'explorer views apply twice.json',
      'explorer views apply type.json',
      'explorer views apply some.json',
      'explorer views apply some.json -o json',
      'explorer views apply refused.json',
      'explorer views apply some.json --prune --yes',
      'explorer views apply kept.json --prune --yes',
    ],
    {
      env,
      files: {
        'twice.json': '{"name":"Twice","query_type":"workspaces"}',
        'type.json': '{"name":"Kept","query_type":"modules"}',
        'kept.json': '{"name":"Kept","query_type":"workspaces"}',
        'refused.json': '{"name":"Refused","query_type":"workspaces","query":{"sort":["drifted"]}}',
        'some.json':
          '[{"name":"New","query_type":"workspaces"},{"name":"Kept","query_type":"workspaces"},{"name":"Refused","query_type":"workspaces","query":{"sort":["drifted"]}},{"name":"Gone","query_type":"workspaces","query":{"sort":["drifted"]}}]',
      },
    },
  )
})

test('a change that got no answer is unknown, and the others are made', async () => {
  const { env } = await serve((request, response) => {
    if (request.method === 'GET') json(response, 200, '{"data":[]}')
    else if (request.body.includes('Second')) response.destroy()
    else json(response, 201, '{"data":{"id":"sq-1"}}')
  })
  const views = ['First', 'Second', 'Third'].map((name) => ({ name, query_type: 'modules' }))
  const line = 'explorer views apply - -o csv --columns item,outcome'
  const { exit, stdout, stderr } = await tug(line, { env, stdin: JSON.stringify(views) })
  expect(exit).toBe(10)
  expect(stdout).toBe('item,outcome\nFirst,done\nSecond,unknown\nThird,done\n')
  expect(stderr).toContain('unknown: Second: ')
})

test('a service that answers writes with nothing is told from one that shows the view', async () => {
  const { env } = await serve(({ method, url }, response) => {
    const data = '{"id":"sq-1","attributes":{"name":"V","query":{"type":"modules","sort":"name"}}}'
    if (method === 'GET') json(response, 200, `{"data":${url.endsWith('/views') ? '[]' : data}}`)
    else response.writeHead(204).end()
  })
  await story(
    'explorer-silent',
    [
      'explorer views create V --type modules',
      'explorer views create V --type modules -o json',
      'explorer views update sq-1 --name W',
      'explorer views update sq-1 --name W -o json',
      'explorer views delete sq-1 --yes -o json',
    ],
    { env },
  )
})

test('a total that comes while the rows are read is a change, one that is left out is not', async () => {
  const total = (count: number) => ({
    meta: { pagination: { 'current-page': 1, 'total-pages': 2, 'total-count': count } },
  })
  const { env } = await serve(({ url }, response) => {
    const isFirst = new URL(url, 'http://x').searchParams.get('page[number]') === '1'
    const rows = Array.from({ length: isFirst ? 100 : 1 }, (_, index) => ({ id: isFirst ? `ws-${index}` : 'ws-x' }))
    const link = { links: { next: isFirst ? url.replace(/number([^=]*)=1/, 'number$1=2') : null } }
    json(response, 200, page(rows, url.includes('gone') === isFirst ? { ...total(101), ...link } : link))
  })
  const said = async (name: string) =>
    (await tug(`explorer query workspaces --all -o name -f 'workspace_name is ${name}'`, { env })).stderr
  expect(await said('gone')).toBe('')
  expect(await said('come')).toBe('warning: the result changed while it was read: no total at first, 101 at the end\n')
})

test('who uses which version', () =>
  story('explorer-usage', [
    'explorer usage providers random --below 3.7 --exit-code --query "[:3]"',
    'explorer usage providers hashicorp/aws --below 6 --by project',
    'explorer usage modules netwrk',
    'explorer usage modules',
    'explorer usage providers aws --below 5.x',
  ]))
