import { describe, expect, test } from 'vitest'
import { configured, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

test.each([
  ['5.9', '5.94', true],
  ['5.94.1', '5.94', undefined],
  ['v1.2.0', '1.2.1', true],
  ['1.2.0-beta1', '1.2.0', true],
  ['1.10.0', '1.9.9', undefined],
  ['6', '6.0.0', undefined],
  ['>= 5', '6', false],
  ['5.x', '6', false],
  ['', '6', false],
  [null, '6', false],
] as const)('%s against %s is listed as comparable: %s', async (version, limit, expected) => {
  const { env } = await estate([{ ...aws, version, workspaces: 'a' }], [])
  const { stdout } = await tug(`explorer usage providers aws --below ${limit} -o json`, { env })
  expect((JSON.parse(stdout) as { comparable: boolean }[])[0]?.comparable).toBe(expected)
})

test.each([
  ['providers aws', true],
  ['providers hashicorp/aws', true],
  ['providers Hashicorp/AWS', true],
  ['providers registry.terraform.io/hashicorp/aws', true],
  ['providers corp/aws', false],
  ['providers aw', false],
  ['tf_versions 1.5', true],
  ['tf_versions v1.5.7', true],
  ['tf_versions terraform', true],
  ['tf_versions 1', true],
  ['tf_versions 1.50', false],
  ['tf_versions .5', false],
])('the names of what a workspace uses: %s: %s', async (typed, expected) => {
  const isTool = typed.startsWith('tf_versions')
  const { env } = await estate([{ ...(isTool ? {} : aws), version: '1.5.7', workspaces: 'a' }], [])
  expect((await tug(`explorer usage ${typed} -o name`, { env })).stdout).toBe(expected ? 'a\n' : '')
})

test('versions are ordered by their numbers, other strings last', async () => {
  const versions = ['>= 2', '1.10.0', 'main', '1.9.0', '1.10.0-rc1']
  const { env } = await estate(
    versions.map((version) => ({ ...aws, version, workspaces: 'a' })),
    [],
  )
  const { stdout } = await tug('explorer usage providers aws --by version -o name', { env })
  expect(stdout.trim().split('\n')).toEqual(['1.9.0', '1.10.0-rc1', '1.10.0', '>= 2', 'main'])
})

/** A service with these rows of `workspaces` and of the other view. */
async function estate(used: readonly object[], workspaces: readonly object[]) {
  return serve((request, response) => {
    const rows = request.url?.includes('type=workspaces') ? workspaces : used
    json(response, 200, JSON.stringify({ data: rows.map((attributes, id) => ({ id: `${id}`, attributes })) }))
  })
}

const aws = { name: 'aws', source: 'registry.terraform.io/hashicorp/aws' }

test('a workspace is listed with its project and drift, from rows in either spelling', async () => {
  const { env } = await estate(
    [
      { ...aws, version: '5.9.0', 'workspace-count': 2, workspaces: 'network, network-core' },
      { ...aws, version: '>= 5', 'workspace-count': 1, workspaces: 'edge' },
      { ...aws, version: '6.1.0', 'workspace-count': 1, workspaces: 'new' },
    ],
    [
      { 'workspace-name': 'network-core', 'project-name': 'Core', drifted: true },
      { 'workspace-name': 'network', 'project-name': 'Net', drifted: false },
      { 'workspace-name': 'new', 'project-name': 'Net', drifted: false },
    ],
  )
  const run = await tug('explorer usage providers aws --below 6 --exit-code -o json', { env })
  const source = aws.source
  expect(JSON.parse(run.stdout)).toEqual([
    { workspace: 'edge', project: null, version: '>= 5', drifted: null, source, comparable: false },
    { workspace: 'network', project: 'Net', version: '5.9.0', drifted: false, source, comparable: true },
    { workspace: 'network-core', project: 'Core', version: '5.9.0', drifted: true, source, comparable: true },
  ])
  expect(run.exit).toBe(9)
  const byProject = await tug('explorer usage providers aws --by project -o json', { env })
  expect(JSON.parse(byProject.stdout)[0]).toEqual({
    project: 'Net',
    workspaces: 2,
    drifted: 0,
    versions: ['5.9.0', '6.1.0'],
  })
  expect((await tug('explorer usage providers aws --below 5 --exit-code', { env })).exit).toBe(9)
})

test('if nothing uses it, no more than the first page of workspaces is read', async () => {
  const { env, seen } = await serve(({ url }, response) => {
    const isLast = url.includes('type=providers')
    const pagination = { 'current-page': 1, 'total-pages': isLast ? 1 : 50, 'total-count': isLast ? 1 : 5000 }
    const attributes = { ...aws, version: '6.1.0', workspaces: 'a' }
    json(response, 200, JSON.stringify({ data: [{ id: '1', attributes }], meta: { pagination } }))
  })
  const { exit, stdout, stderr } = await tug('explorer usage providers aws --below 6 -o json', { env })
  expect([exit, stdout, stderr, seen.length]).toEqual([0, '[]\n', '', 2])
})

test('a list that is shorter than its count is reported', async () => {
  const { env } = await estate([{ ...aws, version: '5.9.0', 'workspace-count': 3, workspaces: 'a, b' }], [])
  expect((await tug('explorer usage providers aws -q', { env })).stderr).toContain('1 workspace')
})

test.each([
  'explorer usage providers',
  'explorer usage providers aws --below 5.x',
  'explorer usage workspaces aws',
  'explorer usage providers aws --by drifted',
])('%s is refused before anything is sent', async (line) => {
  expect((await tug(line)).exit).toBe(2)
})

test.each([
  ['explorer usage provider aws', 'explorer usage providers aws'],
  ['explorer usage terraform', 'explorer usage tf_versions'],
  ['explorer usage terraform_versions', 'explorer usage tf_versions'],
  ['explorer usage providers aws --by project_name', 'explorer usage providers aws --by project'],
])('other names: tug %s', async (line, usual) => {
  const typed = await tug(`${line} --dry-run`, { env: configured })
  expect(typed).toEqual(await tug(`${usual} --dry-run`, { env: configured }))
  expect(typed.exit).toBe(0)
})

test('a misspelt choice gets the nearest one', async () => {
  const { stderr } = await tug('explorer usage providrs aws', { env: configured })
  expect(stderr).toMatch(mentions("'providrs' … providers, modules, tf_versions… 'providers'?"))
})

describe('what usage prints', () => {
  const rows = [
    { ...aws, version: '5.9.0', workspaces: 'b, a' },
    { ...aws, version: null, workspaces: 'c,,a' },
    { ...aws, version: '5.10.0', workspace_count: 1, workspaces: 'a, c' },
    { name: 'AWS', source: null, version: '5.9.0', workspaces: null },
  ]
  const workspaces = [
    { workspace_name: 'a', project_name: 'Net', drifted: true },
    { workspace_name: 'b', project_name: null, drifted: 'x' },
    { workspace_name: 'c', project_name: 'Core', drifted: false },
    { workspace_name: 'other', project_name: 'Core', drifted: true },
  ]
  const printed = async (flags: string) => {
    const run = await tug(`explorer usage providers AWS ${flags}`, await estate(rows, workspaces))
    expect([run.exit, run.stderr]).toEqual([0, ''])
    return run.stdout.replaceAll(/ +$/gm, '')
  }

  const source = aws.source
  test.each([
    [
      '',
      [
        'WORKSPACE  PROJECT  VERSION  DRIFTED',
        'a          Net      5.9.0    true',
        'a          Net      5.10.0   true',
        'a          Net               true',
        'b                   5.9.0',
        'c          Core     5.10.0   false',
        'c          Core              false',
      ],
    ],
    [
      '--below 5.10 -o csv',
      [
        'workspace,project,version,drifted,source,comparable',
        `a,Net,5.9.0,true,${source},true`,
        `a,Net,,true,${source},false`,
        `b,,5.9.0,,${source},true`,
        `c,Core,,false,${source},false`,
      ],
    ],
    [
      '--below 5.10 --columns version',
      ['VERSION', '5.9.0', '(none) (not a version)', '5.9.0', '(none) (not a version)'],
    ],
    ['--below 5.1 --columns workspace_name,project_name -o csv', ['workspace,project', 'a,Net', 'c,Core']],
    ['--below 5.9.1 -o name', ['a', 'a', 'b', 'c']],
    [
      '--by version',
      [
        'VERSION  WORKSPACES  DRIFTED',
        '5.9.0             2        1',
        '5.10.0            2        1',
        '                  2        1',
      ],
    ],
    ['--by version -o csv', ['version,workspaces,drifted', '5.9.0,2,1', '5.10.0,2,1', ',2,1']],
    ['--by version -o name', ['5.9.0', '5.10.0', '']],
    [
      '--by project -o csv',
      ['project,workspaces,drifted,versions', ',1,0,5.9.0', 'Core,1,0,"5.10.0, "', 'Net,1,1,"5.9.0, 5.10.0, "'],
    ],
  ])('%s', async (flags, lines) => {
    expect(await printed(flags)).toBe(lines.map((line) => `${line}\n`).join(''))
  })
})
