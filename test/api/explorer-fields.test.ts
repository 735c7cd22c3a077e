import { expect, test } from 'vitest'
import {
  anyField,
  fieldsOf,
  findField,
  findOperator,
  isListField,
  laterName,
  operators,
  operatorsOf,
  shownFields,
  signs,
  specField,
  specFields,
  viewNames,
  viewOfRows,
  wireField,
  wireOperator,
} from '../../src/api/explorer-fields.ts'
import { says } from '../support/told.ts'

const everyField = viewNames().flatMap((view) => fieldsOf(view))

test('each view has the fields of the specification, then later ones', () => {
  expect(
    viewNames().map((view) => [view, specFields(view).length, fieldsOf(view).slice(specFields(view).length)]),
  ).toMatchObject([
    [
      'workspaces',
      25,
      [
        { name: 'current_rum_count', type: 'number' },
        { name: 'resource_count', type: 'number' },
        { name: 'source_module_id', type: 'string' },
        { name: 'tags', type: 'string' },
      ],
    ],
    ['tf_versions', 3, [{ name: 'unique_identifier', type: 'string' }]],
    [
      'providers',
      5,
      [
        { name: 'registry_type', type: 'string' },
        { name: 'curated', type: 'boolean' },
      ],
    ],
    [
      'modules',
      5,
      [
        { name: 'registry_type', type: 'string' },
        { name: 'curated', type: 'boolean' },
      ],
    ],
    ['resources', 15, []],
  ])
  expect([specFields('nope'), fieldsOf('nope'), shownFields('nope')]).toEqual([[], [], undefined])
  const names = specFields('workspaces').map(({ name }) => name)
  expect(names).toEqual(names.toSorted())
})

test('each field has a meaning, and is unique in its view', () => {
  expect(everyField.filter(({ meaning, name }) => meaning === '' || name === '')).toEqual([])
  for (const view of viewNames())
    expect(new Set(fieldsOf(view).map(({ name }) => name)).size).toBe(fieldsOf(view).length)
})

test('a count of workspaces says what they use', () => {
  const meaning = (view: string) => findField(fieldsOf(view), 'workspace_count')?.meaning
  expect(['tf_versions', 'providers', 'modules'].map(meaning)).toEqual([
    says('… this version'),
    says('… this provider version'),
    says('… this module version'),
  ])
})

test('the types of fields', () => {
  const ofType = (type: string) => [...new Set(everyField.filter((one) => one.type === type).map(({ name }) => name))]
  expect(ofType('boolean')).toEqual(['all_checks_succeeded', 'drifted', 'curated', 'billable_rum'])
  expect(ofType('datetime')).toEqual([
    'current_run_applied_at',
    'workspace_created_at',
    'workspace_updated_at',
    'source_updated_at',
  ])
  expect(ofType('number')).toEqual([
    'checks_errored',
    'checks_failed',
    'checks_passed',
    'checks_unknown',
    'module_count',
    'provider_count',
    'resources_drifted',
    'resources_undrifted',
    'current_rum_count',
    'resource_count',
    'workspace_count',
  ])
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

test.each([
  ['boolean', ['is', 'is_empty', 'is_not_empty']],
  ['number', ['is', 'is_not', 'is_empty', 'is_not_empty', 'gt', 'lt', 'gteq', 'lteq']],
  ['string', ['is', 'is_not', 'contains', 'does not contain', 'is_empty', 'is_not_empty']],
  ['datetime', ['is_before', 'is_after', 'within', 'older than']],
] as const)('the operators of a %s', (type, names) => {
  expect(operatorsOf(type).map(({ name }) => name)).toEqual(names)
})

test('operators without a value, and those that are sent as another', () => {
  expect(operators.filter(({ alone }) => alone === true).map(({ name }) => name)).toEqual(['is_empty', 'is_not_empty'])
  expect(operators.flatMap(({ name, sent }) => (sent === undefined ? [] : [[name, sent]]))).toEqual([
    ['within', 'is_after'],
    ['older than', 'is_before'],
  ])
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
