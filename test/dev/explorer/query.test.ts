import { describe, expect, it } from 'vitest'
import { views } from '../../../src/dev/explorer/fields.ts'
import { caller, explorerPath, query, rowsOf } from './calls.ts'

const call = caller()
const all = await rowsOf(call, { type: 'workspaces' })

const kebab = (field: string): string => field.replaceAll('_', '-')

describe('refusals', () => {
  it.each([
    ['type', {}],
    ['type', { type: 'stacks' }],
    ['type', { type: 'resources' }],
    ['sort', { type: 'workspaces', sort: 'name' }],
    ['sort', { type: 'workspaces', sort: 'workspace_name,project_name' }],
    ['fields', { type: 'workspaces', fields: 'workspace_name,updated_at' }],
    ['fields[workspaces]', { type: 'workspaces', 'fields[workspaces]': 'nothing' }],
    ['fields[modules]', { type: 'workspaces', 'fields[modules]': 'name' }],
    ['fields', { type: 'workspaces', fields: 'tags' }],
    ['fields', { type: 'workspaces', fields: 'workspace-name' }],
    ['sort', { type: 'workspaces', sort: '-workspace-name' }],
    ['filter[0][workspace-name][is][0]', { type: 'workspaces', 'filter[0][workspace-name][is][0]': 'a' }],
    ['filter[0][drifted][is][1]', { type: 'workspaces', 'filter[0][drifted][is][1]': 'true' }],
    ['filter', { type: 'workspaces', 'filter[1][drifted][is][0]': 'true' }],
    [
      'filter',
      { type: 'workspaces', 'filter[0][drifted][is][0]': 'true', 'filter[0][workspace_name][contains][0]': '-prod' },
    ],
    ['filter', { type: 'workspaces', filter: 'drifted is true' }],
    ['filter[0]', { type: 'workspaces', 'filter[0]': 'true' }],
    ['filter[x][drifted][is][0]', { type: 'workspaces', 'filter[x][drifted][is][0]': 'true' }],
    ['filter[0][drift][is][0]', { type: 'workspaces', 'filter[0][drift][is][0]': 'true' }],
    ['filter[0][drifted][is_not][0]', { type: 'workspaces', 'filter[0][drifted][is_not][0]': 'true' }],
    ['filter[0][drifted][is][0]', { type: 'workspaces', 'filter[0][drifted][is][0]': 'maybe' }],
    ['filter[0][drifted][is][0]', { type: 'workspaces', 'filter[0][drifted][is][0]': '' }],
    ['filter[0][module_count][gt][0]', { type: 'workspaces', 'filter[0][module_count][gt][0]': 'many' }],
    ['filter[0][workspace_created_at][is_after][0]', yesterday('yesterday')],
    ['filter[0][workspace_created_at][is_after][0]', yesterday('2026-02-30')],
    ['filter[0][workspace_created_at][is_after][0]', yesterday('2026-13-01')],
    ['filter[0][workspace_created_at][is_after][0]', yesterday('2026-11-21T25:00:00Z')],
    ['filter[0][workspace_name][__proto__][0]', { type: 'workspaces', 'filter[0][workspace_name][__proto__][0]': 'a' }],
  ])('names %s as the fault', async (parameter, parameters) => {
    for (const target of [query(parameters), query(parameters, `${explorerPath}/export/csv`)]) {
      const { status, json } = await call('GET', target)
      expect(status).toBe(422)
      expect(json.errors).toHaveLength(1)
      expect(json.errors[0]).toMatchObject({ status: '422', title: 'invalid parameter', source: { parameter } })
      expect(json.errors[0].detail).not.toBe('')
    }
  })

  function yesterday(text: string) {
    return { type: 'workspaces', 'filter[0][workspace_created_at][is_after][0]': text }
  }

  it('says which operators and views there are', async () => {
    const operator = await call('GET', query({ type: 'workspaces', 'filter[0][module_count][contains][0]': '1' }))
    expect(operator.json.errors[0].detail).toBe(
      'contains is not an operator of module_count; use is, is_not, is_empty, is_not_empty, gt, lt, gteq, lteq',
    )
    const view = await call('GET', query({ type: 'stacks' }))
    expect(view.json.errors[0].detail).toBe('type must be one of workspaces, tf_versions, providers, modules')
  })
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

  it('keeps the usual order among equals', async () => {
    const rows = await rowsOf(call, { type: 'workspaces', sort: '-drifted' })
    expect(rows.slice(0, 37)).toEqual(all.filter((row) => row['drifted'] === true))
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

  it('sorts times', async () => {
    const rows = await rowsOf(call, { type: 'workspaces', sort: '-workspace_updated_at' })
    const times = rows.map((row) => Date.parse(row['workspace-updated-at']))
    expect(times).toEqual(times.toSorted((one, other) => other - one))
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
  it('takes filters of one index, gaps, names with dashes and only the first value of a filter in that of the product', async () => {
    const rows = await rowsOf(
      call,
      {
        type: 'workspaces',
        fields: 'workspace-name,drifted',
        'filter[3][workspace-name][contains][0]': 'payments',
        'filter[3][drifted][is][0]': 'true',
        'filter[3][drifted][is][1]': 'false',
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
