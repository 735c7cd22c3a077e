import { expect, test } from 'vitest'
import { Random } from '../../support/random.ts'
import { simulateFleet } from './wait-simulation/fleet.ts'
import { emptyModel } from './wait-simulation/model.ts'
import type { Spec } from './wait-simulation/model.ts'
import { ownMoves } from './wait-simulation/moves.ts'
import { register } from './wait-simulation/writes.ts'

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

test.each([2, 3, 5])('in the model, a restart of %i allocations keeps all but one healthy', (count) => {
  const spec: Spec = {
    type: 'service',
    groups: { app: { count, wanted: count, quality: 'good', fits: true } },
    deploys: true,
    canaries: 0,
    autoRevert: true,
    reschedules: 0,
    delays: false,
    change: 'destructive',
  }
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = new Random(seed)
    const model = emptyModel()
    const play = (look: () => void) => {
      for (let moves = ownMoves(model); moves.length > 0; moves = ownMoves(model)) {
        random.pick(moves).apply(model)
        look()
      }
    }
    const healthy = () =>
      model.allocs.filter(
        ({ client, desired, healthy: is }) => client === 'running' && desired === 'run' && is === true,
      )
    register(model, spec)
    play(() => undefined)
    register(model, spec)
    play(() => expect(healthy().length, `seed ${seed}`).toBeGreaterThanOrEqual(count - 1))
    expect(healthy().map(({ version }) => version)).toEqual(Array.from({ length: count }, () => 1))
  }
})
