import { expect, test } from 'vitest'
import { TugError } from '../../../src/core/errors.ts'
import type { Condition, Scope } from '../../../src/commands/explorer/filter.ts'
import {
  asTyped,
  filterText,
  parseFilter,
  readField,
  readFilter,
  readSort,
  readView,
} from '../../../src/commands/explorer/filter.ts'
import { queryParameters } from '../../../src/commands/explorer/query.ts'
import { operators, viewNames } from '../../../src/api/explorer-fields.ts'
import { tug } from '../../support/run.ts'
import { mentions, says, told } from '../../support/told.ts'

const workspaces: Scope = {
  view: 'workspaces',
  check: true,
  now: () => new Date('2026-11-21T07:30:00.500Z'),
}

function parts(text: string, scope = workspaces) {
  const { field, operator, value } = parseFilter(text, scope)
  return [field, operator, ...value]
}

const sentFilters = (filters: readonly Condition[]) =>
  queryParameters({ view: 'workspaces', filters, sort: [], fields: [] }).slice(1)

/** What a call throws. */
function failureOf(call: () => unknown): TugError {
  try {
    call()
  } catch (error) {
    return error as TugError
  }
  throw new Error('nothing was thrown')
}

test.each([
  ['workspace_name contains prod', ['workspace_name', 'contains', 'prod']],
  ['drifted is TRUE', ['drifted', 'is', 'true']],
  ['module_count gteq 5', ['module_count', 'gteq', '5']],
  ['  module_count   gteq   5  ', ['module_count', 'gteq', '5']],
  ['vcs_repo_identifier is_empty', ['vcs_repo_identifier', 'is_empty', 'true']],
  ['vcs_repo_identifier is not empty', ['vcs_repo_identifier', 'is_not_empty', 'true']],
  ['project_name is-not x', ['project_name', 'is_not', 'x']],
  ['project_name is not-prod', ['project_name', 'is', 'not-prod']],
  ['project_name is not "empty"', ['project_name', 'is_not', 'empty']],
  ['project_name does_not_contain x', ['project_name', 'does not contain', 'x']],
  ['project_name does-not contain x', ['project_name', 'does not contain', 'x']],
  ['project_name Does Not Contain x y', ['project_name', 'does not contain', 'x y']],
  ["project_name is ' x '", ['project_name', 'is', ' x ']],
  ['project_name is a "b" c', ['project_name', 'is', 'a "b" c']],
  ['project_name=Pay', ['project_name', 'is', 'Pay']],
  ['project_name == Pay', ['project_name', 'is', 'Pay']],
  ['project_name!=Pay', ['project_name', 'is_not', 'Pay']],
  ['project_name ~ Pay', ['project_name', 'contains', 'Pay']],
  ['project_name!~Pay', ['project_name', 'does not contain', 'Pay']],
  ['module_count>5', ['module_count', 'gt', '5']],
  ['module_count >= -5.5', ['module_count', 'gteq', '-5.5']],
  ['module_count<5', ['module_count', 'lt', '5']],
  ['module_count<=5', ['module_count', 'lteq', '5']],
  ['module_count != 5', ['module_count', 'is_not', '5']],
  ['workspace-name ~ x', ['workspace_name', 'contains', 'x']],
  ['workspace_terraform_version is 1.10', ['workspace_tool_version', 'is', '1.10']],
  ['workspace_created_at > 2026-01-31', ['workspace_created_at', 'is_after', '2026-01-31T00:00:00Z']],
  ['workspace_created_at <= 2026-01-31T10:00+02:00', ['workspace_created_at', 'is_before', '2026-01-31T08:00:00Z']],
  [
    'workspace_created_at is_before 2026-01-31 10:00:05.25',
    ['workspace_created_at', 'is_before', '2026-01-31T10:00:05.250Z'],
  ],
  ['workspace_created_at is after 30d', ['workspace_created_at', 'is_after', '2026-10-22T07:30:00Z']],
  [
    'workspace_created_at is after yesterday 12:00:00.123',
    ['workspace_created_at', 'is_after', '2026-11-20T12:00:00.123Z'],
  ],
  ['workspace_created_at within 30d', ['workspace_created_at', 'is_after', '2026-10-22T07:30:00Z']],
  ['workspace_created_at older than 2w', ['workspace_created_at', 'is_before', '2026-11-07T07:30:00Z']],
  ['workspace_created_at older_than 1d12h', ['workspace_created_at', 'is_before', '2026-11-19T19:30:00Z']],
  ['workspace_created_at is_before 12h', ['workspace_created_at', 'is_before', '2026-11-20T19:30:00Z']],
  ['workspace_created_at is_before 2w ago', ['workspace_created_at', 'is_before', '2026-11-07T07:30:00Z']],
  ['created is_before 2026-01-31t10:00z', ['workspace_created_at', 'is_before', '2026-01-31T10:00:00Z']],
  ['created is_before 2026-01-31T10:00+0230', ['workspace_created_at', 'is_before', '2026-01-31T07:30:00Z']],
  [
    'created is_before 2026-01-31T10:00:00.123456789 -02:00',
    ['workspace_created_at', 'is_before', '2026-01-31T12:00:00.123Z'],
  ],
  ['created is_before 2025y', ['workspace_created_at', 'is_before', '0003-03-27T07:30:00Z']],
  ['drift count > 5', ['resources_drifted', 'gt', '5']],
  ['Drift-Count>5', ['resources_drifted', 'gt', '5']],
  ['project  name = Pay', ['project_name', 'is', 'Pay']],
  ['project = Pay', ['project_name', 'is', 'Pay']],
  ['drifted is_empty true', ['drifted', 'is_empty', 'true']],
])('%s', (text, expected) => {
  expect(parts(text)).toEqual(expected)
})

const ofType = { boolean: 'drifted', number: 'module_count', string: 'project_name', datetime: 'workspace_created_at' }
const sample = { boolean: 'true', number: '5', string: 'x', datetime: '2026-01-31' }
const allTypes = ['boolean', 'number', 'string', 'datetime'] as const

test.each([
  ['=', 'is', 'is', 'is', ''],
  ['==', 'is', 'is', 'is', ''],
  ['!=', '', 'is_not', 'is_not', ''],
  ['~', '', '', 'contains', ''],
  ['!~', '', '', 'does not contain', ''],
  ['>', '', 'gt', '', 'is_after'],
  ['>=', '', 'gteq', '', 'is_after'],
  ['<', '', 'lt', '', 'is_before'],
  ['<=', '', 'lteq', '', 'is_before'],
  ['is', 'is', 'is', 'is', ''],
  ['is_not', '', 'is_not', 'is_not', ''],
  ['contains', '', '', 'contains', ''],
  ['does not contain', '', '', 'does not contain', ''],
  ['gt', '', 'gt', '', ''],
  ['gteq', '', 'gteq', '', ''],
  ['lt', '', 'lt', '', ''],
  ['lteq', '', 'lteq', '', ''],
  ['is_before', '', '', '', 'is_before'],
  ['is_after', '', '', '', 'is_after'],
])('%s of a boolean, a number, a text and a time is %j, %j, %j and %j', (operator, ...expected) => {
  const meant = allTypes.map((type) => {
    const text = `${ofType[type]} ${operator} ${sample[type]}`
    if (expected[allTypes.indexOf(type)] !== '') return parts(text)[1]
    expect(failureOf(() => parseFilter(text, workspaces)).message).toContain('has no operator')
    return ''
  })
  expect(meant).toEqual(expected)
})

test.each([
  ['is_empty', [true, true, true, false]],
  ['is_not_empty', [true, true, true, false]],
])('%s takes no value, whatever the type', (operator, expected) => {
  const accepted = allTypes.map((type) => {
    try {
      return parts(`${ofType[type]} ${operator}`)[1] === operator
    } catch {
      return false
    }
  })
  expect(accepted).toEqual(expected)
})

test.each([
  ['drifted is true and project = Payments', "--filter 'drifted is true' --filter 'project = Payments'"],
  ['project=a and drifted=true ', '--filter project=a --filter drifted=true'],
  ['project ~ a && module_count > 1', "--filter 'project ~ a' --filter 'module_count > 1'"],
  ['project ~ a OR module_count > 1', 'one query for each'],
])('two conditions in one filter are refused: %s', (text, filters) => {
  const { code, hints } = failureOf(() => parseFilter(text, workspaces))
  expect({ code, hint: hints[0] }).toEqual({ code: 'usage', hint: expect.stringContaining(filters) as string })
})

test.each([
  ['project = "a and drifted is true"', 'a and drifted is true'],
  ['project = Research and Development', 'Research and Development'],
  ['project = this and that is fine', 'this and that is fine'],
])('a value may contain and: %s', (text, value) => {
  expect(parseFilter(text, workspaces).value).toEqual([value])
})

test('a relative date remembers what was typed', () => {
  expect(parseFilter('workspace_created_at is_before 30d', workspaces).relative).toBe('30d')
  expect(parseFilter('workspace_created_at is_before yesterday', workspaces).relative).toBe('yesterday')
  expect(parts('workspace_created_at is_before yesterday')).toContain('2026-11-20T00:00:00Z')
  expect(parseFilter('workspace_created_at is_before 2026-01-01', workspaces).relative).toBeUndefined()
})

test('a comparison that the service only has in a strict form says so', () => {
  const note = (text: string) => parseFilter(text, workspaces).note
  expect(note('workspace_created_at >= 2026-01-31')).toMatch(told('workspace_created_at >= 2026-01-31 … is_after, …'))
  expect(note('workspace_created_at<=30d')).toContain('is_before')
  expect(note('workspace_created_at > 2026-01-31')).toBeUndefined()
  expect(note('module_count >= 5')).toBeUndefined()
})

test.each([
  ['', "'' …"],
  ['= 5', "'= 5' …"],
  ['drift is true', "workspaces … 'drift'. … 'drifted'?", '…: tug explorer fields workspaces'],
  ['registry_type is public', "workspaces … 'registry_type'"],
  ['drifted', '… drifted …', '… drifted: is, is_empty, is_not_empty'],
  ['drifted is maybe', "drifted is a boolean; 'maybe' is not", '… true or false'],
  ['drifted is not true', "drifted is a boolean, … 'is_not'"],
  ['drifted != true', "drifted is a boolean, … '!='"],
  ['drifted is_empty false', 'is_empty …'],
  ['module_count gt many', "module_count is a number; 'many' is not"],
  ['module_count contains 5', "module_count is a number, … 'contains'"],
  ['project_name > x', "project_name is a string, … '>'"],
  ['project_name containz x', "'containz' … 'contains'?"],
  ['project_name is', "'project_name is' …"],
  ['project_name is ""', "'project_name is' …"],
  ['project_name is "x', ' quote … not closed'],
  ['workspace_created_at is_empty', "workspace_created_at is a datetime, … 'is_empty'"],
  ['workspace_created_at is_before 2026-02-30', "workspace_created_at is a datetime; '2026-02-30' is not"],
  ['workspace_created_at within 2026-01-01', "'within' …: workspace_created_at within 30d"],
  ['module_count within 5', "module_count is a number, … 'within'"],
  ['= x is 5', "'= x is 5' …"],
  ['drifted is untrue', "'untrue' is not"],
  ['drifted is truest', "'truest' is not"],
  ['module_count gt x5', "'x5' is not"],
  ['module_count gt 5x', "'5x' is not"],
  ['project_name is "', ' quote … not closed'],
  ['workspace_created_at is_before x2026-01-31', "'x2026-01-31' is not"],
  ['workspace_created_at is_before 2026-01-31x', "'2026-01-31x' is not"],
  ['workspace_created_at is_before 2026-13-01', "'2026-13-01' is not"],
  ['workspace_created_at is_before 2026-01-31T10:00+99:00', "'2026-01-31T10:00+99:00' is not"],
  ['workspace_created_at is_before x30d', "'x30d' is not"],
  ['workspace_created_at is_before 30days', "'30days' is not"],
  ['workspace_created_at is_before 2030y', "'2030y' is not"],
  ['workspace_created_at is_before 276000y', "'276000y' is not"],
  ['workspace_created_at is_before 999999y', "'999999y' is not"],
  ['workspace_created_at is_before 2026', "workspace_created_at is a datetime; '2026' is not"],
  ['workspace_created_at is_before 25:00', "workspace_created_at is a datetime; '25:00' is not"],
])('%s is refused', (text, message, hint?) => {
  const failure = failureOf(() => parseFilter(text, workspaces))
  expect(failure).toBeInstanceOf(TugError)
  expect(failure.message).toMatch(mentions(message))
  if (hint !== undefined) expect(failure.hints).toContainEqual(says(hint))
})

test("the fields and the view of newer services, and a field from the specification's sample", () => {
  expect(parts('tags ~ shared')).toEqual(['tags', 'contains', 'shared'])
  expect(readView('resources', workspaces)).toBe('resources')
  const modules = { ...workspaces, view: 'modules' }
  expect(parts('registry_type is public', modules)).toEqual(['registry_type', 'is', 'public'])
  expect(readField('registry_type', modules)).toBe('registry_type')
})

test('an unknown view is refused with the names of all', () => {
  expect(failureOf(() => readView('workspace', workspaces)).hints.join()).toContain(viewNames().join(', '))
})

test('with --no-check unknown names are sent as typed, known ones are still normalised', () => {
  const unchecked = { ...workspaces, check: false }
  expect(readView('gadgets', unchecked)).toBe('gadgets')
  expect(readSort('-cog-count', unchecked)).toBe('-cog-count')
  expect(parts('cog-count rounds_to 5 or so', unchecked)).toEqual(['cog-count', 'rounds_to', '5 or so'])
  expect(parts('cogs >= 5', unchecked)).toEqual(['cogs', 'gteq', '5'])
  expect(parts('cogs is_before 1d', unchecked)).toEqual(['cogs', 'is_before', '2026-11-20T07:30:00Z'])
  expect(parts('drifted is maybe', unchecked)).toEqual(['drifted', 'is', 'maybe'])
  expect(parts('cogs is_empty', unchecked)).toEqual(['cogs', 'is_empty', 'true'])
  expect(parts('drifted is_empty false', unchecked)).toEqual(['drifted', 'is_empty', 'true'])
  expect(parts('cogs rounds_to\n5', unchecked)).toEqual(['cogs', 'rounds_to', '5'])
  expect(parseFilter('workspace_created_at is_before >=x', unchecked).note).toBeUndefined()
})

test('without a view the longest heading of any view counts', () => {
  const any = { ...workspaces, view: undefined }
  expect(parts('source type is run', any)).toEqual(['source_type', 'is', 'run'])
  expect(parts('source is run', any)).toEqual(['source', 'is', 'run'])
})

test('a view may be typed with dashes and in capitals', () => {
  expect(readView('TF-Versions', workspaces)).toBe('tf_versions')
})

test.each([
  ['workspace_name', 'workspace_name', 'workspace_name'],
  ['Workspace-Name', 'workspace_name', 'workspace_name'],
  ['workspace-terraform-version', 'workspace_tool_version', 'workspace_terraform_version'],
  ['-workspace-terraform-version', '-workspace_tool_version', '-workspace_terraform_version'],
  ['-workspace_tool_version', '-workspace_tool_version', '-workspace_tool_version'],
  ['drift count', 'resources_drifted', 'resources_drifted'],
])('%s for %s is sent as %s', (typed, name, sent) => {
  expect(asTyped(typed, name)).toBe(sent)
})

test.each([
  ['workspace_tool_version !~ 1', 'workspace_tool_version', 'does not contain'],
  ['workspace_tool_version Does_Not_Contain 1', 'workspace_tool_version', 'does_not_contain'],
  ['workspace_terraform_version !~ 1', 'workspace_terraform_version', 'does not contain'],
  ['workspace_terraform_version !~ does_not_contain', 'workspace_terraform_version', 'does not contain'],
  ['project_name !~ does_not_contain', 'project_name', 'does not contain'],
])('%s is sent as %s %s', (text, field, operator) => {
  expect(sentFilters([parseFilter(text, workspaces)])[0]?.[0]).toBe(`filter[0][${field}][${operator}][0]`)
})

test.each([
  ['workspace-terraform-version', 'does_not_contain', ['1'], ['workspace_tool_version', 'does not contain', '1']],
  ['drifted', 'is_empty', [], ['drifted', 'is_empty', 'true']],
  [
    'workspace_created_at',
    'is_before',
    ['1d', '2d'],
    ['workspace_created_at', 'is_before', '2026-11-20T07:30:00Z', '2026-11-19T07:30:00Z'],
  ],
])('a filter of the parts %s, %s and %j', (field, operator, value, expected) => {
  const filter = readFilter({ field, operator, value }, workspaces)
  expect([filter.field, filter.operator, ...filter.value]).toEqual(expected)
  expect(filter.relative).toBe(value.length > 1 ? '1d' : undefined)
})

test('the parts of a filter are checked unless the check is off', () => {
  const parted = (field: string, operator: string, value: string[], check = true) =>
    readFilter({ field, operator, value }, { ...workspaces, check })
  expect(failureOf(() => parted('cogs', 'is', ['1'])).message).toContain("'cogs'")
  expect(failureOf(() => parted('drifted', 'rounds_to', ['1'])).message).toContain("'rounds_to'")
  expect(failureOf(() => parted('drifted', 'is', [])).message).toContain("'drifted is'")
  expect(failureOf(() => parted('project_name', 'is', ['x', ''])).message).toContain("'project_name is'")
  expect(parted('cogs', 'rounds_to', ['1'], false)).toEqual({ field: 'cogs', operator: 'rounds_to', value: ['1'] })
})

test.each([
  ['drifted', 'is', ['true'], 'drifted is true'],
  ['drifted', 'is_empty', ['true'], 'drifted is_empty'],
  ['project_name', 'is', ['a', 'b'], 'project_name is a, b'],
])('%s %s %j for people: %s', (field, operator, value, text) => {
  expect(filterText({ field, operator, value })).toBe(text)
})

test('a stored filter without a value is sent without one', () => {
  expect(sentFilters([{ field: 'a', operator: 'is', value: [] }])).toEqual([['filter[0][a][is][0]', '']])
})

test("every operator has its own name and is sent in the dialect's spelling", () => {
  const samples = {
    boolean: ['drifted', 'true'],
    number: ['module_count', '5'],
    string: ['project_name', 'x'],
    datetime: ['workspace_created_at', '2026-01-01'],
  } as const
  for (const { name, types, alone, sent } of operators) {
    for (const type of types) {
      const [field, value] = sent === undefined ? samples[type] : [samples[type][0], '30d']
      expect(parts(`${field} ${name} ${alone === true ? '' : value}`)[1]).toBe(sent ?? name)
    }
  }
  const filters = [parseFilter('workspace_tool_version !~ 1.9', workspaces)]
  expect(sentFilters(filters)).toEqual([['filter[0][workspace_tool_version][does not contain][0]', '1.9']])
  const typed = [parseFilter('workspace-terraform-version does_not_contain 1.9', workspaces)]
  expect(typed).toMatchObject([{ field: 'workspace_tool_version', operator: 'does not contain' }])
  expect(sentFilters(typed)).toEqual([['filter[0][workspace_terraform_version][does_not_contain][0]', '1.9']])
})

test('an unknown view is answered with those of the dialect', async () => {
  const hintOf = async (dialect: string) => (await tug(`explorer query runs --dialect ${dialect}`)).stderr
  expect(await hintOf('neutral')).toMatch(/ modules$/m)
  expect(await hintOf('hashicorp')).toMatch(/ modules, resources$/m)
})
