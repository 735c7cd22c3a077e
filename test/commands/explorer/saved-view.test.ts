import { describe, expect, test } from 'vitest'
import type { AnsweredView } from '../../../src/api/explorer.ts'
import { isSameQuery } from '../../../src/commands/explorer/views/decide.ts'
import {
  filterParts,
  readSavedView,
  readStoredQuery,
  savedViewBody,
  savedViewOf,
} from '../../../src/commands/explorer/views/saved-view.ts'
import type { Json } from '../../../src/core/json.ts'

const none = { filter: [], fields: [], sort: [], more: [] }
const drifted = { field: 'drifted', operator: 'is', value: ['true'] }

describe('a saved view is read', () => {
  const flat = { id: 'sq-1', name: 'A', type: 'modules', created_at: '2026-11-18T07:30:00Z', query: { filter: [] } }

  test.each([
    { attributes: { name: 'A', 'query-type': 'modules', 'created-at': flat.created_at, query: { filter: [] } } },
    { name: 'A', query_type: 'modules', created_at: flat.created_at, query: { filter: [] } },
    { name: 'A', 'query-type': 'modules', query_type: 'x', 'created-at': flat.created_at, created_at: 'x' },
  ])('from %j', (view) => {
    expect(readSavedView({ id: 'sq-1', ...view })).toEqual(flat)
  })

  test('with its view only in the query, without a name and without anything', () => {
    const bare = { id: 'sq-1', name: null, type: null, created_at: null, query: { filter: [] } }
    expect(readSavedView({ id: 'sq-1' })).toEqual(bare)
    expect(readSavedView({ id: 'sq-1', query: { type: 'modules' } })).toEqual({
      ...bare,
      type: 'modules',
      query: { type: 'modules' },
    })
  })

  test('with the keys of its query in their order, and no empty fields or sorting', () => {
    const query = { sort: 'a,-workspace-terraform-version', limit: [], fields: [], filter: [] }
    const read = readSavedView({ id: 'sq-1', query }).query
    expect(JSON.stringify(read)).toBe('{"sort":["a","-workspace_tool_version"],"limit":[],"filter":[]}')
  })

  test('only if it has a query', () => {
    const view = { id: 'sq-1', query: {} } as AnsweredView
    expect(savedViewOf({ data: view })).toBe(view)
    const message = 'unexpected response: the saved view has no query'
    expect(() => savedViewOf({ data: { id: 'sq-1' } })).toThrow(message)
  })
})

test.each<[Json | undefined, object]>([
  [undefined, {}],
  [{}, {}],
  [{ filter: drifted }, { filter: [drifted] }],
  [{ filter: [drifted, 'drifted is true', 5, null] }, { filter: [drifted] }],
  [{ filter: [{ ...drifted, note: 1 }] }, { filter: [{ ...drifted, note: 1 }] }],
  [
    { filter: [{ field: 'workspace-terraform-version', operator: 'does_not_contain', value: 'x' }] },
    { filter: [{ field: 'workspace_tool_version', operator: 'does not contain', value: ['x'] }] },
  ],
  [
    {
      filter: [
        { field: null, value: null },
        { field: 'odd', operator: 'rounds_to' },
      ],
    },
    {
      filter: [
        { field: '', operator: '', value: [] },
        { field: 'odd', operator: 'rounds_to', value: [] },
      ],
    },
  ],
  [
    { filter: { 'module-count': { gt: 1, lt: [5] }, drifted: { is: 'true' }, odd: 'x' } },
    {
      filter: [
        { field: 'module_count', operator: 'gt', value: [1] },
        { field: 'module_count', operator: 'lt', value: [5] },
        drifted,
      ],
    },
  ],
  [{ fields: ['workspace-name', 'odd', null] }, { fields: ['workspace_name', 'odd'] }],
  [{ fields: { workspaces: ['workspace-name'], modules: 'name' } }, { fields: ['workspace_name', 'name'] }],
  [{ fields: 'name' }, { fields: ['name'] }],
  [{ sort: '-module-count,name' }, { sort: ['-module_count', 'name'] }],
  [{ sort: ['-odd', 'workspace-name'] }, { sort: ['-odd', 'workspace_name'] }],
  [
    { type: 'modules', limit: 5, a: [] },
    {
      more: [
        ['limit', 5],
        ['a', []],
      ],
    },
  ],
])('the stored query %j', (stored, read) => {
  expect(readStoredQuery(stored)).toEqual({ ...none, ...read })
})

test('the values of a stored filter are texts', () => {
  expect(filterParts({ ...drifted, value: [true, 5, 'x', null] })).toEqual({
    ...drifted,
    value: ['true', '5', 'x', 'null'],
  })
})

describe('what is written of a saved view', () => {
  const query = {
    filter: [{ field: 'workspace_tool_version', operator: 'does not contain', value: ['1'], note: 'kept' }],
    fields: ['workspace_tool_version', 'odd'],
    sort: ['-workspace_tool_version'],
    more: [['limit', 5]] as const,
  }
  const view = { name: 'A', type: 'workspaces', query }

  test('has its view, and the form and names of either kind of service', () => {
    const { filter, fields, sort } = query
    const product = {
      type: 'workspaces',
      limit: 5,
      filter: [{ workspace_terraform_version: { does_not_contain: ['1'] } }],
      fields: { workspaces: ['workspace_terraform_version', 'odd'] },
      sort: ['-workspace_terraform_version'],
    }
    const attributes = { name: 'A', 'query-type': 'workspaces', query: product }
    expect(savedViewBody(view, 'documented', false)).toEqual({
      body: { data: { name: 'A', query_type: 'workspaces', query: { limit: 5, filter, fields, sort } } },
      productBody: { data: { type: 'explorer-saved-queries', attributes } },
    })
  })

  test('as JSON:API', () => {
    const attributes = {
      name: 'A',
      'query-type': 'workspaces',
      query: {
        type: 'workspaces',
        limit: 5,
        filter: [{ workspace_tool_version: { 'does not contain': ['1'] } }],
        fields: { workspaces: query.fields },
        sort: query.sort,
      },
    }
    expect(savedViewBody(view, 'jsonapi', false).body).toEqual({
      data: { type: 'explorer-saved-queries', attributes },
    })
    const { body } = savedViewBody({ id: 'sq-1', name: 'A', type: 'workspaces', query: {} }, 'jsonapi', false)
    expect(body).toEqual({
      data: { type: 'explorer-saved-queries', id: 'sq-1', attributes: { name: 'A', query: { type: 'workspaces' } } },
    })
  })
})

describe('equal queries', () => {
  const other = { field: 'module_count', operator: 'gt', value: ['1'] }
  test.each<[boolean, object, object]>([
    [true, {}, {}],
    [true, { filter: [drifted, other] }, { filter: [other, drifted] }],
    [false, { filter: [drifted] }, { filter: [other] }],
    [false, { filter: [drifted] }, { filter: [{ ...drifted, value: ['false'] }] }],
    [false, { filter: [drifted] }, { filter: [{ ...drifted, operator: 'is_not' }] }],
    [
      true,
      { filter: [{ ...drifted, operator: 'is_empty' }] },
      { filter: [{ ...drifted, operator: 'is_empty', value: [] }] },
    ],
    [true, { filter: [{ ...other, value: [1] }] }, { filter: [other] }],
    [false, { fields: ['name', 'version'] }, { fields: ['version', 'name'] }],
    [false, { sort: ['name'] }, {}],
    [true, { limit: 1, size: 2 }, { size: 2, limit: 1 }],
    [false, { limit: 1 }, { limit: 2 }],
  ])('%s: %j and %j', (equal, one, two) => {
    expect(isSameQuery(readStoredQuery(one as Json), readStoredQuery(two as Json))).toBe(equal)
  })
})
