import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compact, reindent } from '../../src/output/json-text.ts'

test('digits, escapes and key order are kept', () => {
  const text = '{"b": 1763709321123456789,"a":[1.0 ,1e400,{"\\u00e9\\"\\\\":"x , : {"}],"2":null,"1":[ ],"e":{ }}\n'
  expect(compact(text)).toBe(
    '{"b":1763709321123456789,"a":[1.0,1e400,{"\\u00e9\\"\\\\":"x , : {"}],"2":null,"1":[],"e":{}}',
  )
  expect(reindent(text, 2)).toBe(`{
  "b": 1763709321123456789,
  "a": [
    1.0,
    1e400,
    {
      "\\u00e9\\"\\\\": "x , : {"
    }
  ],
  "2": null,
  "1": [],
  "e": {}
}`)
})

test.each([' -0 ', '"a"', 'true', '[]', ' { } '])('%j is a document', (text) => {
  expect(reindent(text, 2)).toBe(text.replaceAll(' ', ''))
})

test('white space is that of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }), (text, before, after) => {
      const value: unknown = JSON.parse(text)
      expect(reindent(JSON.stringify(value, null, before), after)).toBe(JSON.stringify(value, null, after))
    }),
  )
})
