import { describe, expect, it } from 'vitest'
import { compareVersions } from '../../../src/dev/explorer/filters.ts'
import { caller, clock, rowsOf } from './calls.ts'

const call = caller()
const workspaces = await rowsOf(call, { type: 'workspaces' }, 'hashicorp')
const values = (name: string): any[] => workspaces.map((row) => row[name])

describe('the demo workspaces', () => {
  it.each([
    'all-checks-succeeded',
    'checks-errored',
    'checks-failed',
    'checks-passed',
    'checks-unknown',
    'current-run-applied-at',
    'current-run-external-id',
    'current-run-status',
    'drifted',
    'modules',
    'providers',
    'resources-drifted',
    'resources-undrifted',
    'state-version-terraform-version',
    'vcs-repo-identifier',
    'source-module-id',
    'tags',
  ])('have and miss %s', (name) => {
    expect(values(name).filter((value) => value === null).length).toBeGreaterThan(0)
    expect(values(name).filter((value) => value !== null).length).toBeGreaterThan(0)
  })

  it('never have an empty text', () => {
    expect(workspaces.flatMap((row) => Object.values(row)).filter((value) => value === '')).toEqual([])
  })

  it('have names of their own, some of which differ only in case', () => {
    const names = values('workspace-name')
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBeLessThan(names.length)
    expect(new Set(values('external-id')).size).toBe(names.length)
  })

  it('lie in projects whose names need care', () => {
    const names = [...new Set(values('project-name'))]
    expect(names.some((name) => name.includes(',') && name.includes('"'))).toBe(true)
    expect(names.some((name) => /[^\u0000-\u007F]/.test(name))).toBe(true)
    expect(names.some((name) => name.startsWith('+'))).toBe(true)
  })

  it('have states of runs that nobody has heard of', () => {
    expect(values('current-run-status')).toEqual(expect.arrayContaining(['queued_for_review', 'awaiting_moon_phase']))
  })

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

  it('are older than now, in the order of their creation', () => {
    const created = values('workspace-created-at').map((text) => Date.parse(text))
    const updated = values('workspace-updated-at').map((text) => Date.parse(text))
    expect(created).toEqual(created.toSorted((one, other) => one - other))
    expect(updated.every((moment, index) => moment >= created[index]! && moment <= clock.now().getTime())).toBe(true)
    const week = clock.now().getTime() - 7 * 24 * 60 * 60 * 1000
    expect(updated.some((moment) => moment > week)).toBe(true)
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

describe('versions', () => {
  it.each([
    ['1.9.10', '1.10.0'],
    ['1.9', '1.9.0'],
    ['1.12.0-rc1', '1.12.0'],
    ['1.12.0-beta.2', '1.12.0-beta.10'],
    ['1.12.0-beta.2', '1.12.0-beta.x'],
    ['1.12.0-alpha', '1.12.0-alpha.1'],
    ['1.12.0-beta', '1.12.0-rc1'],
    ['1.0.0', 'latest'],
  ])('%s comes before %s', (one, other) => {
    expect(Math.sign(compareVersions(one, other))).toBe(-1)
    expect(Math.sign(compareVersions(other, one))).toBe(1)
    expect(compareVersions(one, one)).toBe(0)
  })
})
