import { describe, expect, it } from 'vitest'
import { views } from '../../../src/dev/explorer/fields.ts'
import { caller, explorerPath, query, rowsOf } from './calls.ts'

const call = caller()
const all = await rowsOf(call, { type: 'workspaces' })

const kebab = (field: string): string => field.replaceAll('_', '-')

it.each([
  ['type', { type: 'stacks' }],
  ['type', { type: 'resources' }],
  ['sort', { type: 'workspaces', sort: 'name' }],
  ['fields', { type: 'workspaces', fields: 'workspace_name,updated_at' }],
  ['fields', { type: 'workspaces', fields: 'tags' }],
  ['filter', { type: 'workspaces', filter: 'drifted is true' }],
  ['filter[0][drift][is][0]', { type: 'workspaces', 'filter[0][drift][is][0]': 'true' }],
  ['filter[0][drifted][is_not][0]', { type: 'workspaces', 'filter[0][drifted][is_not][0]': 'true' }],
])('%s is refused as the fault of %j', async (parameter, parameters) => {
  for (const target of [query(parameters), query(parameters, `${explorerPath}/export/csv`)]) {
    const { status, json } = await call('GET', target)
    expect(status).toBe(422)
    expect(json.errors).toMatchObject([{ status: '422', title: 'invalid parameter', source: { parameter } }])
  }
})

it.each([
  ['page[size]', 'x'],
  ['page[number]', '0'],
])('%s=%s is refused', async (parameter, value) => {
  const { status, json } = await call('GET', query({ type: 'workspaces', [parameter]: value }))
  expect(status).toBe(422)
  expect(json.errors).toMatchObject([{ source: { parameter } }])
})

describe('sorting', () => {
  it('puts missing values last either way, ties in the usual order', async () => {
    for (const [sort, order] of [['resources_drifted', 1] as const, ['-resources_drifted', -1] as const]) {
      const rows = await rowsOf(call, { type: 'workspaces', sort })
      const expected = all.toSorted((one, other) => {
        const [left, right] = [one['resources-drifted'], other['resources-drifted']]
        if (left === right) return 0
        return left === null ? 1 : right === null ? -1 : order * (left - right)
      })
      expect(rows).toEqual(expected)
    }
  })

  it('sorts versions as versions', async () => {
    const rows = await rowsOf(call, { type: 'tf_versions', sort: '-version' })
    expect(rows.map(({ version }) => version)).toEqual([
      '1.12.0-rc1',
      '1.11.2',
      '1.10.5',
      '1.10.0',
      '1.9.10',
      '1.9.8',
      '1.8.5',
      '1.6.6',
      '1.5.7',
    ])
  })
})

describe('fields', () => {
  it.each<Record<string, string>>([
    { fields: 'workspace_name,drifted' },
    { fields: 'workspace_name, drifted,workspace_name' },
    { 'fields[workspaces]': 'workspace_name,drifted' },
  ])('%j', async (parameters) => {
    const [row] = await rowsOf(call, { type: 'workspaces', ...parameters })
    expect(Object.entries(row ?? {})).toEqual([
      ['workspace-name', 'payments-prod'],
      ['drifted', true],
    ])
  })

  it('gives all where the list is empty', async () => {
    const [row] = await rowsOf(call, { type: 'workspaces', fields: '' })
    expect(Object.keys(row ?? {})).toHaveLength(25)
  })
})

describe('vocabularies', () => {
  it('takes filters of one index, gaps and names with dashes in that of the product', async () => {
    const rows = await rowsOf(
      call,
      {
        type: 'workspaces',
        fields: 'workspace-name,drifted',
        'filter[3][workspace-name][contains][0]': 'payments',
        'filter[3][drifted][is][0]': 'true',
      },
      'hashicorp',
    )
    expect(rows).toEqual([{ 'workspace-name': 'payments-prod', drifted: true }])
  })

  it('has the view resources in that of the product only', async () => {
    const parameters = { type: 'resources', 'filter[0][workspace_name][is][0]': 'payments-prod' }
    expect(await rowsOf(call, parameters, 'hashicorp')).toMatchObject([
      { name: 'main', address: 'module.network.aws_instance.main', 'terraform-version': '1.9.8', 'billable-rum': true },
      { name: 'replica', 'provider-name': 'random', 'source-type': 'run', 'organization-external-id': 'org-acme' },
    ])
    expect((await call('GET', query(parameters))).status).toBe(422)
  })

  it('answers in the words of the dialect', async () => {
    const neutral = Object.keys(all[0] ?? {})
    const [row] = await rowsOf(call, { type: 'workspaces', fields: 'workspace_terraform_version' }, 'hashicorp')
    expect(neutral).toEqual(
      views.workspaces.fields.filter(({ presence }) => presence === 'always').map(({ name }) => kebab(name)),
    )
    expect(neutral.join()).not.toContain('terraform')
    expect(row).toEqual({ 'workspace-terraform-version': '1.10.5' })
  })

  it('knows the later fields in one of them only', async () => {
    const [workspace] = await rowsOf(
      call,
      { type: 'workspaces', 'filter[0][tags][contains][0]': 'tier:1' },
      'hashicorp',
    )
    expect(Object.keys(workspace ?? {}).slice(25)).toEqual([
      'current-rum-count',
      'resource-count',
      'source-module-id',
      'tags',
    ])
  })

  it('filters modules by registry type in both, as a sample of the spec does', async () => {
    const parameters = { type: 'modules', 'filter[0][registry_type][is][0]': 'public' }
    const neutral = await rowsOf(call, parameters)
    const other = await rowsOf(call, parameters, 'hashicorp')
    expect(neutral.map(({ name }) => name)).toEqual(['tags', 'rds', 'vpc', 'vpc'])
    expect(Object.keys(neutral[0] ?? {})).toEqual(['name', 'source', 'version', 'workspace-count', 'workspaces'])
    expect(other.map((row) => row['registry-type'])).toEqual(['public', 'public', 'public', 'public'])
  })
})
