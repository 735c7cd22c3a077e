import { expect, test } from 'vitest'
import type { Io } from '../../src/core/context.ts'
import { openSteps } from '../../src/output/steps.ts'

test.each([
  [0, '07:40:03 UTC', '07:40:03'],
  [60, '08:40:03 +01:00', '08:40:03'],
  [-210, '04:10:03 -03:30', '04:10:03'],
  [1020, '00:40:03 +17:00', '00:40:03'],
])('in a zone of %s minutes the first line has the time %s, and the next one %s', (offset, first, next) => {
  const at = Object.assign(new Date('2026-11-21T07:40:03.900Z'), { getTimezoneOffset: () => -offset })
  const lines: string[] = []
  const steps = openSteps({ note: (line: string) => void lines.push(line) } as unknown as Io)
  for (const line of ['started', 'a', 'b'])
    steps.show({ event: line, data: {}, line, ...(line === 'started' ? {} : { at }) })
  expect(lines).toEqual(['started', `${first}  a`, `${next}  b`])
})
