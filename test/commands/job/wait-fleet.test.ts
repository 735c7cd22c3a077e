import { expect, test } from 'vitest'
import { simulateFleet } from './wait-simulation/fleet.ts'

test('each of twenty jobs gets the outcome that it really had, by one held list and at most one a second', async () => {
  const outcomes = new Set<string>()
  for (let seed = 1; seed <= 15; seed += 1) {
    const result = await simulateFleet(seed)
    expect(result.fault ?? '', `seed ${seed}`).toBe('')
    expect(result.mostHeld).toBeLessThanOrEqual(1)
    expect(result.hasty).toBe(0)
    for (const outcome of result.outcomes) outcomes.add(outcome)
  }
  for (const outcome of ['succeeded', 'failed', 'superseded', 'stopped', 'purged', 'replaced'])
    expect(outcomes).toContain(outcome)
})
