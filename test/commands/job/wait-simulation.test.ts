import { expect, test } from 'vitest'
import { outcomes } from '../../../src/commands/job/state/judgement.ts'
import { simulate } from './wait-simulation/simulate.ts'

/** `node scripts/simulate-waits.mjs` plays many more. */
const histories = 1500

test('a wait never claims what did not happen, and ends when nothing can happen any more', async () => {
  const faults: string[] = []
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= histories; seed += 1) {
    const { outcome, fault, history } = await simulate(seed)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    if (fault !== undefined) faults.push(`seed ${seed}: ${fault}\n${history.join('\n')}`)
  }
  expect(faults.length === 0 ? '' : `${faults.length} of ${histories} histories\n\n${faults[0]}`).toBe('')
  // Every outcome must come up often enough to be put to the test.
  for (const outcome of outcomes) expect(counts.get(outcome) ?? 0, outcome).toBeGreaterThan(3)
})

test.each([
  ['a version of a child that was never read may have wanted more', 52927409],
  ['failures of a sysbatch job that are no longer listed are not forgotten', 93855600],
])('%s', async (_, seed) => {
  const { fault, history } = await simulate(seed)
  expect(fault === undefined ? '' : [fault, ...history].join('\n')).toBe('')
})
