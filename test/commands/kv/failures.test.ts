import { expect, test } from 'vitest'
import { warnFailures } from '../../../src/commands/kv/bulk/bulk.ts'
import { TugError } from '../../../src/core/errors.ts'

test.each([
  [0, 0, []],
  [2, 2, []],
  [20, 20, []],
  [21, 20, ['and 1 more']],
  [25, 20, ['and 5 more']],
])('of %i failures %i are named, from the first on', (count, named, rest) => {
  const lines: string[] = []
  const failures = Array.from({ length: count }, (_, index) => ({
    what: `app/${index}`,
    error: new TugError('failed', index === 1 ? 'app/1 is gone' : 'no'),
  }))
  warnFailures({ warn: (line: string) => void lines.push(line) } as never, failures)
  expect(lines).toEqual([
    ...failures.slice(0, named).map((_, index) => (index === 1 ? 'app/1 is gone' : `app/${index}: no`)),
    ...rest,
  ])
})
