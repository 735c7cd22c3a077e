import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { configured, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says, told } from '../../support/told.ts'

type Row = Record<string, unknown>

const network = { id: 'ws-1', project_name: 'Platform', resources_drifted: 5, workspace_name: 'network-dev' }
const payments = { id: 'ws-2', project_name: 'Payments', resources_drifted: 4, workspace_name: 'payments-prod' }
const metrics = { id: 'ws-3', project_name: 'Platform', resources_drifted: 1, workspace_name: 'metrics-prod' }
const quiet = { id: 'ws-4', project_name: 'Platform', resources_drifted: null, workspace_name: 'quiet' }

/** A service whose query has these rows, and a folder with a baseline. */
async function given(rows: readonly Row[], name: string, baseline: string) {
  const cwd = scratchFolder()
  await writeFile(join(cwd, name), baseline)
  const data = rows.map(({ id, ...attributes }) => ({ id, type: 'visibility-workspace', attributes }))
  const server = await serve((_, response) => json(response, 200, JSON.stringify({ data })))
  return { ...server, cwd, file: () => readFile(join(cwd, name), 'utf8') }
}

const now = [payments, network, quiet]
const yesterday = [{ ...network, resources_drifted: 2 }, metrics, quiet]

const table = [
  'CHANGE   WORKSPACE      PROJECT   RESOURCES DRIFTED\n',
  'added    payments-prod  Payments  4\n',
  'changed  network-dev    Platform  2 → 5\n',
  'removed  metrics-prod   Platform  \n',
].join('')

test.each([
  ['json', JSON.stringify(yesterday)],
  ['indented json', JSON.stringify(yesterday, null, 2)],
  ['ndjson', yesterday.map((row) => JSON.stringify(row)).join('\n')],
  ['ndjson with blank lines', yesterday.map((row) => ` ${JSON.stringify(row)}\r\n\n \n`).join('')],
  [
    'csv',
    'project_name,resources_drifted,workspace_name\nPlatform,2,network-dev\nPlatform,1,metrics-prod\nPlatform,,quiet\n',
  ],
  [
    'csv with a mark',
    '\ufeffworkspace_name,project_name,resources_drifted\r\nnetwork-dev,Platform,2\r\n"metrics-prod","Platform","1"\r\nquiet,Platform,""\r\n',
  ],
  [
    'csv with semicolons and a mark',
    '\ufeffworkspace_name;project_name;resources_drifted\r\nnetwork-dev;Platform;2\r\n"metrics-prod";Platform;1\r\nquiet;Platform;\r\n',
  ],
  [
    'csv as a spreadsheet saves it',
    '\ufeffsep=;\r\nworkspace_name;project_name;resources_drifted;;\r\nnetwork-dev;Platform;2;;\r\nmetrics-prod;Platform;1;;\r\nquiet;Platform;;\r\n',
  ],
  [
    'csv with a space after each comma',
    'workspace_name, project_name, resources_drifted\nnetwork-dev, Platform, 2\n"metrics-prod", "Platform", 1\nquiet, Platform,\n',
  ],
  [
    'tsv',
    'workspace_name\tproject_name\tresources_drifted\nnetwork-dev\tPlatform\t2\nmetrics-prod\tPlatform\t1\nquiet\tPlatform\t\n',
  ],
])('rows that were added, changed and removed since a baseline in %s', async (_, baseline) => {
  const { env, cwd } = await given(now, 'old', baseline)
  const run = await tug('explorer diff workspaces old', { env, cwd })
  expect(run.stdout.replaceAll(/ +$/gm, '')).toBe(table.replaceAll(/ +$/gm, ''))
  expect(run.stderr).toMatch(told('1 added, 1 changed, 1 removed, 1 unchanged; --update …\n'))
  expect(run.exit).toBe(0)
  expect((await tug('explorer diff workspaces old --exit-code', { env, cwd })).exit).toBe(9)
})

test('what a query prints as TSV and what standard input brings is a baseline', async () => {
  const { env } = await given([{ ...quiet, workspace_name: 'a\tb "c"' }], 'old', '')
  const { stdout } = await tug('explorer query workspaces --all -o tsv', { env })
  const run = await tug('explorer diff workspaces - --exit-code', { env, stdin: stdout })
  expect([run.exit, run.stderr]).toEqual([0, expect.stringMatching(/no differences, 1 unchanged\n$/)])
  const broken = await tug('explorer diff workspaces -', { env, stdin: 'workspace_name,x\n"a"b,1\n' })
  expect([broken.exit, broken.stderr]).toEqual([2, expect.stringContaining('see the quotes in line 2')])
})

test('--columns takes the headings that a query has', async () => {
  const { env, cwd } = await given(now, 'old.json', JSON.stringify(yesterday))
  const { stdout } = await tug('explorer diff workspaces old.json --columns project,drift_count -o csv', { env, cwd })
  expect(stdout).toBe('project_name,resources_drifted\nPayments,4\nPlatform,5\nPlatform,\n')
})

test('a baseline in CSV has the types of its fields, and a renamed row both names', async () => {
  const old = 'id,workspace_name,drifted,resources_drifted,module_count,project_name\nws-1,old-name,false,2,many,true\n'
  const { env, cwd } = await given(
    [{ ...network, id: 'ws-1', drifted: true, resources_drifted: 5, module_count: 1, project_name: 'P' }],
    'old.csv',
    old,
  )
  const data = await tug('explorer diff workspaces old.csv -o json --query [0].before', { env, cwd })
  expect(JSON.parse(data.stdout)).toEqual({
    workspace_name: 'old-name',
    drifted: false,
    resources_drifted: 2,
    module_count: 'many',
    project_name: 'true',
  })
  const csv = await tug('explorer diff workspaces old.csv -o csv --columns workspace_name_before,workspace_name', {
    env,
    cwd,
  })
  expect(csv.stdout).toBe('workspace_name_before,workspace_name\nold-name,network-dev\n')
})

test('as data a change has what identifies the row, and the fields before and after', async () => {
  const { env, cwd } = await given([network], 'old.json', JSON.stringify([{ ...network, resources_drifted: 2 }]))
  const run = await tug('explorer diff workspaces old.json -o json', { env, cwd })
  const { id, ...after } = network
  expect(JSON.parse(run.stdout)).toEqual([
    { change: 'changed', id, changed: ['resources_drifted'], before: { ...after, resources_drifted: 2 }, after },
  ])
  expect((await tug('explorer diff workspaces old.json -o name', { env, cwd })).stdout).toBe('ws-1\n')
  expect((await tug('explorer diff workspaces old.json -o csv', { env, cwd })).stdout).toBe(
    'change,workspace_name,project_name,resources_drifted_before,resources_drifted\nchanged,network-dev,Platform,2,5\n',
  )
})

test('where the columns do not fit, or are many, every changed field has a line of its own', async () => {
  const old = { ...network, drifted: false, providers: 'a/b, c/d', workspace_updated_at: '2026-11-20T10:00:00.5Z' }
  const row = { ...old, drifted: true, providers: 'c/d, e/f', workspace_updated_at: '2026-11-21T10:00:30.5Z' }
  const folded = [
    'CHANGE   WORKSPACE    PROJECT\n',
    'changed  network-dev  Platform\n',
    '    drifted               false → true\n',
    '    providers             removed a/b; added e/f\n',
    '    workspace_updated_at  2026-11-20 10:00 UTC → 2026-11-21 10:00 UTC\n',
  ].join('')
  const { env, cwd } = await given([row], 'old.json', JSON.stringify([old]))
  const shown = async (flags: string, stdout?: number) =>
    (
      await tug(`explorer diff workspaces old.json ${flags}`, {
        env,
        cwd,
        terminals: stdout === undefined ? {} : { stdout },
      })
    ).stdout
  expect(await shown('--color never', 80)).toBe(folded)
  const columns = 'CHANGE   WORKSPACE    PROJECT   DRIFTED       UPDATED'
  for (const text of [await shown(''), await shown('-o wide'), await shown('--color never', 140)])
    expect(text).toContain(columns)
  const all = {
    ...old,
    drifted: null,
    providers: null,
    a: 1,
    b: 1,
    c: 1,
    d: 1,
    workspace_updated_at: '2026-11-21T10:00:31Z',
  }
  const many = await given(
    [all],
    'old.json',
    JSON.stringify([{ ...all, a: 2, b: 2, c: 2, d: 2, resources_drifted: 6 }]),
  )
  expect((await tug('explorer diff workspaces old.json', many)).stdout).toContain('\n    resources_drifted  6 → 5\n')
  const renamed = await given([network], 'old.json', JSON.stringify([{ ...network, workspace_name: 'net' }]))
  expect((await tug('explorer diff workspaces old.json', renamed)).stdout).toContain(
    '\n    workspace_name  net → network-dev\n',
  )
})

test.each([
  ['far more rows than the baseline', 1, 12, true],
  ['a few more', 1, 10, false],
  ['twice as many', 12, 36, false],
  ['all of an empty baseline', 0, 10, true],
  ['far fewer rows than the baseline', 12, 1, true],
])('%s: %i before, %i now, in doubt: %s', async (_, before, after, inDoubt) => {
  const rows = Array.from({ length: 40 }, (_each, index) => ({ ...metrics, id: `ws-${index}` }))
  const { env, cwd } = await given(rows.slice(0, after), 'old.json', JSON.stringify(rows.slice(0, before)))
  const { stderr } = await tug('explorer diff workspaces old.json', { env, cwd })
  const hint = /hint: .* --filter .* old\.json\n$/
  expect(hint.test(stderr)).toBe(inDoubt)
  expect(stderr.includes('--update ')).toBe(!inDoubt)
})

test('equal results are no differences', async () => {
  const { env, cwd } = await given(now, 'old.json', JSON.stringify(now.toReversed()))
  const run = await tug('explorer diff workspaces old.json --exit-code', { env, cwd })
  expect(run).toMatchObject({ exit: 0, stderr: 'no differences, 3 unchanged\n' })
  const seen = await tug('explorer diff workspaces old.json', { env, cwd, terminals: { stdout: 100 } })
  expect(seen.stderr).toBe('no differences\n3 unchanged\n')
})

test('a CSV that a spreadsheet has saved again is compared by the types of the fields', async () => {
  const row = {
    id: 'ws-1',
    workspace_name: '4.0',
    drifted: true,
    module_count: 4,
    workspace_updated_at: '2026-11-20T10:00:00.123+00:00',
  }
  const saved = (cells: string) => `\ufeffworkspace_name,drifted,module_count,workspace_updated_at\r\n${cells}\r\n`
  for (const cells of [
    '4.0,TRUE,4.0,2026-11-20 10:00:00',
    '4.0,True,4,2026-11-20T10:00:00+00:00',
    '4.0,true,4E+00,2026-11-20 10:00:00+00:00',
  ]) {
    const one = await given([row], 'old.csv', saved(cells))
    expect((await tug('explorer diff workspaces old.csv --exit-code', one)).exit, cells).toBe(0)
  }
  for (const cells of [
    '4,TRUE,4.0,2026-11-20 10:00:00',
    '4.0,FALSE,4,2026-11-20 10:00:00',
    '4.0,TRUE,4.5,2026-11-20 10:00:00',
    '4.0,TRUE,,2026-11-20 10:00:00',
  ]) {
    const one = await given([row], 'old.csv', saved(cells))
    expect((await tug('explorer diff workspaces old.csv --exit-code', one)).exit, cells).toBe(9)
  }
})

test('the order of a list and the fractions that an exported CSV lacks are no differences', async () => {
  const row = {
    id: 'ws-1',
    'workspace-name': 'a',
    providers: 'x, y',
    'workspace-updated-at': '2026-11-20T10:00:00.123+00:00',
  }
  const csv = 'workspace_name,providers,workspace_updated_at\n"a","y, x","2026-11-20T10:00:00+00:00"\n'
  const one = await given([row], 'old.csv', csv)
  expect((await tug('explorer diff workspaces old.csv', one)).stderr).toBe('no differences, 1 unchanged\n')
  const later = await given([row], 'old.csv', csv.replace('10:00:00', '10:00:01'))
  expect((await tug('explorer diff workspaces old.csv', later)).stderr).toMatch(/^1 changed/)
})

test('versions are matched by version, packages by source and version', async () => {
  const rows = [{ id: 'b', name: 'aws', source: 's/aws', version: '5.0.0', workspace_count: 3 }]
  const { env, cwd } = await given(rows, 'old.csv', 'name,source,version,workspace_count\naws,s/aws,5.0.0,2\n')
  const run = await tug('explorer diff providers old.csv -o json', { env, cwd })
  expect(JSON.parse(run.stdout)).toMatchObject([{ change: 'changed', source: 's/aws', version: '5.0.0' }])
  const versions = await given(
    [{ id: 'x', version: '1.10.0', workspace_count: 2 }],
    'old.json',
    '[{"id":"other","version":"1.10.0","workspace_count":2}]',
  )
  expect((await tug('explorer diff tf_versions old.json', versions)).stderr).toBe('no differences, 1 unchanged\n')
})

test.each([
  ['workspaces', 'id external_id workspace_name', 'id'],
  ['workspaces', 'external_id workspace_name', 'external_id'],
  ['workspaces', 'drifted workspace_name', 'workspace_name'],
  ['workspaces', 'drifted', undefined],
  ['tf_versions', 'id version', 'version'],
  ['tf_versions', 'id workspaces', 'id'],
  ['tf_versions', 'workspaces', undefined],
  ['resources', 'id workspace_name workspace_external_id address', 'id'],
  ['resources', 'workspace_name workspace_external_id address', 'workspace_external_id address'],
  ['resources', 'workspace_name address', 'workspace_name address'],
  ['resources', 'workspace_external_id workspace_name', undefined],
  ['resources', 'address', undefined],
  ['gadgets', 'id name', 'id'],
  ['gadgets', 'name', undefined],
  ...['providers', 'modules'].flatMap((view): [string, string, string | undefined][] => [
    [view, 'id name source version', 'source version'],
    [view, 'id name version', 'id'],
    [view, 'id source', 'id'],
    [view, 'name version', 'name version'],
    [view, 'name source', undefined],
    [view, 'version', undefined],
  ]),
])('rows of %s that have %s are matched by %s', async (view, fields, key) => {
  const row = Object.fromEntries(fields.split(' ').map((field) => [field, 'x']))
  const run = await tug(
    `explorer diff ${view} old.json --no-check -o json`,
    await given([], 'old.json', JSON.stringify([row])),
  )
  expect(run.exit).toBe(key === undefined ? 2 : 0)
  if (key === undefined) return
  const [{ change: _, changed: __, before: ___, after: ____, ...found }] = JSON.parse(run.stdout) as [Row]
  expect(Object.keys(found).join(' ')).toBe(key)
})

test('fields of one result only are not compared, and named', async () => {
  const { env, cwd } = await given([network], 'old.json', '[{"id":"ws-1","workspace_name":"network-dev","gone":1}]')
  const run = await tug('explorer diff workspaces old.json', { env, cwd })
  expect(run.stderr).toMatch(
    told('… old.json: gone\nnot … old.json: project_name, resources_drifted\nno differences, 1 unchanged\n'),
  )
})

test.each([
  ['json', JSON.stringify(yesterday), `${JSON.stringify(now)}\n`],
  ['json', JSON.stringify(yesterday, null, 2), `${JSON.stringify(now, null, 2)}\n`],
  ['ndjson', `${JSON.stringify(metrics)}\n`, now.map((row) => `${JSON.stringify(row)}\n`).join('')],
  [
    'csv',
    'workspace_name,resources_drifted\nmetrics-prod,1\n',
    'workspace_name,resources_drifted\npayments-prod,4\nnetwork-dev,5\nquiet,\n',
  ],
  [
    'csv',
    'workspace_name;resources_drifted\nmetrics-prod;1\n',
    'workspace_name;resources_drifted\npayments-prod;4\nnetwork-dev;5\nquiet;\n',
  ],
  [
    'tsv',
    'workspace_name\tresources_drifted\nmetrics-prod\t1\n',
    'workspace_name\tresources_drifted\npayments-prod\t4\nnetwork-dev\t5\nquiet\t\n',
  ],
])('--update replaces the baseline in its own format: %s', async (name, baseline, after) => {
  const { env, cwd, file } = await given(now, `old.${name}`, baseline)
  const run = await tug(`explorer diff workspaces old.${name} --update --exit-code`, { env, cwd })
  expect(run.exit).toBe(9)
  expect(run.stderr).toContain(`; old.${name} is updated\n`)
  expect(await file()).toBe(after)
  const again = await tug(`explorer diff workspaces old.${name} --exit-code -q`, { env, cwd })
  expect([again.exit, again.stderr]).toEqual([0, ''])
})

test('a baseline of another view is refused before anything is asked', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  for (const view of ['workspaces', 'tf_versions', 'providers', 'modules'])
    await writeFile(join(cwd, view), (await tug(`explorer query ${view} --all -o json`, { env })).stdout)
  for (const [view, other] of [
    ['workspaces', 'modules'],
    ['modules', 'workspaces'],
    ['tf_versions', 'providers'],
  ]) {
    expect(await tug(`explorer diff ${view} ${other}`, { env, cwd })).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringMatching(`^tug: ${other} .* \\w+, .* ${view} .*: .*\n$`),
    })
    expect(await tug(`explorer diff ${view} ${view}`, { env, cwd })).toMatchObject({ exit: 0 })
  }
  // Providers have all fields of tool versions, and more.
  expect(await tug('explorer diff providers tf_versions', { env, cwd })).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: says('tug: tf_versions … tf_versions … providers: …\n'),
  })
})

test('a query that fails leaves the baseline alone', async () => {
  const cwd = scratchFolder()
  await writeFile(join(cwd, 'old.json'), '[]')
  const { env } = await serve((_, response) => json(response, 403, '{}'))
  expect((await tug('explorer diff workspaces old.json --update', { env, cwd })).exit).toBe(4)
  expect(await readFile(join(cwd, 'old.json'), 'utf8')).toBe('[]')
})

test('rows of missing pages are not taken for removed ones', async () => {
  const page = (data: object[]) =>
    JSON.stringify({ data, meta: { pagination: { 'current-page': 1, 'total-pages': 2, 'total-count': 2 } } })
  const cwd = scratchFolder()
  await writeFile(join(cwd, 'old.json'), JSON.stringify(now))
  const { env } = await serve((_, response) => json(response, 200, page([{ id: 'ws-1', attributes: {} }])))
  const run = await tug('explorer diff workspaces old.json --update', { env, cwd })
  expect([run.exit, run.stdout]).toEqual([1, ''])
  expect(run.stderr).toContain('1 of 2 rows')
  expect(await readFile(join(cwd, 'old.json'), 'utf8')).toBe(JSON.stringify(now))
})

test.each([
  ['', 'old is empty', ''],
  ['[1]', 'old …', ''],
  ['{"data":[]}', 'old …', ''],
  ['[{"id":', 'old …', ''],
  ['<!doctype html>\n<p>', 'old …', ''],
  ['a,b\n1\n', 'old: row 1 …', ''],
  ['drifted\ntrue\n', '… old …', ''],
  ['[{"id":"ws-1"},{"id":"ws-1"}]', 'old … id ws-1', ''],
  ['[{"id":"ws-1"}]', 'old … drifted', '--fields drifted'],
])('a file that is not a baseline is refused before anything is sent: %j', async (baseline, words, flags) => {
  const { env, cwd, seen } = await given(now, 'old', baseline)
  const run = await tug(`explorer diff workspaces old ${flags}`, { env, cwd })
  expect([run.exit, run.stdout, seen.length]).toEqual([2, '', 0])
  expect(run.stderr).toMatch(mentions(words))
})

test.each(['csv', 'ndjson'])('a missing baseline is made in the format that its name says: %s', async (format) => {
  const run = await tug(`explorer diff workspaces none.${format} --org acme`, { env: (await startDevServer()).env })
  expect(run.stderr).toContain(`--all -o ${format} --org acme > none.${format}\n`)
})

test('a missing baseline names the command that makes one', async () => {
  const { env } = await startDevServer()
  const run = await tug("explorer diff workspaces none.json -f 'drifted is true' --org acme", { env })
  expect(run.exit).toBe(2)
  expect(run.stderr).toMatch(
    mentions("…: tug explorer query workspaces -f 'drifted is true' --all -o json --org acme > none.json"),
  )
})

test.each(['.', 'absent.json'])(
  'a first baseline is suggested only for a file that does not exist: %s',
  async (name) => {
    const { exit, stderr } = await tug(`explorer diff workspaces ${name}`, { env: configured, cwd: scratchFolder() })
    expect({ exit, isSuggested: stderr.includes('explorer query workspaces') }).toEqual({
      exit: 2,
      isSuggested: name !== '.',
    })
  },
)
