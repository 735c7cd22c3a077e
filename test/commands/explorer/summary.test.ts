import { expect, test } from 'vitest'
import { bar } from '../../../src/commands/explorer/summary.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

/** A service with rows of these attributes. */
async function holding(...rows: string[]) {
  const data = rows.map((attributes, index) => `{"id":"ws-${index}","type":"x","attributes":${attributes}}`)
  return serve((_, response) => json(response, 200, `{"data":[${data.join()}]}`))
}

const drift = [
  '{"project-name":"Net","current-run-status":"applied","resources-drifted":2,"modules":"a, b"}',
  '{"project-name":"Net","current-run-status":"applied","resources-drifted":null,"modules":"a"}',
  '{"project-name":"Pay","current-run-status":"errored","resources-drifted":5,"modules":null}',
]

test('numbers are added up by group, and the largest sum comes first', async () => {
  const { env, seen } = await holding(...drift)
  const line = 'explorer summary workspaces --by project_name --sum resources_drifted'
  expect((await tug(`${line} -o csv`, { env })).stdout).toBe(
    'project_name,count,resources_drifted,resources_drifted_share,share\nPay,1,5,0.714,0.333\nNet,2,2,0.286,0.667\n',
  )
  expect((await tug(line, { env })).stdout).toBe(
    'PROJECT  COUNT  RESOURCES DRIFTED  OF TOTAL\nPay          1                  5       71%\nNet          2                  2       29%\n',
  )
  const watched = await tug(line, { env, terminals: { stdout: 80 } })
  expect(watched.stderr).toBe('total: 3 rows, resources_drifted 7\n')
  const nothing = await tug(`${line.replace('resources_drifted', 'checks_failed')} -o json --query [0]`, { env })
  expect(JSON.parse(nothing.stdout)).toMatchObject({ checks_failed: 0, checks_failed_share: null })
  expect(seen[0]?.url).toContain('fields=project_name%2Cresources_drifted')
})

test('rows are counted by several fields together', async () => {
  const { env } = await holding(...drift)
  const run = await tug('explorer summary workspaces --by project_name,modules -o json', { env })
  expect(JSON.parse(run.stdout)).toEqual([
    { project_name: 'Net', modules: 'a', count: 2, share: 0.667 },
    { project_name: 'Net', modules: 'b', count: 1, share: 0.333 },
    { project_name: 'Pay', modules: null, count: 1, share: 0.333 },
  ])
})

test('a sum keeps every digit of integers, and fractions', async () => {
  const large = '{"project-name":"Net","resources-drifted":9007199254740993}'
  const line = 'explorer summary workspaces --by project_name --sum resources_drifted,module_count -o json'
  const { env } = await holding(large, '{"project-name":"Net","resources-drifted":2,"module-count":0.5}')
  expect((await tug(line, { env })).stdout).toBe(
    '[{"project_name":"Net","count":2,"share":1,"resources_drifted":9007199254740995,"module_count":0.5,"resources_drifted_share":1,"module_count_share":1}]\n',
  )
})

test('bars are drawn in a table on a terminal only', async () => {
  const { env } = await holding(...drift)
  const on = (columns: number | undefined, flags: string) =>
    tug(`explorer summary workspaces --by project_name --color never ${flags}`, {
      env: { ...env, TERM: 'xterm' },
      ...(columns === undefined ? {} : { terminals: { stdout: columns } }),
    })
  expect((await on(100, '')).stdout).toContain('█')
  for (const run of [
    await on(undefined, ''),
    await on(100, '-o csv'),
    await on(100, '-o md'),
    await on(100, '-o json'),
  ]) {
    expect(run.stdout).not.toContain('█')
  }
})

test.each<[value: number, max: number, width: number, shown: string]>([
  [0, 10, 8, ''],
  [-1, 10, 8, ''],
  [1, 0, 8, ''],
  [1, 10, 0, ''],
  [1, 10, 0.9, ''],
  [1, 1000, 3, '▏'],
  [10, 10, 3, '███'],
  [20, 10, 3, '███'],
  [1, 1, 1, '█'],
  [1, 1, 1.9, '█'],
  [5, 10, 3, '█▌'],
  [0.3, 1, 1, '▎'],
  [0.32, 1, 1, '▍'],
  [1, 1_000_000, 10, '▏'],
  [Number.NaN, 10, 4, ''],
  ...['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'].map((end, index): [number, number, number, string] => [
    index + 1,
    8,
    1,
    end,
  ]),
])('a bar for %d of %d in %d cells is %j', (value, max, width, shown) => {
  expect(bar(value, max, width)).toBe(shown)
})

test('shares have three decimals, and in a table none', async () => {
  const rows = Array.from({ length: 8 }, (_, index) => `{"project-name":"${index < 5 ? 'a' : index < 7 ? 'b' : 'c'}"}`)
  const { env } = await holding(...rows)
  const line = 'explorer summary workspaces --by project_name'
  expect((await tug(`${line} -o csv`, { env })).stdout).toBe(
    'project_name,count,share\na,5,0.625\nb,2,0.25\nc,1,0.125\n',
  )
  expect((await tug(line, { env })).stdout).toBe(
    'PROJECT  COUNT  SHARE\na            5   63%\nb            2   25%\nc            1   13%\n',
  )
  expect((await tug(`${line} -o name`, { env })).stdout).toBe('a\nb\nc\n')
})

test('groups of one size are in the order of their values, and fractions add up', async () => {
  const { env } = await holding(
    '{"project-name":"b","module-count":1}',
    '{"project-name":"a","module-count":0.5}',
    '{"project-name":"a","module-count":0.25}',
    '{"project-name":null,"module-count":-1}',
    '{"project-name":"c","module-count":1}',
  )
  const run = await tug('explorer summary workspaces --by project_name --sum module_count -o csv', { env })
  expect(run.stdout).toBe(
    'project_name,count,module_count,module_count_share,share\nb,1,1,0.571,0.2\nc,1,1,0.571,0.2\na,2,0.75,0.429,0.4\n,1,-1,-0.571,0.2\n',
  )
})
