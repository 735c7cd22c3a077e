import { expect, test } from 'vitest'
import { didYouMean, nearest } from '../../src/core/words.ts'

test.each([
  ['list', 'list', 'the word itself'],
  ['LIST', 'list', 'another case'],
  ['lsit', 'list', 'two swapped letters'],
  ['lis', 'list', 'a missing letter'],
  ['lists', 'list', 'an extra letter'],
  ['kist', 'list', 'a wrong letter'],
  ['sub', 'submission', 'the first three letters'],
  ['cert', 'ca_cert', 'a part'],
  ['key', 'client-key', 'a part after a dash'],
  ['tool_version', 'workspace_tool_version', 'the last words'],
  ['xbcdez', 'abcdef', 'two wrong letters of six'],
  ['xb-cdz', 'ab-cde', 'two wrong of six characters'],
] as const)('%s may mean %s: %s', (...[word, candidate]) => {
  expect(nearest(word, ['unrelated', candidate])).toEqual([candidate])
})

test.each([
  ['lxsx', 'list', 'two wrong letters of four'],
  ['--lxsx', '--list', 'two wrong letters of four after dashes'],
  ['xbcdz', 'abcde', 'two wrong letters of five'],
  ['xxcdez', 'abcdef', 'three wrong letters of six'],
  ['su', 'submission', 'the first two letters'],
  ['ca', 'my_ca', 'a part of two letters'],
  ['ubm', 'submission', 'letters from the middle'],
  ['ba', 'ab-cd-ef', 'a swap elsewhere'],
] as const)('%s is too far from %s: %s', (...[word, candidate]) => {
  expect(nearest(word, [candidate])).toEqual([])
})

test('at most two are named, the nearest first, and those as near in their order', () => {
  expect(nearest('abcdef', ['xbcdez', 'abcdex', 'abcdey', 'abcdez'])).toEqual(['abcdex', 'abcdey'])
  expect(nearest('abc', ['abd', 'abe'])).toEqual(['abd', 'abe'])
  expect(nearest('abc', ['abd', 'abcdef'])).toEqual(['abd', 'abcdef'])
})

test('swaps are found at every place, and count once', () => {
  for (const swapped of ['bacdef', 'acbdef', 'abdcef', 'abcedf', 'abcdfe']) {
    expect(nearest(swapped, ['abcdef'])).toEqual(['abcdef'])
    expect(nearest(swapped.slice(0, 5), [swapped.slice(0, 5)])).toHaveLength(1)
  }
  expect(nearest('bac', ['abc'])).toEqual(['abc'])
  expect(nearest('abd', ['acb'])).toEqual([])
})

test.each([
  [[], ''],
  [['lisp'], ". Did you mean 'lisp'?"],
  [['lisp', 'lint', 'last'], ". Did you mean 'lisp' or 'lint'?"],
])('%j are asked for as %j', (candidates, words) => {
  expect(didYouMean('list', candidates)).toBe(words)
})
