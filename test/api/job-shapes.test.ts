import { expect, test } from 'vitest'
import { deployment } from '../../src/api/allocation-shapes.ts'
import { job } from '../../src/api/job-shapes.ts'
import { parseJson } from '../../src/core/json.ts'
import { mismatch } from '../../src/core/shape.ts'

test('an index may be 0 or of any size, but not below', () => {
  expect(mismatch({ ID: 'web', ModifyIndex: 0 }, job)).toBeUndefined()
  expect(mismatch({ ID: 'web', ModifyIndex: -1 }, job)).toContain('.ModifyIndex')
  expect(mismatch(parseJson('{"ID":"d","CreateIndex":18446744073709551615}'), deployment)).toBeUndefined()
})
