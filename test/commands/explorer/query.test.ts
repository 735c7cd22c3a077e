import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, told } from '../../support/told.ts'

type Row = Record<string, unknown>

/** The service's answer with one page of rows. */
function answer(
  rows: readonly Row[],
  pagination: Record<string, number | null> = {},
  next: string | null = null,
): string {
  return JSON.stringify({
    data: rows.map(({ id, ...attributes }) => ({ id, type: 'visibility-workspace', attributes })),
    links: { next },
    meta: { pagination },
  })
}

test('a page says that it is one of several, with -q too', async () => {
  const { env } = await startDevServer()
  const run = await tug("explorer query workspaces -f 'drifted is true' --fields workspace_name,drifted", { env })
  const [header, first, ...rest] = run.stdout.trimEnd().split('\n')
  expect([header, first]).toEqual(['WORKSPACE           DRIFTED', 'payments-prod       true'])
  expect(rest).toHaveLength(19)
  expect(run.stderr).toMatch(/^20 of \d+ rows \(page 1 of \d\); --all .*\n$/)
  expect((await tug('explorer query workspaces -q', { env })).stderr).toMatch(/^20 of \d+ rows/)
  expect((await tug('explorer query tf_versions --all', { env })).stderr).toBe('')
})

test('-n has no effect on the explorer, which one line says; a variable or a profile is not mentioned', async () => {
  const { env } = await startDevServer()
  const line = 'explorer query workspaces --all -o name'
  const plain = await tug(line, { env: { ...env, TUG_SECRETS_NAMESPACE: 'team' } })
  const ignored = await tug(`${line} -n team`, { env })
  expect(plain).toMatchObject({ exit: 0, stderr: '' })
  expect(ignored).toMatchObject({ exit: 0, stdout: plain.stdout })
  expect(ignored.stderr).toMatch(mentions('warning: -n …\n'))
  expect((await tug('api explorer GET ping -n team', { env })).stderr).toMatch(mentions('warning: -n …\n'))
  expect((await tug(`${line} -n team -q`, { env })).stderr).toBe('')
  expect((await tug('kv list -n team', { env })).stderr).not.toContain('warning')
})

test('--all prints every row once, in page order', async () => {
  const { env } = await startDevServer()
  const names = async (line: string) => {
    const run = await tug(`explorer query workspaces --fields workspace_name -o json ${line}`, { env })
    expect(run.exit).toBe(0)
    return (JSON.parse(run.stdout) as { workspace_name: string }[]).map((row) => row.workspace_name)
  }
  const all = await names('--all')
  expect(all.length).toBeGreaterThan(100)
  expect(await names('--all --page-size 7')).toEqual(all)
  expect(await names('--limit 30')).toEqual(all.slice(0, 30))
  expect(await names('--page 3 --page-size 10')).toEqual(all.slice(20, 30))
  expect(await names('--page 3 --page-size 10 --limit 4')).toEqual(all.slice(20, 24))
})

test("rows are flat, with the specification's names in its order and none twice", async () => {
  const { env } = await serve((_, response) =>
    json(
      response,
      200,
      answer([
        {
          id: 'ws-1',
          'workspace-terraform-version': '1.10.0',
          'current-rum-count': 7,
          current_rum_count: 7,
          drifted: null,
          'brand-new': 'x',
          'all-checks-succeeded': true,
        },
      ]),
    ),
  )
  const row = '{"id":"ws-1","all_checks_succeeded":true,"drifted":null,"workspace_tool_version":"1.10.0"'
  expect((await tug('explorer query workspaces -o json', { env })).stdout).toBe(
    `[${row},"current_rum_count":7,"brand_new":"x"}]\n`,
  )
  expect((await tug('explorer query workspaces -o csv', { env })).stdout).toBe(
    'drifted,all_checks_succeeded,workspace_tool_version,current_rum_count,brand_new\n,true,1.10.0,7,x\n',
  )
  expect((await tug('explorer query workspaces -o csv --columns id,drifted', { env })).stdout).toBe(
    'id,drifted\nws-1,\n',
  )
  expect((await tug('explorer query workspaces -o name', { env })).stdout).toBe('ws-1\n')
})

test.each([
  [{ 'module-count': 1, module_count: 2 }, { module_count: 1 }],
  [{ module_count: 2, 'module-count': 1 }, { module_count: 2 }],
  [{ 'workspace-terraform-version': '1.9', 'workspace-tool-version': '1.8' }, { workspace_tool_version: '1.9' }],
  [{ workspace_tool_version: '1.8', workspace_terraform_version: '1.9' }, { workspace_tool_version: '1.8' }],
])('of two spellings of an attribute the first counts: %j', async (attributes, shown) => {
  const { env } = await serve((_, response) => json(response, 200, answer([{ id: 'ws-1', ...attributes }])))
  const { stdout } = await tug('explorer query workspaces -o json', { env })
  expect(JSON.parse(stdout)).toEqual([{ id: 'ws-1', ...shown }])
})

test('--columns takes the spelling of the product too', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, answer([{ id: 'ws-1', 'workspace-tool-version': '1.9' }])),
  )
  const { stdout } = await tug('explorer query workspaces --columns workspace_terraform_version -o csv', { env })
  expect(stdout).toBe('workspace_tool_version\n1.9\n')
})

test.each(['resources_drifted', "'drift count'", 'drift_count', "'RESOURCES DRIFTED'"])(
  '--columns takes the heading of a table too: %s',
  async (columns) => {
    const { env } = await serve((_, response) => json(response, 200, answer([{ id: 'ws-1', 'resources-drifted': 4 }])))
    const { stdout } = await tug(`explorer query workspaces --columns ${columns} -o csv`, { env })
    expect(stdout).toBe('resources_drifted\n4\n')
  },
)

test('a table of resources says which they are, of which provider, and where', async () => {
  const names = ['address', 'provider-name', 'module-name', 'workspace-name', 'project-name', 'source-id', 'name']
  const row = { id: 'r-1', ...Object.fromEntries(names.map((name) => [name, name])) }
  const { env } = await serve((_, response) => json(response, 200, answer([row])))
  const { stdout } = await tug('explorer query resources', { env })
  expect(stdout.split('\n')[1]?.split(/ {2,}/)).toEqual(names.slice(0, 5))
})

test('--fields selects and orders the columns, even if the service ignores it', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, answer([{ id: 'ws-1', drifted: true, 'module-count': 3, 'workspace-name': 'net' }])),
  )
  const line = 'explorer query workspaces --fields workspace_name,id,drifted'
  expect((await tug(`${line} -o csv`, { env })).stdout).toBe('workspace_name,id,drifted\nnet,ws-1,true\n')
  expect((await tug(`${line} -o json`, { env })).stdout).toBe('[{"id":"ws-1","workspace_name":"net","drifted":true}]\n')
})

test('a table shows the main columns and ages; wide shows all of them and times', async () => {
  const { env } = await serve((_, response) =>
    json(
      response,
      200,
      answer([
        {
          id: 'ws-1',
          'all-checks-succeeded': true,
          'current-run-status': 'applied',
          drifted: true,
          'project-name': 'Payments',
          'resources-drifted': 4,
          'workspace-name': 'net-prod',
          'workspace-updated-at': '2026-11-18T07:30:00.000+00:00',
        },
      ]),
    ),
  )
  const table = await tug('explorer query workspaces', { env })
  expect(table.stdout).toBe(
    [
      'WORKSPACE  PROJECT   RUN STATUS  DRIFTED  RESOURCES DRIFTED  UPDATED\n',
      'net-prod   Payments  applied     true                     4  3d\n',
    ].join(''),
  )
  const wide = await tug('explorer query workspaces -o wide', { env })
  expect(wide.stdout).toContain('UPDATED               ALL CHECKS SUCCEEDED')
  expect(wide.stdout).toContain('2026-11-18 07:30 UTC')
  const wideTerminal = await tug('explorer query workspaces -o wide --color never', { env, terminals: { stdout: 60 } })
  expect(wideTerminal.stdout).toBe(wide.stdout)
  const narrow = await tug('explorer query workspaces --color never', { env, terminals: { stdout: 63 } })
  expect(narrow.stdout).toBe(
    [
      'WORKSPACE PROJECT  RUN STATUS DRIFTED RESOURCES DRIFTED UPDATED\n',
      'net-prod  Payments applied    true                    4 3d\n',
    ].join(''),
  )
  const markdown = await tug('explorer query workspaces --columns workspace_name,workspace_updated_at -o md', { env })
  expect(markdown.stdout).toBe(
    '| workspace_name | workspace_updated_at |\n| --- | --- |\n| net-prod | 2026-11-18 07:30 UTC |\n',
  )
})

test.each([
  "query workspaces -f 'drifted is maybe'",
  "query workspaces -f 'workspace_terraform_version < 1.6'",
  'query workspace',
  'query workspaces --sort=-workspace_nam',
  'export workspaces --fields workspace_nam',
  'summary workspaces --by drift',
  'summary workspaces --by project_name --sum module_coun',
  'summary workspaces --by project_name,',
])('a name or value that cannot be right is refused before anything is sent: %s', async (line) => {
  const { env, seen } = await serve((_, response) => json(response, 200, answer([])))
  const run = await failure(`explorer ${line}`, { env })
  expect([run.exit, run.code, run.stdout, seen.length]).toEqual([2, 'usage', '', 0])
})

test('every request that hits a rate limit waits', async () => {
  const { env } = await startDevServer({ faults: ['429=2s:3'] })
  const waits: number[] = []
  const run = await tug('explorer query workspaces --all -o name', { env, waits })
  expect(run.exit).toBe(0)
  expect(waits.length).toBeGreaterThanOrEqual(3)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000)
  expect(run.stderr).toMatch(mentions('429 …'))
})

test('a list whose later page fails stays without its closing bracket', async () => {
  const { env } = await serve(({ url }, response) => {
    if (!url.includes('number%5D=1')) return json(response, 403, '{}')
    json(response, 200, answer([{ id: 'a' }], { 'current-page': 1, 'total-pages': 2, 'total-count': 2 }))
  })
  const { exit, stdout } = await tug('explorer query workspaces --all -o json', { env })
  expect(exit).toBe(4)
  expect(stdout).toMatch(/^\[.*\}\n?$/s)
})

test("--raw prints the page's body byte for byte", async () => {
  const body = '{"data": [],  "meta":{"pagination":{"total-count":1.0}}}'
  const { env } = await serve((_, response) => json(response, 200, body))
  expect((await tug('explorer query workspaces --raw', { env })).stdout).toBe(body)
})

test('a summary counts the rows of all pages by value, and list items separately', async () => {
  const { env } = await startDevServer()
  const run = await tug('explorer summary workspaces --by current_run_status -o json', { env })
  const counts = JSON.parse(run.stdout) as { current_run_status: string | null; count: number; share: number }[]
  const all = await tug('explorer query workspaces --all -o name', { env })
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(all.stdout.trimEnd().split('\n').length)
  expect(counts[0]).toMatchObject({ current_run_status: 'applied' })
  expect(counts.map(({ count }) => count)).toEqual(counts.map(({ count }) => count).toSorted((a, b) => b - a))

  const few = await serve((_, response) =>
    json(
      response,
      200,
      answer([
        { id: '1', modules: 'vpc:1, tags:2' },
        { id: '2', modules: 'vpc:1' },
        { id: '3', modules: null },
        { id: '4', modules: 'vpc:1' },
      ]),
    ),
  )
  const shown = await tug('explorer summary workspaces --by modules --color never', {
    env: few.env,
    terminals: { stdout: 80 },
  })
  expect(shown.stdout).toBe(
    [
      'MODULES  COUNT  SHARE\n',
      `vpc:1        3   75%  ${'█'.repeat(24)}\n`,
      `tags:2       1   25%  ${'█'.repeat(8)}\n`,
      `(none)       1   25%  ${'█'.repeat(8)}\n`,
    ].join(''),
  )
  expect((await tug('explorer summary workspaces --by modules -o csv', { env: few.env })).stdout).toBe(
    'modules,count,share\nvpc:1,3,0.75\ntags:2,1,0.25\n,1,0.25\n',
  )
})

test('the fields of a view are known offline', async () => {
  const run = await tug('explorer fields tf_versions -o json', { env: {} })
  expect(JSON.parse(run.stdout)).toEqual([
    expect.objectContaining({ view: 'tf_versions', field: 'version', type: 'string' }),
    expect.objectContaining({ field: 'workspace_count', operators: expect.arrayContaining(['gteq']) as unknown }),
    expect.objectContaining({ field: 'workspaces' }),
  ])
  expect((await tug('explorer fields -o name --dialect hashicorp', { env: {} })).stdout).toContain('unique_identifier')
  expect((await tug('explorer fields -o name', { env: {} })).stdout.split('\n')).toContain('registry_type')
  expect((await tug('explorer fields resources', { env: {} })).stdout).toContain('billable_rum')
})

test.each([
  ['query resources', true],
  ['query workspaces --fields tags', true],
  ["query workspaces -f 'tags contains x' --all", true],
  ['export providers --sort registry_type', true],
  ['query resources --no-check', false],
  ["query modules -f 'registry_type is public'", false],
  ['query workspaces --fields workspace_name', false],
  ['views create X --type resources', true],
  ['views create X --type workspaces --sort=-tags', true],
  ["views create X --type workspaces -f 'tags contains x'", true],
  ['views create X --type workspaces --fields drifted,tags', true],
  ['views create X --type workspaces --sort=-tags --no-check', false],
])('the neutral dialect refuses what only newer services have: %s', async (line, refused) => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"id":"sq-1"}}'))
  const { exit } = await tug(`explorer ${line} --dialect neutral`, { env })
  expect([exit === 2, seen.length === 0]).toEqual([refused, refused])
})

test('--raw prints the body of a single answer and is refused if there are several', async () => {
  const { env } = await startDevServer()
  const run = (line: string) => tug(`explorer query ${line} --raw`, { env })
  const whole = await run('tf_versions --all')
  expect(JSON.parse(whole.stdout)).toHaveProperty('meta.pagination.total-pages', 1)
  expect(whole.stderr).toBe('')
  const limited = await run('workspaces --limit 2')
  expect(JSON.parse(limited.stdout)).toHaveProperty('data.length', 2)
  expect(limited.stderr).toMatch(/^2 of \d+ \w+ \(--limit 2\)\n$/)
  const several = await run('workspaces --all')
  expect(JSON.parse(several.stdout)).toHaveProperty('0.id')
  expect(several.stderr).toContain('warning: --raw: ')
  expect((await tug('explorer fields --raw', { env })).stderr).toBe('')
})

test('a query that ran into the time limit of the service says what to do', async () => {
  const { env } = await serve((_, response) => json(response, 504, ''))
  const run = await tug('explorer query workspaces --retries 0', { env })
  expect(run.exit).toBe(1)
  expect(run.stderr).toMatch(mentions('hint: … 60 … --fields\n'))
})

test('attributes may have any name: of an object, or with line feeds', async () => {
  const rows: Row[] = [
    { id: '1', 'a\nb': 1, c: 2 },
    { id: '2', a: 3, 'b\nc': 4 },
    { id: '3', current_run_status: 'constructor', constructor: 5, ['__proto__']: 6 },
  ]
  const { env } = await serve((_, response) => json(response, 200, answer(rows)))
  const { stdout } = await tug('explorer query workspaces -o json', { env })
  expect(stdout).toBe(`${JSON.stringify(rows)}\n`)
  const table = await tug('explorer query workspaces -o wide --color always', { env })
  expect([table.exit, table.stderr]).toEqual([0, ''])
  expect(table.stdout).toContain('CONSTRUCTOR')
})

test('a page that does not say which one it is was the first', async () => {
  const pagination = { 'total-pages': 3, 'total-count': 6 }
  const data = [{ id: 'ws-1', type: 'visibility-workspace', attributes: { 'workspace-name': 'a' } }]
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data, meta: { pagination } })))
  const { stderr } = await tug('explorer query workspaces', { env })
  expect(stderr).toMatch(told('1 of 6 rows (page 1 of 3); --all …\n'))
})

test.each([
  ['tf_versions', 'version:string workspace_count:number workspaces:string'],
  ['providers', 'name:string source:string version:string workspace_count:number workspaces:string'],
  ['modules', 'name:string source:string version:string workspace_count:number workspaces:string registry_type:string'],
  [
    'resources',
    'name:string address:string provider_type:string provider_name:string module_name:string terraform_version:string billable_rum:boolean source_type:string source_id:string source_updated_at:datetime workspace_name:string workspace_external_id:string project_name:string project_external_id:string organization_external_id:string',
  ],
])('the fields of %s have their types', async (view, fields) => {
  const { stdout } = await tug(`explorer fields ${view} -o json --dialect auto`, { env: {} })
  const found = JSON.parse(stdout) as readonly { field: string; type: string }[]
  expect(found.map(({ field, type }) => `${field}:${type}`).join(' ')).toBe(fields)
})

test.each([0, 2, -2])('relative dates are by the server, with a clock that is wrong by %i hours', async (wrong) => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const asked: (string | null)[] = []
  const between = await serve(({ url }, response) => {
    asked.push(new URL(url, 'http://host').searchParams.get('filter[0][workspace_updated_at][is_before][0]'))
    response.setHeader('date', new Date(now).toUTCString())
    json(response, 200, answer([{ id: 'a' }]))
  })
  const env = { TUG_EXPLORER_ADDR: `${between.origin}/api/v2`, TUG_EXPLORER_TOKEN: 'token', TUG_EXPLORER_ORG: 'acme' }
  const machine = { env, now: new Date(now + wrong * 3_600_000) }
  const line = (date: string) => `explorer query workspaces -f 'workspace_updated_at is_before ${date}' -o name`
  const { exit, stderr } = await tug(line('1h'), machine)
  expect([exit, stderr.includes("this machine's clock")]).toEqual([0, wrong !== 0])
  expect(asked).toEqual([null, expect.stringMatching(/^2026-11-21T(?:11:00:00|10:59:59)Z$/)])
  // An absolute date needs no clock.
  asked.length = 0
  expect((await tug(line('2026-01-01'), machine)).stderr).not.toContain("this machine's clock")
  expect(asked).toEqual(['2026-01-01T00:00:00Z'])
})
