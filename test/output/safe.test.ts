import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeControl } from '../../src/output/safe.ts'

test.each([
  ['a\nb\tc\rd', String.raw`a\nb\tc\rd`],
  ['\x1b]0;title\x07', String.raw`\x1b]0;title\x07`],
  ['\x7f\x85\x9b', String.raw`\x7f\x85\x9b`],
  ['evil\u202etxt.exe', String.raw`evil\u202etxt.exe`],
  ['\u2066a\u2069\u200e\u061c', String.raw`\u2066a\u2069\u200e\u061c`],
  ['pay\u200bpal\ufeff\u00ad', String.raw`pay\u200bpal\ufeff\xad`],
  ['\u2028\u2029\ufff9', String.raw`\u2028\u2029\ufff9`],
  ['\u{e0041}\u{e0100}', String.raw`\u{e0041}\u{e0100}`],
  ['\ud800 \udc00', String.raw`\ud800 \udc00`],
  ['x\u200dy 1\ufe0f', String.raw`x\u200dy 1\ufe0f`],
])('%j is shown as %s', (text, shown) => {
  expect(escapeControl(text)).toBe(shown)
})

test.each(['plain ~ text', 'größe 東京 Ωmega', '👩‍🚀 ❤️ 1️⃣ 👍🏽 🏳️‍🌈', 'e\u0301'])('%s is unchanged', (text) => {
  expect(escapeControl(text)).toBe(text)
})

test('line feeds are kept on request', () => {
  expect(escapeControl('a\nb\r\x1b', { newlines: true })).toBe('a\nb\\r\\x1b')
})

const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))

test('dangerous characters are escaped and nothing is removed', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
      const shown = escapeControl(text)
      expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u200c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u)
      const back = shown.replace(
        /\\u\{([^}]+)\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([ntr])/g,
        (_, long, four, two, letter) =>
          letter === undefined
            ? String.fromCodePoint(Number.parseInt((long ?? four ?? two) as string, 16))
            : { n: '\n', t: '\t', r: '\r' }[letter as 'n' | 't' | 'r'],
      )
      if (!text.includes('\\')) expect(back).toBe(text)
    }),
  )
})
