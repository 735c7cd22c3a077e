import { expect, test } from 'vitest'
import type { Diff } from '../../../src/api/plan-shapes.ts'
import { treeText } from '../../../src/commands/job/plan/view.ts'
import { changesIn } from '../../../src/commands/job/plan/tree.ts'
import { warningsOf } from '../../../src/commands/job/jobs.ts'

/** Added blocks with values that are zero or false, and secrets in them. */

function added(name: string, fields: Readonly<Record<string, string>>): Diff {
  const Fields = Object.entries(fields).map(([Name, New]) => ({ Name, Type: 'Added', Old: '', New }))
  return { Type: 'Added', Name: name, Fields }
}

function shown(...blocks: Diff[]): string[] {
  const diff = { Type: 'Edited', Objects: blocks }
  return changesIn(diff, false).map((node) => treeText(node, (_, text) => text))
}

test.each([
  ['Periodic', { Enabled: 'false', Spec: '@daily' }, '+ periodic  enabled false, cron @daily'],
  ['Periodic', { Enabled: 'true', ProhibitOverlap: 'false' }, '+ periodic  enabled true'],
  ['Disconnect', { Replace: 'false', LostAfter: '0' }, '+ disconnect  replace false'],
  ['RestartPolicy', { Attempts: '0', Mode: 'fail' }, '+ restart  attempts 0, mode fail'],
  ['Scaling', { Enabled: 'false', Min: '0', Max: '3' }, '+ scaling  enabled false, min 0, max 3'],
])('an added %s block shows %j', (name, fields, expected) => {
  expect(shown(added(name, fields))).toEqual([expected])
})

test('an added group with a count of 0 shows it', () => {
  const group = added('g', { Count: '0', ShutdownDelay: '0' })
  expect(changesIn(group, false).map(({ label, value }) => [label, value])).toEqual([['count', '0']])
})

test.each([
  [
    'Deleted',
    [
      ['Deleted', '-c'],
      ['Deleted', 'echo a, b'],
    ],
    "- args  -c 'echo a, b'",
  ],
  [
    'Added',
    [
      ['Added', 'v1'],
      ['Added', 'v2'],
    ],
    '+ args  v1 v2',
  ],
  [
    'Edited',
    [
      ['Deleted', 'a b'],
      ['Added', 'c'],
      ['None', 'd'],
    ],
    "~ args  -'a b' +c  (1 kept)",
  ],
])('the members of a set have marks only if they differ from that of the set: %s', (Type, members, expected) => {
  const Fields = members.map(([mark = '', value = '']) => ({
    Name: 'Args',
    Type: mark,
    Old: mark === 'Added' ? '' : value,
    New: mark === 'Deleted' ? '' : value,
  }))
  expect(shown({ Type, Name: 'Args', Fields })).toEqual([expected])
})

test('two secret blocks have their names', () => {
  const secrets = ['db', 'api'].map((Name) => added('Secret', { Name, Provider: 'vault', Path: `kv/${Name}` }))
  expect(shown(...secrets)).toEqual([
    '+ secret db  provider vault, path kv/db',
    '+ secret api  provider vault, path kv/api',
  ])
})

test('options of an artifact are masked, and passwords in its URL removed', () => {
  const artifact = added('Artifact', {
    GetterSource: 'https://bot:planted@example.com/x?ref=v1&sshkey=planted&X-Amz-Signature=planted#top',
    'GetterOptions[sshkey]': 'planted',
    'GetterHeaders[X-Key]': 'planted',
  })
  const [line] = shown(artifact)
  expect(line).not.toContain('planted')
  expect(line).toContain(
    'source https://<redacted>@example.com/x?ref=v1&sshkey=<redacted>&X-Amz-Signature=<redacted>#top',
  )
})

test.each([
  ['1 warning:\n\n* only one', ['only one']],
  ['2 warnings:\n\n* in two\n  lines\n* second', ['in two lines', 'second']],
  ['no list', ['no list']],
  ['', []],
])('warnings %j are one line each', (Warnings, lines) => {
  expect(warningsOf({ Warnings })).toEqual(lines)
})

test('on a terminal a long line continues below its value, or below its label if that is long; texts stay whole', () => {
  const value = 'auto_revert true, max_parallel 1'
  const node = (label: string, note?: string) => ({
    mark: '+' as const,
    label,
    value,
    children: [],
    ...(note === undefined ? {} : { note }),
  })
  const text = (label: string, width: number, note?: string) => treeText(node(label, note), (_, part) => part, width)
  expect(text('update', 42)).toBe(`+ update  ${value}`)
  expect(text('update', 41)).toBe('+ update  auto_revert true, max_parallel\n          1')
  expect(text('update', 30, 'forces create')).toBe(
    '+ update  auto_revert true,\n          max_parallel 1\n          forces create',
  )
  expect(text('service with-a-long-name', 40)).toBe(`+ service with-a-long-name\n    ${value}`)
  const lines = [{ mark: '+' as const, text: 'x'.repeat(30) }]
  const long = { mark: '~' as const, label: 'data', value: '1 added', lines, children: [] }
  expect(treeText(long, (_, part) => part, 20)).toContain(`| ${'x'.repeat(30)}`)
})
