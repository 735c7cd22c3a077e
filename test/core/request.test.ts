import { expect, test } from 'vitest'
import { isWrite } from '../../src/core/request.ts'

test.each([
  ['GET', undefined, false],
  ['LIST', undefined, false],
  ['HEAD', undefined, false],
  ['POST', undefined, true],
  ['POST', false, true],
  ['POST', true, false],
  ['PUT', undefined, true],
  ['PATCH', undefined, true],
  ['DELETE', undefined, true],
])('%s (safe: %s) may change something: %s', (method, safe, expected) => {
  expect(isWrite({ method, ...(safe === undefined ? {} : { safe }) })).toBe(expected)
})
