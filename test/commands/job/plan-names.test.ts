import { expect, test } from 'vitest'
import { changedLines, changeSize, fieldName, hasLines, shownValue } from '../../../src/commands/job/plan/fields.ts'

/** Names, values and texts of a diff in the words of a job file. */

test.each([
  ['Artifact', 'GetterSource', 'source'],
  ['Artifact', 'GetterHeaders[X-A]', 'headers.X-A'],
  ['Artifact', 'GetterOptions[ref]', 'options.ref'],
  ['Resources', 'CPU', 'cpu'],
  ['Template', 'SourcePath', 'source'],
  ['Other', 'SourcePath', 'source_path'],
  ['', 'Env[A]', 'env.A'],
  ['', 'Env[A[0]]', 'env.A[0]'],
  ['', 'Env[a\nb]', 'env.a\nb'],
  ['', 'CanaryMeta[x-y]', 'canary_meta.x-y'],
  ['', 'KillTimeout', 'kill_timeout'],
  ['', 'AllAtOnce', 'all_at_once'],
  ['Config', 'args[0]', 'args[0]'],
  ['Config', 'auth[0][user]', 'auth[0].user'],
  ['Config', 'labels[com.example/a]', 'labels.com.example/a'],
  ['Config', 'ImagePullTimeout', 'ImagePullTimeout'],
  ['Header', 'X-Id', 'X-Id'],
  ['Policy', 'CoolDown', 'CoolDown'],
  ['MountOptions', 'FSType', 'FSType'],
])('in the block %j the field %j is %s', (block, field, name) => expect(fieldName(block, field)).toBe(name))

test.each([
  ['', 'KillTimeout', '90000000000', '1m 30s'],
  ['Config', 'KillTimeout', '90000000000', '90000000000'],
  ['Wait', 'Min', '5000000000', '5s'],
  ['Wait', 'Max', '5000000000', '5s'],
  ['Wait', 'Other', '5000000000', '5000000000'],
  ['Scaling', 'Min', '5', '5'],
  ['Scaling', 'Max', '5', '5'],
  ['', 'Delay', '-1', '-1ns'],
  ['', 'Delay', '5s', '5s'],
  ['', 'Delay', 'x5', 'x5'],
  ['', 'Region', '', '""'],
  ['', 'Region', ' a', '" a"'],
  ['', 'Region', 'a ', '"a "'],
  ['', 'Region', 'a\tb', String.raw`"a\tb"`],
  ['', 'Region', 'a\nb', String.raw`"a\nb"`],
  ['', 'Region', 'a b', 'a b'],
  ['', 'Region', 'a\u001bb', String.raw`a\x1bb`],
])('of the block %j the field %s with %j shows %s', (block, name, value, shown) =>
  expect(shownValue(block, name, value)).toBe(shown),
)

const lines = (letters: string) => letters.replaceAll(/./g, '$&\n')

test.each([
  ['a', 'b', ['-a', '+b'], '1 removed, 1 added of 1 line'],
  ['', 'ab', ['+a', '+b'], '2 added of 2 lines'],
  ['ab', '', ['-a', '-b'], '2 removed of 2 lines'],
  ['abc', 'abcd', [' …', ' b', ' c', '+d'], '1 added of 4 lines'],
  ['bcd', 'abcd', ['+a', ' b', ' c', ' …'], '1 added of 4 lines'],
  ['abcdef', 'Abcdef', ['-a', '+A', ' b', ' c', ' …'], '1 removed, 1 added of 6 lines'],
  ['abcdefg', 'abcDefg', [' …', ' b', ' c', '-d', '+D', ' e', ' f', ' …'], '1 removed, 1 added of 7 lines'],
  ['abcdefg', 'AbcdefG', ['-a', '+A', ' b', ' c', ' …', ' e', ' f', '-g', '+G'], '2 removed, 2 added of 7 lines'],
  ['abcdef', 'AbcdeF', ['-a', '+A', ' b', ' c', ' d', ' e', '-f', '+F'], '2 removed, 2 added of 6 lines'],
])('the lines %s → %s have two lines around each change', (old, next, shown, size) => {
  const change = changedLines(lines(old), lines(next))
  expect(change.lines.map(({ mark, text }) => mark + text)).toEqual(shown)
  expect(changeSize(change)).toBe(size)
})

test.each([
  ['a', 'b', false],
  ['a\nb', '', true],
  ['', 'a\n', true],
  ['\n', '', false],
  ['', '\n', false],
  ['\n', '\n', true],
])('%j and %j are compared by lines: %j', (old, next, expected) => expect(hasLines(old, next)).toBe(expected))
