import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/dev/http.ts'
import { caller, explorerPath, query, rowsOf } from './calls.ts'

const call = caller()
const all = await rowsOf(call, { type: 'workspaces' })

/** The workspaces that pass filters, written `field operator value`. */
function filtered(...filters: readonly (readonly [field: string, operator: string, value: string])[]) {
  const parameters = filters.map(([field, operator, value], index) => [
    `filter[${index}][${field}][${operator}][0]`,
    value,
  ])
  return rowsOf(call, { type: 'workspaces', ...Object.fromEntries(parameters) })
}

describe('operators', () => {
  const drifted = (row: Record<string, any>) => row['resources-drifted']
  it.each<[field: string, operator: string, value: string, passes: (row: Record<string, any>) => boolean]>([
    ['drifted', 'is', 'true', (row) => row['drifted'] === true],
    ['drifted', 'is', 'False', (row) => row['drifted'] === false],
    ['drifted', 'is_empty', '', (row) => row['drifted'] === null],
    ['drifted', 'is_not_empty', 'false', (row) => row['drifted'] !== null],
    ['resources_drifted', 'is', '4', (row) => drifted(row) === 4],
    ['resources_drifted', 'is_not', '0', (row) => drifted(row) !== 0],
    ['resources_drifted', 'gt', '3', (row) => drifted(row) !== null && drifted(row) > 3],
    ['resources_drifted', 'gteq', '3', (row) => drifted(row) !== null && drifted(row) >= 3],
    ['resources_drifted', 'lt', '3', (row) => drifted(row) !== null && drifted(row) < 3],
    ['resources_drifted', 'lteq', '3.0', (row) => drifted(row) !== null && drifted(row) <= 3],
    ['resources_drifted', 'is_empty', 'anything', (row) => drifted(row) === null],
    ['current_run_status', 'is', 'applied', (row) => row['current-run-status'] === 'applied'],
    ['current_run_status', 'is_not', 'applied', (row) => row['current-run-status'] !== 'applied'],
    ['workspace_name', 'contains', 'pay', (row) => row['workspace-name'].includes('pay')],
    ['modules', 'does not contain', 'vpc', (row) => row['modules'] === null || !row['modules'].includes('vpc')],
    ['vcs_repo_identifier', 'is_empty', 'true', (row) => row['vcs-repo-identifier'] === null],
    ['vcs_repo_identifier', 'is_not_empty', 'true', (row) => row['vcs-repo-identifier'] !== null],
    ['workspace_updated_at', 'is_after', '2026-10-01', (row) => row['workspace-updated-at'] > '2026-10-01T'],
    ['workspace_updated_at', 'is_before', '2026-10-01', (row) => row['workspace-updated-at'] < '2026-10-01T'],
    [
      'current_run_applied_at',
      'is_before',
      '2026-10-01',
      (row) => row['current-run-applied-at'] !== null && row['current-run-applied-at'] < '2026-10-01T',
    ],
  ])('%s %s %s', async (field, operator, value, passes) => {
    const found = await filtered([field, operator, value])
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(all.length)
    expect(found).toEqual(all.filter(passes))
  })

  it('is case-sensitive', async () => {
    const names = (rows: Record<string, any>[]) => rows.map((row) => row['workspace-name'])
    expect(names(await filtered(['workspace_name', 'is', 'billing-api-prod']))).toEqual(['billing-api-prod'])
    expect(names(await filtered(['workspace_name', 'contains', 'Billing-API-p']))).toEqual(['Billing-API-prod'])
  })
})

describe('spellings', () => {
  const count = async (field: string, operator: string, value: string, dialect: Dialect) => {
    const target = query({ type: 'workspaces', [`filter[0][${field}][${operator}][0]`]: value })
    const { status, json } = await call('GET', target, { dialect })
    return status === 200 ? json.meta.pagination['total-count'] : status
  }

  it.each(['does_not_contain', 'does-not-contain', 'does not contain', ' does  not contain'])(
    '"%s" is an operator of the product, and the specification has one of them',
    async (operator) => {
      const found = all.filter((row) => !row['workspace-name'].includes('prod')).length
      expect(await count('workspace_name', operator, 'prod', 'hashicorp')).toBe(found)
      expect(await count('workspace_name', operator, 'prod', 'neutral')).toBe(
        operator === 'does not contain' ? found : 422,
      )
    },
  )

  it('takes a field by its name in the dialect', async () => {
    const found = all.filter((row) => row['workspace-tool-version'] === '1.10.5').length
    expect(await count('workspace_tool_version', 'is', '1.10.5', 'neutral')).toBe(found)
    expect(await count('workspace_terraform_version', 'is', '1.10.5', 'hashicorp')).toBe(found)
    expect(await count('workspace_tool_version', 'is', '1.10.5', 'hashicorp')).toBe(422)
    expect(await count('workspace_terraform_version', 'is', '1.10.5', 'neutral')).toBe(422)
  })

  it('reads a name with dashes, as the real service does', async () => {
    const target = (name: string) => `${explorerPath}?type=workspaces&filter[0][${name}][is][0]=payments-prod`
    const { json } = await call('GET', target('workspace-name'), { dialect: 'hashicorp' })
    expect(json.data).toEqual((await call('GET', target('workspace_name'), { dialect: 'hashicorp' })).json.data)
    expect(json.data).toHaveLength(1)
  })

  it.each([
    ['gaps, which the official Go client leaves', 'filter[0][drifted][is][0]=true&filter[2][module_count][gt][0]=99'],
    ['an index used twice', 'filter[0][drifted][is][0]=true&filter[0][module_count][gt][0]=99'],
  ])('accepts %s, as the product does and the document does not', async (_, filters) => {
    const target = `${explorerPath}?type=workspaces&${filters}`
    expect((await call('GET', target, { dialect: 'hashicorp' })).json.data).toEqual([])
    expect((await call('GET', target)).status).toBe(422)
  })

  it('takes indexes in any order', async () => {
    const target = `${explorerPath}?type=workspaces&filter[1][drifted][is][0]=true&filter[0][module_count][gt][0]=99`
    expect((await call('GET', target)).json.data).toEqual([])
  })

  it.each([
    ['module_count', 'gt', 'x'],
    ['module_count', 'is', ''],
    ['drifted', 'is', 'yes'],
    ['workspace_updated_at', 'is_before', 'soon'],
  ])('refuses a value of another type: %s %s %s', async (field, operator, value) => {
    for (const dialect of ['neutral', 'hashicorp'] as const)
      expect(await count(field, operator, value, dialect)).toBe(422)
  })
})
