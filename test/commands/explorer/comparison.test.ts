import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/commands/explorer/diff/comparison.ts'
import { byKey, changesView, compare } from '../../../src/commands/explorer/diff/comparison.ts'
import type { Column } from '../../../src/core/output.ts'

type Row = Record<string, string | number | boolean | null>

test('two rows with the same key are refused', () => {
  const rows = [{ name: null, version: '1' }, { version: '2' }, { name: 'a', version: '1' }]
  expect(byKey(rows, ['name', 'version'], Error).size).toBe(3)
  for (const again of [{ version: '1' }, { name: 'a', version: '1' }])
    expect(() => byKey([...rows, again], ['name', 'version'], Error)).toThrow(
      new Error(`name ${again.name ?? ''}, version 1`),
    )
})

function changesOf(before: readonly Row[], after: readonly Row[], asText = false) {
  const fields = [...new Set([...before, ...after].flatMap(Object.keys))].filter((field) => field !== 'id')
  const keyed = (rows: readonly Row[]) => byKey(rows, ['id'], Error)
  return { fields, ...compare(keyed(before), keyed(after), { key: ['id'], fields, asText }) }
}

describe('two values of a field', () => {
  test.each([
    ['drifted', true, true, 'same', 'same'],
    ['drifted', true, false, 'differ', 'differ'],
    ['project_name', null, '', 'differ', 'same'],
    ['project_name', null, null, 'same', 'same'],
    ['project_name', 'a, b', 'b, a', 'differ', 'differ'],
    ['providers', 'b, a,c', 'c,a, b', 'same', 'same'],
    ['providers', 'a,,b', 'a, b,', 'same', 'same'],
    ['providers', 'a, a', 'a', 'differ', 'differ'],
    ['providers', 'a', null, 'differ', 'differ'],
    ['workspace_updated_at', '2026-11-20T10:00:00.999Z', '2026-11-20T11:00:00+01:00', 'differ', 'same'],
    ['workspace_updated_at', '2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.999Z', 'differ', 'same'],
    ['workspace_updated_at', '2026-11-20T09:59:59.999Z', '2026-11-20T10:00:00.000Z', 'differ', 'differ'],
    ['workspace_updated_at', '2026-11-20 10:00:00', '2026-11-20T10:00:00.999+00:00', 'differ', 'same'],
    ['workspace_updated_at', 'never', 'ever', 'differ', 'differ'],
    ['project_name', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00.1Z', 'differ', 'differ'],
  ])('%s: %j and %j %s, and where the older one is a CSV %s', (field, before, after, asJson, asCsv) => {
    const outcome = (asText: boolean) =>
      changesOf([{ id: 1, [field]: before }], [{ id: 1, [field]: after }], asText).unchanged === 1 ? 'same' : 'differ'
    expect([outcome(false), outcome(true)]).toEqual([asJson, asCsv])
  })
})

test('a change has the fields of its key, and those of both results', () => {
  const { changes, unchanged } = changesOf(
    [
      { id: 1, a: 1, b: 2 },
      { id: 2, a: 1 },
    ],
    [{ id: 1, a: 2 }, { id: 3 }],
  )
  expect(changes).toEqual([
    { change: 'added', id: 3, changed: [], before: null, after: { a: null, b: null } },
    { change: 'changed', id: 1, changed: ['a', 'b'], before: { a: 1, b: 2 }, after: { a: 2, b: null } },
    { change: 'removed', id: 2, changed: [], before: { a: 1, b: null }, after: null },
  ])
  expect(unchanged).toBe(0)
})

function viewOf(
  view: string,
  before: readonly Row[],
  after: readonly Row[],
  more: { key?: string[]; asked?: string[] | undefined; isCsv?: boolean } = {},
) {
  const { changes, fields } = changesOf(before, after)
  const { key = ['id'], asked, isCsv = false } = more
  const shown = changesView(view, changes, { key, fields, asked, isCsv })
  const columns = shown.columns as readonly Column<Change>[]
  return { ...shown, changes, columns, below: changes.map((change) => shown.folded?.below(change as never) ?? []) }
}

const piped = { now: new Date(), wide: false, absoluteTimes: false, draws: false, width: undefined }

/** A column's cells, as text for people and as values. */
function cellsOf({ columns, changes }: ReturnType<typeof viewOf>, name: string, showing: object = {}) {
  const column = columns.find((one) => one.name === name)
  return changes.map((change) => [column?.show?.(change, { ...piped, ...showing }), column?.value(change)])
}

describe('a table of changes', () => {
  test.each([
    ['workspaces', { workspace_name: 'a', project_name: 'b' }, ['change', 'workspace', 'project']],
    ['workspaces', { workspace_name: 'a' }, ['change', 'workspace']],
    ['workspaces', { drifted: true }, ['change', 'id', 'drifted']],
    ['workspaces', { resources_drifted: 1 }, ['change', 'id', 'resources_drifted']],
    ['tf_versions', { version: '1', workspace_count: 1 }, ['change', 'version', 'used by']],
    ['providers', { name: 'a', version: '1', source: 'b' }, ['change', 'name', 'version', 'source']],
    ['modules', { name: 'a', version: '1', source: 'b' }, ['change', 'name', 'version', 'source']],
    [
      'resources',
      { address: 'a', workspace_name: 'b', module_name: 'c' },
      ['change', 'address', 'workspace', 'module_name'],
    ],
    ['gadgets', { name: 'a' }, ['change', 'id']],
  ])('of %s with %j has the columns %j', (view, row, titles) => {
    expect(viewOf(view, [], [{ id: 1, ...row }]).columns.map(({ name, title = name }) => title)).toEqual(titles)
  })

  test('has the fields that changed in any row, the usual ones first, or those of --fields', () => {
    const before = {
      id: 1,
      workspace_name: 'a',
      module_count: 1,
      drifted: true,
      current_run_status: 'x',
      checks_failed: 0,
    }
    const after = { ...before, module_count: 2, drifted: false }
    const names = (asked?: string[]) =>
      viewOf('workspaces', [before], [after, { ...before, id: 2 }], { asked }).columns.map(({ name }) => name)
    expect(names()).toEqual(['change', 'workspace_name', 'drifted', 'module_count'])
    expect(names(['id', 'checks_failed', 'workspace_name'])).toEqual(['change', 'workspace_name', 'checks_failed'])
    const one = viewOf('workspaces', [before], [{ ...before, checks_failed: 1 }])
    expect(one.columns.map(({ name }) => name)).toEqual(['change', 'workspace_name', 'checks_failed'])
  })

  test('takes other names of its columns', () => {
    const { columns } = viewOf('workspaces', [], [{ id: 1, workspace_tool_version: '1', resources_drifted: 1 }], {
      asked: ['workspace_tool_version', 'resources_drifted'],
    })
    expect(columns.map(({ also }) => also).slice(-2)).toEqual(['workspace_terraform_version', 'drift count'])
  })

  test('names a row by its present name, and elsewhere by both', () => {
    const row = (id: number, name: string | null) => ({ id, workspace_name: name, project_name: null })
    const before = [row(1, 'a'), row(2, null), row(3, 'c')]
    const shown = viewOf('workspaces', before, [row(1, 'b'), row(2, 'b'), row(4, 'd')])
    expect(cellsOf(shown, 'workspace_name')).toEqual([
      ['d', 'd'],
      ['b', 'b'],
      ['b', 'b'],
      ['c', 'c'],
    ])
    for (const showing of [{ wide: true }, { absoluteTimes: true }])
      expect(cellsOf(shown, 'workspace_name', showing).map(([cell]) => cell)).toEqual(['d', 'a → b', '(none) → b', 'c'])
    expect(cellsOf(shown, 'project_name')[0]?.[0]).toBe('')
    expect(cellsOf(viewOf('gadgets', [{ id: 1 }], [{ id: 2 }]), 'id')).toEqual([
      ['2', 2],
      ['1', 1],
    ])
    expect(shown.columns.map(({ whole }) => whole)).toEqual([undefined, true, true])
  })

  test('shows a value, a change, and nothing of what was removed', () => {
    const row = (id: number, at: string | number | null) => ({ id, workspace_updated_at: at })
    const before = [row(1, '2026-11-20T10:00:00Z'), row(2, '2026-11-20T10:00:00Z'), row(3, 5)]
    const now = [row(1, '2026-11-20T11:00:30Z'), row(2, '2026-11-20T10:00:30Z'), row(4, null), row(5, 5)]
    expect(cellsOf(viewOf('workspaces', before, now), 'workspace_updated_at')).toEqual([
      ['', null],
      ['5', 5],
      [{ text: '2026-11-20 10:00 UTC → 2026-11-20 11:00 UTC', whole: true }, '2026-11-20T11:00:30Z'],
      [{ text: '2026-11-20T10:00:00Z → 2026-11-20T10:00:30Z', whole: true }, '2026-11-20T10:00:30Z'],
      ['', null],
    ])
  })

  test('names a row by its whole key', () => {
    const row = { source: 'a/b', version: '5.0' }
    const name = viewOf('providers', [], [], { key: ['source', 'version'] }).name as (row: object) => string
    expect([name(row), name({ ...row, source: null })]).toEqual(['a/b 5.0', ' 5.0'])
  })

  test.each([
    [4, {}, false],
    [5, {}, true],
    [1, { workspace_name: 'b' }, true],
    [0, { workspace_name: 'b' }, true],
  ])('with %i changed fields and %j has lines below its rows: %s', (count, renamed, isFolded) => {
    const fields = Array.from({ length: count }, (_, index) => `f${index}`)
    const row = { workspace_name: 'a', ...Object.fromEntries(fields.map((field) => [field, 1])) }
    const changed = { ...row, ...Object.fromEntries(fields.map((field) => [field, 2])), ...renamed }
    const { folded } = viewOf(
      'workspaces',
      [{ id: 1, ...row }],
      [
        { id: 1, ...changed },
        { id: 2, ...row },
      ],
    )
    expect(folded).toMatchObject({ columns: 2, always: isFolded })
  })
})

describe('the lines below a row', () => {
  test.each([
    [
      { drifted: false, module_count: 1 },
      { drifted: true, module_count: 2 },
      ['drifted       false → true', 'module_count  1 → 2'],
    ],
    [{ version: '1.10.0' }, { version: '1.11.0' }, ['version  1.10.0 → 1.11.0']],
    [{ providers: 'a/b, c/d' }, { providers: 'c/d, e/f, g/h' }, ['providers  removed a/b; added e/f, g/h']],
    [{ providers: 'a/b, c/d, e/f' }, { providers: 'e/f' }, ['providers  removed a/b, c/d']],
    [{ providers: 'a/b' }, { providers: 'a/b, c/d' }, ['providers  added c/d']],
    [{ providers: null }, { providers: 'a/b' }, ['providers  added a/b']],
    [{ providers: 'a/b' }, { providers: '' }, ['providers  removed a/b']],
    [{ project_name: null }, { project_name: 'a' }, ['project_name  (none) → a']],
  ])('%j → %j', (before, after, lines) => {
    expect(viewOf('gadgets', [{ id: 1, ...before }], [{ id: 1, ...after }]).below).toEqual([lines])
  })

  test('of a new row are its fields, of a removed one none', () => {
    const old = { id: 1, workspace_name: 'a', drifted: true, module_count: 1, workspace_updated_at: null }
    const added = { ...old, id: 2, module_count: null, workspace_updated_at: '2026-11-20T10:00:00Z' }
    const fields = ['drifted', 'module_count', 'workspace_updated_at']
    const { below } = viewOf('workspaces', [old], [added], { asked: fields })
    expect(below).toEqual([['drifted true, workspace_updated_at 2026-11-20 10:00 UTC'], []])
    expect(viewOf('workspaces', [], [added], { asked: ['module_count'] }).below).toEqual([[]])
    expect(viewOf('workspaces', [], [added], { asked: ['drifted'] }).below).toEqual([['drifted true']])
  })
})
