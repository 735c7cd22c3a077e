import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrap } from '../../src/core/words.ts'
import { cells, cut, pad, wrapCells } from '../../src/output/width.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['größe', 5],
  ['東京', 4],
  ['e\u0301', 1],
  ['👩‍🚀', 2],
  ['🇩🇪', 2],
  ['1\ufe0f\u20e3', 2],
  // Graphemes of more than one letter.
  ['น้ำ', 2],
  ['नमस्ते', 4],
  ['ｶﾞ', 2],
  ['\u1100\u1161\u11a8', 2],
  ['\u200b', 0],
  ['\x1b[31mred\x1b[39m', 3],
])('%j takes %i cells', (text, width) => {
  expect(cells(text)).toBe(width)
})

test('the fast path measures the same width', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0x20, max: 0x24f }),
    fc.integer({ min: 0x2010, max: 0x2027 }),
    fc.constant(0x2192),
  )
  fc.assert(
    fc.property(fc.array(unit), (codes) => {
      const letters = Array.from(String.fromCharCode(...codes.filter((code) => code < 0x7f || code > 0xa0)))
      // Each letter is measured with the one behind it.
      const measured = cells(letters.map((letter) => `${letter}東`).join(''))
      expect(cells(letters.join(''))).toBe(measured - 2 * letters.length)
    }),
  )
})

test('a long text is measured in pieces, the letters of a grapheme together', () => {
  const long = 'a'.repeat(200_000)
  expect(cells(`→${long}e\u0301${long}1\ufe0f\u20e3${'東'.repeat(2000)}`)).toBe(400_000 + 1 + 1 + 2 + 4000)
})

test('padding counts cells', () => {
  expect(pad('東京', 6, 'left')).toBe('東京  ')
  expect(pad('東京', 6, 'right')).toBe('  東京')
  expect(pad('too long', 3, 'left')).toBe('too long')
})

test.each([
  ['payments-prod', 13, 'payments-prod'],
  ['payments-prod', 9, 'payments…'],
  ['payments-prod', 1, '…'],
  ['payments-prod', 0, ''],
  ['東京都', 5, '東京…'],
  ['東京都', 4, '東…'],
  ['👩‍🚀👩‍🚀', 3, '👩‍🚀…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%j in %i cells is %j', (text, width, expected) => {
  expect(cut(text, width)).toBe(expected)
})

test.each([
  ['two nodes have too little memory', 12, ['two nodes', 'have too', 'little', 'memory']],
  ['two nodes', 9, ['two nodes']],
  ['two nodes', 8, ['two', 'nodes']],
  ['unbreakable', 4, ['unbreakable']],
  ['東京 東京', 9, ['東京 東京']],
  ['東京 東京', 8, ['東京', '東京']],
])('%j in lines of %i cells is %j', (text, width, lines) => {
  expect(wrap(text, width, cells)).toEqual(lines)
})

test.each([
  ['two nodes have', 9, ['two nodes', 'have']],
  ['two nodes', 9, ['two nodes']],
  ['abcdef', 6, ['abcdef']],
  ['abcdef', 3, ['abc', 'def']],
  ['abcdefg', 3, ['abc', 'def', 'g']],
  ['ab cdefgh i', 3, ['ab', 'cde', 'fgh', 'i']],
  ['東京都', 5, ['東京', '都']],
  ['東京都', 3, ['東', '京', '都']],
  ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
  ['', 3, ['']],
  // One grapheme of ten cells.
  ['\u1100\u1100\u1100\u1100\u1100', 4, ['\u1100\u1100\u1100\u1100\u1100']],
  ['a\u1100\u1100\u1100\u1100\u1100', 4, ['a', '\u1100\u1100\u1100\u1100\u1100']],
])('%j in lines of %i cells is %j, broken inside words that are longer', (text, width, lines) => {
  expect(wrapCells(text, width)).toEqual(lines)
})

test('a cut text fits and keeps its beginning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 12 }), (text, width) => {
      const shown = cut(text, width)
      expect(cells(shown)).toBeLessThanOrEqual(width)
      if (shown !== text) expect(text.startsWith(shown.replace(/…$/, ''))).toBe(true)
      if (cells(text) <= width) expect(shown).toBe(text)
    }),
  )
})
