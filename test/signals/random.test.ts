import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/dev/server.ts'
import { root } from '../support/process.ts'
import { endBySignal, prepare } from './run.ts'
import { scenarios } from './scenarios.ts'

/** `node scripts/random-signals.mjs` runs many more. */
const runs = scenarios.length

test('a signal at any moment leaves nothing behind, and the command ends by it', { timeout: 120_000 }, async () => {
  const server = await startServer({ port: 0, faults: [], dialect: 'neutral' })
  onTestFinished(() => server.close())
  const options = { ...(await prepare(server)), program: join(root, 'bin/tug.js') }
  const faults: string[] = []
  let ended = 0
  const seeds = Array.from({ length: runs }, (_, index) => index + 1).values()
  async function work(): Promise<void> {
    for (const seed of seeds) {
      const { fault, story, wasEnded } = await endBySignal(seed, options)
      if (wasEnded) ended += 1
      if (fault !== undefined) faults.push(`seed ${seed}: ${fault}\n${story.join('\n')}`)
    }
  }
  await Promise.all([work(), work(), work(), work()])
  expect(faults.join('\n\n')).toBe('')
  // Most signals must come in time.
  expect(ended).toBeGreaterThan(runs / 2)
})
