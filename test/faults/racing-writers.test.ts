import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/dev/server.ts'
import { race } from './race/race.ts'

/** `node scripts/race-writers.mjs` runs many more. */
const races = 60

test('racing writers over a faulty network report what became of their writes', async () => {
  const server = await startServer({ port: 0, faults: [], dialect: 'neutral' })
  onTestFinished(() => server.close())
  const faults: string[] = []
  const counts = { done: 0, refused: 0, unknown: 0 }
  for (let seed = 1; seed <= races; seed += 1) {
    const { fault, story, claims } = await race(seed, { server })
    for (const claim of claims) counts[claim] += 1
    if (fault !== undefined) faults.push(`seed ${seed}: ${fault}\n${story.join('\n')}`)
  }
  expect(faults.length === 0 ? '' : `${faults.length} of ${races} races\n\n${faults[0]}`).toBe('')
  // Each must come up often enough to be put to the test.
  for (const [claim, count] of Object.entries(counts)) expect(count, claim).toBeGreaterThan(10)
})
