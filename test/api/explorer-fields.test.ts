import { expect, test } from 'vitest'
import {
  anyField,
  fieldsOf,
  findField,
  findOperator,
  isListField,
  laterName,
  operatorsOf,
  shownFields,
  signs,
  specField,
  viewNames,
  viewOfRows,
  wireField,
  wireOperator,
} from '../../src/api/explorer-fields.ts'

const everyField = viewNames().flatMap((view) => fieldsOf(view))

test('each field has a meaning, and is unique in its view', () => {
  expect(everyField.filter(({ meaning, name }) => meaning === '' || name === '')).toEqual([])
  for (const view of viewNames())
    expect(new Set(fieldsOf(view).map(({ name }) => name)).size).toBe(fieldsOf(view).length)
})

test('the default columns are fields of their view', () => {
  for (const view of viewNames()) {
    const shown = shownFields(view) ?? []
    expect(shown.length).toBeGreaterThan(2)
    for (const name of shown) expect(findField(fieldsOf(view), name)?.name).toBe(name)
  }
})

test.each([
  ['workspaces', [], ['drifted'], undefined],
  ['resources', [], [], 'the view resources'],
  ['workspaces', [], ['drifted', 'tags'], 'the field tags'],
  ['workspaces', ['resource-count'], ['tags'], 'the field resource-count'],
  ['modules', ['registry_type'], [], undefined],
  ['modules', [], ['registry_type'], 'the field registry_type'],
  ['modules', ['curated'], [], 'the field curated'],
  ['providers', ['registry_type'], [], 'the field registry_type'],
  ['nope', ['tags'], [], undefined],
])('of %s filtered by %j, with %j, only newer services have: %s', (view, filtered, named, later) => {
  expect(laterName(view, { filtered, named })).toBe(later)
})

test('a field is found in either spelling', () => {
  const all = fieldsOf('workspaces')
  for (const typed of ['workspace_tool_version', 'workspace-terraform-version', 'WORKSPACE_TERRAFORM_VERSION'])
    expect([findField(all, typed)?.name, anyField(typed)?.name]).toEqual(Array(2).fill('workspace_tool_version'))
  // One view names a field as the product does.
  expect(anyField('terraform_version')?.name).toBe('terraform_version')
  expect([findField(all, 'nope'), anyField('nope')]).toEqual([undefined, undefined])
  expect(wireField('state_version_tool_version', 'hashicorp')).toBe('state_version_terraform_version')
  expect([wireField('drifted', 'hashicorp'), wireField('drifted', 'neutral')]).toEqual(['drifted', 'drifted'])
  expect(specField('state-version-terraform-version')).toBe('state_version_tool_version')
})

test('rows with all default columns of a view show which it is', () => {
  expect(viewNames().map((view) => viewOfRows([...(shownFields(view) ?? []), 'x']))).toEqual([
    'workspaces',
    'tf_versions',
    // Both have the same columns.
    'modules',
    'modules',
    'resources',
  ])
  expect(viewOfRows(['version', 'workspaces'])).toBeUndefined()
})

test('a symbol stands for an operator of its field type', () => {
  for (const [sign, meant] of Object.entries(signs)) {
    for (const [type, name] of Object.entries(meant))
      expect([sign, operatorsOf(type as 'string').map((one) => one.name)]).toEqual([
        sign,
        expect.arrayContaining([name]),
      ])
  }
})

test.each([
  ['is_not', 'is_not'],
  ['IS NOT', 'is_not'],
  ['is-not', 'is_not'],
  ['is__ not', 'is_not'],
  ['does_not_contain', 'does not contain'],
  ['isnot', undefined],
  [' is', undefined],
])('the operator %j is %s', (typed, name) => {
  expect(findOperator(typed)?.name).toBe(name)
})

test('operators and lists on the wire', () => {
  expect(wireOperator('does not contain', 'hashicorp')).toBe('does_not_contain')
  expect(wireOperator('does not contain', 'neutral')).toBe('does not contain')
  expect(wireOperator('does_not_contain', 'neutral')).toBe('does not contain')
  expect(wireOperator('is_not', 'neutral')).toBe('is_not')
  expect(everyField.filter(({ name }) => isListField(name)).map(({ name }) => name)).toEqual([
    'modules',
    'providers',
    'tags',
    'workspaces',
    'workspaces',
    'workspaces',
  ])
})
