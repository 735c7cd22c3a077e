import { expect, test } from 'vitest'
import type { LimiterOptions } from '../../src/core/limiter.ts'
import { createLimiter } from '../../src/core/limiter.ts'

/** A limiter whose calls are begun by `enter` and ended, first come first served, by `leave`. */
function limited(clock: LimiterOptions['clock'], more: Partial<LimiterOptions> = {}) {
  const limiter = createLimiter({ most: Infinity, ...(clock === undefined ? {} : { clock }), ...more })
  const active: (() => void)[] = []
  const enter = () =>
    new Promise<void>((entered, fail) => {
      limiter.run(() => new Promise<void>((leave) => (active.push(leave), entered()))).catch(fail)
    })
  return { ...limiter, enter, leave: () => active.shift()?.() }
}

/** A limiter whose clock moves only by its own waits. */
function paced(more: Partial<LimiterOptions> = {}) {
  let now = 0
  const waits: number[] = []
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
    now += milliseconds
  }
  return { pace: limited({ monotonic: () => now, sleep }, more), waits }
}

/** Lets everything run that can run. */
async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

test('no more calls than the limit are under way, however many answers there are', async () => {
  const { pace } = paced({ most: 3 })
  let entered = 0
  for (let count = 0; count < 10; count += 1) void pace.enter().then(() => (entered += 1))
  for (let count = 0; count < 50; count += 1) pace.speedUp()
  await settle()
  expect(entered).toBe(3)
  pace.leave()
  await settle()
  expect(entered).toBe(4)
})

test('with a rate, calls begin evenly spaced', async () => {
  const { pace, waits } = paced({ rate: 10 })
  for (let count = 0; count < 4; count += 1) await pace.enter()
  expect(waits).toEqual([100, 100, 100])
})

test('without a limit nothing is held back', async () => {
  const { pace, waits } = paced()
  for (let count = 0; count < 100; count += 1) await pace.enter()
  expect(waits).toEqual([])
})

test('after a 429 every request waits as long as the service asks, and half as many are under way', async () => {
  const { pace, waits } = paced()
  for (let count = 0; count < 8; count += 1) await pace.enter()
  pace.slowDown(1500)
  for (let count = 0; count < 8; count += 1) pace.leave()
  const entered: number[] = []
  for (let count = 0; count < 6; count += 1) void pace.enter().then(() => entered.push(count))
  await settle()
  expect(entered.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3])
  expect(waits[0]).toBe(1500)
  pace.speedUp()
  pace.leave()
  await settle()
  expect(entered.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4])
})

test('half of an odd number is rounded down, and at least one request goes', async () => {
  for (const [before, after] of [
    [7, 3],
    [3, 1],
    [1, 1],
    [0, 1],
  ] as const) {
    const { pace } = paced()
    for (let count = 0; count < before; count += 1) await pace.enter()
    pace.slowDown(0)
    for (let count = 0; count < before; count += 1) pace.leave()
    let entered = 0
    for (let count = 0; count < 8; count += 1) void pace.enter().then(() => (entered += 1))
    await settle()
    expect(entered).toBe(after)
    // Each that leaves lets the next one go, up to the last.
    for (let left = 1; left <= 8; left += 1) {
      pace.leave()
      await settle()
      expect(entered).toBe(Math.min(8, after + left))
    }
  }
})

test('the shortest wait is kept, too', async () => {
  const { pace, waits } = paced()
  pace.slowDown(1)
  await pace.enter()
  expect(waits).toEqual([1])
})

test('answers let more requests go, one after as many answers as there are requests under way', async () => {
  const { pace } = paced()
  await pace.enter()
  pace.slowDown(0)
  pace.leave()
  const entered: number[] = []
  for (let count = 0; count < 4; count += 1) void pace.enter().then(() => entered.push(count))
  await settle()
  expect(entered).toEqual([0])
  pace.speedUp()
  await settle()
  expect(entered).toEqual([0, 1])
  pace.speedUp()
  await settle()
  expect(entered).toEqual([0, 1])
})

test('a fraction of a request does not go', async () => {
  const { pace, waits } = paced()
  await pace.enter()
  pace.slowDown(0)
  pace.leave()
  pace.speedUp()
  pace.speedUp()
  let entered = 0
  for (let count = 0; count < 4; count += 1) void pace.enter().then(() => (entered += 1))
  await settle()
  expect([entered, waits]).toEqual([2, []])
})

test('a short wait that is asked for after a long one does not end it', async () => {
  const { pace, waits } = paced()
  pace.slowDown(5000)
  pace.slowDown(100)
  await pace.enter()
  expect(waits).toEqual([5000])
})

test('a short wait for a used-up limit does not end a long one', async () => {
  const { pace, waits } = paced()
  pace.slowDown(5000)
  pace.speedUp(100)
  await pace.enter()
  expect(waits).toEqual([5000])
})

test('a request that already waits waits on when a longer wait is asked for', async () => {
  let now = 0
  const sleeps: { readonly milliseconds: number; readonly end: () => void }[] = []
  const pace = limited({
    monotonic: () => now,
    sleep: (milliseconds) => new Promise<void>((end) => sleeps.push({ milliseconds, end })),
  })
  let hasEntered = false
  pace.slowDown(100)
  void pace.enter().then(() => (hasEntered = true))
  pace.slowDown(5000)
  now = 100
  sleeps[0]?.end()
  await settle()
  expect([hasEntered, sleeps.map(({ milliseconds }) => milliseconds)]).toEqual([false, [100, 4900]])
  now = 5000
  sleeps[1]?.end()
  await settle()
  expect(hasEntered).toBe(true)
})

test('an answer that uses up the quota makes the next request wait', async () => {
  const { pace, waits } = paced()
  await pace.enter()
  pace.speedUp(400)
  await pace.enter()
  expect(waits).toEqual([400])
})

test('a wait that is interrupted gives its place back', async () => {
  const interrupt = new Error('interrupted')
  let failing = 4
  const sleep = async () => {
    failing -= 1
    if (failing >= 0) throw interrupt
  }
  const pace = limited({ monotonic: () => 0, sleep })
  await pace.enter()
  pace.slowDown(1000)
  pace.leave()
  await expect(pace.enter()).rejects.toBe(interrupt)
  // Of those that wait at the same time, each lets the next one go.
  const ends = await Promise.allSettled([pace.enter(), pace.enter(), pace.enter()])
  expect(ends).toEqual(ends.map(() => ({ status: 'rejected', reason: interrupt })))
  let entered = 0
  for (let count = 0; count < 3; count += 1) void pace.enter().then(() => (entered += 1))
  await settle()
  expect(entered).toBe(1)
})
