import { expect, test } from 'vitest'
import { createPace } from '../../src/http/pace.ts'

/** A pace whose clock moves only by its own waits. */
function paced() {
  let now = 0
  const waits: number[] = []
  const pace = createPace({
    monotonic: () => now,
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
      now += milliseconds
    },
  })
  return { pace, waits }
}

/** Lets everything run that can run. */
async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

test('without a rate limit nothing is held back', async () => {
  const { pace, waits } = paced()
  for (let count = 0; count < 100; count += 1) await pace.enter()
  expect(waits).toEqual([])
})

test('after a 429 every request waits as long as the service asks, and half as many are under way', async () => {
  const { pace, waits } = paced()
  for (let count = 0; count < 8; count += 1) await pace.enter()
  pace.limited(1500)
  for (let count = 0; count < 8; count += 1) pace.leave()
  const entered: number[] = []
  for (let count = 0; count < 6; count += 1) void pace.enter().then(() => entered.push(count))
  await settle()
  expect(entered.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3])
  expect(waits[0]).toBe(1500)
  pace.answered()
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
    pace.limited(0)
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
  pace.limited(1)
  await pace.enter()
  expect(waits).toEqual([1])
})

test('answers let more requests go, one after as many answers as there are requests under way', async () => {
  const { pace } = paced()
  await pace.enter()
  pace.limited(0)
  pace.leave()
  const entered: number[] = []
  for (let count = 0; count < 4; count += 1) void pace.enter().then(() => entered.push(count))
  await settle()
  expect(entered).toEqual([0])
  pace.answered()
  await settle()
  expect(entered).toEqual([0, 1])
  pace.answered()
  await settle()
  expect(entered).toEqual([0, 1])
})

test('a fraction of a request does not go', async () => {
  const { pace, waits } = paced()
  await pace.enter()
  pace.limited(0)
  pace.leave()
  pace.answered()
  pace.answered()
  let entered = 0
  for (let count = 0; count < 4; count += 1) void pace.enter().then(() => (entered += 1))
  await settle()
  expect([entered, waits]).toEqual([2, []])
})

test('a short wait that is asked for after a long one does not end it', async () => {
  const { pace, waits } = paced()
  pace.limited(5000)
  pace.limited(100)
  await pace.enter()
  expect(waits).toEqual([5000])
})

test('a short wait for a used-up limit does not end a long one', async () => {
  const { pace, waits } = paced()
  pace.limited(5000)
  pace.answered(100)
  await pace.enter()
  expect(waits).toEqual([5000])
})

test('a request that already waits waits on when a longer wait is asked for', async () => {
  let now = 0
  const sleeps: { readonly milliseconds: number; readonly end: () => void }[] = []
  const pace = createPace({
    monotonic: () => now,
    sleep: (milliseconds) => new Promise((end) => sleeps.push({ milliseconds, end })),
  })
  let hasEntered = false
  pace.limited(100)
  void pace.enter().then(() => (hasEntered = true))
  pace.limited(5000)
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
  pace.answered(400)
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
  const pace = createPace({ monotonic: () => 0, sleep })
  await pace.enter()
  pace.limited(1000)
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
