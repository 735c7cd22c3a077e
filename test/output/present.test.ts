import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { mentions, says, told } from '../support/told.ts'

test.each([
  'explorer views create New --type workspaces --columns nope',
  "explorer views create New --type workspaces -o json --query 'abs(id)'",
  "kv put app/new key=New -o json --query 'abs(created_time)'",
])('a result of a write that cannot be printed as requested is printed whole, and the run fails: %s', async (line) => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug(line, { env })
  expect(exit).toBe(1)
  expect(stdout).toMatch(/New|"version":1/)
  if (line.includes('json')) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'failed', applied: true } })
  const read = line.startsWith('kv') ? 'kv get app/new' : 'explorer views get New'
  expect((await tug(read, { env })).exit).toBe(0)
})

test('a read that cannot be shown in the chosen format is a usage error', async () => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug('explorer views list --columns nope', { env })
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toMatch(mentions("--columns: … 'nope'"))
})

test.each([
  ['job list', { terminals: { stdout: 80 } }, '', 'no jobs\n'],
  ['job list -o wide', { terminals: { stdout: 80 } }, '', 'no jobs\n'],
  ['job list -q', { terminals: { stdout: 80 } }, '', ''],
  ["job list --query '[]'", { terminals: { stdout: 80 } }, '', 'no rows\n'],
  ['job list -o csv --columns id,type', { terminals: { stdout: 80 } }, 'id,type\n', ''],
  ['job list -o md --columns id', { terminals: { stdout: 80 } }, '| id |\n| --- |\n', ''],
  ['job list --columns id,type', {}, 'ID  TYPE\n', ''],
  ['job list -o csv --columns CreateIndex', {}, 'CreateIndex\n', ''],
])(
  'an empty list is a line on stderr of a terminal, and elsewhere its headers: %s',
  async (line, machine, out, said) => {
    const { env } = await serve((_, response) => json(response, 200, '[]'))
    const { exit, stdout, stderr } = await tug(`${line} --color never`, { env, ...machine })
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: out, stderr: said })
  },
)

test.each([
  ['table', ''],
  ['box', '… 200 rows: … table …\n'],
])('a %s of more than 10,000 rows has one line for each, and one of headers', async (format, said) => {
  const ids = Array.from({ length: 30_000 }, (_, index) =>
    index === 29_900 ? `long-${'x'.repeat(90)}` : `job-${index}`,
  )
  const list = JSON.stringify(ids.map((ID) => ({ ID, Type: 'batch' })))
  const { env } = await serve((_, response) => json(response, 200, list))
  const { stdout, stderr } = await tug(`job list -o ${format} --color never`, { env })
  const lines = stdout.split('\n')
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['ID', ...ids, ''])
  expect(new Set(lines.map((line) => line.indexOf('batch', 10))).size).toBe(3)
  expect(stderr).toMatch(told(said))
})

test('a watched list that is empty says so on the screen', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve((_, response) => json(response, 200, '[]', { 'x-scheduler-index': '5' }))
  const { exit, stdout } = await tug('job list --watch --color never', {
    env,
    signals,
    terminals: { stdout: 80 },
    onWrite: (_, text) => text.includes('no jobs') && signals.get('SIGINT')?.(),
  })
  expect(exit).toBe(130)
  expect(stdout).toContain('no jobs')
})

test.each([
  ['table', 40, /3 running, .*…/],
  ['box', 50, /│ 3 running, .*│\n│.* 1 failed +│/],
])('a watched %s is refitted when the terminal is resized', async (format, narrow, refitted) => {
  const signals = new Map<string, () => void>()
  let columns = 100
  const { env } = await serve((_, response, count) => {
    const jobs = '[{"ID":"a","JobSummary":{"Summary":{"web":{"Failed":1,"Queued":2,"Running":3}}}}]'
    if (count === 1) return json(response, 200, jobs, { 'x-scheduler-index': '5' })
    columns = narrow
    signals.get('SIGWINCH')?.()
  })
  const { exit, stdout } = await tug(`job list --watch --color never -o ${format}`, {
    env,
    signals,
    terminals: { stdout: () => columns },
    onWrite: () => columns === narrow && signals.get('SIGINT')?.(),
  })
  expect(exit).toBe(130)
  const [, first = '', second = ''] = stdout.split('\x1b[H')
  expect(first).toContain('3 running, 2 queued, 1 failed')
  expect(second.replaceAll('\x1b[K', '')).toMatch(refitted)
  expect(second).not.toContain('3 running, 2 queued, 1 failed')
  expect([...signals.keys()]).not.toContain('SIGWINCH')
})

const rows = JSON.stringify([{ ID: 'web', Name: 'web', Meta: null }])

test.each([
  ["'[].name'", '["web"]', ''],
  ["'[].Nmae'", '[]', '--query …; keys: ID, Name, Meta\n'],
  ["'[?ID].Meta.Nmae'", '[]', '--query …; keys: ID, Name, Meta\n'],
  ['\'[?ID == `"x"`].Nmae\'', '[]', ''],
  ["'[].{a: Nmae, b: Meta}'", '[{"a":null,"b":null}]', '--query …; keys: ID, Name, Meta\n'],
  ["'[].{a: Nmae, b: Name}'", '[{"a":null,"b":"web"}]', ''],
  ["'[0].Nmae'", 'null', '--query …; keys: ID, Name, Meta\n'],
  ["'[0].[Nmae, [Meta]]'", '[null,[null]]', '--query …; keys: ID, Name, Meta\n'],
  ["'[0].Meta || `[]`'", '[]', ''],
])('--query %s prints %s and says %j', async (query, printed, said) => {
  const { env } = await serve((_, response) => json(response, 200, rows))
  const line = `job list -o json --query ${query.replace('name', 'Name')}`
  const { exit, stdout, stderr } = await tug(line, { env })
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: `${printed}\n`, stderr: says(said) })
  expect((await tug(`${line} -q`, { env })).stderr).toBe('')
})

const versions = JSON.stringify({
  data: {
    current_version: 1,
    versions: { 1: { created_time: '2026-11-21T07:05:00.5Z', deletion_time: '', destroyed: false } },
  },
})

const written = '{"data":{"version":4}}'

test.each([
  ['kv put app/db a=b -o csv', written, 'action,planned,path,changed,version\nwrite,false,app/db,true,4\n', ''],
  [
    'kv put app/db a=b -o md',
    written,
    '| field | value |\n| --- | --- |\n| action | write |\n| planned | false |\n| path | app/db |\n| changed | true |\n| version | 4 |\n',
    '',
  ],
  ['kv put app/db a=b -o name', written, '', 'app/db: wrote version 4\n'],
  ['kmip scope create fin -o csv', undefined, 'action,planned,scope,changed\ncreate,false,fin,true\n', ''],
  ['kmip scope create fin -o yaml', undefined, 'action: create\nplanned: false\nscope: fin\nchanged: true\n', ''],
])('a write is printed once, as a table of data if it was answered: %s', async (line, answer, printed, said) => {
  const { env } = await serve(({ url }, response) => {
    if (url.includes('list=true')) return json(response, 404, '{"errors":[]}')
    return answer === undefined ? void response.writeHead(204).end() : json(response, 200, answer)
  })
  const { exit, stdout, stderr } = await tug(line, { env })
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: printed, stderr: said })
})

test.each([
  ['', 'VERSION  STATE  WRITTEN                        DELETED\n      1  live   2026-11-21 07:05:01 UTC (24m)\n'],
  ['-o csv', 'version,state,created_time,deletion_time\n1,live,2026-11-21T07:05:00.5Z,\n'],
  ['-o csv --columns created_time', 'created_time\n2026-11-21T07:05:00.5Z\n'],
  ['-o csv --columns Written', 'created_time\n2026-11-21T07:05:00.5Z\n'],
  ['-o json --query "[].created_time"', '["2026-11-21T07:05:00.5Z"]\n'],
])('a column has the name of its JSON, and in tables a title: kv history %s', async (flags, printed) => {
  const { env } = await serve((_, response) => json(response, 200, versions))
  const { exit, stdout } = await tug(`kv history app/db ${flags}`, { env })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: printed })
})

test.each([
  ['table', 'ID   PRIORITY\nweb        50\n'],
  ['wide', 'ID   PRIORITY\nweb        50\n'],
  ['md', '| id | priority |\n| --- | ---: |\n| web | 50 |\n'],
  ['csv', 'id,priority\nweb,50\n'],
  ['tsv', 'id\tpriority\nweb\t50\n'],
  ['table', 'ID   CREATEINDEX\nweb  7\n'],
  ['md', '| id | CreateIndex |\n| --- | --- |\n| web | 7 |\n'],
  ['csv', 'id,CreateIndex\nweb,7\n'],
])('a column may be any key of the rows: -o %s', async (format, printed) => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"web","Priority":50,"CreateIndex":7}]'))
  const column = /createindex/i.test(printed) ? 'createindex' : 'priority'
  const { exit, stdout, stderr } = await tug(`job list -o ${format} --columns id,${column}`, { env })
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: printed, stderr: '' })
})

test.each([
  [{}, true],
  [{ TERM: 'dumb' }, false],
  [{ TUG_ACCESSIBLE: '1' }, false],
])('with %j a watched table is drawn over and has bars: %s', async (variables, draws) => {
  const signals = new Map<string, () => void>()
  const { env } = await serve((_, response, count) => {
    if (count === 1) json(response, 200, '[{"ID":"a","Type":"batch"}]', { 'x-scheduler-index': '5' })
    else signals.get('SIGINT')?.()
  })
  const watched = await tug('job list --watch', { env: { ...env, ...variables }, signals, terminals: { stdout: 80 } })
  expect(watched.stdout.includes('\x1b[H')).toBe(draws)
  expect(watched.stdout).toMatch('TUG_ACCESSIBLE' in variables ? /id.* a\n/ : /a {3}batch/)
  const answer = JSON.stringify({ data: [{ id: '1', attributes: { drifted: true } }] })
  const explorer = await serve((_, response) => json(response, 200, answer))
  const summary = await tug('explorer summary workspaces --by drifted', {
    env: { ...explorer.env, ...variables },
    terminals: { stdout: 80 },
  })
  expect(summary.stdout.includes('█')).toBe(draws)
})

test('--raw of several answers says that it prints the JSON of the result', async () => {
  const { env } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  expect(await tug('kv tree --raw', { env })).toMatchObject({
    exit: 0,
    stdout: '["a"]\n',
    stderr: says('warning: --raw: … JSON\n'),
  })
  expect(await tug('kv list --raw', { env })).toMatchObject({ exit: 0, stdout: '{"data":{"keys":["a"]}}', stderr: '' })
})

test('of very many keys the first thirty are named', async () => {
  const named = async (count: number) => {
    const row = { ID: 'e1', ...Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`k${at}`, at])) }
    const { env } = await serve((_, response) => json(response, 200, JSON.stringify([row])))
    return (await tug("job evals web --query '[].none' -o json", { env })).stderr
  }
  expect(await named(30)).toMatch(/k27, k28\n$/)
  expect(await named(31)).toMatch(/k27, k28, …\n$/)
})

test('what a write has done is an object in each format for data', async () => {
  const { env } = await serve(({ url }, response) =>
    url.includes('list=true') ? json(response, 404, '{"errors":[]}') : json(response, 204, ''),
  )
  for (const format of ['json', 'yaml'])
    expect((await tug(`kmip scope create x -o ${format}`, { env })).stdout, format).toContain('scope')
  expect(JSON.parse((await tug('kmip scope create x -o ndjson', { env })).stdout)).toMatchObject({
    item: 'x',
    action: 'create',
    outcome: 'done',
  })
})

test('rows that are lists have a column for each item', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"web","Type":"service"}]'))
  expect((await tug("job list -o csv --query '[].[ID,Type]'", { env })).stdout).toBe('1,2\nweb,service\n')
})

test('CSV has the columns of the table first', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"web","Type":"service"}]'))
  const table = (await tug('job list', { env })).stdout.split('\n')[0]?.toLowerCase().split(/\s+/) ?? []
  const csv = (await tug('job list -o csv', { env })).stdout.split('\n')[0]?.split(',') ?? []
  expect(table.slice(0, 3)).toEqual(csv.slice(0, 3))
})

test('--quiet hides warnings of a complete result', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"web"}]'))
  expect((await tug('job list --insecure', { env })).stderr).toContain('--insecure')
  expect((await tug('job list --insecure -q', { env })).stderr).toBe('')
})

test('--quiet hides what a server warns of, but not that it ignored what was asked', async () => {
  const ignored = 'Endpoint ignored these unrecognized parameters: [list]'
  const { env } = await serve((_, response) =>
    json(response, 200, JSON.stringify({ data: { keys: ['a'] }, warnings: ['deprecated', ignored] })),
  )
  const { exit, stderr } = await tug('kv list app -q', { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: `warning: ${ignored}\n` })
})

test('--quiet hides hints, but not that a result is incomplete', async () => {
  const { env } = await serve((_, response) =>
    json(response, 200, '[{"ID":"web"}]', { 'x-scheduler-nexttoken': 'abc' }),
  )
  expect((await tug('job list -q', { env })).stderr).toContain('--next-token abc')
  const { exit, stderr } = await tug('kv get app/db --version x -q')
  expect({ exit, lines: stderr.trimEnd().split('\n').length }).toEqual({ exit: 2, lines: 1 })
})

test.each([`@${'|@'.repeat(5000)}`, `${'!'.repeat(20_000)}@`])(
  'a query too deep to be read is a usage error',
  async (query) => {
    const { exit, stderr } = await tug(['help', 'kv', '-o', 'json', '--query', query])
    expect({ exit, isShort: stderr.length < 1000 }).toEqual({ exit: 2, isShort: true })
  },
)
