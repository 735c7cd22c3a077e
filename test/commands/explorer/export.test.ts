import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/dev/http.ts'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tug-export-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test("the service's bytes reach stdout and files unchanged", async () => {
  const body = Buffer.from('\ufeffname,"a b"\r\n"x","=1\n2"\r\n"\u{1f600}",null', 'utf8')
  const { env, seen } = await serve((_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(body))
  const cwd = await folder()
  const run = await tug('explorer export workspaces', { env, cwd })
  expect(hash(run.bytes)).toBe(hash(body))
  expect(seen[0]?.headers.accept).toBe('*/*')

  const file = await tug('explorer export workspaces -O out.csv', { env: { ...env, TUG_OUTPUT: 'json' }, cwd })
  expect([file.exit, file.stdout]).toEqual([0, ''])
  expect(file.stderr).toBe(`2 rows, 2 columns, ${body.length} B → out.csv\n`)
  expect(hash(await readFile(join(cwd, 'out.csv')))).toBe(hash(body))
})

test.each([
  ['a byte order mark by itself', ['\ufeff', 'a,b\n', '1,2\n'], 0],
  ['line ends in front', ['\r\n', '\n', 'a,b\n1,2\n'], 0],
  ['one line without an end', ['a', ',', 'b'], 0],
  ['a web page', ['<', '!doctype html>'], 1],
  ['JSON', ['\ufeff', ' ', '{"data":', '[]}'], 1],
  ['blanks only', ['\n', ' '], 1],
])('a CSV is told by its start, in whatever pieces it arrives: %s', async (_, pieces, exit) => {
  const { env } = await serve((__, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' })
    for (const piece of pieces) response.write(piece)
    response.end()
  })
  const run = await tug('explorer export workspaces', { env })
  expect([run.exit, run.stdout]).toEqual([exit, exit === 0 ? pieces.join('') : ''])
})

test.each([
  [206, {}],
  [200, { 'content-encoding': 'br' }],
])('a part of a CSV, or one that is encoded, is refused: %i %j', async (status, headers) => {
  const { env } = await serve((_, response) =>
    response.writeHead(status, { 'content-type': 'text/csv', ...headers }).end('a,b\n1,2\n'),
  )
  const run = await failure('explorer export workspaces', { env })
  expect(run).toMatchObject({ exit: 1, reason: 'unexpected_response', stdout: '' })
})

test('an existing file or missing folder is an error before any request', async () => {
  const { env, seen } = await serve((_, response) => response.end('a\n"1"\n'))
  const cwd = await folder()
  await writeFile(join(cwd, 'out.csv'), 'mine')
  const inTheWay = await tug('explorer export workspaces -O out.csv', { env, cwd })
  expect(inTheWay.exit).toBe(2)
  expect(inTheWay.stderr).toContain('--force replaces it')
  expect((await tug('explorer export workspaces -O none/out.csv', { env, cwd })).exit).toBe(1)
  expect(seen).toEqual([])
  expect((await tug('explorer export workspaces -O out.csv --force', { env, cwd })).exit).toBe(0)
  expect(await readFile(join(cwd, 'out.csv'), 'utf8')).toBe('a\n"1"\n')
})

test('an export that breaks off leaves no file', async () => {
  const { env } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('a,b\n"1"')
    setImmediate(() => response.destroy())
  })
  const cwd = await folder()
  const run = await tug('explorer export workspaces -O out.csv --retries 0', { env, cwd })
  expect(run.exit).toBe(7)
  expect(await readdir(cwd)).toEqual([])
})

test('--csv-safe and --csv-bom make a CSV for spreadsheets', async () => {
  const body = 'name,count\r\n"=cmd|x","-5"\r\n"+1 a","@b ""c"", d"\r\n"plain","a=b"\r\n'
  const { env } = await serve((_, response) => response.end(body))
  const safe = 'name,count\r\n"\'=cmd|x","-5"\r\n"\'+1 a","\'@b ""c"", d"\r\n"plain","a=b"\r\n'
  expect((await tug('explorer export workspaces --csv-safe', { env })).stdout).toBe(safe)
  expect((await tug('explorer export workspaces --csv-bom', { env })).stdout).toBe(`\ufeff${body}`)
  expect((await tug('explorer export workspaces --csv-bom --csv-safe', { env })).stdout).toBe(`\ufeff${safe}`)
})

const still = { ...systemClock, now: () => new Date('2026-11-21T07:30:00Z') }

test.each([
  'explorer export workspaces',
  "explorer export workspaces -f 'drifted is true' --sort=-resources_drifted",
  'explorer export workspaces --fields workspace_updated_at,project_name,workspace_tool_version',
  'explorer export modules',
  "explorer export workspaces -f 'workspace_name is nobody'",
])("after the service's time limit the same CSV is built from pages: %s", async (line) => {
  for (const dialect of ['neutral', 'hashicorp'] as const) {
    const own = await startDevServer({ dialect, clock: still })
    const limited = await startDevServer({ dialect, clock: still, faults: ['csv-timeout'] })
    const expected = await tug(line, { env: own.env })
    const waits: number[] = []
    const run = await tug(line, { env: limited.env, waits })
    expect(expected.stderr).toBe('')
    // Without a row, nothing shows which names the service has.
    const isEmpty = !expected.stdout.includes('\n"')
    if (isEmpty && dialect === 'hashicorp') expect(run.stdout).toMatch(/^all_checks_succeeded,[\w,]+\n$/)
    else expect(run.stdout).toBe(expected.stdout)
    expect(run.stderr).toContain('reading the rows page by page')
    expect([run.exit, waits]).toEqual([0, []])
  }
})

test.each([
  [504, '', true],
  [504, 'no gateway', true],
  [500, 'the query timed out', true],
  [500, 'request timeout', true],
  [500, 'Time-out while reading', true],
  [500, 'over the time limit', true],
  [500, 'it took too long', true],
  [500, 'no such column', false],
  [500, '', false],
  [501, 'the query timed out', false],
  [400, 'the query timed out', false],
  [403, 'it took too long', false],
])('a CSV that ends with %i and %j is built from pages: %j', async (status, title, fromPages) => {
  const rows =
    '{"data":[{"id":"ws-1","type":"visibility-workspace","attributes":{"drifted":true}}],"meta":{},"links":{}}'
  const { env } = await serve(({ headers }, response) =>
    headers.accept === '*/*'
      ? json(response, status, JSON.stringify({ errors: [{ status: String(status), title }] }))
      : json(response, 200, rows),
  )
  const { exit, stdout, stderr } = await tug('explorer export workspaces --fields drifted', { env })
  expect([exit === 0, stdout !== '', stderr.includes('page by page')]).toEqual([fromPages, fromPages, fromPages])
})

test.each([
  ['', [{ 'workspace-name': 'a"b', drifted: null, odd: 1.5 }], 'workspace_name,drifted,odd\n"a""b","","1.5"\n'],
  ['', [{ drifted: true }, { workspace_name: 'b' }], 'drifted,workspace_name\n"true",""\n"","b"\n'],
  ['--fields id', [{ workspace_name: 'a' }], 'workspace_name\n"a"\n'],
  ['--fields id,drifted', [{ workspace_name: 'a', drifted: true }], 'drifted\n"true"\n'],
  [
    '--fields workspace_updated_at,project_name',
    [{ workspace_updated_at: '2026-11-20T10:00:00.123Z', project_name: '2026-11-20T10:00:00.123Z' }],
    'project_name,workspace_updated_at\n"2026-11-20T10:00:00.123Z","2026-11-20T10:00:00Z"\n',
  ],
  ['', [{ later_at: '2026-11-20T10:00:00.1+01:00' }], 'later_at\n"2026-11-20T10:00:00+01:00"\n'],
  ['', [{ later_at: 'x 2026-11-20T10:00:00.1Z' }], 'later_at\n"x 2026-11-20T10:00:00.1Z"\n'],
  ['', [{ later_at: '2026-11-20T10:00:00.1+01:00x' }], 'later_at\n"2026-11-20T10:00:00.1+01:00x"\n'],
])('the CSV of pages with %s has the fields of the rows, quoted: %j', async (flags, rows, csv) => {
  const data = rows.map((attributes, index) => ({ id: `ws-${index}`, attributes }))
  const { env } = await serve(({ headers }, response) =>
    headers.accept === '*/*' ? json(response, 504, '{}') : json(response, 200, JSON.stringify({ data })),
  )
  const { exit, stdout } = await tug(`explorer export workspaces ${flags}`, { env })
  expect([exit, stdout]).toEqual([0, csv])
})

test('a CSV of pages that misses rows is an error', async () => {
  const pagination = { 'current-page': 1, 'total-pages': 2, 'total-count': 2 }
  const data = [{ id: 'ws-1', attributes: { drifted: true } }]
  const { env } = await serve(({ headers }, response) =>
    headers.accept === '*/*'
      ? json(response, 504, '{}')
      : json(response, 200, JSON.stringify({ data, meta: { pagination } })),
  )
  const { exit, stderr } = await tug('explorer export workspaces', { env })
  expect(exit).toBe(1)
  expect(stderr).toContain('the CSV is incomplete')
})

test.each([
  [['a,b\n1,2\n'], '1 row, 2 columns'],
  [['a\n'], '0 rows, 1 column'],
  [['a,b', '\n1,2,3\n', '4,5'], '2 rows, 2 columns'],
  [['a,"b,', 'c"\n"1\n', '2",3\n4,5\n'], '2 rows, 2 columns'],
  [['a,"b ""c"",d",e\n1,2,3\n'], '1 row, 3 columns'],
])('the rows and columns of a CSV in a file are counted: %j has %s', async (pieces, counts) => {
  const { env } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' })
    for (const piece of pieces) response.write(piece)
    response.end()
  })
  const { exit, stderr } = await tug('explorer export workspaces -O out.csv', { env, cwd: await folder() })
  expect([exit, stderr]).toEqual([0, `${counts}, ${pieces.join('').length} B → out.csv\n`])
})

test('a saved view is exported the same way', async () => {
  const own = await startDevServer({ clock: still })
  const limited = await startDevServer({ clock: still, faults: ['csv-timeout'] })
  for (const id of (await tug('explorer views list -o name', { env: own.env })).stdout.trimEnd().split('\n')) {
    const expected = await tug(`explorer views export ${id}`, { env: own.env })
    expect(expected.stdout).toContain('\n"')
    expect((await tug(`explorer views export ${id}`, { env: limited.env })).stdout).toBe(expected.stdout)
  }
})

const stored = JSON.stringify({
  data: {
    id: 'sq-1',
    type: 'explorer-saved-views',
    attributes: {
      name: 'Old',
      'query-type': 'workspaces',
      query: {
        filter: [{ 'workspace-name': { 'does-not-contain': ['net'] } }],
        fields: { workspaces: ['workspace-name'] },
        sort: ['-workspace-terraform-version', 'drifted'],
      },
    },
  },
})

test('if a saved view has no CSV, other paths are tried', async () => {
  const { env, seen } = await serve(({ url }, response) => {
    if (url.includes('/explorer/export/csv')) response.end('workspace_name\n"a"\n')
    else if (url.endsWith('/views/sq-1')) json(response, 200, stored)
    else json(response, 404, '{"errors":[{"status":"404","title":"not found"}]}')
  })
  const run = await tug('explorer views export sq-1 --dialect hashicorp', { env })
  expect([run.exit, run.stdout]).toEqual([0, 'workspace_name\n"a"\n'])
  expect(seen.map(({ url }) => decodeURIComponent(url.replace('/api/v2/organizations/acme/explorer', '')))).toEqual([
    '/views/sq-1/export/csv',
    '/views/sq-1/csv',
    '/views/sq-1',
    '/export/csv?type=workspaces&filter[0][workspace_name][does_not_contain][0]=net&sort=-workspace_terraform_version,drifted&fields=workspace_name',
  ])
  expect((await tug('explorer views export sq-2', { env })).exit).toBe(3)
})
