import { describe, expect, it, test } from 'vitest'
import { compareVersions } from '../../../src/dev/explorer/rows.ts'
import { caller, rowsOf } from './calls.ts'

const call = caller()
const workspaces = await rowsOf(call, { type: 'workspaces' }, 'hashicorp')
const values = (name: string): any[] => workspaces.map((row) => row[name])

describe('the demo workspaces', () => {
  it('have drifted, 37 of them, payments-prod by 4', () => {
    expect(values('drifted').filter((value) => value === true)).toHaveLength(37)
    expect(workspaces[0]).toMatchObject({
      'workspace-name': 'payments-prod',
      'project-name': 'Payments',
      drifted: true,
      'resources-drifted': 4,
      'workspace-terraform-version': '1.10.5',
    })
  })

  it('agree with themselves', () => {
    for (const row of workspaces) {
      expect(row['drifted']).toBe(row['resources-drifted'] === null ? null : row['resources-drifted'] > 0)
      if (row['resources-drifted'] !== null) {
        expect(row['resources-drifted'] + row['resources-undrifted']).toBe(row['resource-count'])
        expect(row['resources-undrifted']).toBeGreaterThanOrEqual(0)
      }
      expect(row['module-count']).toBe(row['modules']?.split(', ').length ?? 0)
      expect(row['provider-count']).toBe(row['providers']?.split(', ').length ?? 0)
      expect(row['current-run-applied-at'] !== null).toBe(row['current-run-status'] === 'applied')
    }
  })
})

describe('what is in use', () => {
  it('counts the workspaces of every version', async () => {
    for (const row of await rowsOf(call, { type: 'tf_versions' })) {
      const users = workspaces.filter((one) => one['workspace-terraform-version'] === row['version'])
      expect(row['workspaces']).toBe(users.map((one) => one['workspace-name']).join(', '))
      expect(row['workspace-count']).toBe(users.length)
    }
    const versions = (await rowsOf(call, { type: 'tf_versions' })).map(({ version }) => version)
    expect(versions).toEqual([...new Set(values('workspace-terraform-version'))].toSorted(compareVersions))
    expect(versions).toEqual(expect.arrayContaining(['1.9.8', '1.10.5']))
  })

  it.each([
    ['providers', (row: Record<string, any>) => `${row['source'].replace('/', '/providers/')}/${row['version']}`],
    ['modules', (row: Record<string, any>) => `${row['name']}:${row['version']}`],
  ])('derives %s from the workspaces', async (type, entry) => {
    const rows = await rowsOf(call, { type })
    const named = new Map(workspaces.map((one) => [one['workspace-name'], one]))
    for (const row of rows) {
      const users = row['workspaces'].split(', ')
      expect(users).toHaveLength(row['workspace-count'])
      for (const user of users) expect(named.get(user)?.[type].split(', ')).toContain(entry(row))
    }
    const uses = workspaces.flatMap((one) => one[type]?.split(', ') ?? [])
    expect(rows.reduce((sum, row) => sum + row['workspace-count'], 0)).toBe(uses.length)
    expect(new Set(rows.map((row) => `${row['source']} ${row['version']}`)).size).toBe(rows.length)
  })
})

test.each([
  ['1.9.10', '1.10.0'],
  ['1.9', '1.9.0'],
  ['1.12.0-rc1', '1.12.0'],
  ['1.0.0', 'latest'],
])('version %s comes before %s', (one, other) => {
  expect([compareVersions(one, other), compareVersions(other, one)].map(Math.sign)).toEqual([-1, 1])
})
