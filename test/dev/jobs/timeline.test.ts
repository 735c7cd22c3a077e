import { expect, it } from 'vitest'
import { Timeline } from '../../../src/dev/jobs/time/timeline.ts'
import { FakeClock } from './calls.ts'

const day = 86_400_000

/** Refuses waits that Node's timers would cut to a millisecond. */
class NodeClock extends FakeClock {
  override after(milliseconds: number, ring: () => void): () => void {
    expect(milliseconds).toBeLessThan(2 ** 31)
    return super.after(milliseconds, ring)
  }
}

it('calls at its moment even after months, unless it is cancelled or closed before', () => {
  const clock = new NodeClock()
  const timeline = new Timeline(clock)
  const calls: string[] = []
  timeline.after(90 * day, () => calls.push('kept'))
  const cancel = timeline.after(90 * day, () => calls.push('cancelled'))
  clock.advance(60 * day)
  cancel()
  clock.advance(30 * day - 1)
  expect(calls).toEqual([])
  clock.advance(1)
  expect(calls).toEqual(['kept'])
  timeline.after(day, () => calls.push('closed'))
  timeline.close()
  clock.advance(day)
  expect(calls).toEqual(['kept'])
})
