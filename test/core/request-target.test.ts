import { expect, test } from 'vitest'
import { requestTarget } from '../../src/core/request.ts'

test.each([
  [[], '/v1/x'],
  [[['a', '']], '/v1/x?a='],
  [
    [
      ['a', 'b c'],
      ['d', 'e'],
    ],
    '/v1/x?a=b%20c&d=e',
  ],
  [[['a', '-_.~*']], '/v1/x?a=-_.~*'],
  [[['a', "!'()"]], '/v1/x?a=%21%27%28%29'],
  [[["it's(1)", 'x']], '/v1/x?it%27s%281%29=x'],
  [[['a', '&=+?#/%']], '/v1/x?a=%26%3D%2B%3F%23%2F%25'],
  [[['page[size]', 'é\u{1f600}']], '/v1/x?page%5Bsize%5D=%C3%A9%F0%9F%98%80'],
] as const)('the query %j is sent as %s', (query, target) => {
  expect(requestTarget({ method: 'GET', path: '/v1/x', query })).toBe(target)
})
